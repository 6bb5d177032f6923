/**
 * A record of a node's memory as JSON that people read: every digit of a number, bytes in hexadecimal.
 */
import { toHex } from "../core/index.ts";

/** A record as indented JSON; its members stand in the order in which it has them. */
export function recordText(record: unknown): string {
  return written(record, "");
}

/** The same on one line. */
export function recordLine(record: unknown): string {
  return written(record, undefined);
}

/** What people would call a record: its id, else its name; nothing where it has neither. */
export function labelOf(record: unknown): string {
  if (typeof record !== "object" || record === null) return "";
  const { id, name } = record as { readonly id?: unknown; readonly name?: unknown };
  return [id, name].find((label): label is string => typeof label === "string" && label !== "") ?? "";
}

/** On lines of its own each member, or all on one where there is no indent. */
function written(value: unknown, indent: string | undefined): string {
  if (typeof value === "bigint") return value.toString();
  if (value instanceof Uint8Array) return JSON.stringify(toHex(value));
  if (value instanceof Map) return written(Object.fromEntries(value), indent);
  if (value instanceof Set) return written([...value], indent);
  if (typeof value === "function" || value === undefined) return "null";
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  // A signed type is known by its name.
  if ("tag" in value && "payload" in value && "name" in value) return JSON.stringify(value.name);
  const inner = indent === undefined ? undefined : `${indent}  `;
  const [colon, comma] = inner === undefined ? [":", ","] : [": ", `,\n${inner}`];
  const parts = Array.isArray(value)
    ? value.map((item: unknown) => written(item, inner))
    : Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}${colon}${written(member, inner)}`);
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  if (parts.length === 0 || inner === undefined) return open + parts.join(comma) + close;
  return `${open}\n${inner}${parts.join(comma)}\n${indent}${close}`;
}
