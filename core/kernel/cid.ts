/**
 * Content identifiers: CIDv1 in lower-case base32, raw or dag-pb, over SHA-256. Other versions, bases, codecs and
 * hashes are refused. Two spare bits let four texts name one block, so storage goes by the canonical one.
 * Source: protocol 02 G.3, O.23.
 */

import type { CryptoPort } from "../ports/crypto.ts";
import type { Brand } from "./brand.ts";
import { compareBytes, concat } from "./bytes.ts";
import type { Schema } from "./schema.ts";
import { text } from "./schema-scalars.ts";

export type Cid = Brand<string, "Cid">;
export type Codec = "raw" | "dag-pb";

export interface CidParts {
  readonly codec: Codec;
  /** SHA-256 of the block. */
  readonly digest: Uint8Array;
}

/** What a read says about a text that is none. Source: protocol 02 G.3. */
export const BAD_CID = "not a valid CIDv1 base32 sha2-256 identifier";

const BASE32 = "abcdefghijklmnopqrstuvwxyz234567";
const CID_LENGTH = 59;
const CID_BYTES = 36;
const HEADS: Readonly<Record<Codec, Uint8Array>> = {
  raw: Uint8Array.of(0x01, 0x55, 0x12, 0x20),
  "dag-pb": Uint8Array.of(0x01, 0x70, 0x12, 0x20),
};

/** A content identifier, kept as it was spelled: the text is signed. */
export const Cid: Schema<Cid> = text("cid", "a CIDv1 base32 sha2-256 identifier", (received) =>
  partsOfCid(received) === undefined ? undefined : (received as Cid),
);

/** What an identifier says, whatever its spare bits. */
export function partsOfCid(received: string): CidParts | undefined {
  if (received.length !== CID_LENGTH || received.charAt(0) !== "b") return undefined;
  const bytes = fromBase32(received.slice(1));
  return bytes && partsOfBytes(bytes);
}

/** What the 36 bytes of an identifier say. */
export function partsOfBytes(bytes: Uint8Array): CidParts | undefined {
  if (bytes.length !== CID_BYTES) return undefined;
  const codec = (["raw", "dag-pb"] as const).find((name) => compareBytes(bytes.subarray(0, 4), HEADS[name]) === 0);
  return codec && { codec, digest: bytes.slice(4) };
}

/** The canonical text: spare bits zero. */
export function cidOf({ codec, digest }: CidParts): Cid {
  return `b${toBase32(concat(HEADS[codec], digest))}` as Cid;
}

/** The one text under which a block is stored, or nothing for what is no identifier. */
export function canonicalCid(received: string): Cid | undefined {
  const parts = partsOfCid(received);
  return parts && cidOf(parts);
}

/** The identifier that a block earns. */
export function cidOfBlock(crypto: CryptoPort, codec: Codec, block: Uint8Array): Cid {
  return cidOf({ codec, digest: crypto.sha256(block) });
}

function toBase32(bytes: Uint8Array): string {
  let [text, held, bits] = ["", 0, 0];
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xfff;
    bits += 8;
    for (; bits >= 5; bits -= 5) text += BASE32.charAt((held >> (bits - 5)) & 31);
  }
  return bits === 0 ? text : text + BASE32.charAt((held << (5 - bits)) & 31);
}

function fromBase32(digits: string): Uint8Array | undefined {
  const bytes = new Uint8Array(Math.floor((digits.length * 5) / 8));
  let [held, bits, at] = [0, 0, 0];
  for (const digit of digits) {
    const value = BASE32.indexOf(digit);
    if (value < 0) return undefined;
    held = ((held << 5) | value) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes[at++] = (held >> bits) & 255;
  }
  return bytes;
}
