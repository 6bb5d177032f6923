/**
 * Goal: no two payload types that take bare signatures have the same fields, so that a bare signature means one thing.
 * Method: names and shapes of the fields of every type; a planted pair proves that the search finds one.
 * Source: protocol 01 §3.4.
 */
import { expect, test } from "vitest";
import { marketplace } from "../../core/domains.ts";
import type { Shape } from "../../core/kernel/schema.ts";
import type { Fields } from "../../core/kernel/schema-composites.ts";
import { list, option, struct } from "../../core/kernel/schema-composites.ts";
import { f64, u64 } from "../../core/kernel/schema-scalars.ts";
import type { SignedType } from "../../core/kernel/signed.ts";
import { signed } from "../../core/kernel/signed.ts";
import { EpochMillis, PeerId, Text } from "../../core/kernel/values.ts";

/** A schema of any type. */
type Any = Fields[string];

/** A text that two shapes share when some JSON text can be a value of both: names, order, and kind of token. */
function spelled(schema: Any): string {
  return spelledShape(schema.shape);
}

function spelledShape(shape: Shape): string {
  const members = (of: Fields) =>
    Object.entries(of)
      .map(([name, schema]) => `${JSON.stringify(name)}:${spelled(schema)}`)
      .join(",");
  switch (shape.type) {
    case "text":
    case "enumeration":
      return "string";
    case "integer":
    case "float":
      return "number";
    case "bytes":
      return "[number]";
    case "list":
      return `[${spelled(shape.of)}]`;
    case "pair":
      return `(${spelled(shape.first)},${spelled(shape.second)})`;
    case "option":
      return `${spelled(shape.of)}?`;
    case "boolean":
    case "nothing":
      return shape.type;
    case "either":
      return `either{${shape.of.map(spelled).join(",")}}`;
    case "struct":
      return `{${members(shape.fields)}}`;
    case "variants":
    case "kinds":
      return `${shape.type}{${members(shape.of)}}`;
  }
}

/** Pairs of types whose bare transcripts look alike. */
function collisions(types: readonly SignedType[]): readonly string[] {
  const bare = types.filter((type) => type.forms === "both");
  return bare.flatMap((type, index) =>
    bare
      .slice(index + 1)
      .filter((other) => spelled(other.payload) === spelled(type.payload))
      .map((other) => `${type.name} = ${other.name}`),
  );
}

function planted(name: string, fields: Fields, forms: "both" | "tagged") {
  const type = signed(`openfiat/test/${name}/v1`, {
    ...{ outer: "x", signer: "wallet", time: "timestamp", event: name, ofs: 1, priority: 0 },
    fields,
    forms,
  });
  return type as unknown as SignedType;
}

test("no two types that take bare signatures look alike", () => {
  expect(marketplace.types.length).toBeGreaterThanOrEqual(18);
  expect(collisions(marketplace.types)).toEqual([]);
});

test("a planted pair is found, and only among types that take bare signatures", () => {
  const fields = { claim_id: Text, wallet: PeerId, timestamp: EpochMillis };
  const verifyClaim = planted("ClaimVerify", fields, "both");
  expect(collisions([...marketplace.types, verifyClaim, planted("ClaimRevoke", fields, "both")])).toEqual([
    "ClaimVerify = ClaimRevoke",
  ]);
  expect(collisions([...marketplace.types, verifyClaim, planted("ClaimRevoke", fields, "tagged")])).toEqual([]);
  const cancel = planted("Copy", { id: Text, requester: PeerId, timestamp: EpochMillis, wallet: PeerId }, "both");
  expect(collisions([...marketplace.types, cancel])).toEqual([]);
});

test("what a transcript can tell apart is told apart, and nothing else", () => {
  const base = { wallet: PeerId, timestamp: EpochMillis };
  const pairOf = (a: Any, b: Any) =>
    collisions([planted("A", { ...base, x: a }, "both"), planted("B", { ...base, x: b }, "both")]).length === 1;
  expect(pairOf(Text, PeerId)).toBe(true);
  expect(pairOf(u64, f64)).toBe(true);
  expect(pairOf(Text, u64)).toBe(false);
  expect(pairOf(list(Text), Text)).toBe(false);
  expect(pairOf(option(Text), Text)).toBe(false);
  expect(pairOf(struct("One", { a: u64, b: Text }), struct("Two", { a: u64, b: Text }))).toBe(true);
  expect(pairOf(struct("One", { a: u64, b: Text }), struct("Two", { b: Text, a: u64 }))).toBe(false);
});
