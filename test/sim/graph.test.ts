// Goal: a graph of values is the same graph again after bytes and after a copy; other bytes give one error and no more.
// Method: random graphs with shared objects and rings; every byte changed; deep chains.
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { assert, describe, test } from "vitest";
import { BytesDefect } from "../../adapters/recording/byte-source.ts";
import { arbCharacter } from "../../sim/arbitraries/texts.ts";
import type { Named } from "../../sim/data/graph.ts";
import { decodeGraph, encodeGraph } from "../../sim/data/graph.ts";
import { copyGraph } from "../../sim/data/graph-copy.ts";
import { forAll } from "../property/for-all.ts";

const thing = { call: () => "a thing" };
const named: Named = {
  nameOf: (object) => (object === thing ? "thing" : undefined),
  byName: (name) => (name === "thing" ? thing : undefined),
};
const again = (value: unknown): unknown => decodeGraph(encodeGraph(value, named), named);
const copied = <T>(value: T): T => copyGraph(value, (object) => object === thing);

const leaf = fc.oneof(
  fc.constantFrom(undefined, null, true, false, Number.NaN, -0, "", "\ud800", "é😀", thing),
  fc.double(),
  fc.integer(),
  fc.bigInt(),
  fc.string({ unit: arbCharacter(), maxLength: 12 }),
  fc.uint8Array({ maxLength: 12 }),
);
const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    leaf,
    fc.array(tie("tree"), { maxLength: 5 }),
    fc.dictionary(
      fc.string({ maxLength: 6 }).filter((name) => name !== "__proto__"),
      tie("tree"),
      { maxKeys: 5, noNullPrototype: true },
    ),
    fc.array(fc.tuple(tie("tree"), tie("tree")), { maxLength: 4 }).map((entries) => new Map(entries)),
    fc.array(tie("tree"), { maxLength: 4 }).map((items) => new Set(items)),
  ),
}));

function shapeOf(value: unknown): string {
  if (typeof value !== "object" || value === null) return typeof value;
  if (value instanceof Map) return "map";
  if (value instanceof Set) return "set";
  if (value instanceof Uint8Array) return "bytes";
  return Array.isArray(value) ? "list" : "record";
}

describe("a graph of values", () => {
  test("is the same after bytes, and after a copy", () => {
    forAll(
      [tree],
      (value) => {
        assert.ok(isDeepStrictEqual(again(value), value));
        assert.ok(isDeepStrictEqual(copied(value), value));
        assert.ok(Buffer.compare(encodeGraph(again(value), named), encodeGraph(value, named)) === 0, "equal bytes");
        return [shapeOf(value)];
      },
      { runs: 300, shares: { list: 0.05, record: 0.05, map: 0.05, set: 0.05 } },
    );
  });

  test.each([
    ["bytes", again],
    ["a copy", copied],
  ])("what was one object is one object after %s, rings among them", (_, through) => {
    const shared = { name: "shared", bytes: Uint8Array.of(1, 2) };
    const ring: { self?: unknown; both: readonly unknown[]; of: Map<unknown, unknown>; thing: object } = {
      both: [shared, shared, shared.bytes],
      of: new Map<unknown, unknown>([[shared, new Set([shared])]]),
      thing,
    };
    ring.self = ring;
    const back = through(ring) as typeof ring;
    assert.equal(back.self, back);
    assert.notEqual(back, ring);
    const [one, other, bytes] = back.both as [typeof shared, typeof shared, Uint8Array];
    assert.equal(one, other);
    assert.equal(one.bytes, bytes);
    assert.ok([...back.of.keys()][0] === one && ([...back.of.values()][0] as Set<unknown>).has(one));
    assert.equal(back.thing, thing);
    assert.equal(Object.getPrototypeOf(bytes), Uint8Array.prototype);
  });

  test("may be as deep as it likes", () => {
    let deep: { next?: unknown } = {};
    for (let n = 0; n < 200_000; n++) deep = { next: deep };
    for (const back of [again(deep), copied(deep)]) {
      let depth = 0;
      for (let at = back as { next?: unknown }; at.next !== undefined; at = at.next as { next?: unknown }) depth += 1;
      assert.equal(depth, 200_000);
    }
  });

  test("has no bytes where code stands in it, and says where", () => {
    assert.throws(() => encodeGraph({ a: [() => 1] }, named), /^a function is no value, at \[0\]$/);
    assert.throws(() => encodeGraph({ made: new Date(0) }, named), /^Date is no value and has no name, at made$/);
  });

  test("other bytes are refused, whatever they are", () => {
    const refusal = (bytes: Uint8Array): string => {
      try {
        decodeGraph(bytes, named);
        return "taken";
      } catch (error) {
        if (error instanceof BytesDefect) return "refused";
        throw error;
      }
    };
    forAll(
      [tree, fc.nat({ max: 10_000 }), fc.integer({ min: 1, max: 255 }), fc.boolean()],
      (value, where, by, cuts) => {
        const bytes = Uint8Array.from(encodeGraph(value, named));
        const at = where % bytes.length;
        if (cuts) return [refusal(bytes.subarray(0, at))];
        bytes[at] = (bytes[at] ?? 0) ^ by;
        return [refusal(bytes)];
      },
      { runs: 400, shares: { refused: 0.3 } },
    );
  });
});
