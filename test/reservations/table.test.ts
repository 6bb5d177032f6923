// Goal: every row of the reservation table (CONVERGENCE "Reservation"), through the whole engine, in two orders.
// What a reservation reads at an instant is of core/domains/trade/reservations/views.ts; here are the rows and the
// grants behind it.
import { assert, describe, test } from "vitest";
import { BARRED, GRANTED, STATUS_FINAL_MS } from "../../core/domains/trade/advertisements/allocation.ts";
import { heldUnits, verdictOf } from "../../core/domains/trade/advertisements/ledger.ts";
import { Advertisements, Ledgers } from "../../core/domains/trade/advertisements/tables.ts";
import { Reservations } from "../../core/domains/trade/reservations/tables.ts";
import type { ChainFact } from "../../core/domains/trade/settlements/schema.ts";
import { Settlements } from "../../core/domains/trade/settlements/tables.ts";
import { known } from "../../core/kernel/assert.ts";
import type { Statement } from "../../core/kernel/signed.ts";
import { toBase58 } from "../../core/kernel/text.ts";
import { at, merchant, rival, taker } from "../convergence/actors.ts";
import * as fixtures from "../convergence/fixtures.ts";
import { openReplica, received, replicaOf, rootsOf, seen } from "../convergence/replica.ts";

const create = fixtures.advertisement(merchant, at(0));
const buying = fixtures.advertisement(merchant, at(0), { direction: "Buy" });
const request = fixtures.request(taker, at(10), { amount: 60 });
const other = fixtures.request(rival, at(11), { id: "43", amount: 60 });
const initiate = fixtures.initiate(taker, merchant, at(12), { amount: 60 });
const payment = fixtures.payment(taker, at(13));
const bought = fixtures.initiate(merchant, taker, at(12), { amount: 60 });
const fact: ChainFact = {
  kind: "decided",
  reservation: 42n,
  buyer: taker.key,
  seller: merchant.key,
  mint: fixtures.MINTS[0],
  amount: 60n,
  resolution: "BuyerWins",
  terminal_split: null,
  transaction: "decision",
  timestamp: at(20),
};

const DAY = 24 * 60;

/** The row and the grant of a request, the same whatever the order. */
function outcome(
  of: Statement,
  statements: readonly Statement[],
  facts: readonly ChainFact[] = [],
  ad: Statement = create,
) {
  const observations = [...received(ad, ...statements), ...facts.map(seen)];
  const replica = replicaOf(observations);
  const reversed = openReplica();
  for (const each of observations.toReversed()) reversed.receive([each]);
  assert.equal(rootsOf(replica), rootsOf(reversed));
  const key = `${ad.identity}:${of.identity}`;
  const verdict = verdictOf(replica.store().get(Ledgers, ad.identity), of);
  return {
    row: replica.store().get(Reservations, key),
    granted: verdict === GRANTED,
    barred: verdict === BARRED,
    store: replica.store(),
    held: (minutes: number) => heldUnits(known(replica.store().get(Ledgers, ad.identity), "a ledger"), at(minutes)),
  };
}

describe("the reservation table", () => {
  test("request × price: any price signed no later than it plus the skew", () => {
    const dear = fixtures.request(taker, at(10), { price: 120 });
    const priced = (minutes: number) => fixtures.priceUpdate(merchant, "ad", fixtures.fixed(120), at(minutes));
    assert.isUndefined(outcome(dear, [dear]).row);
    assert.isUndefined(outcome(dear, [dear, priced(15.1)]).row);
    assert.isDefined(outcome(dear, [dear, priced(15)]).row);
    assert.isDefined(
      outcome(dear, [dear, priced(-100), fixtures.priceUpdate(merchant, "ad", fixtures.fixed(130), at(9))]).row,
    );
    assert.isUndefined(outcome(dear, [dear, fixtures.priceUpdate(rival, "ad", fixtures.fixed(120), at(1))]).row);
  });

  test("request × price, terms: refused once they are no more in force, unless acknowledged", () => {
    const dearer = fixtures.priceUpdate(merchant, "ad", fixtures.fixed(130), at(5));
    const [late, inTime] = [35.1, 35].map((minutes) => fixtures.request(taker, at(minutes), { amount: 60 }));
    assert.isTrue(outcome(inTime as Statement, [inTime as Statement, dearer]).granted);
    const refused = outcome(late as Statement, [late as Statement, dearer]);
    assert.deepEqual([refused.granted, refused.row?.touched], [false, false]);
    const trade = [
      fixtures.initiate(taker, merchant, at(36), { amount: 60 }),
      fixtures.payment(taker, at(37)),
      fixtures.approve(merchant, at(38)),
    ];
    assert.isTrue(outcome(late as Statement, [late as Statement, dearer, ...trade]).granted);
    const larger = fixtures.termsUpdate(merchant, "ad", 61, 70, at(5));
    assert.isFalse(outcome(late as Statement, [late as Statement, larger]).granted);
  });

  test("request × terms: any terms signed no later than it plus the skew, decimals included", () => {
    const big = fixtures.request(taker, at(10), { amount: 2_000 });
    assert.isUndefined(outcome(big, [big]).row);
    assert.isDefined(outcome(big, [big, fixtures.termsUpdate(merchant, "ad", 1, 2_000, at(15))]).row);
    assert.isDefined(outcome(request, [request, fixtures.termsUpdate(merchant, "ad", 61, 70, at(1))]).row);
    const coarse = fixtures.request(taker, at(10), { amount: fixtures.units(60, 2) });
    assert.isUndefined(outcome(coarse, [coarse]).row);
  });

  test("request × status: refused while it is in force, unless acknowledged; one 2H older refuses always", () => {
    const vacation = fixtures.statusSet(merchant, "ad", "Vacation", at(5));
    const approved = [initiate, payment, fixtures.approve(merchant, at(14))];
    assert.isFalse(outcome(request, [request, vacation]).granted);
    assert.isTrue(outcome(request, [request, vacation, fixtures.statusSet(merchant, "ad", "Active", at(6))]).granted);
    assert.isTrue(outcome(request, [request, fixtures.statusSet(merchant, "ad", "Deleted", at(11))]).granted);
    assert.isTrue(outcome(request, [request, vacation, ...approved]).granted);
    assert.isTrue(outcome(request, [request, vacation, initiate, payment]).row?.touched);
    const late = fixtures.request(taker, at(6 + STATUS_FINAL_MS / 60_000), { amount: 60 });
    const old = outcome(late, [late, vacation, ...approved]);
    assert.deepEqual([old.granted, old.barred], [false, true]);
  });

  test("request × second create of the id: two advertisements, a row in each", () => {
    const second = fixtures.advertisement(merchant, at(-5));
    assert.isDefined(outcome(request, [second, request]).row);
    assert.isDefined(outcome(request, [create, request], [], second).row);
  });

  test("request × rival: acknowledged first, else by date with holds of 30 minutes", () => {
    assert.deepEqual(
      [outcome(request, [request, other]).granted, outcome(other, [request, other]).granted],
      [true, false],
    );
    const acknowledged = [
      fixtures.initiate(rival, merchant, at(12), { id: "t", about: "43", amount: 60 }),
      fixtures.payment(rival, at(13), "t"),
      fixtures.approve(merchant, at(14), "t"),
    ];
    assert.isFalse(outcome(request, [request, other, ...acknowledged]).granted);
    assert.isTrue(outcome(other, [request, other, ...acknowledged]).granted);
    const paidOnly = outcome(request, [request, other, initiate, payment, ...acknowledged]);
    assert.deepEqual([paidOnly.granted, paidOnly.row?.touched], [false, true]);
    const after = fixtures.request(rival, at(40.001), { id: "43", amount: 60 });
    assert.isTrue(outcome(after, [request, after]).granted);
    const lastInstant = fixtures.request(rival, at(40), { id: "43", amount: 60 });
    assert.isFalse(outcome(lastInstant, [request, lastInstant]).granted);
  });

  test("approve × namesakes: a bare one acknowledges the smallest alone, one by identity the one it names", () => {
    const [small, large] = [fixtures.request(taker, at(10), { amount: 5 }), other];
    const mine = fixtures.request(taker, at(11), { id: "43", amount: 60 });
    const begun = [
      fixtures.initiate(taker, merchant, at(12), { amount: 5 }),
      fixtures.initiate(taker, merchant, at(13), { about: "43", amount: 60 }),
    ] as const;
    const signed = [small, mine, ...begun, fixtures.payment(taker, at(14)), fixtures.approve(merchant, at(15))];
    assert.deepInclude(outcome(small, signed).row, { acknowledged: true, sold: true });
    const stretched = outcome(mine, signed);
    assert.deepInclude(stretched.row, { acknowledged: false, sold: true });
    assert.deepEqual([stretched.held(20), stretched.held(41.001)], [65n, 5n]);
    const named = fixtures.approve(merchant, at(16), toBase58(Buffer.from(begun[1].identity, "hex")));
    assert.isTrue(outcome(mine, [...signed, named]).row?.acknowledged);
    // A second of the same amount is one of its own; the first by date is meant. What another began is no namesake.
    const twin = fixtures.initiate(taker, merchant, at(13), { about: "43", amount: 5 });
    const twins = [small, mine, begun[0], twin, fixtures.payment(taker, at(14)), fixtures.approve(merchant, at(15))];
    assert.deepEqual(
      [small, mine].map((each) => outcome(each, twins).row?.acknowledged),
      [true, false],
    );
    const theirs = fixtures.initiate(rival, merchant, at(13), { about: "43", amount: 60 });
    const both = [small, large, begun[0], theirs, fixtures.payment(taker, at(14)), fixtures.payment(rival, at(14))];
    for (const each of [small, large])
      assert.isTrue(outcome(each, [...both, fixtures.approve(merchant, at(15))]).row?.acknowledged);
    // An unpaid one is reached by no approve that is in effect.
    const paid = fixtures.payment(taker, at(14), toBase58(Buffer.from(begun[1].identity, "hex")));
    const alone = [small, mine, ...begun, paid, fixtures.approve(merchant, at(15))];
    assert.isTrue(outcome(mine, alone).row?.acknowledged);
  });

  test("initiate (Buy) × cancel of the seller: acknowledged no more, unless a payment stands", () => {
    const givenUp = fixtures.settlementCancel(taker, at(13));
    const begun = [request, bought, givenUp];
    const unpaid = outcome(request, begun, [], buying);
    assert.isFalse(unpaid.row?.acknowledged);
    assert.deepEqual([unpaid.held(20), unpaid.held(40.001)], [60n, 0n]);
    const after = fixtures.request(rival, at(40.001), { id: "43", amount: 60 });
    assert.isTrue(outcome(after, [...begun, after], [], buying).granted);
    const paid = [...begun, fixtures.payment(merchant, at(14))];
    assert.isTrue(outcome(request, paid, [], buying).row?.acknowledged);
    assert.isFalse(outcome(request, [...paid, fixtures.reversal(merchant, at(15))], [], buying).row?.acknowledged);
    assert.isTrue(outcome(request, [...paid, fixtures.approve(taker, at(15))], [], buying).row?.acknowledged);
  });

  test("cancel Q × initiate: cancelled while never paid; the settlement keeps its own state", () => {
    const cancel = fixtures.reservationCancel(taker, "42", at(10.5));
    const { row, store } = outcome(request, [request, initiate, cancel]);
    assert.deepEqual([row?.cancelled_at, row?.touched, row?.updated_at], [at(10.5), false, at(12)]);
    assert.equal(store.get(Settlements, initiate.identity)?.state, "AwaitingPayment");
    assert.isTrue(outcome(other, [request, other, cancel]).granted);
    assert.isNull(outcome(request, [request, fixtures.reservationCancel(rival, "42", at(10.5))]).row?.cancelled_at);
  });

  test("cancel Q × own cancel: of many the smallest date counts, whatever came after", () => {
    const cancels = [14, 10.5, 12, 18, 16, 11].map((minutes) => fixtures.reservationCancel(taker, "42", at(minutes)));
    assert.equal(outcome(request, [request, ...cancels]).row?.cancelled_at, at(10.5));
    // One that is dated outside the request's half hour is none.
    const outside = [-1, 40.1].map((minutes) => fixtures.reservationCancel(taker, "42", at(minutes)));
    assert.equal(outcome(request, [request, ...outside, ...cancels]).row?.cancelled_at, at(10.5));
    assert.isNull(outcome(request, [request, ...outside]).row?.cancelled_at);
  });

  test("a back-dated edit of M: the unpaid request is cancelled, the paid one stays and holds nothing", () => {
    const late = fixtures.request(taker, at(60), { amount: 60 });
    const begun = [late, fixtures.initiate(taker, merchant, at(61), { amount: 60 })];
    const paid = [...begun, fixtures.payment(taker, at(62))];
    const backDated = fixtures.priceUpdate(merchant, "ad", fixtures.fixed(130), at(5));
    assert.deepEqual([outcome(late, begun).granted, outcome(late, paid).granted], [true, true]);
    const unpaid = outcome(late, [...begun, backDated]);
    assert.deepEqual([unpaid.granted, unpaid.row?.touched], [false, false]);
    const overbooked = outcome(late, [...paid, backDated]);
    assert.deepEqual([overbooked.granted, overbooked.row?.touched], [false, true]);
    assert.equal(overbooked.store.get(Settlements, begun[1]?.identity ?? "")?.state, "PaymentSubmitted");
    assert.isTrue(outcome(other, [other, fixtures.request(rival, at(60), { id: "44", amount: 60 })]).granted);
  });

  test("a settlement holds until its initiate + 30 days, a disputed one until its latest open + 30 days", () => {
    const paid = outcome(request, [request, initiate, payment]);
    assert.deepEqual([paid.held(12 + 30 * DAY), paid.held(12.001 + 30 * DAY)], [60n, 0n]);
    const opens = [15, 9 * DAY, 2 * DAY].map((minutes) => fixtures.open(taker, at(minutes)));
    const disputed = outcome(request, [request, initiate, payment, ...opens]);
    assert.deepEqual([disputed.held(39 * DAY), disputed.held(39 * DAY + 0.001)], [60n, 0n]);
    const approved = outcome(request, [request, initiate, payment, fixtures.approve(merchant, at(14))]);
    assert.equal(approved.held(400 * DAY), 60n);
  });

  test("cancel Q × payment, approve, open: those; the cancel only ends the hold", () => {
    const cancel = fixtures.reservationCancel(taker, "42", at(10.5));
    const { row } = outcome(request, [request, cancel, initiate, payment]);
    assert.deepEqual([row?.touched, row?.settling], [true, true]);
    assert.isTrue(outcome(other, [request, other, cancel, initiate, payment]).granted);
    const approved = [initiate, payment, fixtures.approve(merchant, at(14))];
    assert.isFalse(outcome(other, [request, other, cancel, ...approved]).granted);
    assert.isTrue(outcome(request, [request, cancel, initiate, fixtures.open(merchant, at(14))]).row?.touched);
  });

  test("initiate × cancel or reject of M", () => {
    assert.isTrue(outcome(request, [request, initiate, fixtures.settlementCancel(merchant, at(3))]).row?.abandoned);
    assert.isTrue(outcome(request, [request, initiate, payment, fixtures.reject(merchant, at(3))]).row?.abandoned);
  });

  test("approve (Sell) or initiate (Buy) of M: acknowledged, and holds for ever", () => {
    const later = fixtures.request(rival, at(500), { id: "43", amount: 60 });
    assert.isFalse(outcome(later, [request, later, initiate, payment, fixtures.approve(merchant, at(14))]).granted);
    assert.isTrue(outcome(request, [request, bought], [], buying).row?.acknowledged);
    assert.isFalse(
      outcome(request, [request, bought, fixtures.settlementCancel(merchant, at(13))], [], buying).row?.acknowledged,
    );
    assert.isFalse(outcome(later, [request, later, bought], [], buying).granted);
  });

  test("an approved trade stays sold when it is disputed, until a fact undoes it", () => {
    const disputed = [request, initiate, payment, fixtures.approve(merchant, at(14)), fixtures.open(taker, at(15))];
    assert.isTrue(outcome(request, disputed).row?.sold);
    const undone = outcome(request, disputed, [{ ...fact, resolution: "MerchantWins" }]).row;
    assert.deepEqual([undone?.sold, undone?.acknowledged, undone?.returned], [false, false, true]);
  });

  test("fact × anything: sold is held; given back is held for its window alone", () => {
    const sold = outcome(request, [request, initiate, fixtures.reservationCancel(taker, "42", at(1))], [fact]);
    assert.deepEqual([sold.row?.sold, sold.row?.acknowledged, sold.granted], [true, true, true]);
    const back = { ...fact, resolution: "Invalid" } as const;
    const approved = [request, initiate, payment, fixtures.approve(merchant, at(14))];
    const later = fixtures.request(rival, at(500), { id: "44", amount: 60 });
    assert.isFalse(outcome(later, [...approved, later]).granted);
    assert.isTrue(outcome(later, [...approved, later], [back]).granted);
    assert.isFalse(outcome(other, [...approved, other], [back]).granted);
  });

  test("what is acknowledged may exceed the liquidity, and nothing else is granted then", () => {
    const both = [
      request,
      other,
      bought,
      fixtures.initiate(merchant, rival, at(12), { id: "t", about: "43", amount: 60 }),
    ];
    const small = fixtures.request(taker, at(30), { id: "44", amount: 1 });
    const { store, granted } = outcome(small, [...both, small], [], buying);
    assert.isFalse(granted);
    assert.equal(store.get(Advertisements, buying.identity)?.acknowledged, 120n);
  });
});
