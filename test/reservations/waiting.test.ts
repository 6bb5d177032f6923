/**
 * Goal: a request that no price or no terms of its merchant's allow is not in the set: it waits like what names nothing
 * known, however the edit comes that it fits, and takes nothing from the advertisement's takers.
 * Method: requests of amount 0, of a price that nobody signed yet, and of terms to come, as peers bring them; every
 * order of the edits and what hangs on a request.
 */
import { describe, expect, test } from "vitest";
import { readRegisters } from "../../core/domains/trade/advertisements/registers.ts";
import { RegistersInForce } from "../../core/domains/trade/advertisements/tables.ts";
import { Reservations } from "../../core/domains/trade/reservations/tables.ts";
import { Settlements } from "../../core/domains/trade/settlements/tables.ts";
import { Pending, Statements } from "../../core/engine/statements/table.ts";
import type { Statement } from "../../core/kernel/signed.ts";
import { at, merchant, rival, taker } from "../convergence/actors.ts";
import * as fixtures from "../convergence/fixtures.ts";
import { openReplica, received, recordsText, replicaOf, rootsOf } from "../convergence/replica.ts";
import { permutations } from "../convergence/shuffle.ts";

const offer = fixtures.advertisement(merchant, at(0), { max: 50 });

function heldAfter(...statements: readonly Statement[]) {
  const store = replicaOf(received(...statements)).store();
  return { set: store.size(Statements), waiting: store.size(Pending), reservations: store.size(Reservations) };
}

describe("a request that fits nothing its merchant signed", () => {
  test.each([
    ["an amount of nothing", fixtures.request(taker, at(10), { amount: 0 })],
    ["a price nobody signed", fixtures.request(taker, at(10), { price: 101 })],
    ["an amount outside the terms", fixtures.request(taker, at(10), { amount: 60 })],
    ["a mid where the price is fixed", fixtures.request(taker, at(10), { mid: 1 })],
  ])("waits: %s", (_, request) => {
    expect(heldAfter(offer, request)).toEqual({ set: 1, waiting: 1, reservations: 0 });
  });

  test("is in the set from the edit on that it fits, whichever comes first, with all that hangs on it", () => {
    const request = fixtures.request(taker, at(10), { amount: 60, price: 105 });
    const initiate = fixtures.initiate(taker, merchant, at(11), { amount: 60 });
    const statements = [
      offer,
      request,
      fixtures.priceUpdate(merchant, "ad", fixtures.fixed(105), at(5)),
      fixtures.termsUpdate(merchant, "ad", 1, 70, at(6)),
      initiate,
      fixtures.payment(taker, at(12)),
    ];
    const whole = replicaOf(received(...statements));
    expect(whole.store().get(Settlements, initiate.identity)?.state).toBe("PaymentSubmitted");
    for (const order of permutations(statements)) {
      const replica = openReplica();
      for (const each of order) replica.receive(received(each));
      expect(replica.store().size(Pending)).toBe(0);
      if (rootsOf(replica) !== rootsOf(whole)) expect(recordsText(replica)).toBe(recordsText(whole));
    }
  });

  test("waits on for an edit that is somebody else's, too late, or another's price", () => {
    const request = fixtures.request(taker, at(10), { price: 105 });
    // What somebody says of an advertisement who has none of that name waits too.
    const foreign = fixtures.priceUpdate(rival, "ad", fixtures.fixed(105), at(5));
    expect(heldAfter(offer, request, foreign)).toEqual({ set: 1, waiting: 2, reservations: 0 });
    for (const edit of [
      fixtures.priceUpdate(merchant, "ad", fixtures.fixed(105), at(60)),
      fixtures.priceUpdate(merchant, "ad", fixtures.fixed(106), at(5)),
    ])
      expect(heldAfter(offer, request, edit)).toEqual({ set: 2, waiting: 1, reservations: 0 });
  });

  test("waits where the advertisement is later than it, though a price of its merchant's is dated before", () => {
    const late = fixtures.advertisement(merchant, at(20));
    const price = fixtures.priceUpdate(merchant, "ad", fixtures.fixed(105), at(5));
    const request = fixtures.request(taker, at(10), { price: 105 });
    const terms = fixtures.termsUpdate(merchant, "ad", 1, 70, at(5));
    expect(heldAfter(late, price, terms, request)).toEqual({ set: 3, waiting: 1, reservations: 0 });
  });

  test("is in the set as soon as one of several advertisements of the name allows it, and tried in all of them", () => {
    const request = fixtures.request(taker, at(10), { price: 105 });
    const other = fixtures.advertisement(rival, at(1), { pricing: fixtures.fixed(105) });
    const price = fixtures.priceUpdate(merchant, "ad", fixtures.fixed(105), at(5));
    expect(heldAfter(offer, request, other)).toEqual({ set: 3, waiting: 0, reservations: 1 });
    for (const order of permutations([offer, request, other, price]))
      expect(heldAfter(...order)).toEqual({ set: 4, waiting: 0, reservations: 2 });
  });
});

test("what an advertisement says is kept edit by edit as it would be read from all of them", () => {
  const edits = [
    fixtures.statusSet(merchant, "ad", "Vacation", at(3)),
    fixtures.disable(merchant, "ad", at(4)),
    fixtures.priceUpdate(merchant, "ad", fixtures.fixed(105), at(3)),
    fixtures.priceUpdate(merchant, "ad", fixtures.fixed(106), at(-3)),
    fixtures.termsUpdate(merchant, "ad", 1, 70, at(3)),
  ];
  for (const order of permutations([offer, ...edits])) {
    const store = replicaOf(received(...order)).store();
    expect(store.get(RegistersInForce, offer.identity)).toEqual(readRegisters(store, offer));
  }
});
