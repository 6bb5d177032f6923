/**
 * Goal: what strangers ask under a reservation number makes no step longer in which something of that number is sealed,
 * nor one that brings a fact about it (CONVERGENCE B5, B7).
 * Method: N and 4N people ask under one number within half an hour; rows that a step reads, finds or goes through are
 * counted, and nothing is timed.
 */
import { expect, test } from "vitest";
import { hourAfter, SEAL_EVERY_MS } from "../../core/domains/trade/sealing/hours.ts";
import { SETTLEMENT_UNIT } from "../../core/domains/trade/settlements/fold.ts";
import { groupOfFact } from "../../core/domains/trade/settlements/reservation-numbers.ts";
import type { ChainFact } from "../../core/domains/trade/settlements/schema.ts";
import { ChainFacts } from "../../core/domains/trade/settlements/tables.ts";
import { isSealed, Seals } from "../../core/engine/statements/table.ts";
import type { StepContext } from "../../core/engine/step-context.ts";
import { foldOf } from "../../core/engine/step-context.ts";
import type { Statement } from "../../core/kernel/signed.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import { actor, at, merchant, rival, stranger, taker } from "../convergence/actors.ts";
import * as fixtures from "../convergence/fixtures.ts";
import { openReplica, received } from "../convergence/replica.ts";
import type { CrowdedNode } from "../limits/crowded-node.ts";
import { crowdedNode } from "../limits/crowded-node.ts";
import { withPlantedBug } from "../planted/planted-bug.ts";

const [N, MANY] = [150, 600];
/** When requests are over, and no settlement. */
const ASKED = (hourAfter(at(60)) * SEAL_EVERY_MS) as EpochMillis;
const offer = fixtures.advertisement(merchant, at(0), { liquidity: fixtures.units(10n ** 12n) });
const trade = [
  fixtures.request(taker, at(1)),
  fixtures.initiate(taker, merchant, at(2)),
  fixtures.payment(taker, at(3)),
];
/** Who asks and takes it back. */
const askers = Array.from({ length: MANY }, (_, n) => actor(`asker ${n}`)).map((by) => [
  fixtures.request(by, at(2)),
  fixtures.reservationCancel(by, "42", at(3)),
]);
/** The chain released the escrow of the number to its buyer. */
const fact: ChainFact = {
  kind: "released",
  ...{ reservation: 42n, buyer: taker.key, seller: merchant.key, mint: fixtures.MINTS[0] },
  ...{ amount: 10n, resolution: null, terminal_split: null },
  ...{ transaction: "release", timestamp: at(5) },
};

function told(statements: readonly Statement[], open = crowdedNode, foldIn = foldOf): CrowdedNode {
  const node = open(at(10));
  node.withContext((context: StepContext) => {
    const fold = foldIn(context);
    for (const each of statements) fold.admit(each);
    fold.run();
  });
  return node;
}

/** Rows that one act looks at. */
function touchedBy(node: CrowdedNode, act: (node: CrowdedNode) => void): number {
  const before = node.touched();
  act(node);
  return node.touched() - before;
}

function seal(node: CrowdedNode): void {
  node.now = ASKED;
  node.does({ type: "timer.fired", timer: "seal" });
}

function see(node: CrowdedNode): void {
  node.withContext((context) => {
    context.draft.put(ChainFacts, "fact", fact);
    const fold = foldOf(context);
    fold.mark(SETTLEMENT_UNIT, groupOfFact(fact));
    fold.run();
  });
}

/** What the first slice of sealing looks at, and how much it seals. */
function firstSlice(size: number, open = crowdedNode, foldIn = foldOf): readonly [touched: number, sealed: number] {
  const node = told([offer, ...askers.slice(0, size).flat()], open, foldIn);
  return [touchedBy(node, seal), node.store.size(Seals)];
}

test("a slice of sealing looks at no more rows among 4N requests of a number than among N, and seals as many", () => {
  const [[few], [many, sealed]] = [firstSlice(N), firstSlice(MANY)];
  expect(many).toBeLessThanOrEqual(few + 64);
  expect(sealed).toBe(64);
});

test("a fact about a number looks at no more rows among 4N requests of it than among N", () => {
  const [few, many] = [N, MANY].map((size) => {
    const node = told([offer, ...trade, ...askers.slice(0, size).flat()]);
    return touchedBy(node, see);
  }) as [number, number];
  expect(many).toBeLessThanOrEqual(few);
});

/** Which of some are sealed at an hour at which requests are over, and settlements are not. */
function sealedOf(asked: readonly Statement[], sealing = { openReplica }): readonly boolean[] {
  const replica = sealing.openReplica();
  replica.receive(received(offer, ...trade, ...asked));
  replica.seal((hourAfter(at(400)) * SEAL_EVERY_MS) as EpochMillis);
  return asked.map(({ identity }) => isSealed(replica.store(), identity));
}

/** Asked under the number of the trade so many minutes before its request and after it, and under another number. */
const near = [-29, 0, 29].map((minutes) => fixtures.request(rival, at(31 + minutes)));
const far = [
  fixtures.request(rival, at(1 + 121)),
  fixtures.request(rival, at(2), { id: "43" }),
  fixtures.request(stranger, at(300), { id: "0042" }),
];

test("what was asked within half an hour of a request waits for its settlement, what was asked two hours later not", () => {
  const settled = [fixtures.request(taker, at(31)), fixtures.initiate(taker, merchant, at(32), { id: "t" })];
  expect(sealedOf([...settled, ...near])).toEqual(near.map(() => false).concat(settled.map(() => false)));
  expect(sealedOf(far)).toEqual([true, true, true]);
});

test("planted bugs are found: requests of five minutes alone, and cancels of all under the name", async () => {
  const alone = {
    file: "core/domains/trade/sealing/number-ends.ts",
    find: "const BESIDE = RESERVATION_WINDOW_MS / PART_MS;",
    replace: "const BESIDE = 0;",
  };
  const sealed = await withPlantedBug(alone, async (load) => {
    const replicas = await load<typeof import("../convergence/replica.ts")>("test/convergence/replica.ts");
    return sealedOf(near, replicas);
  });
  expect(sealed).toContain(true);
  const all = {
    file: "core/domains/trade/sealing/sealing.ts",
    find: "if (type.among === undefined) return",
    replace: "if (type !== undefined) return",
  };
  const [, sealedAtOnce] = await withPlantedBug(all, async (load) => {
    const { crowdedNode: open } = await load<typeof import("../limits/crowded-node.ts")>("test/limits/crowded-node.ts");
    const context = await load<typeof import("../../core/engine/step-context.ts")>("core/engine/step-context.ts");
    return firstSlice(N, open, context.foldOf);
  });
  expect(sealedAtOnce).toBeLessThan(64);
});
