/**
 * Goal: a draft over a store reads like the store after the draft is committed; roots depend on what is held, not on
 * how it came to be held.
 * Method: random writes and removals, in nested drafts and in the store at once, against a plain map as the model.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { openNativeCrypto } from "../../adapters/crypto/native.ts";
import { toHex } from "../../core/kernel/bytes.ts";
import type { Draft } from "../../core/kernel/draft.ts";
import { draftOf } from "../../core/kernel/draft.ts";
import type { Infer } from "../../core/kernel/schema.ts";
import { list, struct } from "../../core/kernel/schema-composites.ts";
import { u8 } from "../../core/kernel/schema-scalars.ts";
import type { Store } from "../../core/kernel/state.ts";
import { openStore, rootText } from "../../core/kernel/state.ts";
import type { Change, Reader, Table } from "../../core/kernel/table.ts";
import { BY_KEY, recordsOf, table } from "../../core/kernel/table.ts";
import { Text } from "../../core/kernel/values.ts";

const Thing = struct("Thing", { size: u8, tags: list(Text) });
type Thing = Infer<typeof Thing>;

const indexes = {
  /** Several values, the same one perhaps twice. */
  tag: (thing: Thing) => thing.tags,
  size: (thing: Thing, key: string) => (thing.size > 2 ? [] : [`${thing.size}`, key]),
};
const Things = table("things", Thing, { root: "state", indexes });
const Facts = table("facts", Thing, { root: "facts", indexes });
const Marks = table("marks", Thing, { root: "statements", indexes });
const Scraps = table("scraps", Thing, { root: "local", indexes });
const tables = [Things, Facts, Marks, Scraps] as const;
const TAGS = ["", "a", "b", "a\u0000b"];
const KEYS = ["", "k", "k\u0000", "\uffff", "\u{10000}"];
const SIZES = ["0", "1", "2", "3", ...KEYS];

interface Write {
  readonly table: Table<Thing>;
  readonly key: string;
  readonly record: Thing | undefined;
}
type Model = Map<Table<Thing>, Map<string, Thing>>;

const arbThing = fc.record({
  size: fc.nat(4),
  tags: fc.array(fc.constantFrom(...TAGS), { maxLength: 3 }),
});
const arbWrite: fc.Arbitrary<Write> = fc.record({
  table: fc.constantFrom(...tables),
  key: fc.constantFrom(...KEYS),
  record: fc.option(arbThing, { nil: undefined, freq: 3 }),
});
const arbWrites = fc.array(arbWrite, { maxLength: 14 });

const crypto = openNativeCrypto();
const open = (): Store => openStore(crypto, tables as unknown as readonly Table<unknown>[]);
const emptyModel = (): Model => new Map(tables.map((each) => [each, new Map()]));
const change = ({ table: { name }, key, record }: Write): Change => ({ table: name, key, record });

function apply(model: Model, { table: where, key, record }: Write): void {
  if (record === undefined) model.get(where)?.delete(key);
  else model.get(where)?.set(key, record);
}

function expectReads(reader: Reader, model: Model): void {
  const sorted = (keys: Iterable<string>) => [...keys].sort((a, b) => (a < b ? -1 : 1));
  for (const each of tables) {
    const held = model.get(each) ?? new Map<string, Thing>();
    expect(sorted(reader.keys(each))).toEqual(sorted(held.keys()));
    expect(reader.size(each)).toBe(held.size);
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
  }
}

function put(draft: Draft, { table: where, key, record }: Write): void {
  draft.put(where, key, record);
}

test("a draft reads as the store will after the commit, and leaves the store alone until then", () => {
  fc.assert(
    fc.property(arbWrites, arbWrites, (before, writes) => {
      const [store, model] = [open(), emptyModel()];
      store.commit(before.map(change));
      for (const write of before) apply(model, write);
      const untouched = new Map([...model].map(([where, rows]) => [where, new Map(rows)] as const));
      const draft = draftOf(store);
      for (const write of writes) {
        put(draft, write);
        apply(model, write);
        expectReads(draft, model);
      }
      expectReads(store, untouched);
      store.commit(draft.changes());
      expectReads(store, model);
    }),
    { numRuns: 80 },
  );
});

test("a nested draft is thrown away without a trace, or taken over as a whole", () => {
  fc.assert(
    fc.property(arbWrites, arbWrites, arbWrites, fc.boolean(), (before, outer, inner, take) => {
      const [store, model] = [open(), emptyModel()];
      store.commit(before.map(change));
      const draft = draftOf(store);
      for (const write of outer) put(draft, write);
      for (const write of [...before, ...outer]) apply(model, write);
      const tried = draftOf(draft);
      const triedModel = new Map([...model].map(([where, rows]) => [where, new Map(rows)] as const));
      for (const write of inner) {
        put(tried, write);
        apply(triedModel, write);
      }
      expectReads(tried, triedModel);
      expectReads(draft, model);
      if (!take) return;
      const byName = new Map(tables.map((each) => [each.name, each]));
      for (const { table: name, key, record } of tried.changes()) {
        draft.put(byName.get(name) as Table<Thing>, key, record as Thing | undefined);
      }
      expectReads(draft, triedModel);
      store.commit(draft.changes());
      expectReads(store, triedModel);
    }),
    { numRuns: 60 },
  );
});

test("roots know neither order nor history: any way to the same records gives the roots of a fresh store", () => {
  fc.assert(
    fc.property(arbWrites, fc.infiniteStream(fc.nat()), (writes, noise) => {
      const [store, model] = [open(), emptyModel()];
      for (const write of writes) {
        store.commit([change(write)]);
        apply(model, write);
      }
      const rest = [...model].flatMap(([where, rows]) =>
        [...rows].map(([key, record]) => ({ table: where.name, key, record, at: noise.next().value })),
      );
      const fresh = open();
      fresh.commit(rest.sort((a, b) => a.at - b.at));
      expect(store.roots).toEqual(fresh.roots);
      store.commit(rest.map(({ table: name, key }) => ({ table: name, key, record: undefined })));
      expect(store.roots).toEqual({ statements: 0n, facts: 0n, state: 0n, archive: 0n });
    }),
    { numRuns: 200 },
  );
});

test("different records, keys and tables of a root have different roots; local tables have none", () => {
  const thing: Thing = { size: 1, tags: ["a"] };
  const rootsOf = (...changes: readonly Change[]) => {
    const store = open();
    store.commit(changes);
    return store.roots;
  };
  const one = rootsOf({ table: "things", key: "k", record: thing });
  expect(one.state).not.toBe(0n);
  expect([one.facts, one.statements]).toEqual([0n, 0n]);
  const others = [
    rootsOf({ table: "things", key: "k\u0000", record: thing }),
    rootsOf({ table: "things", key: "k", record: { ...thing, size: 2 } }),
    rootsOf({ table: "things", key: "k", record: thing }, { table: "things", key: "", record: thing }),
  ];
  for (const other of others) expect(other.state).not.toBe(one.state);
  expect(rootsOf({ table: "facts", key: "k", record: thing }).facts).not.toBe(one.state);
  expect(rootsOf({ table: "scraps", key: "k", record: thing })).toEqual({
    ...{ statements: 0n, facts: 0n, state: 0n, archive: 0n },
  });
  const marked = rootsOf({ table: "marks", key: "k", record: thing });
  expect(marked, "a statement counts by its key alone").toEqual(
    rootsOf({ table: "marks", key: "k", record: { size: 4, tags: [] } }),
  );
  expect(rootText(one.state)).toMatch(/^[0-9a-f]{64}$/);
  expect(rootText(1n)).toBe(`${"0".repeat(63)}1`);
});

test("what is sealed counts in the archive alone, whichever was written first, and is no identity", () => {
  const Seals = table("seals", Thing, { root: "seals" });
  const Words = table("words", Thing, { root: "statements", sealedBy: BY_KEY });
  const Rows = table("rows", Thing, { root: "state", sealedBy: "tag", indexes });
  const all = [Seals, Words, Rows] as unknown as readonly Table<unknown>[];
  const arbKey = fc.constantFrom(..."0123".split("").map((digit) => digit.repeat(64)));
  const arb = fc.record({
    table: fc.constantFrom(Seals, Words, Rows),
    key: arbKey,
    record: fc.option(fc.record({ size: fc.nat(4), tags: fc.array(arbKey, { maxLength: 2 }) }), {
      freq: 3,
      nil: undefined,
    }),
  });
  fc.assert(
    fc.property(fc.array(arb, { maxLength: 14 }), fc.boolean(), (writes, together) => {
      const [store, living, sealed] = [openStore(crypto, all), openStore(crypto, all), openStore(crypto, all)];
      if (together) store.commit(writes.map(change));
      else for (const write of writes) store.commit([change(write)]);
      const seals = new Set(store.keys(Seals));
      const isOver = (key: string, { tags }: Thing, by: string) =>
        by === BY_KEY ? seals.has(key) : tags.some((tag) => seals.has(tag));
      for (const each of [Words, Rows]) {
        for (const key of store.keys(each)) {
          const record = store.get(each, key) as Thing;
          const into = isOver(key, record, each.sealedBy ?? "") ? sealed : living;
          into.commit([{ table: each.name, key, record }]);
        }
      }
      const { statements, state } = living.roots;
      const archive = (sealed.roots.statements + sealed.roots.state) & ((1n << 256n) - 1n);
      expect(store.roots).toEqual({ statements, facts: 0n, state, archive });
      expect(toHex(store.identities.digest(""))).toEqual(toHex(living.identities.digest("")));
    }),
    { numRuns: 1_000 },
  );
});

test("one table name stands for one table", () => {
  expect(() => openStore(crypto, [Things, Things] as unknown as readonly Table<unknown>[])).toThrow("bug:");
  expect(() => open().get(table("other", Thing, { root: "state" }), "k")).toThrow("bug:");
});
