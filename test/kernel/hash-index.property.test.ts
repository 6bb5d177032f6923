/**
 * Goal: numbers are found by their hashes and by no others, however many there are of one, whatever bits hashes share,
 * and whatever was taken away; nothing that is added costs more than a bucket; a copy goes on by itself (B5).
 * Method: random additions and removals against a map as the model, of hashes that differ in their first bits, in their
 * last, or hardly; a hundred thousand random ones for the room they take.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { toHex } from "../../core/kernel/bytes.ts";
import type { HashIndex } from "../../core/kernel/hash-index.ts";
import { BUCKET_ENTRIES, HASH_INDEX_BYTES, openHashIndex } from "../../core/kernel/hash-index.ts";
import { withPlantedBug } from "../planted/planted-bug.ts";
import { forAll } from "../property/for-all.ts";
import { crypto } from "./state-model.ts";

const many = 40_000;

/** Sixteen bytes that a number stands for: the first `chosen` ones are the same for all. */
function hashOf(number: number, chosen: number): Uint8Array {
  const hash = crypto.sha256(Uint8Array.of(number >>> 16, number >>> 8, number)).slice(0, HASH_INDEX_BYTES);
  return hash.fill(7, 0, chosen);
}

interface Act {
  readonly adds: boolean;
  readonly hash: number;
  readonly number: number;
}
const arbAct: fc.Arbitrary<Act> = fc.record({
  adds: fc.boolean(),
  hash: fc.nat(12),
  number: fc.nat(2 ** 31 - 1).map((number) => number % 40),
});

type Model = Map<string, Set<number>>;

function act(index: HashIndex, model: Model, { adds, hash, number }: Act, chosen: number): void {
  const bytes = hashOf(hash, chosen);
  const held = model.get(toHex(bytes)) ?? new Set();
  if (adds === held.has(number)) return index.remove(bytes, 1_000);
  if (adds) index.add(bytes, number);
  else index.remove(bytes, number);
  if (adds) held.add(number);
  else held.delete(number);
  model.set(toHex(bytes), held);
}

const sorted = (numbers: Iterable<number>) => [...numbers].sort((a, b) => a - b);

function expectSame(index: HashIndex, model: Model, chosen: number): void {
  for (let hash = 0; hash <= 13; hash++) {
    const bytes = hashOf(hash, chosen);
    const held = model.get(toHex(bytes)) ?? new Set();
    expect(sorted(index.numbers(bytes))).toEqual(sorted(held));
    expect(index.count(bytes)).toBe(held.size);
    expect(index.numbers(bytes, 2).length).toBe(Math.min(2, held.size));
  }
  const entries = [...index.entries()].map(([hash, numbers]) => `${toHex(hash)} ${sorted(numbers).join()}`);
  const own = [...model].flatMap(([hash, numbers]) => (numbers.size > 0 ? [`${hash} ${sorted(numbers).join()}`] : []));
  expect(new Set(entries)).toEqual(new Set(own));
}

test("what was added is found until it is taken away, in a copy by itself", () => {
  forAll(
    [fc.constantFrom(0, 4, 15), fc.array(arbAct, { maxLength: 120 }), fc.array(arbAct, { maxLength: 60 })],
    (chosen, acts, later) => {
      const [index, model] = [openHashIndex(), new Map() as Model];
      for (const each of acts) act(index, model, each, chosen);
      expectSame(index, model, chosen);
      const [copy, copied] = [index.copy(), new Map([...model].map(([hash, held]) => [hash, new Set(held)]))];
      for (const each of later) act(copy, copied, each, chosen);
      expectSame(copy, copied, chosen);
      expectSame(index, model, chosen);
      return [...[...copied.values()].map(({ size }) => (size > 1 ? "several of one hash" : "one or none"))];
    },
    { runs: 60, nightly: 2_000, shares: { "several of one hash": 0.3 } },
  );
});

test.each([0, 3, 4])("of many whose first %i bytes are chosen, each is found, and entries come in order", (chosen) => {
  const index = openHashIndex();
  // Where all of the first four bytes are chosen nothing can be split: whoever made them so waits for himself.
  const size = chosen === 4 ? 20 * BUCKET_ENTRIES : many;
  for (let number = 0; number < size; number++) index.add(hashOf(number, chosen), number);
  for (let number = 0; number < size; number++) expect(index.numbers(hashOf(number, chosen))).toEqual([number]);
  const firsts = [...index.entries()].map(([hash]) => new DataView(hash.buffer).getUint32(0));
  expect(firsts.length).toBe(size);
  expect(firsts).toEqual([...firsts].sort((a, b) => a - b));
});

test("the check fails where a bucket that is split leaves its second half behind", async () => {
  const bug = {
    file: "core/kernel/hash-index.ts",
    find: "directory.fill(other, from + half, from + 2 * half);",
    replace: "directory.fill(other, from + half, from + half);",
  };
  const missed = await withPlantedBug(bug, async (load) => {
    const planted = (
      await load<typeof import("../../core/kernel/hash-index.ts")>("core/kernel/hash-index.ts")
    ).openHashIndex();
    for (let number = 0; number < 4 * BUCKET_ENTRIES; number++) planted.add(hashOf(number, 0), number);
    return Array.from({ length: 4 * BUCKET_ENTRIES }, (_, n) => planted.count(hashOf(n, 0))).some(
      (count) => count !== 1,
    );
  });
  expect(missed).toBe(true);
});
