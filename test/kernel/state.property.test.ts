/**
 * Goal: a draft over a store reads like the store after the draft is committed; roots depend on what is held, not on
 * how it came to be held.
 * Method: random writes and removals, in nested drafts and in the store at once, against a plain map as the model.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { toHex } from "../../core/kernel/bytes.ts";
import type { Draft } from "../../core/kernel/draft.ts";
import { draftOf } from "../../core/kernel/draft.ts";
import { openStore, rootText } from "../../core/kernel/state.ts";
import type { Change, Table } from "../../core/kernel/table.ts";
import { BY_KEY, bytesOfRecord, table } from "../../core/kernel/table.ts";
import { forAll } from "../property/for-all.ts";
import type { Write } from "./state-model.ts";
import {
  apply,
  arbThing,
  arbWrites,
  change,
  crypto,
  emptyModel,
  expectReads,
  indexes,
  open,
  Thing,
  Things,
  tables,
} from "./state-model.ts";

function put(draft: Draft, { table: where, key, record }: Write): void {
  draft.put(where, key, record);
}

/** What writes do over what is held already: what drafts and indexes have to keep apart. */
function doingsOf(before: readonly Write[], writes: readonly Write[]): readonly string[] {
  const held = emptyModel();
  for (const write of before) apply(held, write);
  const model = new Map([...held].map(([where, rows]) => [where, new Map(rows)] as const));
  const labels = new Set<string>();
  for (const write of writes) {
    const [base, now] = [held.get(write.table)?.get(write.key), model.get(write.table)?.get(write.key)];
    const whose = base === undefined ? "of its own" : "of the base";
    if (write.record === undefined)
      labels.add(now === undefined ? "removes what is not there" : `removes a row ${whose}`);
    else if (now !== undefined) labels.add(`replaces a row ${whose}`);
    else labels.add(base === undefined ? "adds a row" : "adds again what it removed");
    if (new Set(write.record?.tags).size < (write.record?.tags.length ?? 0)) labels.add("one index value twice");
    apply(model, write);
  }
  return [...labels];
}

const doings = {
  ...{ "adds a row": 0.5, "adds again what it removed": 0.02, "replaces a row of the base": 0.1 },
  ...{ "replaces a row of its own": 0.1, "removes a row of the base": 0.2, "removes a row of its own": 0.1 },
  ...{ "removes what is not there": 0.4, "one index value twice": 0.3 },
};

test("a draft reads as the store will after the commit, which may be told where records are found, and not before", () => {
  forAll(
    [arbWrites, arbWrites],
    (before, writes) => {
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
      const untold = open();
      untold.commit(before.map(change));
      untold.commit(draft.changes().map(({ places: _, ...plain }) => plain));
      expectReads(untold, model);
      expect(untold.roots).toEqual(store.roots);
      for (const each of tables)
        store.commit([...store.keys(each)].map((key) => ({ table: each.name, key, record: undefined })));
      expectReads(store, emptyModel());
    },
    { runs: 60, classes: doingsOf, shares: doings },
  );
});

test("a record is what its table writes, whoever asked for it before, and a change has it if anybody did", () => {
  const Sizes = table<Thing>(
    "sizes",
    { encode: ({ size }, writer) => writer.byte(size), read: (reader) => ({ size: reader.byte(), tags: [] }) },
    { root: "local" },
  );
  forAll(
    [fc.array(arbThing, { minLength: 1, maxLength: 4 }), fc.array(fc.tuple(fc.nat(3), fc.boolean(), fc.boolean()))],
    (things, asked) => {
      const draft = draftOf(open());
      const labels = new Set<string>();
      const before = new Set<Thing>();
      for (const [at, isSize, isPut] of asked) {
        const thing = things[at % things.length] as Thing;
        const where = isSize ? Sizes : Things;
        if (isPut && !isSize) draft.put(Things, `${at % things.length}`, thing);
        else expect(draft.bytesOf?.(where, thing)).toEqual(bytesOfRecord(where, thing));
        if (!isPut && before.has(thing)) labels.add("asked again");
        if (!isPut) before.add(thing);
      }
      for (const { record, bytes } of draft.changes()) {
        labels.add(bytes === undefined ? "written by whoever needs it" : "written already");
        if (bytes !== undefined) expect(bytes).toEqual(bytesOfRecord(Things, record as Thing));
      }
      return [...labels];
    },
    { runs: 100, shares: { "asked again": 0.4, "written already": 0.1, "written by whoever needs it": 0.2 } },
  );
});

test("a nested draft is thrown away without a trace, or taken over as a whole", () => {
  forAll(
    [arbWrites, arbWrites, arbWrites, fc.boolean()],
    (before, outer, inner, take) => {
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
    },
    {
      runs: 60,
      classes: (before, outer, inner, take) => [
        ...doingsOf([...before, ...outer], inner),
        take ? "taken over" : "thrown away",
      ],
      shares: { ...doings, "taken over": 0.3, "thrown away": 0.3 },
    },
  );
});

test("roots know neither order nor history: any way to the same records gives the roots of a fresh store", () => {
  forAll(
    [arbWrites, fc.infiniteStream(fc.nat())],
    (writes, noise) => {
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
    },
    {
      runs: 200,
      classes: (writes) => doingsOf([], writes),
      shares: { "adds a row": 0.5, "replaces a row of its own": 0.1, "removes a row of its own": 0.1 },
    },
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
  forAll(
    [fc.array(arb, { maxLength: 24 }), fc.boolean()],
    (writes, together) => {
      const [store, living, sealed] = [openStore(crypto, all), openStore(crypto, all), openStore(crypto, all)];
      if (together) store.commit(writes.map(change));
      else for (const write of writes) store.commit([change(write)]);
      const seals = new Set(store.keys(Seals));
      const isTerminal = (key: string, { tags }: Thing, by: string) =>
        by === BY_KEY ? seals.has(key) : tags.some((tag) => seals.has(tag));
      for (const each of [Words, Rows]) {
        for (const key of store.keys(each)) {
          const record = store.get(each, key) as Thing;
          const into = isTerminal(key, record, each.sealedBy ?? "") ? sealed : living;
          into.commit([{ table: each.name, key, record }]);
        }
      }
      const { statements, state } = living.roots;
      const archive = (sealed.roots.statements + sealed.roots.state) & ((1n << 256n) - 1n);
      expect(store.roots).toEqual({ statements, facts: 0n, state, archive });
      expect(toHex(store.identities.digest(""))).toEqual(toHex(living.identities.digest("")));
      return [
        together ? "in one commit" : "one by one",
        ...(store.roots.archive === 0n ? ["nothing sealed"] : ["something sealed"]),
        ...(archive !== 0n && statements !== 0n && state !== 0n ? ["some of each sealed, some not"] : []),
        ...changesOf(writes.map(({ table: { root }, key, record }) => ({ root, key, record }))),
      ];
    },
    {
      runs: 700,
      shares: {
        ...{ "in one commit": 0.3, "one by one": 0.3, "nothing sealed": 0.1, "something sealed": 0.3 },
        ...{ "some of each sealed, some not": 0.05, "a seal is broken": 0.2, "sealed after it was written": 0.2 },
        "sealed before it is written": 0.2,
      },
    },
  );
});

/** In which order seals and what they seal come. */
function changesOf(writes: readonly { readonly root: string; readonly key: string; readonly record: unknown }[]) {
  const [seals, rows, labels] = [new Set<string>(), new Set<string>(), new Set<string>()];
  for (const { root, key, record } of writes) {
    if (root === "seals") {
      if (record === undefined && seals.delete(key)) labels.add("a seal is broken");
      if (record === undefined) continue;
      seals.add(key);
      if (rows.has(key)) labels.add("sealed after it was written");
    } else if (root === "statements" && record !== undefined) {
      rows.add(key);
      if (seals.has(key)) labels.add("sealed before it is written");
    }
  }
  return [...labels];
}

test("one table name stands for one table", () => {
  expect(() => openStore(crypto, [Things, Things] as unknown as readonly Table<unknown>[])).toThrow("bug:");
  expect(() => open().get(table("other", Thing, { root: "state" }), "k")).toThrow("bug:");
});
