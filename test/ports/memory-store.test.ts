// Goal: the simulator's store keeps the contract, and its disk fails in the ways it is told to, and in no other.
import fc from "fast-check";
import { assert, describe, expect, test } from "vitest";
import type { DiskOutcome, DiskSchedule, MemoryDisk } from "../../adapters/memory/store.ts";
import { bytesOfRow, heldRow, openMemoryDisk, openMemoryStore } from "../../adapters/memory/store.ts";
import { openSqljsRows } from "../../adapters/sqlite/sqljs.ts";
import type { StoreOperation } from "../../adapters/store/row-store.ts";
import type { StorePort } from "../../core/ports/store.ts";
import { forAll } from "../property/for-all.ts";
import type { StoreWorld } from "./store.contract.ts";
import { describeStore } from "./store.contract.ts";
import { commit, list, load, put } from "./store-calls.ts";

/** A world over a disk whose nth operation fails. */
function worldOf(disk: MemoryDisk): StoreWorld {
  let left = 0;
  const schedule: DiskSchedule = (operation, end) => {
    const asked = operation.type === "commit" || operation.type === "load";
    const outcome: DiskOutcome =
      asked && left > 0 && --left === 0
        ? { type: "failed", failure: { code: "broken", reason: "planned" } }
        : { type: "done" };
    queueMicrotask(() => end(outcome));
  };
  return {
    open: async () => openMemoryStore(disk, { schedule }),
    crash: () => {
      disk.crash(disk.atRisk);
    },
    failCall: (n) => {
      left = n;
    },
    failed: () => left === 0,
    dispose: () => undefined,
  };
}

describeStore("memory", async () => worldOf(openMemoryDisk()));
describeStore("memory disk over sql.js", async () => worldOf(openMemoryDisk(await openSqljsRows())));

/** A store whose operations end when the test says so, in order. */
function byHand(disk: MemoryDisk): { store: StorePort; asked: StoreOperation[]; end: (outcome: DiskOutcome) => void } {
  const ends: ((outcome: DiskOutcome) => void)[] = [];
  const asked: StoreOperation[] = [];
  const schedule: DiskSchedule = (operation, end) => {
    asked.push(operation);
    ends.push(end);
  };
  return { store: openMemoryStore(disk, { schedule }), asked, end: (outcome) => ends.shift()?.(outcome) };
}

const soon: DiskSchedule = (_operation, end) => queueMicrotask(() => end({ type: "done" }));
const DONE: DiskOutcome = { type: "done" };
const UNSYNCED: DiskOutcome = { type: "unsynced" };

test("a row comes back byte by byte, however it is held", () =>
  forAll(
    [fc.oneof(fc.uint8Array({ maxLength: 300 }), fc.uint8Array({ minLength: 250, maxLength: 260 }))],
    (bytes) => {
      const held = heldRow(bytes);
      assert.equal(typeof held === "string", bytes.length <= 256);
      assert.deepEqual(bytesOfRow(held), bytes);
    },
    {
      runs: 100,
      classes: (bytes) => [typeof heldRow(bytes), ...(bytes.some((byte) => byte > 127) ? ["no ASCII"] : [])],
      shares: { string: 0.3, object: 0.1, "no ASCII": 0.8 },
    },
  ));

describe("the simulated disk", () => {
  test("one operation is under way at a time, in the order of the calls", () => {
    const { store, asked, end } = byHand(openMemoryDisk());
    const answers: string[] = [];
    store.commit([put("t", "a", "01")], () => answers.push("a"));
    store.commit([put("t", "b", "01")], () => answers.push("b"));
    expect(asked.length).toBe(1);
    end(DONE);
    expect([answers, asked.length]).toEqual([["a"], 2]);
    end(DONE);
    expect(answers).toEqual(["a", "b"]);
  });

  test("every operation says what it is, and one that is refused says that alone", () => {
    const { store, asked, end } = byHand(openMemoryDisk());
    const refused: boolean[] = [];
    store.commit([put("t", "a", "01")], () => undefined);
    store.commit([put("t", "\ud800", "01")], () => undefined);
    store.load(() => undefined);
    store.close(() => undefined);
    store.commit([put("t", "b", "01")], ({ ok }) => refused.push(!ok));
    store.load(({ ok }) => refused.push(!ok));
    store.close(() => undefined);
    for (let n = 0; n < 7; n += 1) end(DONE);
    expect(asked).toEqual([
      { type: "commit", writes: [put("t", "a", "01")] },
      { type: "commit", writes: [] },
      { type: "load", page: 0 },
      { type: "close" },
      { type: "refuse" },
      { type: "refuse" },
      { type: "refuse" },
    ]);
    expect(refused).toEqual([true, true]);
  });

  test("a full disk refuses the commit and keeps what it held", async () => {
    const disk = openMemoryDisk();
    const { store, end } = byHand(disk);
    const first = commit(store, [put("t", "a", "01")]);
    end(DONE);
    const second = commit(store, [put("t", "a", "02")]);
    end({ type: "failed", failure: { code: "full" } });
    expect(await first).toEqual({ ok: true, value: null });
    expect(await second).toEqual({ ok: false, error: { code: "full" } });
    disk.crash(0);
    expect(await list(openMemoryStore(disk, { schedule: soon }))).toEqual([["t", "a", "01"]]);
  });

  test.each([
    [0, [["t", "a", "01"]], 3],
    [
      1,
      [
        ["t", "a", "01"],
        ["t", "b", "02"],
      ],
      2,
    ],
    [
      3,
      [
        ["t", "a", "01"],
        ["t", "b", "02"],
        ["t", "c", "03"],
        ["t", "d", "04"],
      ],
      0,
    ],
  ])("a crash that %i of the commits at risk survive leaves just those", async (survivors, rows, lost) => {
    const disk = openMemoryDisk();
    const { store, end } = byHand(disk);
    const answers: string[] = [];
    for (const [key, bytes, outcome] of [
      ["a", "01", DONE],
      ["b", "02", UNSYNCED],
      ["c", "03", UNSYNCED],
    ] as const) {
      store.commit([put("t", key, bytes)], (answer) => answers.push(`${key} ${answer.ok}`));
      end(outcome);
    }
    store.commit([put("t", "d", "04")], () => answers.push("d"));
    expect(disk.atRisk).toBe(3);
    expect(disk.crash(survivors)).toBe(lost);
    end(DONE);
    expect(answers).toEqual(["a true", "b true", "c true"]);
    expect(await list(openMemoryStore(disk, { schedule: soon }))).toEqual(rows);
  });

  test("a real sync makes safe what was only reported before it", async () => {
    const disk = openMemoryDisk();
    const { store, end } = byHand(disk);
    store.commit([put("t", "a", "01")], () => undefined);
    end(UNSYNCED);
    store.commit([put("t", "b", "02")], () => undefined);
    end(DONE);
    expect(disk.atRisk).toBe(0);
    disk.crash(0);
    expect(await list(openMemoryStore(disk, { schedule: soon }))).toEqual([
      ["t", "a", "01"],
      ["t", "b", "02"],
    ]);
  });

  test("a commit that had not begun is not at risk: a crash loses it", async () => {
    const disk = openMemoryDisk();
    const { store } = byHand(disk);
    store.commit([put("t", "a", "01")], () => undefined);
    store.commit([put("t", "b", "02")], () => undefined);
    disk.crash(disk.atRisk);
    expect(await list(openMemoryStore(disk, { schedule: soon }))).toEqual([["t", "a", "01"]]);
  });

  test("a read error ends the load, and the next load is whole", async () => {
    const disk = openMemoryDisk();
    const { store, end } = byHand(disk);
    store.commit([put("t", "a", "01")], () => undefined);
    end(DONE);
    const failing = load(store);
    end({ type: "failed", failure: { code: "broken", reason: "bad sector" } });
    expect((await failing).error).toEqual({ code: "broken", reason: "bad sector" });
    const whole = list(store);
    end(DONE);
    expect(await whole).toEqual([["t", "a", "01"]]);
  });

  test("two stores on one disk are a mistake of the simulator", () => {
    const disk = openMemoryDisk();
    openMemoryStore(disk, { schedule: soon });
    expect(() => openMemoryStore(disk, { schedule: soon })).toThrow("in use");
  });
});
