/**
 * Goal: a value's labels are those its schema can bear, and a generator that never gives one of them is caught.
 * Method: one schema of every shape, its labels by hand; then generators that leave something out.
 */
import fc from "fast-check";
import { assert, expect, test } from "vitest";
import type { Schema } from "../../core/kernel/schema.ts";
import { kinds, list, listOr, option, pair, struct, variants } from "../../core/kernel/schema-composites.ts";
import { bool, byteArray, enumeration, f64, i32, small, text, u64 } from "../../core/kernel/schema-scalars.ts";
import { PeerId, Text } from "../../core/kernel/values.ts";
import { arbitraryOf } from "../../sim/arbitraries/of-schema.ts";
import { forAll, samples } from "./for-all.ts";
import { labelsOf, shapeClasses, shapePlan } from "./shape-classes.ts";

const Short = text("plain", "a short text", (received) => (received.length <= 3 ? received : undefined));
const Circle = struct("Circle", { kind: enumeration("circle"), radius: small(8, { least: 3, most: 9 }) });
const Square = struct("Square", { kind: enumeration("square"), note: option(Short) });

const Everything = struct("Everything", {
  text: Text,
  who: PeerId,
  amount: u64,
  offset: i32,
  rate: f64,
  sure: bool,
  secret: byteArray(32),
  blob: byteArray(null),
  side: enumeration("Sell", "Buy"),
  rows: list(pair(option(bool), list(u64))),
  price: variants({ Fixed: u64, Market: struct("Market", { spread: f64 }) }),
  figure: kinds<{ readonly kind: "circle" } | { readonly kind: "square" }>({
    circle: Circle as never,
    square: Square as never,
  }),
  several: listOr(bool, struct("One", { only: bool })),
});

test("labels name the place and what stands there", () => {
  const value = {
    ...{ text: 'a"'.repeat(64), who: "", amount: 0n, offset: 2_147_483_647, rate: -0, sure: true, side: "Buy" },
    ...{ secret: new Uint8Array(32), blob: new Uint8Array(128), price: { Market: { spread: 1.5 } } },
    ...{ rows: [[null, []], ...new Array(10).fill([true, [5n]])], several: { only: false } },
    figure: { kind: "circle", radius: 9 },
  };
  expect([...shapeClasses(Everything as Schema<unknown>, value)].sort((a, b) => (a < b ? -1 : 1))).toEqual([
    "amount at its least",
    "blob longer than 127 bytes",
    "figure circle",
    "figure.circle.kind circle",
    "figure.circle.radius at its greatest",
    "offset at its greatest",
    "price Market",
    "rate minus zero",
    "rate spelled in two ways",
    "rows longer than ten",
    "rows[].0 absent",
    "rows[].0 true",
    "rows[].1 empty",
    "several|1.only false",
    "side Buy",
    "sure true",
    "text longer than 127 bytes",
    "text with quotes or controls",
  ]);
});

test("values bear no label that was not foretold, and narrower texts only what they take", () => {
  const foretold = labelsOf(Everything as Schema<unknown>);
  const borne = samples(arbitraryOf(Everything), 400).flatMap((value) => shapeClasses(Everything as never, value));
  for (const label of borne) assert.isTrue(foretold.has(label), label);
  assert.deepEqual(
    [...foretold.keys()].filter((label) => label.startsWith("figure.square.note")),
    ["absent", "empty", "beyond sixteen bits", "with quotes or controls"].map((kind) => `figure.square.note ${kind}`),
  );
});

test("what generators give of a schema bears every label, and a generator that leaves one out is caught", () => {
  const plan = shapePlan(Everything as Schema<unknown>);
  const tried = (arb: fc.Arbitrary<unknown>) => () => forAll([arb], () => {}, { runs: 1, ...plan });
  const arb = arbitraryOf(Everything);
  tried(arb)();
  const without = (more: object) => tried(arb.map((value) => ({ ...value, ...more })));
  expect(without({ side: "Sell" })).toThrow(/"side Buy"/);
  expect(without({ rows: [] })).toThrow(/"rows longer than ten"/);
  expect(without({ amount: 1n })).toThrow(/"amount at its least" .*"amount at its greatest"/);
  expect(without({ blob: new Uint8Array(9) })).toThrow(/"blob empty" .*"blob longer than 127 bytes"/);
  expect(tried(fc.constant({ ...samples(arb, 1)[0], text: "a" }))).toThrow(/"text empty"/);
});
