/**
 * Canonical texts: values that mean the same have the same text, whatever the order in which their maps and sets were
 * filled. What a node holds is told apart by these. Source: DESIGN section 5.1.
 */
import { createHash } from "node:crypto";
import type { HeldDriver } from "../../core/index.ts";

type Rows = HeldDriver["memory"]["tables"] extends Map<string, infer R> ? R : never;

/** Digits of a digest: 128 bits, so that two values out of 2^32 share one with a chance of 2^-65. */
const DIGEST_DIGITS = 32;

const records = new WeakMap<object, string>();
const tables = new WeakMap<object, string>();

/** A digest of a text. */
export function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, DIGEST_DIGITS);
}

/** A value as a text: plain values, bytes, maps and sets; a function stands for nothing but itself being there. */
export function canonicalText(value: unknown): string {
  switch (typeof value) {
    case "string":
      return JSON.stringify(value);
    case "bigint":
      return `${value}n`;
    case "function":
      return "f";
    case "object":
      return value === null ? "null" : objectText(value);
    default:
      return String(value);
  }
}

/** A digest of all rows of a table; of rows that nobody writes into any more, so it is computed once. */
export function rowsDigest(rows: Rows): string {
  const known = tables.get(rows);
  if (known !== undefined) return known;
  const lines: string[] = [];
  for (const [key, { record }] of rows.rows) lines.push(`${JSON.stringify(key)}=${recordText(record)}`);
  const digest = digestOf(lines.sort(byUnits).join("\n"));
  tables.set(rows, digest);
  return digest;
}

/** Order of texts by their units: any order would do, as long as it is one. */
export function byUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Records are never changed once written, and most stay from step to step. */
function recordText(record: unknown): string {
  if (typeof record !== "object" || record === null) return canonicalText(record);
  const known = records.get(record);
  if (known !== undefined) return known;
  const digest = digestOf(objectText(record));
  records.set(record, digest);
  return digest;
}

function objectText(value: object): string {
  if (value instanceof Uint8Array) return `x${Buffer.from(value).toString("hex")}`;
  if (Array.isArray(value)) return `[${value.map(canonicalText).join()}]`;
  if (value instanceof Map) {
    const entries = [...value].map(([key, held]) => `${canonicalText(key)}:${canonicalText(held)}`);
    return `m{${entries.sort(byUnits).join()}}`;
  }
  if (value instanceof Set) return `s{${[...value].map(canonicalText).sort(byUnits).join()}}`;
  // A signed type is known by its name, and no two bear one.
  if ("outer" in value && "name" in value) return `t${String(value.name)}`;
  const members = Object.entries(value).filter(([, held]) => held !== undefined);
  return `{${members
    .map(([name, held]) => `${name}:${canonicalText(held)}`)
    .sort(byUnits)
    .join()}}`;
}
