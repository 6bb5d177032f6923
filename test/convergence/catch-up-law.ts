/**
 * The law of catching up as a check that returns what is wrong: what a checkpoint holds, brought up to date with the
 * rows that were written and removed since, is what the node holds that wrote them.
 * Source: DESIGN "Laws", L2; CONVERGENCE "Durability".
 */

import { Unsealed } from "../../core/domains/trade/sealing/tables.ts";
import { marketplace, tables } from "../../core/domains.ts";
import { Attaching } from "../../core/engine/statements/attaching.ts";
import { isSealed } from "../../core/engine/statements/table.ts";
import type { HeldDriver, NodeConfiguration } from "../../core/index.ts";
import { checkpointRules, devnetNetwork, encodeCompact, openCatchUp, openCheckpoint } from "../../core/index.ts";
import type { HeldStore, Store } from "../../core/kernel/state.ts";
import type { StoreRow, StoreWrite } from "../../core/ports/store.ts";
import { gossipOnly } from "../rpc/lone-node.ts";
import { at, crypto } from "./actors.ts";
import { registersText } from "./checkpoint-law.ts";
import { difference } from "./convergence-law.ts";
import type { Observation, Replica } from "./replica.ts";
import { openReplica, recordsText, rootsOf } from "./replica.ts";
import type { Shuffle } from "./shuffle.ts";
import { shuffleOf } from "./shuffle.ts";

const DAY_MINUTES = 1_440;
const terms = { network: marketplace, crypto, rules: checkpointRules("0", devnetNetwork) };
const configuration: NodeConfiguration = gossipOnly(devnetNetwork);

/** The durable rows of a state, by table and key. */
export type Rows = ReadonlyMap<string, StoreRow>;

/** What is wrong with one story of which a checkpoint is made at a random place; nothing when the law holds. */
export function catchUpDefect(observations: readonly Observation[], schedule: number): string | undefined {
  const random = shuffleOf(schedule);
  const whole = openReplica(true);
  let [day, sealedTo] = [0, 0];
  let made: { readonly sections: readonly Uint8Array[]; readonly rows: Rows } | undefined;
  for (const part of random.parts(random.shuffled(observations))) {
    whole.receive(part);
    // Clocks go forward: a fact is looked at in the hour in which its settlement was sealed, or in a later one.
    if (random.below(8) === 0) day = Math.max(day, random.below(120));
    if (day > sealedTo) whole.seal(at(day * DAY_MINUTES));
    sealedTo = day;
    if (whole.store().size(Attaching) > 0 || random.below(3) > 0) continue;
    made = { sections: openCatchUp(heldBy(whole), terms, configuration).sections(), rows: rowsOf(whole.store()) };
  }
  const opened = made === undefined ? undefined : openCheckpoint(made.sections, terms, configuration);
  if (opened?.ok === false) return opened.error;
  return defectOf(whole, opened?.value, changesSince(made?.rows ?? new Map(), rowsOf(whole.store()), random));
}

function defectOf(whole: Replica, from: HeldDriver | undefined, changes: readonly StoreWrite[][]): string | undefined {
  const catchUp = openCatchUp(from, terms, configuration);
  for (const page of changes) {
    const taken = catchUp.take(page);
    if (!taken.ok) return taken.error;
  }
  const other = openReplica(false, Infinity, catchUp.held().memory);
  for (const textOf of [rootsOf, (replica: Replica) => recordsText(replica, whole), registersText]) {
    if (textOf(whole) !== textOf(other)) return difference(textOf(whole), textOf(other)) ?? "the roots differ";
  }
  return sealingDefect(whole.store(), other.store());
}

/** What is still to be sealed is looked at no later. */
function sealingDefect(whole: Store, other: Store): string | undefined {
  for (const key of whole.keys(Unsealed)) {
    if (isSealed(whole, key)) continue;
    const [wanted, due] = [whole.get(Unsealed, key)?.due ?? 0n, other.get(Unsealed, key)?.due];
    if (due === undefined || due > wanted) return `${key} is looked at in hour ${due}, not ${wanted}`;
  }
  return undefined;
}

/** The durable rows of a state. */
export function rowsOf(store: Store): Rows {
  const rows = new Map<string, StoreRow>();
  for (const table of tables) {
    if (!table.durable) continue;
    for (const key of store.keys(table)) {
      const bytes = encodeCompact(table.record as never, store.get(table, key));
      rows.set(`${table.name} ${key}`, { table: table.name, key, bytes });
    }
  }
  return rows;
}

/** What changed from some rows to others, in pages in any order: removals first. */
export function changesSince(before: Rows, now: Rows, random: Shuffle): StoreWrite[][] {
  const removed = [...before].flatMap(([id, { table, key }]) => (now.has(id) ? [] : [{ table, key, bytes: null }]));
  const written = [...now].flatMap(([id, row]) => {
    const held = before.get(id);
    return held !== undefined && Buffer.compare(held.bytes, row.bytes) === 0 ? [] : [row];
  });
  return [...random.parts(random.shuffled(removed)), ...random.parts(random.shuffled(written))];
}

function heldBy(replica: Replica): HeldDriver {
  const memory: HeldStore = replica.store().held();
  return { memory } as HeldDriver;
}
