/**
 * Reads that prove a wallet: a fresh challenge, signed as a client signs it. Source: protocol 03 B.4.
 */
import { fromBase58, toBase64, utf8 } from "../../core/kernel/text.ts";
import type { LoneNode, Person } from "./lone-node.ts";
import { crypto } from "./lone-node.ts";

/** The four members of a proof. */
interface Proof {
  readonly wallet: string;
  readonly public_key: string;
  readonly nonce: string;
  readonly signature: string;
}

/** Parameters of a proven read. */
export function proofOf(node: Pick<LoneNode, "body">, domain: string, by: Person): Proof {
  const wallet = toBase64(fromBase58(by.peer) as Uint8Array);
  const ask = { jsonrpc: "2.0", id: 1, method: "getWalletChallenge", params: { wallet } };
  const { result } = JSON.parse(node.body(JSON.stringify(ask)) ?? "{}") as {
    readonly result: { readonly nonce: string };
  };
  const { nonce } = result;
  const signature = toBase64(crypto.sign(by.secret, utf8(`${domain}:${wallet}:${nonce}`)));
  return { wallet, public_key: toBase64(fromBase58(by.key) as Uint8Array), nonce, signature };
}
