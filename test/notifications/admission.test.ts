/**
 * Goal: both ingresses take and keep what protocol 04 §6.8 and §6.12 say, at every bound, and show receipts of real
 * deliveries alone. Method: one node, RPC and gossip, one byte or millisecond on each side of a bound.
 */
import { describe, expect, test } from "vitest";
import { DeliveryReport, deliveryKey, SubscriptionUpdate } from "../../core/domains/notifications/schema.ts";
import { KEPT_MS, SWEEP_EVERY_MS } from "../../core/domains/notifications/sweep.ts";
import { Dispatches, Receipts, Subscriptions } from "../../core/domains/notifications/tables.ts";
import { Statements } from "../../core/engine/statements/table.ts";
import type { LoneNode } from "../rpc/lone-node.ts";
import { loneNode, parityNode, person, signedData } from "../rpc/lone-node.ts";
import {
  acts,
  at,
  buyer,
  destination,
  gateway,
  merchant,
  ordersOf,
  paidTrade,
  posted,
  proofBy,
  register,
  report,
  reportOf,
  rival,
  sealed,
  send,
  subscribe,
  subscription,
  T,
} from "./stage.ts";

const subscriptionOf = (node: LoneNode, wallet = merchant.peer) => node.call("getSubscription", { wallet });

describe("subscriptions", () => {
  test("every spelling of a wallet reads the same, under both names of the member", () => {
    const node = loneNode(T);
    subscribe(node, person(7));
    const spelled = [
      "12D3KooWRawPbxPtP1eZaJpumGnyWX2DcUyd3RQnydr3eAto4Az7",
      "ACQIARIg6kpsY+KcUgq+9VB7Ey7F+ZVHdq6+vnuSQh7qaRRG0iw=",
      "GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB",
    ];
    const answers = spelled.flatMap((wallet) => [
      JSON.stringify(node.call("getSubscription", { wallet })),
      JSON.stringify(node.call("getSubscription", { id: wallet })),
    ]);
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).toContain('"updated_at":1786000000000');
    expect(node.call("getSubscription", { wallet: rival.peer })).toBe(null);
    expect(node.call("getSubscription", { wallet: "nobody" })).toBe(-32602);
    expect(node.call("getSubscription")).toBe(-32602);
    // The reference answers about whatever bytes the base64 spells.
    expect(parityNode(T).call("getSubscription", { wallet: "AAAA" })).toBe(null);
    expect(node.call("getSubscription", { wallet: "AAAA" })).toBe(-32602);
  });

  test("a missing list of destinations is signed and kept as an empty one", () => {
    const node = loneNode(T);
    const whole = atob(signedData(SubscriptionUpdate, subscription(merchant, { destinations: [] }), merchant));
    const old = whole.replace(',"destinations":[]', "");
    expect(old).not.toBe(whole);
    expect(node.call("sendSubscriptionUpdate", { data: btoa(old) })).toBe(null);
    expect(subscriptionOf(node)).toMatchObject({ destinations: [] });
  });

  test("swapped and stripped destinations were not signed", () => {
    const node = loneNode(T);
    const whole = atob(signedData(SubscriptionUpdate, subscription(merchant), merchant));
    const swapped = whole.replace('"gw-8"', '"gw-9"');
    const stripped = whole.replace(/"destinations":\[.*\],"timestamp"/, '"destinations":[],"timestamp"');
    for (const other of [swapped, stripped]) {
      expect(other).not.toBe(whole);
      expect(node.call("sendSubscriptionUpdate", { data: btoa(other) })).toBe(1003);
    }
    expect(subscriptionOf(node)).toBe(null);
  });

  test("one unknown category or channel refuses the whole payload", () => {
    const node = loneNode(T);
    const whole = atob(signedData(SubscriptionUpdate, subscription(merchant), merchant));
    for (const [known, unknown] of [
      ['"Trading"', '"Weather"'],
      ['"Email"', '"Pigeon"'],
    ] as const) {
      expect(node.call("sendSubscriptionUpdate", { data: btoa(whole.replace(known, unknown)) })).toBe(-32602);
    }
  });

  test("is a register: an older or equal update answers null and changes nothing, at either ingress", () => {
    const node = loneNode(T);
    subscribe(node, merchant, { timestamp: at(5), enabled_categories: ["Trading"] });
    const before = node.roots();
    expect(subscribe(node, merchant, { timestamp: at(4), enabled_categories: ["Governance"] })).toBe(null);
    expect(subscribe(node, merchant, { timestamp: at(5), enabled_categories: ["Trading"] })).toBe(null);
    node.gossip(SubscriptionUpdate, subscription(merchant, { timestamp: at(4), enabled_categories: [] }), merchant);
    expect(node.roots()).toEqual(before);
    expect(subscriptionOf(node)).toMatchObject({ enabled_categories: ["Trading"] });
    subscribe(node, merchant, { timestamp: at(6), enabled_categories: ["Governance", "Governance"] });
    expect(subscriptionOf(node)).toMatchObject({ enabled_categories: ["Governance", "Governance"] });
    expect(node.view.size(Subscriptions)).toBe(1);
    expect([...node.view.keys(Statements)].length).toBe(1);
  });

  const sixteen = Array.from({ length: 16 }, (_, n) => destination(`gw-${n}`));
  const long = (length: number) => [{ ...destination(), sealed: sealed(1, length) }];
  const categories = (length: number) => Array.from({ length }, () => "Trading" as const);
  test.each([
    ["16 destinations", { destinations: sixteen }, null],
    ["17 destinations", { destinations: [...sixteen, destination("one-more")] }, 3],
    ["a sealed address of 1,024 bytes", { destinations: long(1_024) }, null],
    ["one of 1,025", { destinations: long(1_025) }, 3],
    ["five categories", { enabled_categories: categories(5) }, null],
    ["six", { enabled_categories: categories(6) }, 3],
    ["a date 24 hours old", { timestamp: at(-86_400_000) }, null],
    ["one older by a millisecond", { timestamp: at(-86_400_001) }, 3],
    ["a date five minutes ahead", { timestamp: at(300_000) }, null],
    ["one further by a millisecond", { timestamp: at(300_001) }, 3],
  ])("%s", (_, fields, answer) => {
    const node = loneNode(T);
    expect(subscribe(node, merchant, fields)).toBe(answer);
    expect(subscriptionOf(node) !== null).toBe(answer === null);
    // A peer may bring older ones; no size beyond its bound comes in by either ingress.
    const pushed = loneNode(T);
    pushed.gossip(SubscriptionUpdate, subscription(merchant, fields), merchant);
    const dated = "timestamp" in fields && fields.timestamp < T;
    expect(subscriptionOf(pushed) !== null).toBe(answer === null || dated);
  });

  test("the reference has no bounds on them", () => {
    const node = parityNode(T);
    expect(subscribe(node, merchant, { destinations: [...sixteen, destination("one-more")] })).toBe(null);
  });
});

/** A node that told the merchant of the sale's payment, and what it posted. */
function delivered() {
  const node = loneNode(T);
  register(node);
  subscribe(node, merchant);
  paidTrade(node);
  const order = ordersOf(node).find((each) => posted(each).trigger === "PaymentSubmitted");
  if (order === undefined) throw new Error("no payment was told");
  return { node, post: posted(order) };
}
const receiptIn = (node: LoneNode, id: string) =>
  [...node.view.keys(Receipts)].filter((key) => node.view.get(Receipts, key)?.notification_id === id);

describe("reports", () => {
  test("are receipts of the newest date, whatever the order, and leave the dispatch alone", () => {
    const { node, post } = delivered();
    expect(report(node, reportOf(post, { status: "Read", timestamp: at(12) }))).toBe(null);
    expect(report(node, reportOf(post, { status: "Delivered", timestamp: at(11) }))).toBe(null);
    node.gossip(DeliveryReport, reportOf(post, { status: "Failed", timestamp: at(10) }), gateway);
    const keys = receiptIn(node, post.notification_id);
    expect(keys.map((key) => node.view.get(Receipts, key)?.status)).toEqual(["Read"]);
    expect(node.view.get(Dispatches, deliveryKey(post.notification_id, "gw-8"))?.status).toBe("Queued");
  });

  test("travel under seven names, each under the one of its status", () => {
    const statuses = ["Queued", "Sent", "Delivered", "Read", "Failed", "Retried", "Expired"] as const;
    expect(DeliveryReport.events).toEqual(statuses.map((status) => `Notification${status}`));
    const { node, post } = delivered();
    for (const [n, status] of statuses.entries()) {
      const payload = reportOf(post, { status, timestamp: at(20 + n) });
      expect(DeliveryReport.eventOf(payload)).toBe(`Notification${status}`);
      const shown = () => receiptIn(node, post.notification_id).map((key) => node.view.get(Receipts, key)?.status);
      node.gossip(DeliveryReport, payload, gateway, `Notification${statuses[(n + 3) % 7]}`);
      expect(shown()).toEqual(n === 0 ? [] : [statuses[n - 1]]);
      node.gossip(DeliveryReport, payload, gateway);
      expect(shown()).toEqual([status]);
    }
  });

  test("of another recipient, another trigger or another gateway are refused", () => {
    const { node, post } = delivered();
    register(node, { id: "gw-9", by: rival });
    expect(report(node, reportOf(post, { recipient_wallet: buyer.peer }))).toBe(2);
    expect(report(node, reportOf(post, { trigger: "EscrowReleased" }))).toBe(2);
    const other = { service_id: "gw-9", provider: rival.peer, provider_public_key: rival.key };
    expect(report(node, reportOf(post, other), rival)).toBe(2);
    expect(report(node, reportOf(post, { ...other, service_id: "gw-8" }), rival)).toBe(2);
    expect(report(node, reportOf(post, { service_id: "gw-10" }))).toBe(6);
    expect(report(node, reportOf(post, { notification_id: "00".repeat(32) }))).toBe(6);
    expect(node.view.size(Receipts)).toBe(0);
  });

  test("that a peer brings of what was not handed over are kept, and shown to nobody", () => {
    const { node, post } = delivered();
    node.gossip(DeliveryReport, reportOf(post, { trigger: "ProposalPublished" }), gateway);
    const elsewhere = reportOf(post, { notification_id: "11".repeat(32), trigger: "ProposalPublished" });
    node.gossip(DeliveryReport, elsewhere, gateway);
    node.gossip(
      DeliveryReport,
      reportOf(post, { provider: rival.peer, provider_public_key: rival.key, trigger: "ProposalPublished" }),
      rival,
    );
    expect(node.view.size(Receipts)).toBe(3);
    for (const id of [post.notification_id, elsewhere.notification_id]) {
      expect(node.call("getDeliveryReceipt", { id, ...proofBy(node, merchant) })).toBe(null);
    }
    expect(node.call("getDeliveryReceiptsByWallet", proofBy(node, merchant))).toEqual([]);
  });

  test("of a service id that another provider has taken over since are no receipts", () => {
    const { node, post } = delivered();
    node.now += 600_001n;
    register(node, { by: rival });
    const taken = { provider: rival.peer, provider_public_key: rival.key, timestamp: at(600_001) };
    expect(report(node, reportOf(post, taken), rival)).toBe(2);
    expect(report(node, reportOf(post, { timestamp: at(600_001) }))).toBe(2);
    node.gossip(DeliveryReport, reportOf(post, taken), rival);
    expect(node.call("getDeliveryReceipt", { id: post.notification_id, ...proofBy(node, merchant) })).toBe(null);
  });

  test("wait for the service that they name", () => {
    const node = loneNode(T);
    const post = { notification_id: "22".repeat(32), service_id: "gw-8", recipient_wallet: merchant.peer };
    const payload = reportOf({ ...post, trigger: "PaymentSubmitted", channel: "Email", subject: "", body: "" });
    node.gossip(DeliveryReport, payload, gateway);
    expect(node.view.size(Receipts)).toBe(0);
    register(node);
    expect(node.view.size(Receipts)).toBe(1);
  });
});

describe("thirty days later", () => {
  /** The node's clock, so long after the last change of what it dispatched. */
  const later = (node: LoneNode, ms: number) => {
    node.now = T + BigInt(KEPT_MS + ms);
  };
  const sweep = (node: LoneNode) => node.accept({ type: "timer.fired", timer: "notification-sweep" });

  test("dispatches and receipts go, their statements with them; subscriptions stay", () => {
    const { node, post } = delivered();
    report(node, reportOf(post, { timestamp: at(0) }));
    const dispatches = node.view.size(Dispatches);
    const statements = node.view.size(Statements);
    later(node, 0);
    sweep(node);
    expect([node.view.size(Dispatches), node.view.size(Receipts)]).toEqual([dispatches, 1]);
    later(node, 1);
    sweep(node);
    expect([node.view.size(Dispatches), node.view.size(Receipts)]).toEqual([0, 0]);
    expect(node.view.size(Statements)).toBe(statements - 1);
    expect(node.view.size(Subscriptions)).toBe(1);
    expect(node.restart().roots()).toEqual(node.roots());
  });

  test("what no sweep has met yet is shown no more", () => {
    const node = loneNode(T);
    register(node);
    subscribe(node, merchant);
    acts.advertise(node);
    acts.setStatus(node, "Disabled");
    const shown = () => node.call("getNotificationDispatchesByWallet", { wallet: merchant.peer }) as unknown[];
    later(node, 0);
    expect(shown().length).toBe(1);
    later(node, 1);
    expect(shown()).toEqual([]);
  });

  test("a node is woken while it holds any, and never before", () => {
    const wakes = (node: LoneNode) =>
      node.effects.flatMap((effect) =>
        effect.type === "timer.set" && effect.timer === "notification-sweep" ? [effect.at - T] : [],
      );
    const { node, post } = delivered();
    expect(wakes(node)).toEqual([BigInt(SWEEP_EVERY_MS)]);
    expect(wakes(loneNode(T))).toEqual([]);
    report(node, reportOf(post));
    expect(wakes(node).length).toBe(1);
    expect(wakes(node.restart()).length).toBe(1);
    later(node, 20);
    sweep(node);
    expect(wakes(node).length).toBe(1);
    expect(wakes(node.restart())).toEqual([]);
  });
});

test("a payload beyond the largest is refused before anything is looked at", () => {
  const node = loneNode(T);
  const many = Array.from({ length: 90 }, (_, n) => ({ ...destination(`gw-${n}`), sealed: sealed(1, 1_024) }));
  expect(send(node, SubscriptionUpdate, subscription(merchant, { destinations: many }), merchant)).toBe(3);
});
