/**
 * Goal: a state whose sealed rows lie in pages reads, counts, changes, is copied and packed as one that holds all in
 * memory; and a page that is not what was written is never read (CONVERGENCE B7; DESIGN "Laws", L2, L10).
 * Method: random writes and seals, some a commit, against the same state without pages and a plain map as the model;
 * pages that come back damaged, or another's; planted bugs in what keeps the two apart.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openPackedState } from "../../core/kernel/packed-state.ts";
import { packState, rowsToEncode } from "../../core/kernel/packing.ts";
import { pagesInMemory, ROWS_OF_PAGE } from "../../core/kernel/row-pages.ts";
import { struct } from "../../core/kernel/schema-composites.ts";
import type { HeldStore, Store } from "../../core/kernel/state.ts";
import { openStore, PUT_AWAY_AT_ONCE } from "../../core/kernel/state.ts";
import type { Change, Table } from "../../core/kernel/table.ts";
import { BY_KEY, table } from "../../core/kernel/table.ts";
import type { PagesPort } from "../../core/ports/pages.ts";
import { withPlantedBug } from "../planted/planted-bug.ts";
import type { PlantedBug } from "../planted/planted-text.ts";
import { forAll, samples } from "../property/for-all.ts";
import { apply, arbWrites, change, crypto, emptyModel, expectReads, KEYS, Things, tables } from "./state-model.ts";

const Seals = table("seals", struct("Seal", {}), { root: "seals", durable: true });
const plain = tables as unknown as readonly Table<unknown>[];
const sealable = [...plain.map((each) => ({ ...each, sealedBy: BY_KEY })), Seals] as readonly Table<unknown>[];
const types = new Map();

interface Core {
  readonly openStore: typeof openStore;
}

const paged = (from?: HeldStore, pages?: PagesPort, core: Core = { openStore }): Store =>
  core.openStore(crypto, sealable, { types, from, pages });
const seal = (key: string): Change => ({ table: "seals", key, record: {} });
const arbSeals = fc.array(fc.constantFrom(...KEYS), { maxLength: 3 });
const arbRounds = fc.array(fc.tuple(arbWrites, arbSeals), { maxLength: 4 });
type Rounds = typeof arbRounds extends fc.Arbitrary<infer T> ? T : never;

/** After each of some rounds a state counts as one without pages, and after the last it reads so. */
function play(store: Store, whole: Store, model: ReturnType<typeof emptyModel>, rounds: Rounds): void {
  for (const [writes, seals] of rounds) {
    const changes = [...writes.map(change), ...seals.map(seal)];
    for (const each of [store, whole]) each.commit(changes);
    for (const write of writes) apply(model, write);
    expect(store.roots).toEqual(whole.roots);
    expect(store.identities.digest("")).toEqual(whole.identities.digest(""));
    expect(new Set(store.keys(Seals))).toEqual(new Set(whole.keys(Seals)));
  }
  expectReads(store, model);
}

function sealedSizes(store: Store): number {
  return [...store.held().tables.values()].reduce((sum, { sealed }) => sum + (sealed?.size ?? 0), 0);
}

test("rows in pages read, count and change as those in memory", () => {
  forAll(
    [arbRounds, arbRounds, arbRounds],
    (before, mine, yours) => {
      const [store, whole, model] = [paged(), openStore(crypto, sealable), emptyModel()];
      play(store, whole, model, before);
      const labels = sealedSizes(store) > 0 ? ["something is in pages"] : [];
      const [copy, copied] = [paged(store.copy()), openStore(crypto, sealable, { from: whole.copy() })];
      const theirs = new Map([...model].map(([where, rows]) => [where, new Map(rows)] as const));
      play(store, whole, model, mine);
      play(copy, copied, theirs, yours);
      expectReads(store, model);
      return labels;
    },
    { runs: 40, nightly: 3_000, shares: { "something is in pages": 0.5 } },
  );
});

function opened(store: Store): Store {
  const packed = packState(crypto, sealable, store.held());
  const held = openPackedState(packed, { crypto, tables: sealable, types, derives: new Map() });
  if (held === undefined) throw new Error("what was packed is whole");
  return paged(held);
}

test("they are packed and opened as others are, again and again", () => {
  forAll(
    [arbRounds, arbRounds, arbRounds],
    (before, between, after) => {
      const [whole, model] = [openStore(crypto, sealable), emptyModel()];
      const labels: string[] = [];
      let store = paged();
      // What a packed state holds is asked of tables that are packed alone.
      const kept = before.map(([writes, seals]) => [writes.filter(isKept), seals] as Rounds[number]);
      play(store, whole, model, kept);
      for (const rounds of [between, after]) {
        store = opened(store);
        if (sealedSizes(store) > 0) labels.push("something is in pages");
        play(
          store,
          whole,
          model,
          rounds.map(([writes, seals]) => [writes.filter(isKept), seals]),
        );
      }
      return labels;
    },
    { runs: 40, nightly: 3_000, shares: { "something is in pages": 0.3 } },
  );
});

const isKept = ({ table: { root } }: { readonly table: Table<never> | (typeof tables)[number] }) => root !== "local";

/** A state with so many things, all sealed and in pages. */
function manySealed(pages: PagesPort, many: number, core?: Core): Store {
  const store = paged(undefined, pages, core);
  for (let n = 0; n < many; n++)
    store.commit([{ table: "things", key: `${n}`, record: { size: n % 3, tags: ["t", `${n}`] } }]);
  for (let n = 0; n < many; n++) store.commit([seal(`${n}`)]);
  for (let n = 0; n < many; n++) store.commit([]);
  return store;
}

const MANY = 5 * ROWS_OF_PAGE + 7;

test("a commit puts away so many and no more", () => {
  const store = paged();
  const keys = Array.from({ length: 3 * PUT_AWAY_AT_ONCE }, (_, n) => `${n}`);
  store.commit(keys.map((key) => ({ table: "things", key, record: { size: 0, tags: [] } })));
  store.commit(keys.map(seal));
  const sizes = Array.from({ length: 7 }, () => {
    const size = sealedSizes(store);
    store.commit([]);
    return size;
  });
  expect(sizes).toEqual([1, 2, 3, 4, 5, 6, 6].map((times) => times * PUT_AWAY_AT_ONCE));
});

test("rows of many pages are found, and none is held in memory", () => {
  const store = manySealed(pagesInMemory(), MANY);
  expect(store.held().tables.get("things")?.live.size).toBe(0);
  for (let n = 0; n < MANY; n++) {
    expect(store.get(Things, `${n}`)).toEqual({ size: n % 3, tags: ["t", `${n}`] });
    expect(store.find(Things, "tag", `${n}`)).toEqual([`${n}`]);
  }
  expect([store.count(Things, "tag", "t"), store.find(Things, "tag", "t", 9).length]).toEqual([MANY, 9]);
  expect(rowsToEncode(sealable, store.held())).toBe(0);
});

/** What a reader gets of a thing from pages that come back otherwise: the record, or that the node ended. */
function readThrough(read: (port: PagesPort) => PagesPort["read"], core?: Core) {
  const [port, told] = [pagesInMemory(), [] as string[]];
  let isSpoiled = false;
  const spoiled = read(port);
  const store = manySealed(
    {
      ...port,
      read: (place) => (isSpoiled ? spoiled(place) : port.read(place)),
      damaged: (place, name) => void told.push(`${name} ${place}`),
    },
    MANY,
    core,
  );
  isSpoiled = true;
  try {
    return { got: store.get(Things, "1"), told };
  } catch (error) {
    return { ended: (error as Error).message, told };
  }
}

const spoilings: Readonly<Record<string, (port: PagesPort) => PagesPort["read"]>> = {
  "a page of another place": (port) => (place) => port.read(place + 2),
  "one with a flipped bit": (port) => (place) => port.read(place).map((byte, at) => (at === 900 ? byte ^ 4 : byte)),
  "one that is cut short": (port) => (place) => port.read(place).subarray(0, 700),
  nothing: () => () => new Uint8Array(0),
};

describe.each(Object.entries(spoilings))("where %s comes back", (_, spoil) => {
  test("the node is told which page, and ends", () => {
    const { got, ended, told } = readThrough(spoil);
    expect(got).toBeUndefined();
    expect(ended).toMatch(/page at \d+ of things/);
    expect(told.length).toBe(1);
  });
});

const HELD = "core/kernel/held-rows.ts";
const bugs: Readonly<Record<string, PlantedBug>> = {
  "a row that is written over wins not alone over the packed one": {
    file: HELD,
    find: "const row = held.sealed?.take(key);",
    replace: "const row = held.sealed?.get(key);",
  },
  "a removed row shines through": {
    file: "core/kernel/state.ts",
    find: "takeBack(table, held, key);\n    const before",
    replace: "const before",
  },
  "a row that is taken back is still found where it lay": {
    file: "core/kernel/sealed-rows.ts",
    find: "for (const place of slotsOfRow(table, key, row)) held.indexes.remove(hashOf(place), number);",
    replace: "",
  },
  "what is in order is read without what lies in pages": {
    file: HELD,
    find: "if (sealed.length === 0) return live;",
    replace: "if (sealed.length < 99) return live;",
  },
  "a copy writes into the pages of both": { file: HELD, find: "sealed.copy()", replace: "sealed" },
};

test.each(Object.entries(bugs))("the check fails where %s", async (_, bug) => {
  const fails = await withPlantedBug(bug, async (load) => {
    const core = await load<Core>("core/kernel/state.ts");
    return samples(fc.tuple(arbRounds, arbRounds), 60).some(([before, mine]) => {
      const [store, whole, model] = [paged(undefined, undefined, core), openStore(crypto, sealable), emptyModel()];
      try {
        play(store, whole, model, before);
        const copy = core.openStore(crypto, sealable, { types, from: store.copy() });
        for (const [writes, seals] of mine) copy.commit([...writes.map(change), ...seals.map(seal)]);
        expectReads(store, model);
        return false;
      } catch {
        return true;
      }
    });
  });
  expect(fails).toBe(true);
});

test("the check fails where a page's hash is not asked", async () => {
  const bug = {
    file: "core/kernel/row-pages.ts",
    find: "const isWhole = equalBytes(crypto.sha256(bytes), hash);",
    replace: "const isWhole = equalBytes(hash, hash);",
  };
  const { got, ended } = await withPlantedBug(bug, async (load) =>
    readThrough(spoilings["one with a flipped bit"] as never, await load<Core>("core/kernel/state.ts")),
  );
  expect(got !== undefined || !/page at/.test(ended ?? "")).toBe(true);
});
