/**
 * Goal: people hear of what really happened, once, through the gateways they chose, and of nothing else
 * (protocol 04 §6.6, §6.12). Method: whole trades through the RPC and gossip ingresses of one node; what it orders to
 * be handed over is read as a gateway would.
 */
import { describe, expect, test } from "vitest";
import { notificationId } from "../../core/domains/notifications/identity.ts";
import { QUEUED_MAX } from "../../core/domains/notifications/planning.ts";
import { deliveryKey } from "../../core/domains/notifications/schema.ts";
import { Dispatches } from "../../core/domains/notifications/tables.ts";
import { PaymentReversed, PaymentSubmitted, SettlementApproved } from "../../core/domains/trade/settlements/schema.ts";
import { known } from "../../core/kernel/assert.ts";
import { compactWriter } from "../../core/kernel/compact.ts";
import { fromBase58 } from "../../core/kernel/text.ts";
import { Events } from "../../core/network/gossip/envelope.ts";
import type { LoneNode } from "../rpc/lone-node.ts";
import { crypto, loneNode, person } from "../rpc/lone-node.ts";
import {
  acts,
  at,
  buyer,
  destination,
  ENDPOINT,
  gateway,
  merchant,
  ordersOf,
  paidTrade,
  posted,
  register,
  rival,
  sealed,
  send,
  subscribe,
  T,
  toldOf,
} from "./stage.ts";

/** A node that knows the gateway and both parties' wishes. */
function staged(): LoneNode {
  const node = loneNode(T);
  register(node);
  expect(subscribe(node, merchant)).toBe(null);
  expect(subscribe(node, buyer)).toBe(null);
  return node;
}

/** What an act adds to what was ordered. */
function toldBy(node: LoneNode, act: () => unknown): readonly string[] {
  const before = toldOf(node).length;
  act();
  return toldOf(node).slice(before);
}

describe("who hears of what", () => {
  test("a trade from reservation to approval", () => {
    const node = staged();
    expect(toldBy(node, () => acts.advertise(node))).toEqual([]);
    expect(toldBy(node, () => acts.reserve(node))).toEqual(["ReservationCreated buyer", "ReservationCreated merchant"]);
    expect(toldBy(node, () => acts.initiate(node))).toEqual([]);
    expect(toldBy(node, () => acts.pay(node))).toEqual(["PaymentSubmitted merchant"]);
    expect(toldBy(node, () => acts.approve(node))).toEqual(["SettlementApproved buyer", "SettlementApproved merchant"]);
    expect(toldBy(node, () => acts.dispute(node))).toEqual(["EvidenceRequested buyer", "EvidenceRequested merchant"]);
  });

  test.each(["Disabled", "Vacation", "Deleted"] as const)("an advertisement set to %s", (status) => {
    const node = staged();
    acts.advertise(node);
    expect(toldBy(node, () => acts.setStatus(node, status))).toEqual(["AdvertisementDisabled merchant"]);
    expect(toldBy(node, () => acts.setStatus(node, "Active", at(2)))).toEqual([]);
  });

  test("an advertisement whose liquidity is taken has not been disabled by anybody", () => {
    const node = staged();
    acts.advertise(node);
    const told = toldBy(node, () => acts.reserve(node));
    expect(told.some((line) => line.startsWith("AdvertisementDisabled"))).toBe(false);
  });

  test("a payment that is taken back and made again is two payments", () => {
    const node = staged();
    paidTrade(node);
    const reversed = { settlement_id: "set-1", buyer: buyer.peer, timestamp: at(5) };
    expect(toldBy(node, () => send(node, PaymentReversed, reversed, buyer))).toEqual([]);
    expect(toldBy(node, () => acts.pay(node, at(6)))).toEqual(["PaymentSubmitted merchant"]);
    expect(new Set(ordersOf(node).map((order) => order.dispatch)).size).toBe(ordersOf(node).length);
  });

  test("what arrives before its settlement is told when it takes effect", () => {
    const node = staged();
    acts.advertise(node);
    acts.reserve(node);
    const payment = { settlement_id: "set-1", buyer: buyer.peer, payment_reference: null, timestamp: at(4) };
    expect(toldBy(node, () => node.gossip(PaymentSubmitted, payment, buyer))).toEqual([]);
    expect(toldBy(node, () => acts.initiate(node))).toEqual(["PaymentSubmitted merchant"]);
  });
});

describe("nothing is planned", () => {
  test("for a forgery, for a stranger's act, or for the same again", () => {
    const node = staged();
    paidTrade(node);
    const forged = { settlement_id: "set-1", seller: merchant.peer, timestamp: at(5) };
    expect(toldBy(node, () => node.gossip(SettlementApproved, forged, rival))).toEqual([]);
    const strange = { settlement_id: "set-1", seller: rival.peer, timestamp: at(5) };
    expect(toldBy(node, () => node.gossip(SettlementApproved, strange, rival))).toEqual([]);
    expect(toldBy(node, () => node.gossip(SettlementApproved, forged, merchant)).length).toBe(2);
    // The same words in another envelope, and the same act with another date, change nothing.
    node.now += 1n;
    expect(toldBy(node, () => node.gossip(SettlementApproved, forged, merchant))).toEqual([]);
    expect(toldBy(node, () => acts.approve(node, at(6)))).toEqual([]);
    const earlier = { ...forged, timestamp: at(4) };
    expect(toldBy(node, () => node.gossip(SettlementApproved, earlier, merchant))).toEqual([]);
  });

  test("for an approval of what was never paid", () => {
    const node = staged();
    acts.advertise(node);
    acts.reserve(node);
    acts.initiate(node);
    const approval = { settlement_id: "set-1", seller: merchant.peer, timestamp: at(5) };
    expect(toldBy(node, () => node.gossip(SettlementApproved, approval, merchant))).toEqual([]);
  });

  test("for a wallet without a subscription, without the category, or without a destination", () => {
    const node = staged();
    subscribe(node, merchant, { enabled_categories: ["Marketplace"], timestamp: at(1) });
    subscribe(node, buyer, { destinations: [], timestamp: at(1) });
    paidTrade(node);
    expect(toldOf(node)).toEqual([]);
    expect(toldBy(node, () => acts.setStatus(node, "Disabled", at(9)))).toEqual(["AdvertisementDisabled merchant"]);
  });

  test("for a second payment of what is paid", () => {
    const node = staged();
    paidTrade(node);
    const payment = { settlement_id: "set-1", buyer: buyer.peer, payment_reference: "again", timestamp: at(5) };
    expect(toldBy(node, () => node.gossip(PaymentSubmitted, payment, buyer))).toEqual([]);
  });

  test("for what happened before the wallet asked to hear of it", () => {
    const node = loneNode(T);
    register(node);
    acts.advertise(node);
    acts.reserve(node);
    subscribe(node, buyer);
    expect(toldBy(node, () => acts.initiate(node))).toEqual([]);
  });

  test("again after a restart, whose store holds everything", () => {
    const node = staged();
    paidTrade(node);
    for (const { dispatch } of ordersOf(node))
      node.accept({ type: "notification.delivered", dispatch, delivered: true });
    expect(toldOf(node.restart())).toEqual([]);
  });
});

/** A gateway that was last heard of a moment too long ago. */
function lapsed(node: LoneNode): void {
  register(node);
  node.now += 600_001n;
}

describe("through which gateway", () => {
  const skipped = (node: LoneNode) =>
    node.effects.flatMap((effect) =>
      effect.type === "log" && effect.event === "notification skipped" ? [effect.fields["reason"]] : [],
    );

  test.each([
    ["gateway-unknown", () => undefined],
    ["gateway-unknown", lapsed],
    ["not-a-notification-gateway", (node: LoneNode) => register(node, { type: { MarketData: "FxOracle" } })],
    ["channel-mismatch", (node: LoneNode) => register(node, { type: { Notifications: "Sms" } })],
    ["gateway-unhealthy", (node: LoneNode) => register(node, { health: "Degraded" })],
    ["gateway-unhealthy", (node: LoneNode) => register(node, { health: "Offline" })],
    ["gateway-has-no-endpoint", (node: LoneNode) => register(node, { endpoints: [] })],
  ])("%s", (reason, stage) => {
    const node = loneNode(T);
    subscribe(node, merchant);
    stage(node);
    paidTrade(node);
    expect(toldOf(node)).toEqual([]);
    expect(new Set(skipped(node))).toEqual(new Set([reason]));
    expect([...node.view.keys(Dispatches)]).toEqual([]);
  });

  test.each(["Online", "Maintenance"] as const)("one that is %s takes notifications", (health) => {
    const node = loneNode(T);
    register(node, { health });
    subscribe(node, merchant);
    paidTrade(node);
    expect(toldOf(node)).toEqual(["ReservationCreated merchant", "PaymentSubmitted merchant"]);
  });

  test("every destination of a wallet gets the same notification, each sealed to its own gateway", () => {
    const node = loneNode(T);
    register(node, { id: "b", endpoints: ["https://b.example.org"] });
    register(node, { id: "a", type: { Notifications: "Sms" }, endpoints: ["https://a.example.org", "https://unused"] });
    subscribe(node, merchant, { destinations: [destination("b", "Email", 2), destination("a", "Sms", 3)] });
    acts.advertise(node);
    acts.setStatus(node, "Disabled");
    const orders = ordersOf(node).map((order) => ({ ...posted(order), endpoint: order.endpoint }));
    expect(orders.map(({ endpoint, service_id, channel }) => [endpoint, service_id, channel])).toEqual([
      ["https://b.example.org", "b", "Email"],
      ["https://a.example.org", "a", "Sms"],
    ]);
    expect(new Set(orders.map((order) => order.notification_id)).size).toBe(1);
    const [first] = orders;
    expect(node.call("getNotificationDispatch", { id: first?.notification_id })).toMatchObject({ service_id: "a" });
  });

  test("a service named twice gets the first address only", () => {
    const node = loneNode(T);
    register(node);
    subscribe(node, merchant, { destinations: [destination("gw-8", "Email", 2), destination("gw-8", "Email", 3)] });
    acts.advertise(node);
    acts.setStatus(node, "Disabled");
    expect(ordersOf(node).length).toBe(1);
  });
});

test("an order is the payload's bytes, members in the protocol's order, signed by the node", () => {
  const node = staged();
  acts.advertise(node);
  acts.setStatus(node, "Disabled");
  const [order] = ordersOf(node);
  if (order === undefined) throw new Error("nothing was ordered");
  const body = posted(order);
  expect(Object.keys(body).join()).toBe(
    "notification_id,trigger,recipient_wallet,service_id,channel,sealed_destination,subject,body",
  );
  expect(order).toMatchObject({ endpoint: ENDPOINT, dispatch: deliveryKey(body.notification_id, "gw-8") });
  const key = known(fromBase58(order.node), "peer").subarray(6);
  expect(crypto.verify(key, crypto.sha256(order.body), known(fromBase58(order.signature), "signature"))).toBe(true);
});

test("the id is derived from the event that carried the cause, on every node that hears it", () => {
  const [one, other] = [staged(), staged()];
  acts.advertise(one);
  acts.advertise(other);
  const status = acts.setStatus(one, "Vacation");
  expect(status).toBe(null);
  // The event as the first node sent it.
  const carrying = [...one.view.keys(Events)].filter(
    (key) => one.view.get(Events, key)?.event.event_type === "AdvertisementStatusSet",
  );
  expect(carrying.length).toBe(1);
  const source = known(one.view.get(Events, carrying[0] ?? ""), "event").event.id;
  const id = notificationId(crypto, "AdvertisementDisabled", source, merchant.peer);
  expect(ordersOf(one).map((order) => posted(order).notification_id)).toEqual([id]);
});

test("the id of the published vector", () => {
  const source = new Uint8Array(32).fill(3);
  expect(notificationId(crypto, "SettlementApproved", source, person(7).peer)).toBe(
    "9487c0b02701c81a4431d30b046b057b87f133a6739431a30f30719a751afac5",
  );
});

describe("what becomes of an order", () => {
  const statusOf = (node: LoneNode, dispatch: string) => {
    const { status, updated_at, handover } = known(node.view.get(Dispatches, dispatch), "dispatch");
    return [status, updated_at - T, handover !== null];
  };

  test.each([
    [true, "Sent"],
    [false, "Failed"],
  ] as const)("taken: %s reads %s, at the node's own clock, and never changes again", (delivered, status) => {
    const node = staged();
    acts.advertise(node);
    acts.setStatus(node, "Disabled");
    const dispatch = ordersOf(node)[0]?.dispatch ?? "";
    expect(statusOf(node, dispatch)).toEqual(["Queued", 0n, true]);
    node.now += 250n;
    node.accept({ type: "notification.delivered", dispatch, delivered });
    expect(statusOf(node, dispatch)).toEqual([status, 250n, false]);
    node.now += 1n;
    node.accept({ type: "notification.delivered", dispatch, delivered: !delivered });
    expect(statusOf(node, dispatch)).toEqual([status, 250n, false]);
    expect(ordersOf(node.restart())).toEqual([]);
  });

  test("what was queued when the node went down is ordered again, byte for byte", () => {
    const node = staged();
    paidTrade(node);
    const orders = ordersOf(node);
    const [done, ...queued] = orders;
    node.accept({ type: "notification.delivered", dispatch: done?.dispatch ?? "", delivered: true });
    const again = ordersOf(node.restart());
    const sorted = (list: typeof orders) => [...list].sort((a, b) => (a.dispatch < b.dispatch ? -1 : 1));
    expect(sorted(again)).toEqual(sorted(queued));
  });

  test("an answer about nothing is nothing", () => {
    const node = staged();
    const before = node.roots();
    node.accept({ type: "notification.delivered", dispatch: "nothing", delivered: true });
    expect(node.roots()).toEqual(before);
    expect([...node.view.keys(Dispatches)]).toEqual([]);
  });
});

test("dispatches lie in no root", () => {
  const [told, untold] = [staged(), loneNode(T)];
  for (const node of [told, untold]) acts.advertise(node);
  const silent = untold.roots();
  const before = told.roots();
  acts.setStatus(told, "Disabled");
  acts.setStatus(untold, "Disabled");
  const delta = (after: string, start: string) => (BigInt(`0x${after}`) - BigInt(`0x${start}`)) & ((1n << 256n) - 1n);
  expect(ordersOf(told).length).toBe(1);
  for (const root of ["statements", "facts", "state"] as const) {
    expect(delta(told.roots()[root], before[root])).toBe(delta(untold.roots()[root], silent[root]));
  }
});

/** A queued dispatch as the store keeps it. */
function queuedRow(key: string, n: number) {
  const writer = compactWriter();
  Dispatches.record.encode(
    {
      ...{ notification_id: n.toString(16).padStart(64, "0"), service_id: "gw-8", recipient_wallet: rival.peer },
      ...{ trigger: "ProposalPublished", channel: "Email", status: "Queued", updated_at: T, provider: gateway.peer },
      handover: { endpoint: ENDPOINT, sealed: sealed() },
    },
    writer,
  );
  return { table: Dispatches.name, key, bytes: writer.finish() };
}

test("a queue that is full plans nothing more, and planning goes on when there is room", () => {
  const rows = new Map(
    Array.from({ length: QUEUED_MAX }, (_, n) => {
      const key = deliveryKey(n.toString(16).padStart(64, "0"), "gw-8");
      return [`notification_dispatches ${key}`, queuedRow(key, n)] as const;
    }),
  );
  const node = loneNode(T, undefined, rows);
  register(node);
  subscribe(node, merchant);
  acts.advertise(node);
  const full = ordersOf(node).length;
  expect(full).toBe(QUEUED_MAX);
  acts.setStatus(node, "Disabled");
  expect(ordersOf(node).length).toBe(full);
  const [first] = ordersOf(node);
  node.accept({ type: "notification.delivered", dispatch: first?.dispatch ?? "", delivered: false });
  acts.setStatus(node, "Vacation", at(2));
  expect(ordersOf(node).length).toBe(full + 1);
});
