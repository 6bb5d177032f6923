/**
 * Goal: a state that begins with packed tables reads, counts and changes as the one that was packed, whatever is
 * written over it, packed again and copied; and what is not whole is not opened (L2, L9).
 * Method: random writes, packed and opened, against a plain map as the model; every length to which packed bytes can be
 * cut; planted bugs in what is checked when they are opened.
 */
import { expect, test } from "vitest";
import { draftOf } from "../../core/kernel/draft.ts";
import { openPackedState } from "../../core/kernel/packed-state.ts";
import { openPackedTable } from "../../core/kernel/packed-table.ts";
import { packState, rowsToEncode } from "../../core/kernel/packing.ts";
import type { Store } from "../../core/kernel/state.ts";
import { openStore } from "../../core/kernel/state.ts";
import type { Table } from "../../core/kernel/table.ts";
import { withPlantedBug } from "../planted/planted-bug.ts";
import type { PlantedBug } from "../planted/planted-text.ts";
import { forAll } from "../property/for-all.ts";
import type { Model, Write } from "./state-model.ts";
import { apply, arbWrites, change, crypto, emptyModel, expectReads, open, Things, tables } from "./state-model.ts";

type Packed = Parameters<typeof openPackedState>[0];
const plain = tables as unknown as readonly Table<unknown>[];
/** A local table is packed where it says how. */
const kept = plain.map((each) => (each.name === "scraps" ? { ...each, checkpoint: each.record } : each));
const opening = { crypto, tables: kept, types: new Map(), derives: new Map() };

function opened(packed: Packed): Store {
  const held = openPackedState(packed, opening);
  if (held === undefined) throw new Error("what was packed is whole");
  return openStore(crypto, kept, { from: held });
}

function written(model: Model, store: Store, writes: readonly Write[]): void {
  for (const write of writes) {
    store.commit([change(write)]);
    apply(model, write);
  }
}

function labelsOf(before: readonly Write[], after: readonly Write[]): readonly string[] {
  const held = new Set(before.flatMap(({ table: { name }, key, record }) => (record ? [`${name} ${key}`] : [])));
  const isHeld = ({ table: { name }, key }: Write) => held.has(`${name} ${key}`);
  return [
    ...(after.some((write) => isHeld(write) && write.record === undefined) ? ["removes what was packed"] : []),
    ...(after.some((write) => isHeld(write) && write.record !== undefined) ? ["replaces what was packed"] : []),
    ...(after.some((write) => !isHeld(write) && write.record !== undefined) ? ["adds to what was packed"] : []),
  ];
}

test("a packed state reads as it did, and goes on as if it had not been packed", () => {
  forAll(
    [arbWrites, arbWrites, arbWrites],
    (before, between, after) => {
      const [model, whole] = [emptyModel(), open()];
      written(model, whole, before);
      const first = opened(packState(crypto, kept, whole.held()));
      expect(first.roots).toEqual(whole.roots);
      expect(first.identities.digest("")).toEqual(whole.identities.digest(""));
      expectReads(first, model);
      written(model, first, between);
      expectReads(first, model);
      const again = opened(packState(crypto, kept, first.held()));
      expectReads(again, model);
      const draft = draftOf(again);
      for (const { table, key, record } of after) draft.put(table, key, record);
      again.commit(draft.changes());
      for (const write of after) apply(model, write);
      expectReads(again, model);
      for (const write of [...between, ...after]) whole.commit([change(write)]);
      expect(again.roots).toEqual(whole.roots);
      expect(again.identities.digest("")).toEqual(whole.identities.digest(""));
    },
    {
      runs: 60,
      classes: (before, between, after) => labelsOf([...before, ...between], after),
      shares: { "removes what was packed": 0.2, "replaces what was packed": 0.2, "adds to what was packed": 0.5 },
    },
  );
});

test("copies of a state over packed tables share what neither writes into", () => {
  forAll(
    [arbWrites, arbWrites, arbWrites],
    (before, mine, yours) => {
      const model = emptyModel();
      const store = open();
      written(model, store, before);
      const one = opened(packState(crypto, kept, store.held()));
      const copied = new Map([...model].map(([where, rows]) => [where, new Map(rows)] as const));
      const other = openStore(crypto, kept, { from: one.copy() });
      written(model, one, mine);
      written(copied, other, yours);
      expectReads(one, model);
      expectReads(other, copied);
    },
    { runs: 40, classes: (before, mine) => labelsOf(before, mine), shares: { "removes what was packed": 0.2 } },
  );
});

const some: readonly Write[] = ["a", "b", "c"].map((key) => ({
  table: Things,
  key,
  record: { size: 1, tags: ["t", key] },
}));

function packedSome(): Packed {
  const store = open();
  for (const write of some) store.commit([change(write)]);
  return packState(crypto, kept, store.held());
}

test("what is packed again encodes only what was read or written since", () => {
  const store = opened(packedSome());
  expect(rowsToEncode(kept, store.held())).toBe(0);
  store.get(Things, "b");
  expect(rowsToEncode(kept, store.held())).toBe(1);
});

test("a packed table that is cut short or longer than it says is none", () => {
  const bytes = packedSome().tables.get("things") ?? new Uint8Array(0);
  for (let length = 0; length < bytes.length; length++)
    expect(openPackedTable(bytes.subarray(0, length))).toBe(undefined);
  expect(openPackedTable(Uint8Array.of(...bytes, 0))).toBe(undefined);
  expect(openPackedTable(bytes)?.size).toBe(some.length);
});

test("tables that do not sum up to the roots are not opened", () => {
  const packed = packedSome();
  expect(openPackedState({ ...packed, tables: new Map() }, opening)).toBe(undefined);
  expect(openPackedState({ ...packed, roots: { ...packed.roots, facts: 1n } }, opening)).toBe(undefined);
  expect(openPackedState(packed, opening)).not.toBe(undefined);
});

const bugs: Readonly<Record<string, PlantedBug>> = {
  "roots are believed": {
    file: "core/kernel/packed-state.ts",
    find: "sums[root] === roots[root]",
    replace: "sums[root] === sums[root]",
  },
  "rows of a table are not counted": {
    file: "core/kernel/packed-state.ts",
    find: 'if (root === "local" || root === "seals") return sums;',
    replace: 'if (root !== "statements") return sums;',
  },
};

test.each(Object.entries(bugs))("the check fails where %s", async (_, bug) => {
  const packed = packedSome();
  const accepts = await withPlantedBug(bug, async (load) => {
    const { openPackedState: planted } =
      await load<typeof import("../../core/kernel/packed-state.ts")>("core/kernel/packed-state.ts");
    const missing = planted({ ...packed, tables: new Map() }, opening) !== undefined;
    return missing || planted(packed, opening) === undefined;
  });
  expect(accepts).toBe(true);
});
