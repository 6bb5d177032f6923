// Goal: each bug by which searches are compared takes its three steps, in their order, and nothing less. Method: the
// rule with the bug and without it, on all orders of the three statements and of any two of them: they differ on one.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { assert, describe, expect, test } from "vitest";
import type * as Sessions from "../../core/domains/sessions/rules.ts";
import * as sessions from "../../core/domains/sessions/rules.ts";
import type * as Registers from "../../core/domains/trade/advertisements/registers.ts";
import * as registers from "../../core/domains/trade/advertisements/registers.ts";
import type * as Disputes from "../../core/domains/trade/disputes/rules.ts";
import * as disputes from "../../core/domains/trade/disputes/rules.ts";
import type * as Settlements from "../../core/domains/trade/settlements/rules.ts";
import * as settlements from "../../core/domains/trade/settlements/rules.ts";
import type { Load } from "../planted/planted-bug.ts";
import { withPlantedBug } from "../planted/planted-bug.ts";
import type { Plant } from "../score/plant.ts";
import { deepBugs, ruleBugs } from "./deep-bugs.ts";

const root = resolve(import.meta.dirname, "..", "..");
const BUGS_LEAST = 8;

/** Something that was signed: what, and by whom. */
type Step = readonly [type: string, signer: string, payload?: object];
interface Signed {
  readonly identity: string;
  readonly type: { readonly name: string };
  readonly signer: string;
  readonly timestamp: bigint;
  readonly payload: object;
}

const signed = ([name, signer, payload = {}]: Step, at: number): Signed => ({
  ...{ identity: `${name}-${signer}-${at}`, type: { name }, signer, timestamp: BigInt(at), payload },
});

/** Says with a bug planted whether a rule reads statements otherwise than without it. */
type Reading = (load: Load) => Promise<(statements: readonly Signed[]) => boolean>;

function reading<Rules>(
  path: string,
  plain: Rules,
  read: (rules: Rules, statements: readonly Signed[]) => unknown,
): Reading {
  return async (load) => {
    const withBug = await load<Rules>(path);
    return (statements) => JSON.stringify(read(withBug, statements)) !== JSON.stringify(read(plain, statements));
  };
}

const settlement = reading<typeof Settlements>(
  "core/domains/trade/settlements/rules.ts",
  settlements,
  (rules, statements) =>
    rules.signedStateOf(rules.actsOf({ buyer: "buyer", seller: "seller" } as never, statements as never)),
);
const dispute = reading<typeof Disputes>("core/domains/trade/disputes/rules.ts", disputes, (rules, statements) => {
  const opening = () => Uint8Array.of(7);
  const panel = rules.panelOf(opening, ["buyer", "seller"] as never, statements as never);
  const row = { buyer: "buyer", seller: "seller", decided: false } as never;
  const { status, arbitrators } = rules.disputeOf(signed(["DisputeOpen", "buyer"], 0) as never, row, panel);
  return { status, arbitrators };
});
const advertisement = reading<typeof Registers>(
  "core/domains/trade/advertisements/registers.ts",
  registers,
  (rules, statements) => {
    const statuses = statements.map((statement) => ({ value: Reflect.get(statement.payload, "status"), statement }));
    return rules.currentStatus({ prices: [], terms: [], statuses } as never);
  },
);
const session = reading<typeof Sessions>("core/domains/sessions/rules.ts", sessions, (rules, statements) => {
  const create = signed(["SessionCreate", "owner", { expires_at: 1_000n }], 0);
  return rules.sessionOf(create as never, statements as never, "are inert").revoked;
});

const OPENED = { commitment: Uint8Array.of(7) };
const payment: Step = ["PaymentSubmitted", "buyer"];
const reversal: Step = ["PaymentReversed", "buyer"];
const approve: Step = ["SettlementApproved", "seller"];
const open: Step = ["DisputeOpen", "buyer"];
const cancel = (by: string): Step => ["SettlementCancelled", by];
const status = (value: string): Step => ["AdvertisementStatusSet", "merchant", { status: value }];
const moved: Step = ["SessionMigrate", "owner", { version: 1n, new_host_node: "other" }];
const renewed: Step = ["SessionRenew", "owner", { version: 1n, new_expires_at: 2_000n }];

interface Row {
  readonly reading: Reading;
  /** What was signed before, in any case. */
  readonly given?: readonly Step[];
  readonly steps: readonly [Step, Step, Step];
}

const rows: Readonly<Record<string, Row>> = {
  "paid-reversed-approved": { reading: settlement, steps: [payment, reversal, approve] },
  "rejected-opened-approved": {
    reading: settlement,
    given: [payment],
    steps: [["SettlementRejected", "seller"], open, approve],
  },
  "cancelled-paid-cancelled": { reading: settlement, steps: [cancel("seller"), payment, cancel("buyer")] },
  "opened-approved-reversed": { reading: settlement, given: [payment], steps: [open, approve, reversal] },
  "committed-revealed-joined": {
    reading: dispute,
    given: [["ArbitratorJoin", "one"]],
    steps: [
      ["VoteCommit", "one", OPENED],
      ["VoteReveal", "one"],
      ["ArbitratorJoin", "two"],
    ],
  },
  "agreed-joined-agreed": {
    reading: dispute,
    steps: [
      ["MutualSettlementAgree", "buyer"],
      ["ArbitratorJoin", "one"],
      ["MutualSettlementAgree", "seller"],
    ],
  },
  "paused-opened-deleted": { reading: advertisement, steps: [status("Vacation"), status("Active"), status("Deleted")] },
  "renewed-moved-revoked": { reading: session, steps: [renewed, moved, ["SessionRevoke", "owner"]] },
};

/** Every order of every choice of two or three of the steps. */
function orders(steps: readonly Step[]): readonly (readonly Step[])[] {
  const longer = (from: readonly Step[]): (readonly Step[])[] =>
    steps.flatMap((step) => (from.includes(step) ? [] : [[...from, step], ...longer([...from, step])]));
  return longer([]).filter(({ length }) => length > 1);
}

test("they are many, and fit their sources", () => {
  assert.isAtLeast(deepBugs.length, BUGS_LEAST);
  assert.equal(new Set(deepBugs.map(({ name }) => name)).size, deepBugs.length);
  for (const { name, file, apply } of deepBugs) {
    const source = readFileSync(join(root, file), "utf8");
    assert.notEqual(apply(source), source, name);
  }
});

describe("a bug takes three steps in one order", () => {
  test.each(ruleBugs.map((bug) => ({ bug, name: bug.name })))("$name", async ({ bug, name }) => {
    const row = rows[name];
    assert.ok(row, name);
    const { given = [], steps } = row;
    const differing = await planted(bug, async (load) => {
      const differs = await row.reading(load);
      return orders(steps).filter((order) =>
        differs([...given, ...order].map((step, place) => signed(step, place + 1))),
      );
    });
    expect(differing).toEqual([steps]);
  });
});

/** Runs with the whole source of the bug's file replaced by that with the bug in it. */
function planted<Result>({ file, apply }: Plant, body: (load: Load) => Promise<Result>): Promise<Result> {
  const source = readFileSync(join(root, file), "utf8");
  return withPlantedBug({ file, find: source, replace: apply(source) }, body);
}
