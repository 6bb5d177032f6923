/**
 * What is handed to the typed client to be signed, looked at before it is: where something is missing or of another
 * kind, and what. Bounds and rules are the node's to check. Source: protocol 01 §4.1.
 */

import type { Schema } from "../../core/index.ts";

/** What keeps a value from being written, after the names of the members that lead there; nothing where it can be. */
export function misfitOf({ shape }: Pick<Schema<unknown>, "shape">, value: unknown): string | undefined {
  if (value === undefined) return shape.type === "option" ? "missing; null where there is none" : "missing";
  switch (shape.type) {
    case "option":
      return value === null ? undefined : misfitOf(shape.of, value);
    case "text":
      return typeof value === "string" ? undefined : "expected a string";
    case "integer":
      return typeof value === "bigint" || Number.isSafeInteger(value) ? undefined : "expected an integer";
    case "list":
      return Array.isArray(value) ? undefined : "expected a list";
    case "struct":
      if (!isRecord(value)) return "expected a record";
      return firstOf(Object.entries(shape.fields).map(([member, field]) => within(member, field, value)));
    case "variants": {
      const form = Object.entries(shape.of).find(([name]) => isRecord(value) && name in value);
      if (form === undefined) return `expected an object with one of ${Object.keys(shape.of).join(", ")}`;
      return within(...form, value as Members);
    }
    default:
      return undefined;
  }
}

type Members = Readonly<Record<string, unknown>>;

function within(member: string, schema: Schema<unknown>, value: Members): string | undefined {
  const misfit = misfitOf(schema, value[member]);
  return misfit === undefined ? undefined : `${member}: ${misfit}`;
}

function firstOf(misfits: readonly (string | undefined)[]): string | undefined {
  return misfits.find((misfit) => misfit !== undefined);
}

function isRecord(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
