/**
 * Goal: whom a notification about a trade went to is told to that wallet alone (protocol 04 §6.7, DESIGN L4).
 * Method: every read, by every kind of reader, of dispatches and receipts with a trigger of each category.
 */
import { describe, expect, test } from "vitest";
import type { LoneNode, Person } from "../rpc/lone-node.ts";
import { loneNode, parityNode } from "../rpc/lone-node.ts";
import {
  acts,
  buyer,
  merchant,
  ordersOf,
  paidTrade,
  posted,
  proofBy,
  register,
  report,
  reportOf,
  subscribe,
  T,
} from "./stage.ts";

/** The merchant was told of a sale, a dispute and an advertisement, and the gateway reported all of it. */
function staged(node: LoneNode) {
  register(node);
  subscribe(node, merchant);
  paidTrade(node);
  acts.dispute(node);
  acts.setStatus(node, "Disabled");
  const posts = ordersOf(node).map(posted);
  for (const post of posts) expect(report(node, reportOf(post))).toBe(null);
  const idOf = (trigger: string) => posts.find((post) => post.trigger === trigger)?.notification_id ?? "";
  return {
    node,
    ids: posts.map((post) => post.notification_id).sort((a, b) => (a < b ? -1 : 1)),
    trading: idOf("PaymentSubmitted"),
    disputes: idOf("EvidenceRequested"),
    marketplace: idOf("AdvertisementDisabled"),
  };
}
const one = ["getNotificationDispatch", "getDeliveryReceipt"] as const;
const all = ["getNotificationDispatchesByWallet", "getDeliveryReceiptsByWallet"] as const;
const idsOf = (answer: unknown) => (answer as { notification_id: string }[]).map((each) => each.notification_id);

describe.each(one)("%s", (method) => {
  test("without a proof: nothing about trades, the rest without its recipient", () => {
    const { node, trading, disputes, marketplace } = staged(loneNode(T));
    expect(node.call(method, { id: trading })).toBe(null);
    expect(node.call(method, { id: disputes })).toBe(null);
    expect(node.call(method, { id: marketplace })).toMatchObject({
      notification_id: marketplace,
      recipient_wallet: "",
      trigger: "AdvertisementDisabled",
    });
    expect(node.body(`{"jsonrpc":"2.0","id":1,"method":"${method}","params":{"id":"${marketplace}"}}`)).not.toContain(
      merchant.peer,
    );
  });

  test("with a proof of the recipient's wallet: whole records; of another wallet's: as without one", () => {
    const { node, trading, disputes, marketplace } = staged(loneNode(T));
    for (const id of [trading, disputes, marketplace]) {
      const whole = { notification_id: id, recipient_wallet: merchant.peer };
      expect(node.call(method, { id, ...proofBy(node, merchant) })).toMatchObject(whole);
    }
    expect(node.call(method, { id: trading, ...proofBy(node, buyer) })).toBe(null);
    expect(node.call(method, { id: marketplace, ...proofBy(node, buyer) })).toMatchObject({ recipient_wallet: "" });
  });

  test("under the reference's rules everything is whole", () => {
    const { node, trading } = staged(parityNode(T));
    expect(node.call(method, { id: trading })).toMatchObject({ recipient_wallet: merchant.peer });
  });

  test("an unknown id, and one that is no id", () => {
    const { node } = staged(loneNode(T));
    expect(node.call(method, { id: "nothing" })).toBe(null);
    expect(node.call(method, { id: 5 })).toBe(-32602);
    expect(node.call(method, {})).toBe(-32602);
  });
});

describe.each(all)("%s", (method) => {
  test("without a proof: what is about trades is left out; the caller named the wallet, so it stays", () => {
    const { node, marketplace } = staged(loneNode(T));
    const answer = node.call(method, { wallet: merchant.peer });
    expect(answer).toMatchObject([{ notification_id: marketplace, recipient_wallet: merchant.peer }]);
    expect(node.call(method, { id: merchant.peer })).toEqual(answer);
    expect(node.call(method, { wallet: buyer.peer })).toEqual([]);
  });

  test("with a proof of the wallet: everything, by notification id", () => {
    const { node, ids } = staged(loneNode(T));
    expect(ids.length).toBe(4);
    expect(idsOf(node.call(method, proofBy(node, merchant)))).toEqual(ids);
    expect(node.call(method, proofBy(node, buyer))).toEqual([]);
  });

  test("under the reference's rules: everything", () => {
    const { node, ids } = staged(parityNode(T));
    expect(idsOf(node.call(method, { wallet: merchant.peer }))).toEqual(ids);
  });
});

describe.each([...one, ...all])("the proof of %s", (method) => {
  const asking = (node: LoneNode, by: Person, change: object = {}, domain?: string) =>
    node.call(method, { id: "nothing", ...proofBy(node, by, domain), ...change });

  test("is refused, never narrowed, when it fails", () => {
    const { node } = staged(loneNode(T));
    expect(asking(node, merchant, {}, "openfiat-my-disputes")).toBe(1003);
    expect(asking(node, merchant, { wallet: buyer.peer })).toBe(2001);
    expect(asking(node, merchant, { nonce: "00".repeat(32) })).toBe(6);
    const proof = proofBy(node, merchant);
    expect(node.call(method, { id: "nothing", ...proof })).not.toBe(6);
    expect(node.call(method, { id: "nothing", ...proof })).toBe(6);
  });

  test.each(["public_key", "nonce", "signature"])("has all its members or none: not only %s", (member) => {
    const { node } = staged(loneNode(T));
    const proof = proofBy(node, merchant) as Readonly<Record<string, string>>;
    expect(node.call(method, { id: "nothing", wallet: proof["wallet"], [member]: proof[member] })).toBe(-32602);
    expect(node.call(method, { id: "nothing", ...proof, [member]: null })).toBe(-32602);
  });
});
