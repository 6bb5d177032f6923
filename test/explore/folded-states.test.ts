// Goal: what a walk folds together is the same: requests under other names, inputs under other numbers, rows that were
// written in another order. Method: random ways through scopes are taken beside each other in a world that folds and in
// one that counts as the core does; and every value of a node on the way takes what is under way to it once more with
// all its rows turned round.
import fc from "fast-check";
import { expect, test } from "vitest";
import type { HeldDriver } from "../../core/index.ts";
import { openBackends } from "../../sim/backends.ts";
import { byUnits, canonicalText } from "../../sim/explore/canonical.ts";
import type { Item } from "../../sim/explore/environment.ts";
import type { Opened } from "../../sim/explore/explore.ts";
import { openScope } from "../../sim/explore/explore.ts";
import { rootsOf } from "../../sim/explore/laws.ts";
import type { Move, WorldState } from "../../sim/explore/moves.ts";
import type { NodeValue } from "../../sim/explore/node-machine.ts";
import { nodeText } from "../../sim/explore/node-machine.ts";
import { scopes } from "../../sim/explore/scopes/index.ts";
import { forAll } from "../property/for-all.ts";

const NAMES = [
  ...["two-takers", "disputed-trade", "crashes", "panel"],
  ...["fork-before-final", "snapshot-join"],
] as const;

/** What is under way, whatever its request is called. */
function nameless(item: Item): string {
  const fact = "fact" in item ? { ...item.fact, request: 0, replyTo: "" } : undefined;
  return canonicalText({ ...item, request: 0, fact });
}

function described({ world }: Opened, move: Move): string {
  return "item" in move ? canonicalText({ ...move, item: nameless(world.itemAt(move.item)) }) : canonicalText(move);
}

function movesOf(opened: Opened, state: WorldState): ReadonlyMap<string, number> {
  return new Map(opened.world.moves(state).map((move) => [described(opened, opened.world.moveAt(move)), move]));
}

function shown({ world }: Opened, state: WorldState) {
  const { clients, links } = world.environmentAt(state.environment);
  return { roots: state.nodes.map((node) => rootsOf(world.nodeAt(node))), links, clients };
}

test("requests and inputs under other names and numbers lead to the same", async () => {
  const opening = NAMES.map((name) => {
    const scope = scopes.find((each) => each.name === name);
    if (scope === undefined) throw new RangeError(name);
    // A tick brings timers that ask for the number of their input to draw one of several peers.
    const both = [false, true].map((asCounted) => openScope({ ...scope, ticks: 0 }, openBackends(), asCounted));
    return Promise.all(both);
  });
  const pairs = await Promise.all(opening);
  forAll(
    [fc.constantFrom(...pairs.keys()), fc.array(fc.nat(), { maxLength: 30 })],
    (pair, choices) => {
      const [folded, counted] = pairs[pair] as [Opened, Opened];
      let [one, other] = [folded.first, counted.first];
      const labels = new Set<string>();
      for (const choice of choices) {
        const [mine, theirs] = [movesOf(folded, one), movesOf(counted, other)];
        expect([...theirs.keys()].sort(byUnits)).toEqual([...mine.keys()].sort(byUnits));
        const chosen = [...mine.keys()][choice % Math.max(1, mine.size)];
        if (chosen === undefined) break;
        const move = folded.world.moveAt(mine.get(chosen) as number);
        labels.add(move.kind);
        one = folded.world.apply(one, mine.get(chosen) as number);
        other = counted.world.apply(other, theirs.get(chosen) as number);
        expect(shown(counted, other)).toEqual(shown(folded, one));
      }
      return [...labels];
    },
    { runs: 20, sample: 20, shares: { deliver: 0.5, call: 0.5, drop: 0.1, copy: 0.1, crash: 0.05, look: 0.05 } },
  );
});

test("rows that were written in another order lead to the same", async () => {
  const scope = scopes.find(({ name }) => name === "panel");
  if (scope === undefined) throw new RangeError("panel");
  const opened = await openScope(scope, openBackends());
  forAll(
    [fc.array(fc.nat(), { maxLength: 30 })],
    (choices) => {
      let state = opened.first;
      let compared = 0;
      for (const choice of choices) {
        const moves = opened.world.moves(state);
        const chosen = moves[choice % Math.max(1, moves.length)];
        if (chosen === undefined) break;
        const move = opened.world.moveAt(chosen);
        if (move.kind === "deliver") compared += tookTurned(opened, state, opened.world.itemAt(move.item));
        state = opened.world.apply(state, chosen);
      }
      return compared > 3 ? ["several compared"] : [];
    },
    { runs: 15, sample: 15, shares: { "several compared": 0.3 } },
  );
});

/** Compares what a node makes of something with and without its rows turned round. */
function tookTurned({ world, machines }: Opened, state: WorldState, item: Item): number {
  if (!("fact" in item)) return 0;
  const value = world.nodeAt(state.nodes[item.to] as number);
  const { now } = world.environmentAt(state.environment);
  const [plain, turned] = [value, turnedRound(value)].map((each) => machines[item.to]?.take(each, now, [item.fact]));
  if (plain === undefined || turned === undefined) throw new RangeError(`no node ${item.to}`);
  expect(nodeText(turned.value)).toBe(nodeText(plain.value));
  const orders = [plain, turned].map(({ effects }) => effects.map((effect) => canonicalText(effect)));
  expect(orders[1]).toEqual(orders[0]);
  return 1;
}

function turnedRound(value: NodeValue): NodeValue {
  const { driver } = value;
  return driver === undefined ? value : { ...value, driver: { ...driver, memory: turnedMemory(driver.memory) } };
}

function turnedMemory(memory: HeldDriver["memory"]): HeldDriver["memory"] {
  const tables = [...memory.tables].map(([name, rows]) => {
    const turnedIndex = (index: NonNullable<(typeof rows.indexes)[number]>) =>
      new Map(
        [...index]
          .map(
            ([value, keys]) =>
              [
                value,
                typeof keys === "string"
                  ? keys
                  : keys instanceof Set
                    ? new Set([...keys].reverse())
                    : keys.toReversed(),
              ] as const,
          )
          .reverse(),
      );
    const indexes = rows.indexes.map((index) => index && turnedIndex(index));
    return [name, { ...rows, rows: new Map([...rows.rows].reverse()), indexes }] as const;
  });
  return { ...memory, tables: new Map(tables) };
}
