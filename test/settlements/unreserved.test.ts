/**
 * Goal: under the reference's rules a settlement whose reservation is unknown, or does not fit, reads, repeats and
 * refuses as the send that took it said; by our rules it is refused, and may be tried again (DESIGN §7 #21).
 * Method: the acts of its parties, each in an order that the reference takes and in one that it does not.
 */
import { expect, test } from "vitest";
import { AttachmentPublish } from "../../core/domains/content/attachments/schema.ts";
import { methods } from "../../core/domains.ts";
import { known } from "../../core/kernel/assert.ts";
import { fromBase58, toBase64, utf8 } from "../../core/kernel/text.ts";
import type { LoneNode, Person } from "../rpc/lone-node.ts";
import { crypto, loneNode, parityNode, signedData } from "../rpc/lone-node.ts";
import { arbitrators, buyer, merchant, resultOf, signedSends, usdc } from "../rpc/signed-sends.ts";

const NOW = 1_786_000_000_000n;
/** A read with a proof, asked for and signed as the method's row says. */
function prove(node: LoneNode, method: string, by: Person): unknown {
  const proof = methods[method]?.proof;
  if (proof === undefined) throw new Error(`${method} takes no proof`);
  const [wallet, public_key] = [by.peer, by.key].map((text) => toBase64(known(fromBase58(text), "bytes")));
  const { nonce } = node.call(proof.challenge, { wallet }) as { readonly nonce: string };
  const signature = toBase64(crypto.sign(by.secret, utf8(`${proof.domain}:${wallet}:${nonce}`)));
  return node.call(method, { wallet, public_key, nonce, signature });
}

const stateOf = (node: LoneNode) => (node.call("getSettlement", { id: "set-1" }) as { state: string } | null)?.state;

/** A node of the reference's rules that took an initiate: of no reservation, or above what was reserved. */
const taken: readonly (readonly [string, (node: LoneNode) => string])[] = [
  ["whose reservation is unknown", (node) => signedSends(node).initiate()],
  [
    "above what was reserved",
    (node) => {
      const sends = signedSends(node);
      sends.create();
      sends.reserve();
      return sends.initiate({ amount: usdc(20_000_001) });
    },
  ],
];

test.each(taken)("a settlement %s is shown, and acted on", (_, initiate) => {
  const node = parityNode(NOW);
  expect(resultOf(initiate(node))).toBe("set-1");
  expect(stateOf(node)).toBe("AwaitingPayment");
  expect(node.call("getSettlements")).toMatchObject([{ id: "set-1", state: "AwaitingPayment" }]);
  const sends = signedSends(node);
  expect(resultOf(initiate(node))).toBe(5010);
  expect(resultOf(sends.approve())).toBe(5009);
  expect(resultOf(sends.pay())).toBe(null);
  expect(stateOf(node)).toBe("PaymentSubmitted");
  expect(resultOf(sends.cancel())).toBe(5009);
  expect(resultOf(sends.approve())).toBe(null);
  expect(stateOf(node)).toBe("Approved");
  expect(resultOf(sends.pay({ settlement_id: "set-2" }))).toBe(5008);
});

test.each(taken)(
  "of a settlement %s a case is opened, judged, read and refused as the reference does",
  (_, initiate) => {
    const node = parityNode(NOW);
    initiate(node);
    const sends = signedSends(node);
    expect(resultOf(sends.open({ settlement_id: "set-2" }))).toBe(5008);
    expect(
      resultOf(sends.open({ opener: arbitrators[0].peer, opener_public_key: arbitrators[0].key }, arbitrators[0])),
    ).toBe(2001);
    expect(resultOf(sends.open())).toBe("d-1");
    expect(stateOf(node)).toBe("Disputed");
    expect(resultOf(sends.open())).toBe(6001);
    expect(resultOf(sends.open({ id: "d-2" }))).toBe(6005);
    expect(resultOf(sends.pay())).toBe(5009);
    const statusOf = () => (node.call("getDispute", { id: "d-1" }) as { status: string } | null)?.status;
    expect(statusOf()).toBe("Open");
    const panel = arbitrators.slice(0, 3).map(sends.panel);
    expect(resultOf(panel[0]?.commit() ?? "")).toBe(6005);
    for (const each of panel) expect(resultOf(each.join())).toBe(null);
    expect(statusOf()).toBe("CaseLocked");
    for (const each of panel) expect(resultOf(each.commit())).toBe(null);
    expect(statusOf()).toBe("RevealPhase");
    expect(resultOf(panel[0]?.reveal({ vote: "Invalid" }) ?? "")).toBe(6003);
    for (const each of panel) expect(resultOf(each.reveal())).toBe(null);
    expect(statusOf()).toBe("AwaitingChainExecution");
    expect(node.call("getDisputes")).toMatchObject([{ id: "d-1", reveals: 3, settlement_id: "set-1" }]);
    for (const reader of [buyer, merchant, arbitrators[0]])
      expect(prove(node, "getMyDisputes", reader)).toMatchObject([{ id: "d-1", opener: buyer.peer }]);
    expect(prove(node, "getMyDisputes", arbitrators[3])).toEqual([]);
    const restarted = node.restart();
    expect(restarted.call("getDisputes")).toEqual(node.call("getDisputes"));
    expect(prove(node, "getCounterparties", buyer)).toMatchObject([{ in_progress: 1, disputed: 1 }]);
  },
);

test("a trade joins the settlement that is above what was reserved; attachments of its parties are shown", () => {
  const node = parityNode(NOW);
  const sends = signedSends(node);
  sends.create();
  sends.reserve();
  sends.initiate({ amount: usdc(20_000_001) });
  expect(node.call("getTrade", { id: "1" })).toMatchObject({ settlement: { id: "set-1" }, status: "AwaitingPayment" });
  expect(prove(node, "getMyTrades", merchant)).toMatchObject([{ settlement: { id: "set-1" } }]);
  const attachment = {
    ...{ id: "att-1", subject: { Settlement: "set-1" }, author: buyer.peer, author_public_key: buyer.key },
    ...{ cid: "bafkreibdmq27skp3wnycoyoqcei47etyaulerpsegivlkfvyhjkw7ufjva", media_type: "Png", size_bytes: 31n },
    ...{ caption: "receipt", created_at: NOW },
  };
  const data = signedData(AttachmentPublish, attachment as never, buyer);
  expect(node.call("sendAttachmentPublish", { data })).toBe("att-1");
  expect(node.call("sendAttachmentPublish", { data })).toBe(7);
  expect(node.call("getSettlementAttachments", { id: "set-1" })).toMatchObject([{ id: "att-1" }]);
});

test("by our rules it is refused, and nothing is shown", () => {
  const node = loneNode(NOW);
  expect(JSON.parse(signedSends(node).initiate())).toMatchObject({
    error: { message: "RESERVATION_NOT_FOUND", data: { ofsRetryable: true, reason: "not-yet-known" } },
  });
  expect(stateOf(node)).toBeUndefined();
});
