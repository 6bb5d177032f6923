/**
 * Goal: what is written is read back the same, as JSON and as compact bytes, and no input makes a reader throw.
 * Method: values derived from the shape of every schema of kernel and domains; random and mutated input.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { concat } from "../../core/kernel/bytes.ts";
import type { Json } from "../../core/kernel/json.ts";
import { isList, isObject, parseJson } from "../../core/kernel/json.ts";
import type { JsonStyle, Schema } from "../../core/kernel/schema.ts";
import {
  ANSWER,
  decodeCompact,
  decodeJson,
  encodeCompact,
  TRANSCRIPT,
  TRANSCRIPT_ECMASCRIPT,
} from "../../core/kernel/schema.ts";
import { arbitraryOf } from "../../sim/arbitraries/of-schema.ts";
import { forAll } from "../property/for-all.ts";
import type { ShapePlan } from "../property/shape-classes.ts";
import { shapePlan } from "../property/shape-classes.ts";
import type { NamedSchema } from "./schemas.ts";
import { schemas } from "./schemas.ts";

function reread(schema: Schema<unknown>, value: unknown, style: JsonStyle): unknown {
  const parsed = parseJson(schema.write(value, style));
  if (!parsed.ok) return parsed.error;
  const decoded = decodeJson(schema, parsed.value);
  return decoded.ok && !decoded.value.tainted ? decoded.value.value : decoded;
}

/** Zero has one sign in the ECMAScript spelling; everything else survives it. */
function withoutMinusZero(value: unknown): unknown {
  if (value === 0) return 0;
  if (Array.isArray(value)) return value.map(withoutMinusZero);
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutMinusZero(member)]));
}

/** Any JSON as the tokenizer gives it. */
const arbJson: fc.Arbitrary<Json> = fc.json({ maxDepth: 3 }).map((text) => {
  const parsed = parseJson(text);
  return parsed.ok ? parsed.value : null;
});

/** Bytes as JSON shows them, and as nobody may send an identifier. */
const arbByteList: fc.Arbitrary<Json> = fc
  .uint8Array({ maxLength: 64 })
  .map((bytes) => [...bytes].map((byte) => ({ type: "number", text: `${byte}` })));

test("schemas of several domains were found", () => {
  const folders = new Set(schemas.map(({ name }) => name.split("/")[0]));
  for (const folder of ["kernel", "advertisements", "reservations", "settlements", "disputes"]) {
    expect(folders).toContain(folder);
  }
  expect(schemas.length).toBeGreaterThan(60);
});

/** The wire form of a signed type holds its payload, whose labels are demanded where the payload's schema is tried. */
function planOf(name: string, schema: Schema<unknown>): ShapePlan {
  const plan = shapePlan(schema);
  return name.endsWith(" on the wire") ? { ...plan, shares: {}, sample: 1 } : plan;
}

describe.each(schemas.map(({ name, schema }) => [name, schema] as const))("%s", (name, schema) => {
  test("JSON and compact bytes, written and read, are the same value", () => {
    const holds = (value: unknown, more: Uint8Array) => {
      expectSameJson(schema, value);
      expectSameBytes(schema, value, more);
    };
    forAll([arbitraryOf(schema), fc.uint8Array({ maxLength: 4 })], holds, { runs: 20, ...planOf(name, schema) });
  });
});

/** A value of any of the schemas. */
const arbAny: fc.Arbitrary<NamedSchema & { readonly value: unknown }> = fc.oneof(
  ...schemas.map((each) => arbitraryOf(each.schema).map((value) => ({ ...each, value }))),
);

test("mutated bytes fail, or are a value that encodes and decodes", () => {
  forAll(
    [arbAny, fc.nat(), fc.integer({ min: 1, max: 255 })],
    ({ schema, value }, at, change) => {
      const bytes = encodeCompact(schema, value);
      if (bytes.length === 0) return ["no bytes"];
      const place = at % bytes.length;
      bytes[place] = (bytes[place] ?? 0) ^ change;
      const mutated = decodeCompact(schema, bytes);
      if (mutated === undefined) return ["refused"];
      expect(decodeCompact(schema, encodeCompact(schema, mutated))).toStrictEqual(mutated);
      return ["another value"];
    },
    { runs: 3_000, shares: { refused: 0.15, "another value": 0.4 } },
  );
});

test("random bytes are refused, or are a value that encodes and decodes", () => {
  forAll(
    [fc.constantFrom(...schemas), fc.uint8Array({ maxLength: 200 })],
    ({ schema }, bytes) => {
      const value = decodeCompact(schema, bytes);
      if (value === undefined) return ["refused"];
      expect(decodeCompact(schema, encodeCompact(schema, value))).toStrictEqual(value);
      return ["a value"];
    },
    { runs: 3_000, shares: { refused: 0.4, "a value": 0.04 } },
  );
});

test("random JSON is refused, or is a value, whatever is tried", () => {
  forAll(
    [fc.constantFrom(...schemas), arbJson],
    ({ schema }, json) => {
      const decoded = decodeJson(schema, json);
      if (decoded.ok) return ["read"];
      expect(decoded.error).not.toBe("");
      return ["refused"];
    },
    { runs: 3_000, sample: 3_000, shares: { refused: 0.5, read: 0.002 } },
  );
});

test("JSON in which one part is another is refused with a reason, or is a value that is written and read", () => {
  forAll(
    [arbAny, fc.nat(), fc.oneof(fc.nat(), arbJson, arbByteList)],
    ({ schema, value }, at, other) => {
      const parsed = parseJson(schema.write(value, TRANSCRIPT));
      const parts = parsed.ok ? partsOf(parsed.value) : [];
      const part = typeof other === "number" ? (parts[other % parts.length] ?? null) : other;
      const changed = withPart(parts[0] ?? null, { left: at % parts.length }, part);
      const decoded = decodeJson(schema, changed);
      if (!decoded.ok) {
        expect(decoded.error).not.toBe("");
        return ["refused"];
      }
      if (decoded.value.tainted) return ["tainted"];
      expect(reread(schema, decoded.value.value, TRANSCRIPT)).toStrictEqual(decoded.value.value);
      return ["read"];
    },
    { runs: 3_000, sample: 3_000, shares: { refused: 0.5, read: 0.1, tainted: 0.03 } },
  );
});

function expectSameJson(schema: Schema<unknown>, value: unknown): void {
  expect(reread(schema, value, TRANSCRIPT)).toStrictEqual(value);
  expect(reread(schema, value, ANSWER)).toStrictEqual(value);
  expect(reread(schema, value, TRANSCRIPT_ECMASCRIPT)).toStrictEqual(withoutMinusZero(value));
  const differs = schema.write(value, TRANSCRIPT) !== schema.write(value, TRANSCRIPT_ECMASCRIPT);
  if (differs) expect(schema.floats, "a schema says whether it can hold a float").toBe(true);
}

function expectSameBytes(schema: Schema<unknown>, value: unknown, more: Uint8Array): void {
  const bytes = encodeCompact(schema, value);
  expect(decodeCompact(schema, bytes)).toStrictEqual(value);
  expect(decodeCompact(schema, concat(bytes, more))).toStrictEqual(value);
  for (let cut = 0; cut < bytes.length; cut += 1 + (bytes.length >> 4)) {
    expect(decodeCompact(schema, bytes.subarray(0, cut)), `first ${cut} bytes`).toBeUndefined();
  }
}

/** Every value that stands in a document, itself first. */
function partsOf(node: Json): readonly Json[] {
  const children = isList(node) ? node : isObject(node) ? [...node.members.values()] : [];
  return [node, ...children.flatMap(partsOf)];
}

/** The document with another value in the place that `left` counts down to. */
function withPart(node: Json, place: { left: number }, other: Json): Json {
  place.left -= 1;
  if (place.left === -1) return other;
  if (isList(node)) return node.map((child) => withPart(child, place, other));
  if (!isObject(node)) return node;
  return { ...node, members: new Map([...node.members].map(([name, child]) => [name, withPart(child, place, other)])) };
}
