/**
 * Goal: nobody keeps others out by being heard first: under a name, about an advertisement, about a proposal.
 * Method: strangers fill, on a lone node, what signers shared once; then somebody honest says what he has to say.
 */
import { expect, test } from "vitest";
import { VoteCast } from "../../core/domains/governance/schema.ts";
import { DeliveryReport, SubscriptionUpdate } from "../../core/domains/notifications/schema.ts";
import { Receipts, Subscriptions } from "../../core/domains/notifications/tables.ts";
import { AdvertisementCreate } from "../../core/domains/trade/advertisements/schema.ts";
import { ReservationRequest } from "../../core/domains/trade/reservations/schema.ts";
import { PaymentSubmitted, SettlementInitiate } from "../../core/domains/trade/settlements/schema.ts";
import { Pending, Statements } from "../../core/engine/statements/table.ts";
import type { PeerId } from "../../core/index.ts";
import { ballot, at as voted, voters } from "../governance/fixtures.ts";
import { crowdedNode } from "../limits/crowded-node.ts";
import { proposed, settling, taken } from "../limits/situations.ts";
import { gateway, T as NOTIFIED, reportOf, subscription } from "../notifications/stage.ts";
import type { Person } from "../rpc/lone-node.ts";
import { person } from "../rpc/lone-node.ts";
import { advertisement, at, buyer, initiate, merchant, request, T } from "../rpc/node-with-settlement.ts";

const payment = { settlement_id: "set-1", buyer: buyer.peer, payment_reference: null, timestamp: at(300_000) };
const strangers = Array.from({ length: 6 }, (_, n) => person(0x61 + n));

test("an advertisement finds room under its name after keys have published eight each, and so does its trade", () => {
  const node = crowdedNode(T + 400_000n);
  for (const by of strangers.slice(0, 3))
    for (let n = 0; n < 8; n++) {
      const own = { merchant: by.peer, merchant_public_key: by.key, timestamp: at(-n) };
      node.gossip(AdvertisementCreate, { ...advertisement, ...own }, by);
      const fake = { id: "set-1", buyer: by.peer, buyer_public_key: by.key, timestamp: at(n) };
      node.gossip(SettlementInitiate, { ...initiate, ...fake }, by);
      const asked = { requester: by.peer, requester_public_key: by.key, timestamp: at(n) };
      node.gossip(ReservationRequest, { ...request, ...asked }, by);
    }
  expect(node.store.size(Statements)).toBeGreaterThan(48);
  expect(taken(node, AdvertisementCreate, advertisement, merchant)).toBe("taken");
  expect(taken(node, ReservationRequest, request, buyer)).toBe("taken");
  expect(taken(node, SettlementInitiate, initiate, buyer)).toBe("taken");
  expect(taken(node, PaymentSubmitted, payment, buyer)).toBe("taken");
  expect(node.read("getSettlement", { id: "set-1" })).toMatchObject({ state: "PaymentSubmitted" });
  expect(node.read("getReservation", { id: request.id })).toMatchObject({ state: "Settling" });
});

test("requests of nothing, of however many keys, leave an advertisement open to its takers", () => {
  const node = settling();
  const before = node.store.size(Statements);
  for (const by of strangers)
    for (let n = 0; n < 100; n++) {
      const asked = { id: `${1_000 + n}`, requester: by.peer, requester_public_key: by.key };
      const nothing = { ...request.amount, base_units: 0n };
      node.gossip(ReservationRequest, { ...request, ...asked, amount: nothing, timestamp: at(n) }, by);
    }
  expect(node.store.size(Statements)).toBe(before);
  expect(node.store.size(Pending)).toBe(strangers.length * 64);
  expect(taken(node, ReservationRequest, { ...request, id: "2" }, buyer)).toBe("taken");
});

test("a vote finds room after as many of strangers as there were places for", () => {
  const node = proposed();
  const like = node.store.get(Statements, [...node.store.keys(Statements)][0] ?? "");
  node.holdsUnder(Statements, "about", "proposal/ofip-0001/VoteCast", 65_536, like);
  const voter = voters[1] as Person;
  expect(taken(node, VoteCast, ballot(voter, { timestamp: voted(0) }), voter)).toBe("taken");
});

test("a subscription and a receipt find room after a million of strangers", () => {
  const node = crowdedNode(NOTIFIED);
  const [subscriber] = strangers as [Person];
  node.holds(Subscriptions, 1_000_000);
  node.holds(Receipts, 1_000_000);
  expect(taken(node, SubscriptionUpdate, subscription(subscriber), subscriber)).toBe("taken");
  const delivered = { notification_id: "n", service_id: "gw-8", recipient_wallet: subscriber.peer };
  const report = reportOf({ ...delivered, trigger: "ProposalPublished" } as never, { timestamp: NOTIFIED });
  expect(taken(node, DeliveryReport, report, gateway)).toBe("taken");
});

test("what a stranger says of a trade waits, and counts as soon as one of that name is his", () => {
  const node = settling();
  const [stranger] = strangers as [Person];
  const paid = { ...payment, buyer: stranger.peer as PeerId };
  const before = node.store.size(Statements);
  node.gossip(PaymentSubmitted, paid, stranger);
  expect([node.store.size(Statements), node.store.size(Pending)]).toEqual([before, 1]);
  const own = { buyer: stranger.peer, buyer_public_key: stranger.key };
  node.gossip(
    ReservationRequest,
    { ...request, requester: stranger.peer, requester_public_key: stranger.key },
    stranger,
  );
  node.gossip(SettlementInitiate, { ...initiate, ...own }, stranger);
  expect([node.store.size(Statements), node.store.size(Pending)]).toEqual([before + 3, 0]);
});
