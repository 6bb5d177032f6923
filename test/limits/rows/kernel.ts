/**
 * Limits of the kernel: numbers, texts, JSON and the tree of identities.
 */

import { PaymentMethodId } from "../../../core/domains/payment-methods/schema.ts";
import { decodeJson, parseJson } from "../../../core/index.ts";
import { compactWriter } from "../../../core/kernel/compact.ts";
import { floatText } from "../../../core/kernel/float.ts";
import { createIdentityTree } from "../../../core/kernel/identity-tree.ts";
import type { Schema } from "../../../core/kernel/schema.ts";
import { decodeCompact } from "../../../core/kernel/schema.ts";
import { u64, u128 } from "../../../core/kernel/schema-scalars.ts";
import { PeerId } from "../../../core/kernel/values.ts";
import { crypto } from "../../rpc/lone-node.ts";
import type { Limit, Untried } from "../limit.ts";
import { least, most, mostOf } from "../limit.ts";

/** What a schema makes of JSON: `read`, `tainted` when nothing it signs can verify, or why not. */
function readAs<T>(schema: Schema<T>, text: string): string {
  const parsed = parseJson(text);
  if (!parsed.ok) return parsed.error;
  const decoded = decodeJson(schema, parsed.value);
  return decoded.ok ? (decoded.value.tainted ? "tainted" : "read") : decoded.error;
}

/** A text of so many letters. */
const letters = (n: number) => JSON.stringify("x".repeat(n));

/** A base58 text of so many digits. */
const digits = (n: number) => JSON.stringify("2".repeat(n));

function compactPeer(length: number): string {
  const writer = compactWriter();
  writer.bytes(new Uint8Array(length).fill(1));
  return decodeCompact(PeerId, writer.finish()) === undefined ? "refused" : "read";
}

/** Whether the tree tells a set apart by its list or by its branches, which hash to different digests. */
function digestOf(n: number): string {
  const tree = createIdentityTree(crypto);
  const ids = Array.from({ length: n }, (_, at) => at.toString(16).padStart(64, "0"));
  for (const id of ids) tree.add(id);
  const listed = crypto.sha256(Uint8Array.from([0, ...ids.flatMap((id) => [...Buffer.from(id, "hex")])]));
  return Buffer.from(tree.digest("")).equals(Buffer.from(listed)) ? "listed" : "branched";
}

/** The same after one more came and went. */
function digestAfterRemoval(n: number): string {
  const tree = createIdentityTree(crypto);
  const other = createIdentityTree(crypto);
  const ids = Array.from({ length: n + 1 }, (_, at) => at.toString(16).padStart(64, "0"));
  for (const id of ids) tree.add(id);
  for (const id of ids.slice(0, n)) other.add(id);
  tree.remove(ids[n] ?? "");
  return Buffer.from(tree.digest("")).equals(Buffer.from(other.digest(""))) ? digestOf(n) : "another digest";
}

export const limits: readonly Limit[] = [
  mostOf("core/kernel/compact.ts U64_MAX", (1n << 64n) - 1n, (n) => readAs(u64, `${n}`), {
    within: "read",
    beyond: "expected an unsigned 64-bit integer",
  }),
  mostOf("core/kernel/compact.ts U128_MAX", (1n << 128n) - 1n, (n) => readAs(u128, `${n}`), {
    within: "read",
    beyond: "expected an unsigned 128-bit integer",
  }),
  most("core/domains/payment-methods/schema.ts FREE_TEXT_BYTES_MAX", 128, (n) => readAs(PaymentMethodId, letters(n)), {
    within: "read",
    beyond: "expected a payment method id",
  }),
  most("core/kernel/float.ts PLAIN_EXPONENT_MAX", 15, (n) => layoutOf(Number(`1e${n}`)), {
    within: "plain",
    beyond: "with an exponent",
  }),
  least("core/kernel/float.ts PLAIN_EXPONENT_MIN", -5, (n) => layoutOf(Number(`1e${n}`)), {
    within: "plain",
    beyond: "with an exponent",
  }),
  most("core/kernel/json.ts JSON_DEPTH_MAX", 128, (n) => nested("[", "]", n), {
    where: "lists",
    within: "read",
    beyond: "nested too deeply at position 128",
  }),
  most("core/kernel/json.ts JSON_DEPTH_MAX", 128, (n) => nested('{"a":', "}", n), {
    where: "objects",
    within: "read",
    beyond: "nested too deeply at position 640",
  }),
  most("core/kernel/schema-scalars.ts BASE58_LENGTH_MAX", 256, (n) => readAs(PeerId, digits(n)), {
    where: "digits",
    within: "read",
    beyond: "tainted",
  }),
  most("core/kernel/schema-scalars.ts BASE58_LENGTH_MAX", 256, compactPeer, {
    where: "compact bytes",
    within: "read",
    beyond: "refused",
  }),
  most("core/kernel/identity-tree.ts LISTED_MAX", 16, digestOf, { within: "listed", beyond: "branched" }),
  most("core/kernel/identity-tree.ts LISTED_MAX", 16, digestAfterRemoval, {
    where: "after a removal",
    within: "listed",
    beyond: "branched",
  }),
];

export const untried: readonly Untried[] = [
  {
    of: "core/kernel/row-pages.ts PAGES_READ_MAX",
    because: "a memory of pages that were read: one that is forgotten is read and hashed again, and says the same",
  },
];

function layoutOf(value: number): string {
  return floatText(value, "protocol").includes("e") ? "with an exponent" : "plain";
}

function nested(open: string, close: string, depth: number): string {
  const inner = open === "[" ? "" : "1";
  const parsed = parseJson(`${open.repeat(depth)}${inner}${close.repeat(depth)}`);
  return parsed.ok ? "read" : parsed.error;
}
