/**
 * What a claim may say: the two types whose value others act upon have a form, and everything has a size.
 * No context is needed, so the answer is the same at every ingress. Source: protocol 04 §1.3, §1.11.
 */

import { fromBase58, hasControl, utf8 } from "../../kernel/text.ts";
import type { ClaimPublish, ClaimType } from "./schema.ts";
import { LABEL_BYTES_MAX, VALUE_BYTES_MAX } from "./schema.ts";

/**
 * A content identifier: multibase `b`, then 36 bytes in base32. The first four bytes are version 1, raw or dag-pb,
 * SHA-256 and its length, which spell all of six digits and the high part of a seventh; the two spare bits of the
 * last digit are zero. Source: protocol 04 §1.3 row 7, 02 G.3.
 */
const CONTENT_ID = /^b(?:afkrei|afybei)[a-h][a-z2-7]{50}[aeimquy4]$/;

const FIELD_PRIME = (1n << 255n) - 19n;
/**
 * The u-coordinates of Curve25519 and of its twist whose order divides the cofactor: every clamped scalar takes them
 * to zero, so that a secret agreed with one would be known to everybody. Source: protocol 04 §1.3 row 8; RFC 7748 §6.1.
 */
const SMALL_ORDER: readonly bigint[] = [
  0n,
  1n,
  FIELD_PRIME - 1n,
  325606250916557431795983626356110631294008115727848805560023387167927233504n,
  39382357235489614581723060781553021112529911719440698176882885853963445705823n,
];

/** Whether a type takes a value. Source: protocol 04 §1.3. */
export function takesValue(type: ClaimType, value: string): boolean {
  if (type === "Avatar") return CONTENT_ID.test(value);
  return type !== "EncryptionKey" || isEncryptionKey(value);
}

/** Whether a claim's texts keep their lengths; `idBytesMax` bounds the id of what it replaces. */
export function fitsSizes({ claim_type, value, supersedes }: ClaimPublish, idBytesMax: number): boolean {
  if (bytesBeyond(value, VALUE_BYTES_MAX) || (supersedes !== null && bytesBeyond(supersedes, idBytesMax))) return false;
  return typeof claim_type === "string" || !bytesBeyond(claim_type.Custom, LABEL_BYTES_MAX);
}

/** Whether the name of what a claim replaces is one that an id may have over RPC. */
export function namesSanely({ supersedes }: ClaimPublish): boolean {
  return supersedes === null || !hasControl(supersedes);
}

/** A base58 X25519 public key that agrees on more than zero. */
function isEncryptionKey(value: string): boolean {
  const bytes = value.length > 44 ? undefined : fromBase58(value);
  if (bytes?.length !== 32) return false;
  let u = 0n;
  for (let at = 31; at >= 0; at--) u = (u << 8n) | BigInt(bytes[at] ?? 0);
  return !SMALL_ORDER.includes((u & ((1n << 255n) - 1n)) % FIELD_PRIME);
}

function bytesBeyond(text: string, most: number): boolean {
  return text.length > most || utf8(text).length > most;
}
