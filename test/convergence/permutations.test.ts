// Goal: the places where an order of arrival could leak are closed: every order of a small set gives one result
// (DESIGN L2). Each set is one that asks a record to be folded again because of something that came late.
// Method: every permutation of five to seven statements and facts, heard one by one, compared with all at once.
import { assert, describe, test } from "vitest";
import { AdvertisementCreate } from "../../core/domains/trade/advertisements/schema.ts";
import { disputeIn } from "../../core/domains/trade/disputes/panels.ts";
import { Disputes } from "../../core/domains/trade/disputes/tables.ts";
import { ReservationRequest } from "../../core/domains/trade/reservations/schema.ts";
import { Reservations } from "../../core/domains/trade/reservations/tables.ts";
import type { ChainFact } from "../../core/domains/trade/settlements/schema.ts";
import { SettlementInitiate } from "../../core/domains/trade/settlements/schema.ts";
import { Settlements } from "../../core/domains/trade/settlements/tables.ts";
import { Statements } from "../../core/engine/statements/table.ts";
import { at, called, earning, merchant, nameOf, rival, sign, taker } from "./actors.ts";
import { difference } from "./convergence-law.ts";
import * as fixtures from "./fixtures.ts";
import type { Observation } from "./replica.ts";
import { openReplica, received, recordsText, replicaOf, rootsOf, seen } from "./replica.ts";
import { permutations } from "./shuffle.ts";

const advertisement = fixtures.advertisement(merchant, at(0));
const request = fixtures.request(taker, at(10));
const initiate = fixtures.initiate(taker, merchant, at(11));
const payment = fixtures.payment(taker, at(12));
const released: ChainFact = {
  kind: "released",
  reservation: 42n,
  buyer: taker.key,
  seller: merchant.key,
  mint: fixtures.MINTS[0],
  amount: 10n,
  resolution: null,
  terminal_split: null,
  transaction: "release",
  timestamp: at(30),
};
const decided: ChainFact = { ...released, kind: "decided", resolution: "MerchantWins", transaction: "decision" };

/** Every order of a set, one by one, against the whole set at once. */
function everyOrder(observations: readonly Observation[]) {
  const whole = replicaOf(observations);
  for (const order of permutations(observations)) {
    const replica = openReplica();
    for (const each of order) replica.receive([each]);
    if (rootsOf(replica) === rootsOf(whole)) continue;
    const text = order.map((each) => (each.type === "statement" ? each.statement.type.name : each.type)).join(", ");
    assert.fail(`${text}\n${difference(recordsText(whole), recordsText(replica))}`);
  }
  return whole.store();
}

describe("every order of a small set", () => {
  test("a second, back-dated advertisement of the id takes the initiate over, and no fact is lost", () => {
    const other = fixtures.advertisement(merchant, at(-5), { mint: fixtures.MINTS[1] });
    const store = everyOrder([...received(advertisement, other, request, initiate, payment), seen(released)]);
    const row = store.get(Settlements, initiate.identity);
    assert.equal(row?.advertisement, other.identity);
    assert.equal(row?.state, "Completed");
    assert.equal(store.get(Reservations, `${advertisement.identity}:${request.identity}`)?.settlement, null);
    assert.equal(store.get(Reservations, `${other.identity}:${request.identity}`)?.sold, true);
  });

  test("a name that ends with a person is another than what that person says of the name before it", () => {
    const named = (by: { readonly peer: string }) => `ad/${by.peer}`;
    // What is said of `ad/PERSON` waits for no record of `ad` that has to do with him, and the other way round.
    const asked = fixtures.request(taker, at(10), { about: named(merchant) });
    assert.equal(everyOrder(received(advertisement, asked)).size(Statements), 1);
    const stolen = fixtures.advertisement(rival, at(0), { id: named(merchant) });
    const edit = fixtures.priceUpdate(merchant, "ad", fixtures.fixed(105), at(9));
    assert.equal(everyOrder(received(stolen, edit)).size(Statements), 1);
    assert.equal(everyOrder(received(stolen, edit, advertisement, asked)).size(Statements), 4);
    const trade = received(advertisement, request, initiate, payment);
    const joined = fixtures.join(rival, at(20), `d/${taker.peer}`);
    const opened = [...trade, ...received(fixtures.open(taker, at(14)), joined)];
    assert.equal(everyOrder(opened).size(Statements), 5);
  });

  test("a second request of the id takes the initiate over", () => {
    const earlier = fixtures.request(taker, at(9), { amount: 20 });
    const store = everyOrder(
      received(advertisement, request, earlier, initiate, payment, fixtures.approve(merchant, at(1))),
    );
    assert.equal(store.get(Reservations, `${advertisement.identity}:${request.identity}`)?.acknowledged, false);
    assert.equal(store.get(Reservations, `${advertisement.identity}:${earlier.identity}`)?.acknowledged, true);
  });

  test("a request becomes valid by a price that was signed before it and came after", () => {
    const dear = fixtures.request(taker, at(10), { price: 105 });
    const price = fixtures.priceUpdate(merchant, "ad", fixtures.fixed(105), at(9));
    const store = everyOrder(received(advertisement, dear, price, initiate, fixtures.open(merchant, at(14)), payment));
    assert.equal(store.get(Settlements, initiate.identity)?.state, "Disputed");
  });

  test("a request becomes valid by terms that were signed before it and came after", () => {
    const narrow = fixtures.advertisement(merchant, at(0), { max: 5 });
    const terms = fixtures.termsUpdate(merchant, "ad", 1, 50, at(8));
    const store = everyOrder(received(narrow, terms, request, initiate, fixtures.approve(merchant, at(1)), payment));
    assert.equal(store.get(Reservations, `${narrow.identity}:${request.identity}`)?.sold, true);
  });

  test("a fact waits for its settlement, and resolves the disputes on it", () => {
    const opened = fixtures.open(taker, at(13));
    const store = everyOrder([...received(advertisement, request, initiate, opened), seen(decided)]);
    const row = store.get(Disputes, `${initiate.identity}:${opened.identity}`);
    const dispute = row && disputeIn(store, row);
    assert.equal(dispute?.status, "Resolved");
    assert.equal(dispute?.resolution, "MerchantWins");
  });

  test("two settlements of one reservation share a fact: the one to be followed takes it", () => {
    const second = fixtures.initiate(taker, merchant, at(12), { id: "s2" });
    const paid = fixtures.payment(taker, at(15), "s2");
    const store = everyOrder([...received(advertisement, request, initiate, second, paid), seen(released)]);
    assert.equal(store.get(Settlements, second.identity)?.state, "Completed");
    assert.equal(store.get(Settlements, initiate.identity)?.state, "AwaitingPayment");
  });

  test("a fact binds to one settlement among ids that differ in leading zeros alone: under the earliest request", () => {
    const other = fixtures.request(taker, at(11), { id: "0042" });
    const begun = fixtures.initiate(taker, merchant, at(12), { id: "s2", about: "0042" });
    const store = everyOrder([...received(advertisement, request, other, initiate, begun), seen(released)]);
    const states = [initiate, begun].map(({ identity }) => store.get(Settlements, identity)?.state);
    assert.deepEqual(states, ["Completed", "AwaitingPayment"]);
    const alone = everyOrder([...received(advertisement, other, begun), seen(released)]);
    assert.equal(alone.get(Settlements, begun.identity)?.state, "Completed");
  });

  test("a sale by a fact is followed whatever else was opened on the reservation", () => {
    const smaller = fixtures.initiate(taker, merchant, at(1), { id: "s2", amount: 9 });
    const opened = fixtures.open(taker, at(2), { about: "s2" });
    const store = everyOrder([...received(advertisement, request, initiate, smaller, opened), seen(released)]);
    const row = store.get(Reservations, `${advertisement.identity}:${request.identity}`);
    assert.deepEqual([row?.settlement, row?.sold, row?.acknowledged], [initiate.identity, true, true]);
  });

  test("children named by identity apply there only", () => {
    const other = fixtures.initiate(taker, merchant, at(11), { amount: 9 });
    const mine = fixtures.payment(taker, at(12), nameOf(initiate));
    const opened = fixtures.open(merchant, at(13), { about: nameOf(other) });
    const store = everyOrder(received(advertisement, request, initiate, other, mine, opened));
    assert.equal(store.get(Settlements, initiate.identity)?.state, "PaymentSubmitted");
    assert.equal(store.get(Settlements, other.identity)?.state, "Disputed");
  });

  test("children of an earned id and of a reservation named by its identity", () => {
    const own = earning(AdvertisementCreate, fixtures.advertisement(merchant, at(0)));
    const asked = fixtures.request(taker, at(10), { about: own.payload.id });
    const begun = earning(SettlementInitiate, fixtures.initiate(taker, merchant, at(11), { about: nameOf(asked) }));
    const paid = fixtures.payment(taker, at(12), begun.payload.id);
    const store = everyOrder([
      ...received(own, asked, begun, paid, fixtures.approve(merchant, at(1), nameOf(begun))),
      seen(released),
    ]);
    assert.equal(store.get(Settlements, begun.identity)?.state, "Completed");
  });

  // A withheld statement whose identity, or whose earned id, is the text that others used as a plain id would on
  // publication take their acts over. So an id shaped like a hash and not earned makes its statement void.
  test("an id that is another statement's identity is void for ever, published or not", () => {
    const withheld = fixtures.initiate(taker, merchant, at(1), { id: "mine" });
    const bait = called(SettlementInitiate, initiate, nameOf(withheld));
    const paid = fixtures.payment(taker, at(12), nameOf(withheld));
    const without = replicaOf(received(advertisement, request, bait, paid)).store();
    assert.isUndefined(without.get(Settlements, bait.identity));
    const store = everyOrder(received(advertisement, request, bait, paid, withheld));
    assert.isUndefined(store.get(Settlements, bait.identity));
    assert.equal(store.get(Settlements, withheld.identity)?.state, "PaymentSubmitted");
  });

  test("an id that another's content earns is void, and so is a reservation id shaped like a hash", () => {
    const earned = earning(AdvertisementCreate, fixtures.advertisement(merchant, at(0)));
    const squatter = fixtures.advertisement(rival, at(-9), { id: earned.payload.id });
    const hashed = called(ReservationRequest, request, nameOf(earned));
    const asked = fixtures.request(taker, at(10), { about: earned.payload.id });
    const store = everyOrder(received(earned, squatter, hashed, asked, advertisement));
    assert.deepEqual([...store.keys(Reservations)], [`${earned.identity}:${asked.identity}`]);
  });

  test("a void request whose id spells another's identity does not cost that one its fact", () => {
    const spelling = called(ReservationRequest, fixtures.request(rival, at(1)), nameOf(request));
    const store = everyOrder([...received(advertisement, request, initiate, spelling), seen(released)]);
    assert.equal(store.get(Settlements, initiate.identity)?.state, "Completed");
    assert.equal(
      replicaOf([...received(advertisement, request, initiate, spelling), seen(released)])
        .store()
        .get(Settlements, initiate.identity)?.state,
      "Completed",
    );
  });

  test("the same words signed twice, tagged and bare, are one statement", () => {
    const again = { ...sign(ReservationRequest, request.payload), bare: null, tagged: request.bare };
    everyOrder(received(advertisement, request, again, initiate, payment));
  });
});
