/**
 * The contract of StorePort: one suite for every adapter, the simulator's included.
 * An adapter comes as a world, which holds what survives and can make the nth call below the store fail.
 * Source: core/ports/store.ts; CONVERGENCE "Durability".
 */
import { afterEach, describe, expect, test } from "vitest";
import { PAGE_BYTES_MAX, PAGE_ROWS_MAX } from "../../adapters/store/row-store.ts";
import type { StoreFailure, StorePort, StoreRow } from "../../core/ports/store.ts";
import { forAllAsync } from "../property/for-all.ts";
import { actionLabels, arbActions, KEYS } from "./store-actions.ts";
import type { Answer } from "./store-calls.ts";
import {
  apply,
  byBytes,
  close,
  commit,
  failEachCall,
  hex,
  list,
  listed,
  listing,
  load,
  modelOf,
  put,
  remove,
} from "./store-calls.ts";

export interface StoreWorld {
  /** Opens a store on what the world holds. The store before it was closed, or lost in a crash. */
  readonly open: () => Promise<StorePort>;
  /** The process dies: the open store is never heard of again, and what it had not begun is lost. */
  readonly crash: () => void;
  /** From now on the nth call to what lies below the store fails, once. */
  readonly failCall: (n: number) => void;
  /** Whether the call to fail was reached. */
  readonly failed: () => boolean;
  readonly dispose: () => void;
}

const KEYS_ABOVE = ["\u{10ffff}", "Z", "'", '"', "%", "_", "\\", "x'00'", "null", "1", "1.0", "K".repeat(1000)];

const OK = { ok: true, value: null };
const CLOSED = { ok: false, error: { code: "closed" } };

/** The contract, for the worlds that `build` makes. */
export function describeStore(name: string, build: () => Promise<StoreWorld>): void {
  describe(`store: ${name}`, () => {
    const worlds: StoreWorld[] = [];
    const newWorld = async (): Promise<StoreWorld> => {
      const world = await build();
      worlds.push(world);
      return world;
    };
    afterEach(() => {
      for (const world of worlds.splice(0)) world.dispose();
    });
    describe("commits", () => commits(newWorld));
    describe("texts and bytes", () => texts(newWorld));
    describe("loading", () => {
      loading(newWorld);
      loadingWhatChanges(newWorld);
    });
    describe("closing", () => closing(newWorld));
    describe("surviving", () => surviving(newWorld));
    describe("faults of a commit", () => commitFaults(newWorld));
    describe("faults of a load", () => loadFaults(newWorld));
  });
}

type NewWorld = () => Promise<StoreWorld>;

function commits(newWorld: NewWorld): void {
  test("an empty store loads as one empty last page", async () => {
    const store = await (await newWorld()).open();
    expect(await load(store)).toEqual({ pages: [[]], error: undefined });
  });

  test("done is called once, and not before commit returns", async () => {
    const store = await (await newWorld()).open();
    const calls: string[] = [];
    await new Promise<void>((resolve) => {
      store.commit([put("t", "k", "01")], () => calls.push("first"));
      calls.push("returned");
      store.commit([], () => calls.push("second"));
      store.load((page) => {
        calls.push("page");
        if (page.ok && page.value.last) resolve();
      });
    });
    expect(calls.filter((call) => call !== "page")).toEqual(["returned", "first", "second"]);
  });

  test("the last writer of a key wins, within a commit and between commits", async () => {
    const store = await (await newWorld()).open();
    await commit(store, [put("t", "k", "01"), put("t", "k", "02"), put("t", "gone", "03"), remove("t", "gone")]);
    await commit(store, [put("t", "l", "04"), remove("t", "m"), put("t", "m", "05")]);
    await commit(store, [put("t", "l", "06"), put("u", "k", "")]);
    expect(await list(store)).toEqual([
      ["t", "k", "02"],
      ["t", "l", "06"],
      ["t", "m", "05"],
      ["u", "k", ""],
    ]);
  });

  test("removing takes one row of one table, and a row that is not there without complaint", async () => {
    const store = await (await newWorld()).open();
    await commit(store, [put("t", "k", "01"), put("u", "k", "02")]);
    expect(await commit(store, [remove("t", "k"), remove("t", "never"), remove("nowhere", "k")])).toEqual(OK);
    expect(await list(store)).toEqual([["u", "k", "02"]]);
  });
}

function texts(newWorld: NewWorld): void {
  test("keys and tables are any Unicode text, and two texts are never one", async () => {
    const world = await newWorld();
    const store = await world.open();
    const texts = [...KEYS, ...KEYS_ABOVE];
    const writes = texts.flatMap((key) => [put("t", key, hex(key)), put(key, "k", hex(key))]);
    expect(await commit(store, writes)).toEqual(OK);
    await close(store);
    expect(await list(await world.open())).toEqual(listing(modelOf(writes)));
  });

  test("text that has no UTF-8 is refused with the whole commit", async () => {
    const store = await (await newWorld()).open();
    for (const bad of [put("t", "\ud800", "01"), put("\udfffx", "k", "01"), remove("t", "a\udbff")]) {
      const answer = await commit(store, [put("t", "k", "01"), bad]);
      expect(answer).toMatchObject({ ok: false, error: { code: "broken" } });
    }
    expect(await list(store)).toEqual([]);
  });

  test("bytes that are part of a larger buffer are stored as that part", async () => {
    const store = await (await newWorld()).open();
    const whole = Uint8Array.from({ length: 64 }, (_, at) => at);
    await commit(store, [
      { table: "t", key: "k", bytes: whole.subarray(8, 11) },
      { table: "t", key: "l", bytes: Buffer.from(whole).subarray(60) },
    ]);
    expect(await list(store)).toEqual([
      ["t", "k", "08090a"],
      ["t", "l", "3c3d3e3f"],
    ]);
  });
}

/** Rows of which three fill a page, and in their midst one that is larger than a page. */
function largeRows() {
  const rowBytes = Math.floor(PAGE_BYTES_MAX / 3) + 1;
  const large = Array.from({ length: 7 }, (_, at) => {
    return { table: "large", key: `row ${at}`, bytes: new Uint8Array(rowBytes).fill(at + 1) };
  });
  const huge = { table: "large", key: "row 3a", bytes: new Uint8Array(PAGE_BYTES_MAX + 1).fill(9) };
  return [...large.slice(0, 4), huge, ...large.slice(4)];
}

function loading(newWorld: NewWorld): void {
  test("large rows come back whole, in pages of bounded size", async () => {
    const world = await newWorld();
    const store = await world.open();
    const expected = largeRows();
    expect(await commit(store, expected)).toEqual(OK);
    await close(store);
    const { pages, error } = await load(await world.open());
    expect(error).toBeUndefined();
    for (const page of pages) {
      const size = page.reduce((sum, row) => sum + row.bytes.length, 0);
      expect(page.length === 1 || size <= PAGE_BYTES_MAX).toBe(true);
    }
    expect(pages.flat().map((row) => row.key)).toEqual(expected.map((row) => row.key));
    expect(pages.flat().every((row, at) => Buffer.from(row.bytes).equals(expected[at]!.bytes))).toBe(true);
  });

  test.each([1, PAGE_ROWS_MAX - 1, PAGE_ROWS_MAX, PAGE_ROWS_MAX + 1, 2 * PAGE_ROWS_MAX])(
    "%i rows come in pages, each row once, in order",
    async (count) => {
      const store = await (await newWorld()).open();
      const writes = Array.from({ length: count }, (_, at) => put("t", `k${(at * 7919) % 100_003}`, hex(`${at}`)));
      await commit(store, [...writes, put("s", "before", "01"), put("u", "after", "02")]);
      const { pages } = await load(store);
      expect(Math.max(...pages.map((page) => page.length))).toBeLessThanOrEqual(PAGE_ROWS_MAX);
      const expected = modelOf([...writes, put("s", "before", "01"), put("u", "after", "02")]);
      expect(listed(pages)).toEqual(listing(expected));
    },
  );
}

function loadingWhatChanges(newWorld: NewWorld): void {
  test("a table whose rows are gone comes in no page", async () => {
    const store = await (await newWorld()).open();
    const rows = [put("empty", "k", "01"), put("full", "k", "01"), put("void", "k", "01")];
    await commit(store, [...rows, remove("empty", "k")]);
    await commit(store, [remove("void", "k")]);
    const { pages } = await load(store);
    expect(pages.slice(0, -1).filter((page) => page.length === 0)).toEqual([]);
    expect(listed(pages)).toEqual([["full", "k", "01"]]);
  });

  test("a commit asked for while pages come is no part of them", async () => {
    const store = await (await newWorld()).open();
    const writes = Array.from({ length: PAGE_ROWS_MAX + 5 }, (_, at) => put("t", `k${at}`, "01"));
    await commit(store, writes);
    const keys: string[] = [];
    let committed: Promise<Answer> | undefined;
    let early: Promise<Answer> | undefined;
    await new Promise<void>((resolve) => {
      store.load((page) => {
        if (!page.ok) return resolve();
        keys.push(...page.value.rows.map((row) => row.key));
        committed ??= commit(store, [put("t", "zz", "02"), remove("t", "k0")]);
        if (page.value.last) resolve();
      });
      early = commit(store, [remove("t", "k1"), put("t", "zzz", "03")]);
    });
    expect(keys.toSorted(byBytes)).toEqual(writes.map((write) => write.key).toSorted(byBytes));
    expect([await early, await committed]).toEqual([OK, OK]);
    expect((await list(store)).length).toBe(writes.length);
  });
}

function closing(newWorld: NewWorld): void {
  test("a load that is under way ends with the page that it is at", async () => {
    const world = await newWorld();
    const store = await world.open();
    const rows = Array.from({ length: 2 * PAGE_ROWS_MAX + 1 }, (_, n) => put("t", `k${n}`, "01"));
    expect(await commit(store, rows)).toEqual(OK);
    const told: (number | StoreFailure)[] = [];
    await new Promise<void>((closed) =>
      store.load((page) => {
        told.push(page.ok ? page.value.rows.length : page.error);
        if (told.length === 1) store.close(closed);
      }),
    );
    expect(told).toEqual([PAGE_ROWS_MAX, CLOSED.error]);
    expect((await list(await world.open())).length).toBe(rows.length);
  });

  test("after close everything is refused, and what was asked before is done", async () => {
    const world = await newWorld();
    const store = await world.open();
    const before = commit(store, [put("t", "k", "01")]);
    const closed = close(store);
    const after = commit(store, [put("t", "k", "02")]);
    expect(await before).toEqual(OK);
    await closed;
    expect(await after).toEqual(CLOSED);
    expect(await commit(store, [])).toEqual(CLOSED);
    expect((await load(store)).error).toEqual({ code: "closed" });
    await close(store);
    expect(await list(await world.open())).toEqual([["t", "k", "01"]]);
  });
}

function surviving(newWorld: NewWorld): void {
  test("every acknowledged commit is found after a crash", async () => {
    const world = await newWorld();
    const model = new Map<string, StoreRow>();
    for (let life = 0; life < 5; life += 1) {
      const store = await world.open();
      for (let at = 0; at < 4; at += 1) {
        const writes = [put("t", `${life}.${at}`, "01"), put("t", "newest", hex(`${life}.${at}`))];
        expect(await commit(store, writes)).toEqual(OK);
        apply(model, writes);
      }
      world.crash();
    }
    expect(await list(await world.open())).toEqual(listing(model));
  });

  test("random commits, reopenings and crashes leave what a map would hold", async () => {
    await forAllAsync(
      [arbActions()],
      async (chosen) => {
        const world = await newWorld();
        const model = new Map<string, StoreRow>();
        let store = await world.open();
        for (const step of chosen) {
          if (step.type === "commit") {
            expect(await commit(store, step.writes)).toEqual(OK);
            apply(model, step.writes);
          } else {
            if (step.type === "crash") world.crash();
            else await close(store);
            store = await world.open();
          }
          expect(await list(store)).toEqual(listing(model));
        }
      },
      {
        runs: 20,
        sample: 100,
        classes: actionLabels,
        shares: {
          ...{ "replaces a row": 0.3, "removes a row": 0.2, "removes what is not there": 0.2, "one key twice": 0.2 },
          ...{ "a large record": 0.5, "no writes": 0.2, "reopen with rows": 0.1, "crash with rows": 0.1 },
        },
      },
    );
  });
}

const BASE = [put("t", "a", "01"), put("t", "b", "02"), put("u", "c", "03")];
const BATCH = [put("t", "a", "11"), remove("t", "b"), put("new table", "d", "04"), put("u", "e", "05")];
const BEFORE = listing(modelOf(BASE));
const AFTER = listing(modelOf([...BASE, ...BATCH]));

function commitFaults(newWorld: NewWorld): void {
  test("a commit in which any one call fails keeps everything or nothing, as it says", async () => {
    const reached = await failEachCall(async (n) => {
      const world = await newWorld();
      const store = await world.open();
      await commit(store, BASE);
      world.failCall(n);
      const answer = await commit(store, BATCH);
      if (!world.failed()) {
        expect(answer).toEqual(OK);
        return false;
      }
      const kept = answer.ok ? AFTER : BEFORE;
      expect(await list(store)).toEqual(kept);
      world.crash();
      const again = await world.open();
      expect(await list(again)).toEqual(kept);
      expect(await commit(again, BATCH)).toEqual(OK);
      expect(await list(again)).toEqual(AFTER);
      return true;
    });
    expect(reached).toBeGreaterThan(0);
  });

  test("a store goes on after a commit failed at any one call", async () => {
    await failEachCall(async (n) => {
      const world = await newWorld();
      const store = await world.open();
      await commit(store, BASE);
      world.failCall(n);
      await commit(store, BATCH);
      const reached = world.failed();
      world.failCall(0);
      expect(await commit(store, BATCH)).toEqual(OK);
      expect(await list(store)).toEqual(AFTER);
      return reached;
    });
  });
}

function loadFaults(newWorld: NewWorld): void {
  test("a load in which any one call fails says so and never looks complete", async () => {
    const reached = await failEachCall(async (n) => {
      const world = await newWorld();
      const store = await world.open();
      await commit(store, BASE);
      world.failCall(n);
      const { pages, error } = await load(store);
      if (!world.failed()) {
        expect(listed(pages)).toEqual(BEFORE);
        return false;
      }
      expect(error).toMatchObject({ code: "broken" });
      expect(await list(store)).toEqual(BEFORE);
      return true;
    });
    expect(reached).toBeGreaterThan(0);
  });
}
