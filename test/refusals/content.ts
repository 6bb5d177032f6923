/**
 * How the refusals of content come about. Source: protocol 02 G.6.
 */
import { UPLOADS_MAX } from "../../core/domains/content/blocks/keep.ts";
import { toBase64, utf8 } from "../../core/kernel/text.ts";
import type { LoneNode } from "../rpc/lone-node.ts";
import { loneNode } from "../rpc/lone-node.ts";
import { cidOf, put, T } from "../rpc/node-with-settlement.ts";
import type { Refusal } from "./refusal.ts";

const ask = (node: LoneNode, method: string, params: unknown) =>
  node.body(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }));

export const refusals: readonly Refusal[] = [
  {
    method: "getContentFile",
    code: "INVALID_PARAMETER",
    parity: "misfit",
    provoke: () => {
      const node = loneNode(T);
      put(node, utf8("no node"), "dag-pb");
      return ask(node, "getContentFile", { cid: cidOf(utf8("no node"), "dag-pb") });
    },
  },
  {
    method: "sendContentPut",
    code: "INVALID_PARAMETER",
    parity: "misfit",
    provoke: () => ask(loneNode(T), "sendContentPut", { cid: cidOf(utf8("a")), content: toBase64(utf8("b")) }),
  },
  {
    method: "sendContentPut",
    code: "RATE_LIMIT_EXCEEDED",
    provoke: () => {
      const node = loneNode(T);
      for (let i = 0; i < UPLOADS_MAX; i++) put(node, utf8(`${i}`));
      return ask(node, "sendContentPut", { cid: cidOf(utf8("a")), content: toBase64(utf8("a")) });
    },
  },
];
