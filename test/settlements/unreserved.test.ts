/**
 * Goal: under the reference's rules a settlement whose reservation is unknown, or does not fit, reads, repeats and
 * refuses as the send that took it said; by our rules it is refused, and may be tried again (DESIGN §7 #21).
 * Method: the acts of its parties, each in an order that the reference takes and in one that it does not.
 */
import { expect, test } from "vitest";
import type { LoneNode } from "../rpc/lone-node.ts";
import { loneNode, parityNode } from "../rpc/lone-node.ts";
import { resultOf, signedSends, usdc } from "../rpc/signed-sends.ts";

const NOW = 1_786_000_000_000n;
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

test("by our rules it is refused, and nothing is shown", () => {
  const node = loneNode(NOW);
  expect(JSON.parse(signedSends(node).initiate())).toMatchObject({
    error: { message: "RESERVATION_NOT_FOUND", data: { ofsRetryable: true, reason: "not-yet-known" } },
  });
  expect(stateOf(node)).toBeUndefined();
});
