/**
 * What a notification is called: every node derives the same id from the same cause, so that a gateway can tell that
 * two nodes speak of one thing. Source: protocol 04 §6.5.
 */

import { concat, toHex } from "../../kernel/bytes.ts";
import { fromBase58, utf8 } from "../../kernel/text.ts";
import type { PeerId } from "../../kernel/values.ts";
import type { CryptoPort } from "../../ports/crypto.ts";
import type { Trigger } from "./schema.ts";

const DOMAIN = "openfiat/notification-id/v1";

/** SHA-256 over domain, trigger, source and recipient, each with its length before it; lower-case hexadecimal. */
export function notificationId(crypto: CryptoPort, trigger: Trigger, source: Uint8Array, recipient: PeerId): string {
  const fields = [utf8(DOMAIN), utf8(trigger), source, fromBase58(recipient) ?? new Uint8Array(0)];
  return toHex(crypto.sha256(concat(...fields.flatMap((field) => [u32le(field.length), field]))));
}

/** A 32-bit length, least significant byte first. */
function u32le(value: number): Uint8Array {
  return Uint8Array.of(value & 255, (value >>> 8) & 255, (value >>> 16) & 255, value >>> 24);
}
