/**
 * Goal: a refusal whose code has several causes says which it was, and so does one that may be tried again against its
 * code; under the reference's rules neither is said (DESIGN §7 #21, #23).
 * Method: one row a cause, the same words to a node of each profile.
 */
import { expect, test } from "vitest";
import type { LoneNode } from "../rpc/lone-node.ts";
import { loneNode, parityNode } from "../rpc/lone-node.ts";
import { buyer, merchant, signedSends, usdc } from "../rpc/signed-sends.ts";

const NOW = 1_786_000_000_000n;

/** One more way to pay than an advertisement may have over RPC. */
const METHODS = Array.from({ length: 65 }, (_, n) => `builtin:bank-${n}`);

function dataOf(body: string): Readonly<Record<string, unknown>> {
  return (JSON.parse(body) as { error: { data: Readonly<Record<string, unknown>> } }).error.data;
}

const rows: readonly (readonly [reason: string, ask: (node: LoneNode) => string])[] = [
  ["date-ahead", (node) => signedSends(node).create({ timestamp: NOW + 300_001n })],
  ["date-behind", (node) => signedSends(node).create({ timestamp: NOW - 86_400_001n })],
  ["id-form", (node) => signedSends(node).create({ id: "" })],
  ["id-not-its-own", (node) => signedSends(node).create({ id: merchant.key })],
  ["other-bytes", (node) => signedSends(node).create({}, buyer)],
  ["key-of-another", (node) => signedSends(node).create({ merchant_public_key: buyer.key })],
  ["payment-methods", (node) => signedSends(node).create({ payment_methods: [] })],
  ["out-of-bounds", (node) => signedSends(node).create({ payment_methods: METHODS })],
  ["trade-limits", (node) => signedSends(node).create({ min_trade: usdc(2), max_trade: usdc(1) })],
  ["liquidity-decimals", (node) => signedSends(node).create({ initial_liquidity: usdc(1_000, 9) })],
  ["amount-zero", (node) => signedSends(node).reserve({ amount: usdc(0) })],
  ["not-yet-known", (node) => signedSends(node).initiate()],
];

test.each(rows)("%s", (reason, ask) => {
  const data = dataOf(ask(loneNode(NOW)));
  expect(data).toMatchObject({ reason });
  expect(data["ofsRetryable"]).toBe(reason === "not-yet-known");
  expect(ask(parityNode(NOW))).not.toContain("reason");
});
