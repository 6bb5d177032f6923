/**
 * JSON as a Solana node writes it: integers of 64 bits stand there digit for digit. Source: Solana's JSON-RPC.
 */

export type JsonValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue | undefined };

/** Text of a value; members that are undefined are left out. */
export function jsonText(value: JsonValue): string {
  if (typeof value === "bigint") return value.toString();
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (isList(value)) return `[${value.map(jsonText).join(",")}]`;
  const members = Object.entries(value).flatMap(([key, held]) =>
    held === undefined ? [] : [`${JSON.stringify(key)}:${jsonText(held)}`],
  );
  return `{${members.join(",")}}`;
}

function isList(value: object): value is readonly JsonValue[] {
  return Array.isArray(value);
}
