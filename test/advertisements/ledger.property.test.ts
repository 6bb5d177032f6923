/**
 * Goal: a ledger that sweeps only what a change can reach says what the sweep over everything says, whatever
 * came in which order and batches.
 * Method: random allocations that come, change and are closed on, in random batches, against the model after each.
 */
import fc from "fast-check";
import { assert, describe, test } from "vitest";
import type { Allocation, Closing } from "../../core/domains/trade/advertisements/allocation.ts";
import {
  BARRED,
  closedAt,
  compareAllocations,
  GRANTED,
  STATUS_FINAL_MS,
  WINDOW_MS,
} from "../../core/domains/trade/advertisements/allocation.ts";
import {
  BLOCK_ALLOCATIONS_MAX as ALLOCATIONS_MAX,
  allocationAt,
  placeOf,
} from "../../core/domains/trade/advertisements/blocks.ts";
import type { Ledger, Supply } from "../../core/domains/trade/advertisements/ledger.ts";
import { emptyLedger, heldUnits, verdictOf, withAllocations } from "../../core/domains/trade/advertisements/ledger.ts";
import type { Offer } from "../../core/domains/trade/advertisements/offer.ts";
import type { Statement } from "../../core/kernel/signed.ts";
import { compareStatements } from "../../core/kernel/signed.ts";
import { compareText } from "../../core/kernel/text.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import { at } from "../convergence/actors.ts";
import { forAll } from "../property/for-all.ts";
import { sweep } from "./sweep-model.ts";

interface Draw {
  readonly number: number;
  readonly units: number;
  readonly acknowledged: boolean;
  readonly endsAfter: number | null;
  readonly lasts: boolean;
  readonly decimals: number;
}

const arbDraw = (number: fc.Arbitrary<number>): fc.Arbitrary<Draw> =>
  fc.record({
    number,
    units: fc.integer({ min: 1, max: 60 }),
    acknowledged: fc.nat({ max: 9 }).map((n) => n === 0),
    endsAfter: fc.option(fc.integer({ min: -5, max: 30 }), { freq: 4 }),
    lasts: fc.boolean(),
    decimals: fc.nat({ max: 19 }).map((n) => (n === 0 ? 2 : 6)),
  });

/** How requests' numbers become minutes. */
interface Dates {
  readonly stride: number;
  readonly minutes: number;
}

/** Date and amount belong to the request, so they follow from its number. */
function allocationOf(draw: Draw, { stride, minutes }: Dates): Allocation {
  const timestamp = at((draw.number * stride) % (minutes + 1));
  const early = draw.endsAfter === null ? null : ((timestamp + BigInt(draw.endsAfter * 60_000)) as EpochMillis);
  const settles = draw.lasts && draw.number % 3 > 0 ? "while it settles" : "for ever";
  const unsold = early === null ? "for its window" : "no more";
  const holds = draw.acknowledged ? "for ever" : draw.lasts ? settles : unsold;
  return {
    identity: (draw.number * 7_919).toString(16).padStart(8, "0"),
    timestamp,
    units: BigInt(((draw.number * 31) % 60) + 1),
    decimals: draw.number % 20 === 0 ? 2 : 6,
    acknowledged: draw.acknowledged,
    endsAt: draw.acknowledged || early === null ? ((timestamp + BigInt(WINDOW_MS)) as EpochMillis) : early,
    endsEarly: !draw.acknowledged && early !== null,
    holds,
    price: { base_units: draw.number % 5 === 0 ? 1n : 0n, decimals: 2 },
    mid: null,
    settlesUntil: (timestamp + BigInt((draw.number % 5) * 3_600_000)) as EpochMillis,
  };
}

const arbClosings: fc.Arbitrary<readonly Closing[]> = fc
  .array(fc.record({ minute: fc.integer({ min: -40_000, max: 120 }), open: fc.boolean() }), { maxLength: 3 })
  .map((drawn) =>
    drawn
      .map(({ minute, open }) => ({ from: at(minute), closedSince: open ? undefined : at(minute) }))
      .sort((a, b) => (a.from < b.from ? -1 : 1)),
  );

/** Price edits, and the price that each asks; in order of their dates, however they come. */
type Edits = readonly { readonly minute: number; readonly price: number }[];
const arbEdits: fc.Arbitrary<Edits> = fc.array(
  fc.record({ minute: fc.integer({ min: -90, max: 130 }), price: fc.nat({ max: 1 }) }),
  { minLength: 1, maxLength: 4 },
);

function offerAt(edits: Edits): Offer {
  const dated = (minute: number, place: string) =>
    ({ timestamp: at(minute), identity: `${minute}/${place}` }) as Statement;
  const amount = (units: number) => ({ base_units: BigInt(units), decimals: 6 });
  const prices = edits.map(({ minute, price }, place) => {
    const value = { Fixed: { price: { base_units: BigInt(price), decimals: 2 } } };
    return { value, statement: dated(minute, `${place}/${price}`) };
  });
  const value = { min_trade: amount(0), max_trade: amount(1_000), payment_methods: [] };
  return {
    prices: prices.sort((a, b) => compareStatements(a.statement, b.statement)),
    terms: [{ value, statement: dated(-100, "0") }],
  };
}

/** One price, which most requests agree to. */
const ONE_PRICE = offerAt([{ minute: -100, price: 0 }]);

/** The rule as CONVERGENCE B8 states it: a price is in force until half an hour after the next one. */
function wasOffered({ prices }: Offer, { timestamp, price, decimals }: Allocation): boolean {
  return prices.some(({ value, statement }, place) => {
    const next = prices[place + 1]?.statement.timestamp;
    const agrees = "Fixed" in value && value.Fixed.price.base_units === price.base_units && decimals === 6;
    const isSigned = statement.timestamp <= timestamp + 300_000n;
    return agrees && isSigned && (next === undefined || timestamp <= next + 1_800_000n);
  });
}

function agrees(ledger: Ledger, supply: Supply, allocations: ReadonlyMap<string, Allocation>): void {
  const dated = [...allocations.values()].map((allocation) => ({
    ...allocation,
    closedSince: closedAt(supply.closings, allocation.timestamp),
    offered: wasOffered(supply.offer, allocation),
  }));
  const model = sweep(supply.units, supply.decimals, dated);
  const answer = (verdict: number) =>
    dated
      .filter((allocation) => verdictOf(ledger, allocation) === verdict)
      .map((allocation) => allocation.identity)
      .sort(compareText);
  assert.deepEqual(answer(GRANTED), [...model.granted].sort(compareText));
  assert.deepEqual(answer(BARRED), [...model.barred].sort(compareText));
  const granted = dated.filter((allocation) => model.granted.has(allocation.identity));
  assert.equal(ledger.sums.acknowledged, model.acknowledged);
  assert.equal(ledger.sums.granted, BigInt(granted.length));
  assert.equal(
    ledger.sums.digest,
    granted.reduce((sum, allocation) => sum + BigInt(`0x${allocation.identity}`), 0n),
  );
  const newest = granted.map((allocation) =>
    allocation.endsEarly && allocation.endsAt > allocation.timestamp ? allocation.endsAt : allocation.timestamp,
  );
  assert.equal(
    ledger.sums.latest,
    newest.reduce((a, b) => (a > b ? a : b), 0n as EpochMillis),
  );
  for (const minute of [-60, 0, 31, 90, 400]) {
    const now = at(minute);
    const held = dated.filter((allocation) => {
      const isGranted = granted.includes(allocation);
      const isInWindow = allocation.timestamp + BigInt(WINDOW_MS) >= now;
      if (allocation.holds === "for ever") return isGranted;
      if (allocation.holds === "while it settles" && !isInWindow)
        return allocation.decimals === supply.decimals && allocation.settlesUntil >= now;
      return allocation.holds !== "no more" && isInWindow && isGranted;
    });
    assert.equal(
      heldUnits(ledger, now),
      held.reduce((sum, allocation) => sum + allocation.units, 0n),
    );
  }
}

/** How many numbers lie close together, and how many allocations of them come at once. */
const NEAR = 8;

interface Step {
  readonly draws: readonly Draw[];
  readonly closings: readonly Closing[] | null;
  readonly edits: Edits | null;
}

/** Allocations of any date, or a few that lie close together and leave most of the ledger alone. */
const arbStep = (numbers: number, batch: number): fc.Arbitrary<Step> =>
  fc.record({
    draws: fc.oneof(
      fc.array(arbDraw(fc.nat({ max: numbers })), { maxLength: batch }),
      fc
        .nat({ max: numbers - NEAR })
        .chain((from) => fc.array(arbDraw(fc.integer({ min: from, max: from + NEAR })), { maxLength: NEAR })),
      fc.array(arbDraw(fc.constantFrom(0, 1, numbers - 1, numbers)), { maxLength: NEAR }),
    ),
    closings: fc.option(arbClosings, { freq: 5 }),
    edits: fc.option(arbEdits, { freq: 3 }),
  });

/** Liquidity that lets nearly nobody, some or everybody in. */
const arbUnits = fc.constantFrom(100n, 600n, 40_000n);

/** What became of a batch: labels of the story it belongs to. */
function happened(before: Ledger, after: Ledger, changed: readonly Allocation[]): readonly string[] {
  const wasThere = changed.some((allocation) => allocationAt(before.blocks, allocation) !== undefined);
  const lengthened = before.blocks.some(({ allocations }) => {
    const [first, last] = [allocations[0], allocations.at(-1)];
    const within = (allocation: Allocation) =>
      first && last && compareAllocations(first, allocation) < 0 && compareAllocations(allocation, last) < 0;
    return (
      allocations.length +
        changed.filter((allocation) => within(allocation) && !allocations.some(same(allocation))).length >
      ALLOCATIONS_MAX
    );
  });
  const verdicts = new Set(after.blocks.flatMap((block) => block.verdicts));
  const places = [...new Set(changed.map((allocation) => placeOf(before.blocks, allocation).block))].sort(
    (a, b) => a - b,
  );
  const gap = places.some((place, n) => n > 0 && place - (places[n - 1] ?? 0) > 1);
  return [
    ...(gap ? ["a block between is left alone"] : []),
    ...((places.at(-1) ?? Number.POSITIVE_INFINITY) < before.blocks.length - 1 ? ["later blocks are left alone"] : []),
    ...(wasThere ? ["an allocation changes"] : []),
    ...(lengthened ? ["a block that was there splits"] : []),
    ...[...verdicts].map((verdict) => NAMES[verdict] ?? "unknown verdict"),
  ];
}

const NAMES: readonly string[] = ["refused", "granted", "barred", "crowded"];

const same = (one: Allocation) => (other: Allocation) => one.identity === other.identity;

function blocksLabel({ blocks }: Ledger): string {
  return blocks.length < 2 ? "one block at most" : blocks.length === 2 ? "two blocks" : "three blocks or more";
}

/** Adds batch after batch to one ledger, and compares it with the model after each. */
function story(dates: Dates) {
  return (units: bigint, steps: readonly Step[]): readonly string[] => {
    let supply: Supply = { units, decimals: 6, closings: [], offer: ONE_PRICE };
    let ledger = emptyLedger(supply);
    const allocations = new Map<string, Allocation>();
    const labels: string[] = [];
    for (const { draws, closings, edits } of steps) {
      const changed = new Map(
        draws.map((draw) => allocationOf(draw, dates)).map((allocation) => [allocation.identity, allocation]),
      );
      if (closings !== null) supply = { ...supply, closings };
      if (edits !== null) supply = { ...supply, offer: offerAt(edits) };
      for (const [identity, allocation] of changed) allocations.set(identity, allocation);
      const before = ledger;
      ledger = withAllocations(before, supply, [...changed.values()]);
      agrees(ledger, supply, allocations);
      labels.push(...happened(before, ledger, [...changed.values()]));
    }
    return [blocksLabel(ledger), ...labels];
  };
}

const FIRST: Dates = { stride: 1, minutes: 0 };

describe("the ledger", () => {
  test("says what the sweep says, after every batch", () => {
    const shares = { "an allocation changes": 0.5, granted: 0.7, crowded: 0.15, barred: 0.3 };
    const steps = fc.array(arbStep(40, 6), { maxLength: 12 });
    forAll([arbUnits, steps], story({ stride: 7_919, minutes: 120 }), { runs: 1_500, shares });
  });

  test("says so over many blocks, with dates that crowd", () => {
    const shares = {
      "three blocks or more": 0.4,
      "a block that was there splits": 0.3,
      "later blocks are left alone": 0.3,
      "a block between is left alone": 0.1,
      granted: 0.5,
      crowded: 0.3,
    };
    const crowd = fc.array(arbDraw(fc.nat({ max: 900 })), { minLength: ALLOCATIONS_MAX, maxLength: 500 });
    const first = crowd.map((draws): Step => ({ draws, closings: null, edits: null }));
    const steps = fc.tuple(first, fc.array(arbStep(900, 400), { maxLength: 5 })).map(([one, more]) => [one, ...more]);
    forAll([arbUnits, steps], story({ stride: 1, minutes: 600 }), { runs: 80, sample: 60, shares });
  });

  test("an allocation in order changes one block, and keeps the others as they are", () => {
    const supply: Supply = { units: 1_000_000n, decimals: 6, closings: [], offer: ONE_PRICE };
    const inOrder = Array.from({ length: 1_000 }, (_, number) => ({
      ...allocationOf({ number, units: 1, acknowledged: false, endsAfter: null, lasts: false, decimals: 6 }, FIRST),
      timestamp: at(number),
      endsAt: (at(number) + BigInt(WINDOW_MS)) as EpochMillis,
    })).sort(compareAllocations);
    const before = withAllocations(emptyLedger(supply), supply, inOrder.slice(0, -1));
    const after = withAllocations(before, supply, inOrder.slice(-1));
    assert.isAbove(STATUS_FINAL_MS, WINDOW_MS);
    assert.equal(after.blocks.filter((block, index) => block !== before.blocks[index]).length, 1);
  });
});
