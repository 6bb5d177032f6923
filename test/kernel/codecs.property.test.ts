/**
 * Goal: what is written is read back the same, as JSON and as compact bytes, and no input makes a reader throw.
 * Method: values derived from the shape of every schema of kernel and domains; random and mutated input.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { concat } from "../../core/kernel/bytes.ts";
import type { Json } from "../../core/kernel/json.ts";
import { parseJson } from "../../core/kernel/json.ts";
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
import { schemas } from "./schemas.ts";

const RUNS = { numRuns: 20 };

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

test("schemas of several domains were found", () => {
  const folders = new Set(schemas.map(({ name }) => name.split("/")[0]));
  for (const folder of ["kernel", "advertisements", "reservations", "settlements", "disputes"]) {
    expect(folders).toContain(folder);
  }
  expect(schemas.length).toBeGreaterThan(60);
});

describe.each(schemas.map(({ name, schema }) => [name, schema] as const))("%s", (_, schema) => {
  const arb = arbitraryOf(schema);

  test("JSON written and read is the same value", () => {
    fc.assert(
      fc.property(arb, (value) => {
        expect(reread(schema, value, TRANSCRIPT)).toStrictEqual(value);
        expect(reread(schema, value, ANSWER)).toStrictEqual(value);
        expect(reread(schema, value, TRANSCRIPT_ECMASCRIPT)).toStrictEqual(withoutMinusZero(value));
        const differs = schema.write(value, TRANSCRIPT) !== schema.write(value, TRANSCRIPT_ECMASCRIPT);
        if (differs) expect(schema.floats, "a schema says whether it can hold a float").toBe(true);
      }),
      RUNS,
    );
  });

  test("compact bytes written and read are the same value, whatever follows them", () => {
    fc.assert(
      fc.property(arb, fc.uint8Array({ maxLength: 4 }), (value, more) => {
        const bytes = encodeCompact(schema, value);
        expect(decodeCompact(schema, bytes)).toStrictEqual(value);
        expect(decodeCompact(schema, concat(bytes, more))).toStrictEqual(value);
        for (let cut = 0; cut < bytes.length; cut += 1 + (bytes.length >> 4)) {
          expect(decodeCompact(schema, bytes.subarray(0, cut)), `first ${cut} bytes`).toBeUndefined();
        }
      }),
      RUNS,
    );
  });

  test("mutated bytes fail, or are a value that encodes and decodes", () => {
    fc.assert(
      fc.property(arb, fc.nat(), fc.integer({ min: 1, max: 255 }), (value, at, change) => {
        const bytes = encodeCompact(schema, value);
        if (bytes.length === 0) return;
        const place = at % bytes.length;
        bytes[place] = (bytes[place] ?? 0) ^ change;
        const mutated = decodeCompact(schema, bytes);
        if (mutated === undefined) return;
        expect(decodeCompact(schema, encodeCompact(schema, mutated))).toStrictEqual(mutated);
      }),
      RUNS,
    );
  });

  test("random bytes and random JSON are refused, never thrown at", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), arbJson, (bytes, json) => {
        const value = decodeCompact(schema, bytes);
        if (value !== undefined) expect(decodeCompact(schema, encodeCompact(schema, value))).toStrictEqual(value);
        const decoded = decodeJson(schema, json);
        if (!decoded.ok) expect(decoded.error).not.toBe("");
      }),
      RUNS,
    );
  });
});
