/**
 * Goal: the registry is a function of the set of statements (DESIGN L2): contested ids, wrong signers, squatted ids and
 * unlistable registrations included.
 * Method: every order of small sets; random sets in random orders and batches, with a restart, against all at once.
 */

import fc from "fast-check";
import { expect, test } from "vitest";
import { nodeServiceId } from "../../core/domains/providers/ids.ts";
import { HealthUpdate, Registration, Withdrawal } from "../../core/domains/providers/schema.ts";
import type { Statement } from "../../core/kernel/signed.ts";
import { actor, at, sign } from "../convergence/actors.ts";
import type { Observation, Replica } from "../convergence/replica.ts";
import { openReplica, received, recordsText, replicaOf, rootsOf } from "../convergence/replica.ts";
import { permutations, shuffleOf } from "../convergence/shuffle.ts";
import { statementLabels } from "../convergence/statement-labels.ts";
import { forAll } from "../property/for-all.ts";
import * as fixtures from "./fixtures.ts";

const people = ["ann", "ben", "cho"].map(actor);
const [ann, ben] = people as [ReturnType<typeof actor>, ReturnType<typeof actor>];
const IDS = ["svc-1", "svc-2", nodeServiceId(ann.key)];

function expectSame(one: Replica, whole: Replica) {
  expect(recordsText(one)).toBe(recordsText(whole));
  expect(rootsOf(one)).toBe(rootsOf(whole));
}

function inOrder(order: readonly Observation[]): Replica {
  const replica = openReplica();
  for (const each of order) replica.receive([each]);
  return replica;
}

const register = (by = ann, minutes = 0, more: Partial<Registration> = {}) =>
  sign(Registration, fixtures.registration(by, at(minutes), more));
const sets: Readonly<Record<string, readonly Statement[]>> = {
  "one provider comes, falls ill, leaves and returns": [
    register(),
    sign(HealthUpdate, fixtures.health(ann, at(1))),
    sign(Withdrawal, fixtures.withdrawal(ann, at(2))),
    register(ann, 3),
    sign(HealthUpdate, fixtures.health(ann, at(2.5), "Offline")),
  ],
  "two providers of one id, one of which speaks for the other": [
    register(ann, 1),
    register(ben, 0),
    sign(Withdrawal, fixtures.withdrawal(ben, at(2))),
    sign(HealthUpdate, fixtures.health(ann, at(2))),
    { ...sign(Withdrawal, fixtures.withdrawal(ann, at(5))), signer: ben.peer },
  ],
  "registrations of equal dates": [
    register(ann, 0, { region: "KE" }),
    register(ann, 0, { region: "TZ" }),
    register(ann, 0, { endpoints: ["https://a.test"] }),
    sign(Withdrawal, fixtures.withdrawal(ann, at(0))),
    sign(HealthUpdate, fixtures.health(ann, at(0))),
  ],
};

test.each(Object.entries(sets))("every order: %s", (_, statements) => {
  const whole = replicaOf(received(...statements));
  for (const order of permutations(received(...statements))) expectSame(inOrder(order), whole);
});

const arbStatement: fc.Arbitrary<Statement> = fc
  .record({
    by: fc.constantFrom(...people),
    id: fc.constantFrom(...IDS),
    minutes: fc.integer({ min: 0, max: 6 }),
    kind: fc.constantFrom("register", "register", "unlisted", "health", "withdraw"),
    region: fc.constantFrom(null, "KE", "TZ"),
  })
  .map(({ by, id, minutes, kind, region }) => {
    if (kind === "health") return sign(HealthUpdate, fixtures.health(by, at(minutes), "Maintenance", id));
    if (kind === "withdraw") return sign(Withdrawal, fixtures.withdrawal(by, at(minutes), id));
    const endpoints = kind === "unlisted" ? ["https://x.invalid"] : [];
    return register(by, minutes, { service_id: id, region, endpoints });
  });

test("random sets, in any order and any batches, with a restart", () => {
  const holds = (statements: readonly Statement[], order: number) => {
    const shuffle = shuffleOf(order);
    const whole = replicaOf(received(...statements));
    const parted = openReplica();
    for (const batch of shuffle.parts(shuffle.shuffled(received(...statements, ...shuffle.some(statements))))) {
      parted.receive(batch);
      if (shuffle.below(5) === 0) parted.restart();
    }
    expectSame(parted, whole);
  };
  forAll([fc.array(arbStatement, { maxLength: 40 }), fc.integer()], holds, {
    runs: 150,
    classes: (statements) => statementLabels(statements),
    shares: {
      "more than ten": 0.6,
      "one id twice by one signer": 0.7,
      "one id by two signers": 0.7,
      "equal dates": 0.5,
      repeated: 0.2,
      HealthUpdate: 0.7,
      Withdrawal: 0.7,
    },
  });
});
