/**
 * Goal: what a node answers once it observed the chain is what protocol 03 H.7 and 02 P.5 row 36 publish, under both
 * profiles.
 * Method: the published sends through the ingress, a chain fact among the node's rows, the published read.
 */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { ChainFact } from "../../core/domains/trade/settlements/schema.ts";
import type { LoneNode } from "../rpc/lone-node.ts";
import { crypto, loneNode, person } from "../rpc/lone-node.ts";
import { observed } from "../rpc/observed.ts";
import { merchant, resultOf, signedSends, buyer as taker, usdc } from "../rpc/signed-sends.ts";
import { allStories } from "./story.ts";

const published = JSON.parse(
  readFileSync(new URL("published/dispute-outcomes.json", import.meta.url), "utf8"),
) as Readonly<Record<"read" | "split" | "decided", string>>;
const NOW = 1_700_000_200_000n;
const [buyer, seller] = [person(1), person(99)];

const fact = {
  kind: "decided",
  reservation: 42n,
  buyer: buyer.key,
  seller: seller.key,
  mint: "2bHPi5hA4zrmPAfrvLmEexg3KJjpTjNkUcxWnzUPeRRU",
  amount: 5_000_000n,
  resolution: null,
  terminal_split: null,
  transaction: "4g1ryp9VADmGPujKrq48cnVZ8NThuLRLq8g73xyeXLpAGZCbFFXpQitqKWsBSMWpz5hHFR6bXMJFPpQssWnGoWVN",
  timestamp: 1_700_000_125_000n,
} as ChainFact;
const split = { ...fact, terminal_split: "RoundUnstaffed" } as const;
const decided = { ...fact, resolution: "MerchantWins" } as const;

/** Everything that the worked example of the reads was told. */
function revealed(node: LoneNode): void {
  const stories = allStories().get("03-disputes-and-chain.json") ?? [];
  const story = stories.find(({ source }) => source === "protocol 03 H.7");
  for (const { request } of story?.steps.slice(0, -1) ?? []) expect(node.body(request)).toContain('"result"');
}

/** The disputes of a proven wallet, as text. */
function myDisputes(node: LoneNode): string {
  const wallet = Buffer.concat([Buffer.from("002408011220", "hex"), crypto.publicKey(buyer.secret)]).toString("base64");
  const { subject, nonce } = node.call("getWalletChallenge", { wallet }) as { subject: string; nonce: string };
  const signature = crypto.sign(buyer.secret, Buffer.from(`openfiat-my-disputes:${subject}:${nonce}`));
  const params = {
    ...{ wallet, nonce, public_key: Buffer.from(crypto.publicKey(buyer.secret)).toString("base64") },
    signature: Buffer.from(signature).toString("base64"),
  };
  return node.body(JSON.stringify({ jsonrpc: "2.0", id: 6, method: "getMyDisputes", params })) ?? "";
}

test("protocol 03 H.7: a case that the chain closed without a verdict, by default", () => {
  expect(observed(NOW, "default", revealed, split).body(published.read)).toBe(published.split);
});

test("protocol 03 W-3: the same stays undecided under parity, with the signature alone", () => {
  const node = observed(NOW, "parity", revealed, split);
  const read = node.call("getDispute", { id: "dispute-1" });
  expect(read).toMatchObject({ status: "AwaitingChainExecution", resolution: null, updated_at: 1_700_000_003_000 });
  expect(read).toMatchObject({ onchain_execution_signature: fact.transaction });
  expect(node.call("getSettlement", { id: "settle-1" })).toMatchObject({
    state: "Disputed",
    escrow_release_signature: null,
  });
  expect(node.call("getReservation", { id: "42" })).toMatchObject({ state: "Settling" });
  expect(node.call("getTrade", { id: "42" })).toMatchObject({ status: "Disputed" });
});

test("protocol 03 W-3: by default an even split settles the trade as a mutual settlement does", () => {
  const node = observed(NOW, "default", revealed, split);
  expect(node.call("getTrade", { id: "42" })).toMatchObject({ status: "Completed" });
});

test("protocol 03 H.7: the full record of a decided case, as the buyer reads it", () => {
  const whole = (record: string) => `{"jsonrpc":"2.0","id":6,"result":[${record}]}`;
  expect(myDisputes(observed(NOW, "parity", revealed, decided))).toBe(whole(published.decided));
  const ours = published.decided.replace(
    '"updated_at":1700000003000',
    '"terminal_split":null,"updated_at":1700000003000',
  );
  expect(myDisputes(observed(NOW, "default", revealed, decided))).toBe(whole(ours));
});

/** A trade up to an approved payment. */
function approved(node: LoneNode): void {
  const sends = signedSends(node);
  sends.create();
  sends.reserve({ id: "4711004" });
  sends.initiate({ reservation_id: "4711004" });
  sends.pay();
  expect(resultOf(sends.approve())).toBe(null);
}

const released = {
  ...fact,
  kind: "released",
  reservation: 4_711_004n,
  buyer: taker.key,
  seller: merchant.key,
  amount: usdc(20_000_000).base_units,
} as const;

/** The assets of the settled volume. */
const volume = (node: LoneNode) => (node.call("getSettledVolume") as { readonly assets: readonly unknown[] }).assets;

test("protocol 02 P.5 row 35: nothing is settled before the chain says so", () => {
  const node = loneNode(NOW);
  approved(node);
  expect(volume(node)).toEqual([]);
});

test("protocol 02 P.5 row 36: the release of this trade's escrow completes it", () => {
  const node = observed(NOW, "default", approved, released);
  expect(node.call("getSettlement", { id: "set-1" })).toMatchObject({
    state: "Completed",
    escrow_release_signature: fact.transaction,
  });
  expect(volume(node)).toMatchObject([{ asset_symbol: "USDC", base_units: 20_000_000, settlements: 1 }]);
});

test.each([
  ["another amount", { amount: 1n }],
  ["another seller", { seller: taker.key }],
  ["another buyer", { buyer: merchant.key }],
  ["another mint", { mint: "C4rSGhdxWhSFQuFcAxQti1JvBxriwHJoHtJjfhs5p24Y" }],
  ["another reservation", { reservation: 4_711_005n }],
])("protocol 02 P.5 row 36: a release of %s changes nothing", (_, change) => {
  const node = observed(NOW, "default", approved, { ...released, ...change } as ChainFact);
  expect(node.call("getSettlement", { id: "set-1" })).toMatchObject({
    state: "Approved",
    escrow_release_signature: null,
  });
  expect(volume(node)).toEqual([]);
});
