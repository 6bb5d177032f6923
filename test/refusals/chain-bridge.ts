/**
 * How the refusals of the chain bridge come about. Source: protocol 03 C.3.
 */
import { loneNode } from "../rpc/lone-node.ts";
import type { Refusal } from "./refusal.ts";

const ask = (method: string, params?: unknown) =>
  loneNode(1_786_000_000_000n).body(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }));

export const refusals: readonly Refusal[] = [
  { method: "getLatestBlockhash", code: "CHAIN_UNAVAILABLE", provoke: () => ask("getLatestBlockhash") },
  {
    method: "sendTransaction",
    code: "MALFORMED_TRANSACTION",
    provoke: () => ask("sendTransaction", { data: "AAAA" }),
  },
];
