/**
 * Values whose members no schema of ours names: parameters of a method, records that a node answers.
 * Source: DESIGN section 5 "Everything is data".
 */
import type { Json, Schema } from "../../core/index.ts";
import { bool, isNumber, isObject, struct, Text, u32 } from "../../core/index.ts";
import { isList } from "../../core/testing.ts";

/** Whatever JSON can hold. */
export type PlainValue =
  | null
  | boolean
  | number
  | string
  | readonly PlainValue[]
  | { readonly [member: string]: PlainValue };

type OpenRecord<T> = Readonly<Record<string, T>>;

const anything = [bool, u32, Text] as unknown as readonly Schema<unknown>[];

/** Any value of JSON. */
export const AnyValue: Schema<PlainValue> = written({ type: "either", of: anything }, (node, fail) => {
  const value = plainOf(node);
  if (typeof value === "number" && !Number.isFinite(value)) fail("expected a number that is finite");
  return value;
});

/** An object with any members, each of one schema. */
export function openRecord<T>(each: Schema<T>): Schema<OpenRecord<T>> & { readonly each: Schema<T> } {
  return {
    ...(AnyValue as unknown as Schema<OpenRecord<T>>),
    shape: struct("members", {}).shape,
    each,
    decode(node, decoder) {
      if (!isObject(node)) {
        decoder.fail("expected an object");
        return {};
      }
      if (node.duplicate !== undefined) decoder.fail(`${node.duplicate} stands twice`);
      const members = [...node.members].map(([name, member]) => {
        return [
          name,
          each.decode(member, { ...decoder, fail: (reason) => decoder.fail(`${name}: ${reason}`) }),
        ] as const;
      });
      return Object.fromEntries(members);
    },
  };
}

/** A schema of values that are kept as JSON text wherever they are written. */
function written<T>(shape: Schema<T>["shape"], decode: (node: Json, fail: (reason: string) => void) => T): Schema<T> {
  return {
    shape,
    decode: (node, decoder) => decode(node, decoder.fail),
    write: (value) => JSON.stringify(value),
    encode: (value, writer) => writer.text(JSON.stringify(value)),
    read: (reader) => JSON.parse(reader.text()),
  };
}

function plainOf(node: Json): PlainValue {
  if (isNumber(node)) return Number(node.text);
  if (isList(node)) return node.map(plainOf);
  if (isObject(node)) return Object.fromEntries([...node.members].map(([name, member]) => [name, plainOf(member)]));
  return node;
}
