// Goal: a wallet's counters are those of protocol 04 §2.4 with our rules of §2.11, row by row, and are a function of
// the set: no order of arrival shows in them.
// Method: trades through the whole engine (signed words and chain facts), each read for every party; the formula on
// rows that no ingress lets in (a trade with oneself, sums beyond 64 bits) under both profiles.

import fc from "fast-check";
import { assert, describe, test } from "vitest";
import type { Trade } from "../../core/domains/reputation/rules.ts";
import { profileOf } from "../../core/domains/reputation/rules.ts";
import { ReputationProfile } from "../../core/domains/reputation/schema.ts";
import { reputationOf } from "../../core/domains/reputation/views.ts";
import type { ChainFact, SettlementRow } from "../../core/domains/trade/settlements/schema.ts";
import { Settlements } from "../../core/domains/trade/settlements/tables.ts";
import { ruleOf } from "../../core/engine/overrides.ts";
import { compareBytes } from "../../core/kernel/bytes.ts";
import { ANSWER } from "../../core/kernel/schema.ts";
import type { Statement } from "../../core/kernel/signed.ts";
import { fromBase58 } from "../../core/kernel/text.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import { at, merchant, rival, taker } from "../convergence/actors.ts";
import * as fixtures from "../convergence/fixtures.ts";
import type { Observation } from "../convergence/replica.ts";
import { received, replicaOf, seen } from "../convergence/replica.ts";
import { shuffleOf } from "../convergence/shuffle.ts";
import { forAll } from "../property/for-all.ts";
import { marketRules } from "../rpc/lone-node.ts";

const NOW = at(120);
const ad = fixtures.advertisement(merchant, at(-1));
const MINUTE = 60_000n;

interface TradeFields {
  readonly n: number;
  readonly by?: typeof taker;
  readonly begun: number;
  readonly amount?: number;
  readonly about?: string;
}

/** A request and its settlement, `s<n>` on reservation `n`. */
function begin({ n, by = taker, begun, amount = 10, about = "ad" }: TradeFields): readonly Statement[] {
  return [
    fixtures.request(by, at(begun), { id: `${n}`, amount, about }),
    fixtures.initiate(by, merchant, at(begun), { id: `s${n}`, about: `${n}`, amount }),
  ];
}

function decided(n: number, resolution: ChainFact["resolution"], minutes: number, by = taker): Observation {
  return seen({
    kind: "decided",
    reservation: BigInt(n),
    buyer: by.key,
    seller: merchant.key,
    mint: fixtures.MINTS[0],
    amount: 10n,
    resolution,
    terminal_split: resolution === null ? "NoConsensus" : null,
    transaction: `decision ${n}`,
    timestamp: at(minutes),
  });
}

function counters(observations: readonly Observation[], who = merchant, now = NOW, parity = false): ReputationProfile {
  return reputationOf(replicaOf(observations).store(), who.peer, { now, rules: marketRules(parity) });
}

test("the volume of an asset is what the chain moved, whichever asset the first advertisement of the id names", () => {
  const named = fixtures.advertisement(merchant, at(-1), { mint: fixtures.MINTS[0] });
  const moved = fixtures.advertisement(merchant, at(0), { mint: fixtures.MINTS[1] });
  const begun = received(named, moved, ...begin({ n: 1, begun: 9 }));
  const sold = decided(1, "BuyerWins", 20, taker);
  const inAnother: Observation = sold.type === "seen" ? seen({ ...sold.fact, mint: fixtures.MINTS[1] }) : sold;
  for (const who of [merchant, taker])
    assert.deepEqual(counters([...begun, inAnother], who).volume_by_mint, [
      { asset_mint: fixtures.MINTS[1], base_units: 10n },
    ]);
});

describe("the worked values of 04 §2.6", () => {
  const paid = (n: number, minutes: number, by = taker) => fixtures.payment(by, at(minutes), `s${n}`);
  const observations = received(
    ad,
    ...begin({ n: 1, begun: 9 }),
    paid(1, 10),
    fixtures.approve(merchant, at(12), "s1"),
    ...begin({ n: 2, by: rival, begun: 19 }),
    paid(2, 20, rival),
    fixtures.reject(merchant, at(26), "s2"),
    ...begin({ n: 3, begun: 29 }),
    paid(3, 30),
  );

  test("a merchant's responses", () => {
    const seller = counters(observations);
    assert.deepInclude(seller, {
      trades_started: 3n,
      trades_completed: 1n,
      trades_cancelled: 1n,
      payment_responses_due: 3n,
      payment_responses_made: 2n,
      response_latency_sum_ms: 8n * MINUTE,
      payments_submitted: 0n,
      payment_discrepancies: 0n,
      completed_duration_sum_ms: 3n * MINUTE,
      first_active_at: at(9),
    });
  });

  test("a buyer's payments and discrepancies", () => {
    assert.deepInclude(counters(observations, rival), {
      payments_submitted: 1n,
      payment_discrepancies: 1n,
      payment_responses_due: 0n,
      trades_cancelled: 1n,
    });
    assert.deepInclude(counters(observations, taker), { payments_submitted: 2n, payment_discrepancies: 0n });
  });

  test("two approved trades and one that arbitration released to the buyer", () => {
    const approved = (n: number) => [paid(n, 40 + n), fixtures.approve(merchant, at(50 + n), `s${n}`)];
    const trades = received(
      ad,
      ...begin({ n: 1, begun: 9, amount: 20 }),
      ...approved(1),
      ...begin({ n: 2, begun: 9, amount: 30 }),
      ...approved(2),
      ...begin({ n: 3, begun: 9 }),
      fixtures.open(taker, at(15), { about: "s3" }),
    );
    const all = [...trades, decided(3, "BuyerWins", 60)];
    assert.deepInclude(counters(all), {
      trades_started: 3n,
      trades_completed: 3n,
      disputes_involved: 1n,
      disputes_lost: 1n,
      total_volume: [{ base_units: 60n, decimals: 6 }],
      completed_duration_sum_ms: (51n - 9n + (52n - 9n) + (60n - 9n)) * MINUTE,
    });
    assert.deepInclude(counters(all, taker), { disputes_involved: 1n, disputes_lost: 0n });
  });
});

describe("disputes", () => {
  const base = [...received(ad, ...begin({ n: 1, begun: 0 }))];
  const open = received(
    fixtures.open(taker, at(1), { about: "s1" }),
    fixtures.open(merchant, at(1), { id: "e", about: "s1" }),
  );

  test.each([
    ["BuyerWins", [1n, 1n], [1n, 0n]],
    ["MerchantWins", [1n, 0n], [1n, 1n]],
    ["MutualSettlement", [1n, 0n], [1n, 0n]],
    ["Invalid", [1n, 0n], [1n, 0n]],
    [null, [1n, 0n], [1n, 0n]],
  ] as const)("%s: who was involved, who lost; two opens of one trade are one dispute", (resolution, seller, buyer) => {
    for (const observations of [
      [...base, ...open, decided(1, resolution, 9)],
      [...base, decided(1, resolution, 9)],
    ]) {
      for (const [who, expected] of [[merchant, seller] as const, [taker, buyer] as const]) {
        const { disputes_involved, disputes_lost } = counters(observations, who);
        assert.deepEqual([disputes_involved, disputes_lost], [...expected]);
      }
    }
  });

  test("an open case involves both and loses nobody anything; a stranger is in none", () => {
    assert.equal(counters([...base, ...open]).disputes_involved, 1n);
    assert.equal(counters([...base, ...open], rival).disputes_involved, 0n);
  });

  test("escrow that arbitration returned is cancelled for both", () => {
    const returned = [...base, ...open, decided(1, "MerchantWins", 9)];
    for (const who of [merchant, taker]) assert.equal(counters(returned, who).trades_cancelled, 1n);
  });
});

describe("payments", () => {
  test("one that was taken back counts for neither side", () => {
    const observations = received(
      ad,
      ...begin({ n: 1, begun: 0 }),
      fixtures.payment(taker, at(1), "s1"),
      fixtures.reversal(taker, at(2), "s1"),
    );
    assert.equal(counters(observations, taker).payments_submitted, 0n);
    assert.equal(counters(observations).payment_responses_due, 0n);
  });

  test("an answer dated before its payment took no time", () => {
    const observations = received(
      ad,
      ...begin({ n: 1, begun: 0 }),
      fixtures.payment(taker, at(5), "s1"),
      fixtures.approve(merchant, at(3), "s1"),
    );
    assert.deepInclude(counters(observations), { payment_responses_made: 1n, response_latency_sum_ms: 0n });
  });
});

describe("reservations missed", () => {
  const request = fixtures.request(taker, at(0), { id: "1" });
  const expiry = at(30);
  const missed = (observations: readonly Observation[], now: EpochMillis, who = taker) =>
    counters(observations, who, now).reservations_missed;

  test("counted from the instant after the window, for the requester alone", () => {
    assert.equal(missed(received(ad, request), expiry), 0n);
    assert.equal(missed(received(ad, request), (expiry + 1n) as EpochMillis), 1n);
    assert.equal(missed(received(ad, request), NOW, merchant), 0n);
  });

  test("not when cancelled, under way or settled", () => {
    const initiate = fixtures.initiate(taker, merchant, at(1), { id: "s1", about: "1" });
    const settled = [initiate, fixtures.payment(taker, at(2), "s1"), fixtures.approve(merchant, at(3), "s1")];
    assert.equal(missed(received(ad, request, fixtures.reservationCancel(taker, "1", at(1))), NOW), 0n);
    assert.equal(missed(received(ad, request, initiate), NOW), 0n);
    assert.equal(missed(received(ad, request, ...settled), NOW), 0n);
  });
});

describe("our own rules", () => {
  const trade = (row: Partial<SettlementRow>, more: Partial<Trade> = {}): Trade => {
    const store = replicaOf(received(ad, ...begin({ n: 1, begun: 0 }))).store();
    const [identity] = [...store.keys(Settlements)];
    const settlement = { ...(store.get(Settlements, identity as string) as SettlementRow), ...row };
    return { settlement, requested_at: at(0), asset_mint: fixtures.MINTS[0], ...more };
  };
  const approved = { state: "Approved", merchant_responded_at: at(5), updated_at: at(9) } as const;
  const both = (trades: readonly Trade[]) =>
    [false, true].map((parity) => profileOf(merchant.peer, trades, 0, marketRules(parity))) as [
      ReputationProfile,
      ReputationProfile,
    ];

  test("a trade with oneself counts for nothing; the reference counts it once, and in both roles", () => {
    const self = trade({ ...approved, buyer: merchant.peer, payment_submitted_at: at(1) });
    const [ours, reference] = both([self]);
    assert.deepInclude(ours, { trades_started: 0n, total_volume: [], first_active_at: null });
    assert.deepInclude(reference, { trades_started: 1n, payments_submitted: 1n, payment_responses_due: 1n });
  });

  test("a payer answers for four discrepancies, and not for another", () => {
    for (const [payment_discrepancy, expected] of [
      ["IncorrectAmount", 1n],
      ["WrongReference", 1n],
      ["DuplicatePayment", 1n],
      ["IncorrectAccount", 1n],
      ["Other", 0n],
      [null, 0n],
    ] as const) {
      const trades = [trade({ payment_discrepancy })];
      assert.equal(profileOf(taker.peer, trades, 0, marketRules(false)).payment_discrepancies, expected);
      assert.equal(profileOf(merchant.peer, trades, 0, marketRules(false)).payment_discrepancies, 0n);
    }
  });

  test("durations end when the merchant answered or the chain decided, in the reference at the last change", () => {
    const durations = (row: Partial<SettlementRow>) => both([trade(row)]).map((each) => each.completed_duration_sum_ms);
    assert.deepEqual(durations(approved), [5n * MINUTE, 9n * MINUTE]);
    const arbitrated = { ...approved, state: "Completed", closed_at: at(7), decided: true } as const;
    assert.deepEqual(durations(arbitrated), [7n * MINUTE, 9n * MINUTE]);
    const released = { ...arbitrated, decided: false, merchant_responded_at: null } as const;
    assert.deepEqual(durations(released), [7n * MINUTE, 9n * MINUTE]);
    // Whoever read the decision from accounts knows no date of it.
    assert.deepEqual(durations({ ...released, closed_at: null }), [9n * MINUTE, 9n * MINUTE]);
    assert.deepEqual(durations({ ...approved, merchant_responded_at: at(-1), updated_at: at(-1) }), [0n, 0n]);
  });

  test("a wallet is as old as the later of settlement and reservation", () => {
    const ages = both([trade({}, { requested_at: at(3) })]).map((each) => each.first_active_at);
    assert.deepEqual(ages, [at(3), at(0)]);
    const two = [trade({}, { requested_at: at(3) }), trade({ created_at: at(2) })];
    assert.equal(both(two)[0].first_active_at, at(2));
  });

  test("sums go beyond 64 bits, which the reference leaves out", () => {
    const most = (1n << 64n) - 1n;
    const large = (base_units: bigint, decimals = 6) => trade({ ...approved, amount: { base_units, decimals } });
    const [ours, reference] = both([large(most), large(7n, 2), large(2n)]);
    assert.deepEqual(ours.total_volume, [
      { base_units: most + 2n, decimals: 6 },
      { base_units: 7n, decimals: 2 },
    ]);
    assert.equal(reference.total_volume[0]?.base_units, most);
    assert.equal(ours.volume_by_mint?.[0]?.base_units, most + 9n);
    assert.include(ReputationProfile.write(ours, ANSWER), '"base_units":18446744073709551617');
  });

  test("volume stands apart for each asset, in order of the mint's bytes; the reference has none", () => {
    const trades = [...fixtures.MINTS, fixtures.MINTS[0]].map((asset_mint) => trade(approved, { asset_mint }));
    const [ours, reference] = both(trades);
    const sorted = [...fixtures.MINTS].sort((a, b) =>
      compareBytes(fromBase58(a) as Uint8Array, fromBase58(b) as Uint8Array),
    );
    assert.deepEqual(
      ours.volume_by_mint?.map((each) => each.asset_mint),
      sorted,
    );
    assert.deepEqual(
      ours.volume_by_mint?.map((each) => each.base_units),
      sorted.map((mint) => (mint === fixtures.MINTS[0] ? 20n : 10n)),
    );
    assert.notInclude(
      ruleOf({ rules: marketRules(true) }, ReputationProfile).write(reference, ANSWER),
      "volume_by_mint",
    );
  });

  test("a settlement whose reservation is not held, or that names others than its parties, is nobody's", () => {
    const [request, initiate] = begin({ n: 1, begun: 0 }) as [Statement, Statement];
    assert.equal(counters(received(ad, initiate)).trades_started, 0n);
    const stranger = fixtures.initiate(rival, merchant, at(0), { id: "s2", about: "1" });
    assert.equal(counters(received(ad, request, stranger)).trades_started, 0n);
  });
});

test("any order of arrival gives every wallet the same counters", () => {
  const trades = [1, 2, 3, 4].flatMap((n) => begin({ n, begun: n, by: n % 2 === 0 ? rival : taker }));
  const acts = [1, 2, 3, 4].flatMap((n) => {
    const by = n % 2 === 0 ? rival : taker;
    return [
      fixtures.payment(by, at(10), `s${n}`),
      fixtures.reversal(by, at(11), `s${n}`),
      fixtures.approve(merchant, at(12), `s${n}`),
      fixtures.reject(merchant, at(12), `s${n}`),
      fixtures.settlementCancel(by, at(13), `s${n}`),
      fixtures.open(by, at(14), { id: `d${n}`, about: `s${n}` }),
      fixtures.reservationCancel(by, `${n}`, at(9)),
    ];
  });
  const facts = [decided(1, "BuyerWins", 40), decided(2, "MerchantWins", 40, rival)];
  const holds = (some: readonly Statement[], known: readonly Observation[], order: number) => {
    const observations = [...received(ad, ...some), ...known];
    const random = shuffleOf(order);
    for (const who of [merchant, taker, rival]) {
      assert.deepEqual(counters(random.shuffled(observations), who), counters(observations, who));
    }
  };
  const some = fc
    .tuple(fc.subarray(trades, { minLength: trades.length - 2 }), fc.subarray(acts))
    .map((parts) => parts.flat());
  forAll([some, fc.subarray(facts), fc.nat()], holds, {
    runs: 60,
    sample: 100,
    classes: (some, known) => {
      const observations = [...received(ad, ...some), ...known];
      const told = { ...counters(observations), "the buyer loses": counters(observations, rival).disputes_lost };
      return Object.entries(told).flatMap(([name, value]) => (typeof value === "bigint" && value > 0n ? [name] : []));
    },
    shares: {
      trades_started: 0.8,
      trades_completed: 0.3,
      trades_cancelled: 0.3,
      payment_responses_made: 0.3,
      disputes_involved: 0.5,
      disputes_lost: 0.15,
      "the buyer loses": 0.15,
    },
  });
});
