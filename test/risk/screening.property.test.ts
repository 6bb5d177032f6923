// Goal: a screening is what the protocol's steps say (protocol 04 §4.6), under both rules about clearances, whatever
// the records; equal sets read alike on every node.
// Method: random records by few providers on few dates; the reference's rule against a direct reading of its steps,
// ours against those steps for each provider alone; then the law of convergence over the same sets.

import fc from "fast-check";
import { assert, test } from "vitest";
import type { RiskPublish } from "../../core/domains/risk/schema.ts";
import { severities } from "../../core/domains/risk/schema.ts";
import { screeningOf } from "../../core/domains/risk/views.ts";
import type { Statement } from "../../core/kernel/signed.ts";
import { compareText } from "../../core/kernel/text.ts";
import type { Actor } from "../convergence/actors.ts";
import { at, merchant, rival, stranger, taker } from "../convergence/actors.ts";
import { divergence } from "../convergence/convergence-law.ts";
import { received, replicaOf } from "../convergence/replica.ts";
import { statementLabels } from "../convergence/statement-labels.ts";
import { forAll } from "../property/for-all.ts";
import { marketRules } from "../rpc/lone-node.ts";
import { publish, register, withdraw } from "./fixtures.ts";

const providers: readonly Actor[] = [merchant, rival, stranger];
const arbAt = fc.integer({ min: 0, max: 9 }).map(at);
const arbRecord = fc
  .record({
    by: fc.constantFrom(...providers),
    date: arbAt,
    id: fc.constantFrom("a", "b", "c", "d"),
    outcome: fc.constantFrom("Flagged" as const, "Cleared" as const),
    severity: fc.constantFrom(...severities),
    until: fc.option(arbAt),
  })
  .map(({ by, date, ...fields }) => publish(by, taker.peer, date, fields));
const arbRegistry = fc.array(
  fc.tuple(fc.constantFrom(...providers), arbAt, fc.boolean()).map(([by, date, stays]) => {
    return (stays ? register(by, date) : withdraw(by, date)) as Statement;
  }),
  { maxLength: 6 },
);

/** Identities of the active flags by the steps as they are written. */
function active(records: readonly Statement<RiskPublish>[], now: bigint): readonly string[] {
  const current = records.filter(({ payload }) => payload.expires_at === null || now < payload.expires_at);
  const clearances = current.filter(({ payload }) => payload.outcome === "Cleared").map(({ timestamp }) => timestamp);
  return current
    .filter(({ payload }) => payload.outcome === "Flagged")
    .filter(({ timestamp }) => clearances.every((clearance) => timestamp > clearance))
    .map(({ payload }) => textOf(payload));
}

const textOf = ({ id, provider, severity, expires_at }: Omit<RiskPublish, "timestamp">) =>
  JSON.stringify([id, provider, severity, `${expires_at}`]);

test("the steps of the protocol, for everybody under parity and for each provider in our rule", () => {
  forAll(
    [fc.uniqueArray(arbRecord, { maxLength: 12, selector: ({ identity }) => identity }), arbAt],
    (all, now) => {
      const store = replicaOf(received(...providers.map((by) => register(by, at(0))), ...all)).store();
      const flags = (parity: boolean) => screeningOf(store, taker.peer, { now, rules: marketRules(parity) });
      const texts = (parity: boolean) => flags(parity).active_flags.map(textOf).sort(compareText);
      assert.deepEqual(texts(true), [...active(all, now)].sort(compareText));
      const own = providers.flatMap(({ peer }) =>
        active(
          all.filter(({ signer }) => signer === peer),
          now,
        ),
      );
      assert.deepEqual(texts(false), own.sort(compareText));
      const { active_flags, highest_severity } = flags(false);
      const ranks = active_flags.map(({ severity }) => severities.indexOf(severity));
      assert.equal(highest_severity, severities[Math.max(...ranks)] ?? null);
    },
    {
      runs: 250,
      classes: (all, now) => [
        ...statementLabels(all),
        ...new Set(all.map(({ payload }) => payload.outcome)),
        ...(all.some(({ payload }) => payload.expires_at === now) ? ["read as one ends"] : []),
        active(all, now).length > 0 ? "a flag stands" : "none stands",
      ],
      shares: {
        Flagged: 0.6,
        Cleared: 0.6,
        "a flag stands": 0.3,
        "none stands": 0.2,
        "read as one ends": 0.15,
        "one id by two signers": 0.5,
        "one id twice by one signer": 0.3,
      },
    },
  );
});

test("no order, batch, repeat or restart changes a record", () => {
  const holds = (records: readonly Statement[], registry: readonly Statement[], schedule: number) => {
    const problem = divergence(received(...registry, ...records), schedule);
    if (problem !== undefined) assert.fail(problem);
  };
  forAll([fc.array(arbRecord, { maxLength: 24 }), arbRegistry, fc.nat()], holds, {
    runs: 120,
    classes: (records, registry) => statementLabels([...records, ...registry]),
    shares: {
      "more than ten": 0.5,
      "one id by two signers": 0.6,
      "one id twice by one signer": 0.6,
      Registration: 0.5,
      Withdrawal: 0.5,
      "equal dates": 0.2,
    },
  });
});
