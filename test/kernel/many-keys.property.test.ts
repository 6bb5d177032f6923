/**
 * Goal: what stands at a place of an index is found there and counted, few keys or many, in a state, in a draft over
 * it, in a copy that goes on by itself and in what was packed.
 * Method: keys come to two groups and leave them, around the number at which a list becomes a set, against plain sets.
 * Planted bugs are found.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { draftOf } from "../../core/kernel/draft.ts";
import { openPackedState } from "../../core/kernel/packed-state.ts";
import { packState } from "../../core/kernel/packing.ts";
import { struct } from "../../core/kernel/schema-composites.ts";
import type { Store } from "../../core/kernel/state.ts";
import { openStore } from "../../core/kernel/state.ts";
import type { Reader, Table } from "../../core/kernel/table.ts";
import { table } from "../../core/kernel/table.ts";
import { Text } from "../../core/kernel/values.ts";
import type { Load } from "../planted/planted-bug.ts";
import { withPlantedBug } from "../planted/planted-bug.ts";
import { forAll, samples } from "../property/for-all.ts";
import { crypto } from "./state-model.ts";

type Core = Pick<typeof import("../../core/kernel/state.ts"), "openStore">;

const Member = struct("Member", { group: Text });
const Members = table<{ readonly group: string }>("members", Member, {
  root: "state",
  indexes: { group: ({ group }) => [group], all: () => ["all"] },
});
const kept = [Members] as unknown as readonly Table<unknown>[];
const GROUPS = ["a", "b"];
/** A list holds eight keys: states get there, beyond it and back. */
const FEW = 8;
const KEYS = Array.from({ length: 14 }, (_, n) => `k${n}`);

interface Move {
  readonly key: string;
  readonly group: string | undefined;
}
type Model = Map<string, string>;

const arbMove: fc.Arbitrary<Move> = fc.record({
  key: fc.constantFrom(...KEYS),
  group: fc.option(fc.constantFrom("a", "a", "a", "b"), { nil: undefined, freq: 4 }),
});
/** Most of the first come, so that there are many; of the others many leave. */
const arbFirst = fc.array(arbMove, { minLength: 12, maxLength: 40 });
const arbMoves = fc.array(arbMove, { maxLength: 20 });

function play(store: Store, model: Model, moves: readonly Move[]): void {
  for (const { key, group } of moves) {
    store.commit([{ table: Members.name, key, record: group === undefined ? undefined : { group } }]);
    note(model, key, group);
    expectFound(store, model);
  }
}

function note(model: Model, key: string, group: string | undefined): void {
  if (group === undefined) model.delete(key);
  else model.set(key, group);
}

function expectFound(reader: Reader, model: Model): void {
  const at = (index: string, value: string, keys: readonly string[]) => {
    const found = reader.find(Members, index, value);
    expect(new Set(found), `${index} ${value}`).toEqual(new Set(keys));
    expect(found.length).toBe(keys.length);
    expect(reader.count(Members, index, value)).toBe(keys.length);
    for (const most of [0, 1, FEW, FEW + 1]) {
      const some = reader.find(Members, index, value, most);
      expect(new Set(some).size).toBe(Math.min(most, keys.length));
      expect(some.every((key) => keys.includes(key))).toBe(true);
    }
  };
  for (const group of GROUPS)
    at(
      "group",
      group,
      [...model].flatMap(([key, of]) => (of === group ? [key] : [])),
    );
  at("all", "all", [...model.keys()]);
}

/** What a story comes to: how many there were before it, and how many after. */
function labelsOf(first: readonly Move[], later: readonly Move[]): readonly string[] {
  const model: Model = new Map();
  const labels = new Set<string>();
  for (const { key, group } of first) note(model, key, group);
  labels.add(model.size > FEW ? "begins with many" : "begins with few");
  for (const { key, group } of later) {
    const before = model.size;
    note(model, key, group);
    if (before === FEW && model.size > FEW) labels.add("few become many");
    if (before > FEW && model.size <= FEW) labels.add("of many some leave, and few are left");
  }
  return [...labels];
}

const SHARES = {
  ...{ "begins with many": 0.3, "begins with few": 0.2 },
  ...{ "few become many": 0.15, "of many some leave, and few are left": 0.1 },
};

/** A state, its copy, both after stories of their own; then a draft over it, and it as it was packed. */
function playAll(
  first: readonly Move[],
  mine: readonly Move[],
  yours: readonly Move[],
  core: Core = { openStore },
): void {
  const [store, model]: [Store, Model] = [core.openStore(crypto, kept), new Map()];
  play(store, model, first);
  const [copy, copied]: [Store, Model] = [core.openStore(crypto, kept, { from: store.copy() }), new Map(model)];
  play(store, model, mine);
  play(copy, copied, yours);
  expectFound(store, model);
  expectFound(copy, copied);
  const packed = packState(crypto, kept, store.held());
  const opened = openPackedState(packed, { crypto, tables: kept, types: new Map(), derives: new Map() });
  const again = core.openStore(crypto, kept, { from: opened, types: new Map() });
  expectFound(again, model);
  const draft = draftOf(again);
  for (const { key, group } of yours) {
    draft.put(Members, key, group === undefined ? undefined : { group });
    note(model, key, group);
    expectFound(draft, model);
  }
  again.commit(draft.changes());
  expectFound(again, model);
}

test("few keys or many are found at their places and counted, in a state, its copy, a draft and what was packed", () => {
  forAll([arbFirst, arbMoves, arbMoves], (first, mine, yours) => playAll(first, mine, yours), {
    runs: 100,
    classes: labelsOf,
    shares: SHARES,
  });
});

const HELD = "core/kernel/held-rows.ts";
const bugs = {
  "a list that is full loses one": {
    find: "heldKeys(listed(keys, FEW).concat(key))",
    replace: "heldKeys(listed(keys, FEW - 1).concat(key))",
  },
  "a copy writes into the keys of both": { find: "own === undefined || own.has(keys)", replace: "own !== null" },
  "whoever leaves few stays": { find: "keys.filter((each) => each !== key)", replace: "keys" },
  "whoever leaves many stays": { find: "own.delete(key);", replace: "" },
  "few are not counted": { find: "isMany(keys) ? keys.size : keys.length", replace: "isMany(keys) ? keys.size : 1" },
  "few are too many": { find: "keys.length <= most ? keys : keys.slice(0, most)", replace: "keys" },
};

test.each(Object.entries(bugs))("the check fails where %s", async (_, bug) => {
  const fails = await withPlantedBug({ file: HELD, ...bug }, async (load: Load) => {
    const core = await load<Core>("core/kernel/state.ts");
    return samples(fc.tuple(arbFirst, arbMoves, arbMoves), 60).some(([first, mine, yours]) => {
      try {
        playAll(first, mine, yours, core);
        return false;
      } catch {
        return true;
      }
    });
  });
  expect(fails).toBe(true);
});
