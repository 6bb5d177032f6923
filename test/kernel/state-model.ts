/**
 * Tables of every kind, random writes into them, and a plain map as the model of what a reader must answer.
 */
import fc from "fast-check";
import { expect } from "vitest";
import { openNativeCrypto } from "../../adapters/crypto/native.ts";
import { firstWithin, keysWithin, lastWithin } from "../../core/kernel/ordered.ts";
import type { Infer } from "../../core/kernel/schema.ts";
import { list, struct } from "../../core/kernel/schema-composites.ts";
import { u8 } from "../../core/kernel/schema-scalars.ts";
import type { Store } from "../../core/kernel/state.ts";
import { openStore } from "../../core/kernel/state.ts";
import type { Change, Reader, Table } from "../../core/kernel/table.ts";
import { entriesOf, recordsOf, table } from "../../core/kernel/table.ts";
import { Text } from "../../core/kernel/values.ts";

export const Thing = struct("Thing", { size: u8, tags: list(Text) });
export type Thing = Infer<typeof Thing>;

export const indexes = {
  /** Several values, the same one perhaps twice. */
  tag: (thing: Thing) => thing.tags,
  size: (thing: Thing, key: string) => (thing.size > 2 ? [] : [`${thing.size}`, key]),
};
/** By size, so that equal ranks are common. */
export const orders = { tag: { under: (thing: Thing) => thing.tags, rank: (thing: Thing) => `${thing.size}` } };
export const Things = table("things", Thing, { root: "state", indexes, orders });
const Facts = table("facts", Thing, { root: "facts", indexes, orders });
export const Marks = table("marks", Thing, { root: "statements", indexes, orders });
const Scraps = table("scraps", Thing, { root: "local", indexes, orders });
/** Its rows keep no places. */
const Claims = table("claims", Thing, { root: "local", durable: true, indexes, orders });
/** One of each root, and of what is local both kinds. */
export const tables = [Things, Facts, Marks, Scraps, Claims] as const;
/** Between which an ordered index is asked. */
const RANKS = ["", "1", "2/k", "3", "9"];
export const TAGS = ["", "a", "b", "a\u0000b"];
export const KEYS = ["", "k", "k\u0000", "\uffff", "\u{10000}"];
const SIZES = ["0", "1", "2", "3", ...KEYS];

export interface Write {
  readonly table: Table<Thing>;
  readonly key: string;
  readonly record: Thing | undefined;
}
export type Model = Map<Table<Thing>, Map<string, Thing>>;

export const arbThing = fc.record({
  size: fc.nat(4),
  tags: fc.array(fc.constantFrom(...TAGS), { maxLength: 3 }),
});
const arbWrite: fc.Arbitrary<Write> = fc.record({
  table: fc.constantFrom(...tables),
  key: fc.constantFrom(...KEYS),
  record: fc.option(arbThing, { nil: undefined, freq: 3 }),
});
export const arbWrites = fc.array(arbWrite, { maxLength: 16 });

export const crypto = openNativeCrypto();
export const open = (): Store => openStore(crypto, tables as unknown as readonly Table<unknown>[]);
export const emptyModel = (): Model => new Map(tables.map((each) => [each, new Map()]));
export const change = ({ table: { name }, key, record }: Write): Change => ({ table: name, key, record });

export function apply(model: Model, { table: where, key, record }: Write): void {
  if (record === undefined) model.get(where)?.delete(key);
  else model.get(where)?.set(key, record);
}

export function expectReads(reader: Reader, model: Model): void {
  const sorted = (keys: Iterable<string>) => [...keys].sort((a, b) => (a < b ? -1 : 1));
  for (const each of tables) {
    const held = model.get(each) ?? new Map<string, Thing>();
    expect(sorted(reader.keys(each))).toEqual(sorted(held.keys()));
    expect(reader.size(each)).toBe(held.size);
    const entries = [...entriesOf(reader, each)];
    expect(entries.length).toBe(held.size);
    expect(new Map(entries)).toEqual(held);
    for (const key of KEYS) expect(reader.get(each, key)).toEqual(held.get(key));
    for (const [index, values] of [
      ["tag", TAGS],
      ["size", SIZES],
    ] as const) {
      for (const value of values) {
        const found = [...held]
          .filter(([key, thing]) => indexes[index](thing, key).includes(value))
          .map(([key]) => key);
        expect(sorted(reader.find(each, index, value)), `${each.name} ${index} ${value}`).toEqual(sorted(found));
        expect(recordsOf(reader, each, index, value).length).toBe(found.length);
        expect(reader.count(each, index, value)).toBe(found.length);
      }
    }
    for (const value of TAGS) expectOrder(reader, each, value, held);
  }
}

/** An ordered index against a sort of all that it should find; the key decides between equal sizes. */
function expectOrder(reader: Reader, each: Table<Thing>, value: string, held: ReadonlyMap<string, Thing>): void {
  const inOrder = [...held]
    .filter(([, { tags }]) => tags.includes(value))
    .map(([key, { size }]) => [key, `${size}/${key}`] as const)
    .sort(([, a], [, b]) => (a < b ? -1 : 1));
  const keys = inOrder.map(([key]) => key);
  expect(reader.ordered(each, "tag", value), `${each.name} in order`).toEqual(keys);
  for (const from of RANKS) {
    for (const end of RANKS) {
      const within = inOrder.flatMap(([key, rank]) => (rank >= from && rank < end ? [key] : []));
      expect(keysWithin(reader, each, "tag", value, [from, end])).toEqual(within);
      expect(firstWithin(reader, each, "tag", value, [from, end])).toBe(within[0]);
      expect(lastWithin(reader, each, "tag", value, [from, end])).toBe(within.at(-1));
    }
  }
}
