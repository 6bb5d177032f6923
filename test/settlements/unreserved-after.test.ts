/**
 * Goal: under the reference's rules what comes after a settlement whose reservation is unknown, or does not fit, agrees
 * with the send that took it: reviews, its channel, its reservation, the chain's word and the volume (DESIGN §7 #21).
 * Method: each answered as the reference does, from the settlement's record alone, and refused where that record says
 * so.
 */
import { expect, test } from "vitest";
import { ReviewPublish } from "../../core/domains/reviews/schema.ts";
import type { ChainFact } from "../../core/domains/trade/settlements/schema.ts";
import { ChainFacts } from "../../core/domains/trade/settlements/tables.ts";
import { devnetNetwork } from "../../core/index.ts";
import { compactWriter } from "../../core/kernel/compact.ts";
import type { StoreRow } from "../../core/ports/store.ts";
import type { LoneNode } from "../rpc/lone-node.ts";
import { loneNode, parityNode, signedData } from "../rpc/lone-node.ts";
import { proofOf } from "../rpc/prove.ts";
import { arbitrators, buyer, merchant, resultOf, signedSends, third, usdc } from "../rpc/signed-sends.ts";
import { entry, grant, read, sendEntry, sendGrant } from "../trade-channel/channel.ts";

const NOW = 1_786_000_000_000n;
const ABOVE = usdc(20_000_001);
const dated = { timestamp: NOW as never };

/** Takes an initiate of no reservation, or one above what was reserved. */
const begun: readonly (readonly [string, (node: LoneNode) => string])[] = [
  ["whose reservation is unknown", (node) => signedSends(node).initiate({ amount: ABOVE })],
  [
    "above what was reserved",
    (node) => {
      signedSends(node).create();
      signedSends(node).reserve();
      return signedSends(node).initiate({ amount: ABOVE });
    },
  ],
];

function review(node: LoneNode, by = buyer): unknown {
  const told = { settlement: "set-1", author: by.peer, author_public_key: by.key, rating: 4, comment: "quick" };
  const payload = { ...told, created_at: NOW };
  return node.call("sendReviewPublish", { data: signedData(ReviewPublish, payload as never, by) });
}

test.each(begun)("parties of a settlement %s speak of it once it is approved", (_, initiate) => {
  const node = parityNode(NOW);
  initiate(node);
  expect(review(node)).toBe(2001);
  signedSends(node).pay();
  signedSends(node).approve();
  expect(review(node, third)).toBe(2001);
  expect(review(node)).toBe(`set-1:${buyer.peer}`);
  expect(review(node)).toBe(7);
  const about = { about: merchant.peer, rating: 4, comment: "quick" };
  expect(node.call("getReviews", { wallet: merchant.peer })).toMatchObject([about]);
  for (const party of [buyer, merchant])
    expect(node.call("getMyReviews", proofOf(node, "openfiat-my-reviews", party))).toMatchObject([about]);
  expect(node.call("getReviews", { wallet: buyer.peer })).toEqual([]);
});

test.each(begun)(
  "parties of a settlement %s have a channel, and its arbitrators as far as they are let",
  (_, begin) => {
    const node = parityNode(NOW);
    expect(sendEntry(node, entry(merchant, dated))).toBe(5008);
    begin(node);
    expect(read(node, merchant)).toEqual({ settlement_id: "set-1", grants: [], entries: [] });
    expect(read(node, third)).toBe(2001);
    expect(sendEntry(node, entry(third, dated), third)).toBe(2001);
    expect(sendEntry(node, entry(merchant, dated))).toBe(null);
    expect(sendEntry(node, entry(merchant, dated))).toBe(null);
    expect(sendEntry(node, entry(merchant, { ...dated, kind: "Message" }))).toBe(7);
    const toJudge = grant(merchant, { ...dated, recipient: arbitrators[0].peer });
    expect(sendGrant(node, toJudge)).toBe(2001);
    signedSends(node).open();
    signedSends(node).panel(arbitrators[0]).join();
    expect(sendGrant(node, toJudge)).toBe(null);
    expect(sendGrant(node, grant(merchant, { ...dated, recipient: buyer.peer }))).toBe(null);
    const entries = [{ author: merchant.peer, kind: "PaymentDetails" }];
    expect(read(node, buyer)).toMatchObject({ grants: [{}, {}], entries });
    expect(read(node, arbitrators[0])).toMatchObject({ grants: [{ role: "Arbitrator" }], entries });
  },
);

test("a reservation follows the settlement that is above it", () => {
  const node = parityNode(NOW);
  begun[1]?.[1](node);
  const sends = signedSends(node);
  const stateOf = () => (node.call("getReservation", { id: "1" }) as { state: string }).state;
  expect(stateOf()).toBe("Settling");
  expect(resultOf(sends.release())).toBe(4006);
  sends.pay();
  expect(resultOf(sends.reject())).toBe(null);
  expect(stateOf()).toBe("EscrowLocked");
  expect(resultOf(sends.initiate({ id: "set-2", amount: ABOVE }))).toBe("set-2");
  expect(stateOf()).toBe("Settling");
  sends.pay({ settlement_id: "set-2" });
  sends.approve({ settlement_id: "set-2" });
  expect(stateOf()).toBe("Settled");
});

/** A node of the reference's rules that saw how an escrow of these parties was closed. */
function sawClosed(more: Partial<ChainFact>): LoneNode {
  const writer = compactWriter();
  const closed = { kind: "released", resolution: null, terminal_split: null, transaction: "closing", timestamp: NOW };
  const people = { buyer: buyer.key, seller: merchant.key, mint: "2bHPi5hA4zrmPAfrvLmEexg3KJjpTjNkUcxWnzUPeRRU" };
  ChainFacts.record.encode({ reservation: 1n, amount: 20_000_001n, ...closed, ...people, ...more } as never, writer);
  const row: StoreRow = { table: ChainFacts.name, key: "1:closing", bytes: writer.finish() };
  return loneNode(NOW, undefined, new Map([["fact", row]]), { profile: { ...devnetNetwork, parity: true } });
}

const shown = (node: LoneNode) => node.call("getSettlement", { id: "set-1" });
const volume = (node: LoneNode) => node.call("getSettledVolume");

test.each(begun)("the chain closes a settlement %s, and the volume counts it", (name, initiate) => {
  const node = sawClosed({});
  initiate(node);
  signedSends(node).pay();
  signedSends(node).approve();
  expect(shown(node)).toMatchObject({ state: "Completed", escrow_release_signature: "closing" });
  const row = { base_units: 20_000_001, settlements: 1, asset_symbol: "USDC" };
  const isReserved = name.startsWith("above");
  expect(volume(node)).toMatchObject({
    assets: isReserved ? [row] : [],
    unattributed_settlements: isReserved ? 0 : 1,
    settlements_known: 1,
  });
});

test.each(begun)("the chain decides the case of a settlement %s", (_, initiate) => {
  const node = sawClosed({ kind: "decided", resolution: "MerchantWins" });
  initiate(node);
  signedSends(node).open();
  expect(shown(node)).toMatchObject({ state: "Cancelled", escrow_release_signature: null });
  expect(volume(node)).toMatchObject({ assets: [], unattributed_settlements: 0, settlements_known: 1 });
});

test("of another amount, or other people, the chain says nothing about it", () => {
  for (const more of [{ amount: 20_000_000n }, { buyer: third.key }, { seller: third.key }] as const) {
    const node = sawClosed(more);
    signedSends(node).initiate({ amount: ABOVE });
    expect(shown(node)).toMatchObject({ state: "AwaitingPayment" });
  }
});
