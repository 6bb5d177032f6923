/**
 * A person who asks a node for challenges and answers them. Source: protocol 03 B.3, B.4.
 */

import { SPENT_NONCES_MAX } from "../../core/domains/wallet-proofs/queries.ts";
import { SpentNonce, SpentNonces } from "../../core/domains/wallet-proofs/schema.ts";
import { methods } from "../../core/index.ts";
import { encodeCompact } from "../../core/kernel/schema.ts";
import { fromBase58, toBase64, utf8 } from "../../core/kernel/text.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import type { StoreRow } from "../../core/ports/store.ts";
import type { LoneNode, Person } from "../rpc/lone-node.ts";
import { crypto, loneNode } from "../rpc/lone-node.ts";

export interface Proof {
  readonly wallet: string;
  readonly public_key: string;
  readonly nonce: string;
  readonly signature: string;
}

/** The base64 spelling of a person's peer id, as clients send it. */
export function walletOf(person: Person): string {
  return toBase64(fromBase58(person.peer) ?? new Uint8Array(0));
}

/** A challenge's nonce for a person. */
export function nonceFor(node: Pick<LoneNode, "call">, person: Person, method = "getWalletChallenge"): string {
  return (node.call(method, { wallet: walletOf(person) }) as { readonly nonce: string }).nonce;
}

/** The text that a proof signs, signed. */
export function signText(person: Person, domain: string, subject: string, nonce: string): Uint8Array {
  return crypto.sign(person.secret, utf8(`${domain}:${subject}:${nonce}`));
}

/** A proof for one read by its method's name, over a fresh challenge unless one is given. */
export function proofFor(
  node: Pick<LoneNode, "call">,
  method: string,
  person: Person,
  nonce = nonceFor(node, person),
): Proof {
  const domain = methods[method]?.proof?.domain ?? "";
  const wallet = walletOf(person);
  const signature = toBase64(signText(person, domain, wallet, nonce));
  return { wallet, public_key: toBase64(fromBase58(person.key) ?? new Uint8Array(0)), nonce, signature };
}

/**
 * A node that remembers as many spent nonces as it may, all of which expire a challenge's lifetime from now. They are
 * handed to it as rows of its store: 65,536 proofs would fill the same table in seven seconds.
 */
export function nodeWithFullLedger(now: bigint): LoneNode {
  const rows = new Map<string, StoreRow>();
  const bytes = encodeCompact(SpentNonce, { expires_at: (now + 300_000n) as EpochMillis });
  for (let i = 0; i < SPENT_NONCES_MAX; i++) rows.set(`${i}`, { table: SpentNonces.name, key: `spent ${i}`, bytes });
  return loneNode(now, undefined, rows);
}
