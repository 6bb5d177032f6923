// Goal: every cell of the buyer-by-seller table of settlements (CONVERGENCE "Settlement").
// Method: one trade for each cell through the whole engine, in every order of the two sides' statements.
import { assert, describe, test } from "vitest";
import { Disputes } from "../../core/domains/trade/disputes/tables.ts";
import type { SettlementRow } from "../../core/domains/trade/settlements/schema.ts";
import { Settlements } from "../../core/domains/trade/settlements/tables.ts";
import { marketplace } from "../../core/domains.ts";
import { foldInto } from "../../core/engine/statements/fold.ts";
import { Statements } from "../../core/engine/statements/table.ts";
import { draftOf } from "../../core/kernel/draft.ts";
import type { Statement } from "../../core/kernel/signed.ts";
import { at, crypto, merchant, stranger, taker } from "../convergence/actors.ts";
import * as fixtures from "../convergence/fixtures.ts";
import { openReplica, received } from "../convergence/replica.ts";
import { permutations } from "../convergence/shuffle.ts";

const advertisement = fixtures.advertisement(merchant, at(-60));
const request = fixtures.request(taker, at(-1));
const initiate = fixtures.initiate(taker, merchant, at(0));
/** The seller's acts carry earlier dates than the buyer's, which must not matter. */
const bySeller = {
  none: [],
  approve: [fixtures.approve(merchant, at(-3))],
  reject: [fixtures.reject(merchant, at(-3))],
  cancel: [fixtures.settlementCancel(merchant, at(-3))],
  open: [fixtures.open(merchant, at(-3), { id: "d-seller" })],
} as const satisfies Record<string, readonly Statement[]>;
const payment = fixtures.payment(taker, at(5));
const byBuyer = {
  initiate: [],
  payment: [payment],
  reversed: [payment, fixtures.reversal(taker, at(6))],
  cancel: [fixtures.settlementCancel(taker, at(7))],
  cancelAfterPayment: [payment, fixtures.settlementCancel(taker, at(7))],
  open: [fixtures.open(taker, at(8), { id: "d-buyer" })],
  openAfterPayment: [payment, fixtures.open(taker, at(8), { id: "d-buyer" })],
} as const satisfies Record<string, readonly Statement[]>;

const CELLS: readonly (readonly [keyof typeof byBuyer, keyof typeof bySeller, SettlementRow["state"]])[] = [
  ["initiate", "none", "AwaitingPayment"],
  ["initiate", "approve", "AwaitingPayment"],
  ["initiate", "reject", "AwaitingPayment"],
  ["initiate", "cancel", "Cancelled"],
  ["initiate", "open", "Disputed"],
  ["payment", "none", "PaymentSubmitted"],
  ["payment", "approve", "Approved"],
  ["payment", "reject", "Rejected"],
  ["payment", "cancel", "PaymentSubmitted"],
  ["payment", "open", "Disputed"],
  ["reversed", "none", "AwaitingPayment"],
  ["reversed", "approve", "Approved"],
  ["reversed", "reject", "Rejected"],
  ["reversed", "cancel", "Cancelled"],
  ["reversed", "open", "Disputed"],
  ["cancel", "none", "Cancelled"],
  ["cancel", "approve", "Cancelled"],
  ["cancel", "reject", "Cancelled"],
  ["cancel", "cancel", "Cancelled"],
  ["cancel", "open", "Disputed"],
  ["cancelAfterPayment", "approve", "Approved"],
  ["cancelAfterPayment", "reject", "Rejected"],
  ["cancelAfterPayment", "none", "Cancelled"],
  ["open", "none", "Disputed"],
  ["open", "cancel", "Disputed"],
  ["open", "open", "Disputed"],
  ["openAfterPayment", "approve", "Disputed"],
  ["openAfterPayment", "reject", "Disputed"],
];

function rowsOf(statements: readonly Statement[]) {
  const replica = openReplica();
  for (const each of received(advertisement, request, initiate, ...statements)) replica.receive([each]);
  const store = replica.store();
  return { row: store.get(Settlements, initiate.identity), disputes: [...store.keys(Disputes)] };
}

describe("the settlement table", () => {
  test.each(CELLS)("buyer: %s, seller: %s: %s", (buyer, seller, state) => {
    for (const order of permutations<Statement>([...byBuyer[buyer], ...bySeller[seller]])) {
      assert.equal(rowsOf(order).row?.state, state);
    }
  });

  test("a dispute keeps the approve and the discrepancy that were there", () => {
    const approved = rowsOf([...byBuyer.openAfterPayment, ...bySeller.approve]);
    assert.equal(approved.row?.approved, true);
    assert.equal(approved.row?.merchant_responded_at, at(-3));
    assert.equal(rowsOf([...byBuyer.openAfterPayment, ...bySeller.reject]).row?.payment_discrepancy, "IncorrectAmount");
  });

  test("opens of both sides are two records", () => {
    assert.lengthOf(rowsOf([...byBuyer.open, ...bySeller.open]).disputes, 2);
  });

  test("what a stranger signs is inert", () => {
    const strange = [
      fixtures.payment(stranger, at(1)),
      fixtures.approve(stranger, at(1)),
      fixtures.settlementCancel(stranger, at(-40)),
      fixtures.open(stranger, at(1)),
    ];
    assert.deepEqual(rowsOf([payment, ...strange]), rowsOf([payment]));
  });

  test("an initiate that names a key which is not the seller's is inert", () => {
    const forged = fixtures.initiate(taker, merchant, at(0), { sellerKey: taker.key });
    const replica = openReplica();
    replica.receive(received(advertisement, request, forged));
    assert.isUndefined(replica.store().get(Settlements, forged.identity));
  });
});

/** How many statements a step looks at while it folds a payment. */
function lookedAt(others: readonly Statement[]): number {
  const replica = openReplica();
  replica.receive(received(advertisement, request, initiate, ...others));
  const base = replica.store();
  let looks = 0;
  const get: typeof base.get = (table, key) => {
    if (table.name === Statements.name) looks += 1;
    return base.get(table, key);
  };
  const fold = foldInto(draftOf({ ...base, get }), marketplace.units(crypto));
  fold.admit(payment);
  fold.run();
  return looks;
}

test("what strangers begin under a reservation's number costs its parties' statements nothing", () => {
  const strangers = (n: number) =>
    Array.from({ length: n }, (_, nth) => fixtures.initiate(stranger, merchant, at(0), { id: `of-nobody-${nth}` }));
  assert.equal(lookedAt(strangers(200)), lookedAt([]));
  assert.isAbove(lookedAt([]), 0);
});
