/**
 * Drafts: a step's own writes laid over a state that they do not touch, so that a fact which triggers
 * others is one atomic set of changes. Nested drafts try something and are thrown away.
 * Source: DESIGN section 3 "Shape".
 */

import { known } from "./assert.ts";
import { reorder } from "./ordered.ts";
import type { Change, Reader, Table } from "./table.ts";

export interface Draft extends Reader {
  put<R>(table: Table<R>, key: string, record: R | undefined): void;
  /** The writes so far, the last one of each record. */
  changes(): readonly Change[];
}

interface Overlay {
  readonly table: Table<unknown>;
  readonly rows: Map<string, unknown>;
  /** Index name and value to keys that came or went. */
  readonly came: Map<string, Set<string>>;
  readonly went: Map<string, Set<string>>;
  /** Ordered index and value to the keys as they stand now. */
  readonly orders: Map<string, readonly string[]>;
}

const NO_VALUES: readonly string[] = [];

export function draftOf(base: Reader): Draft {
  const overlays = new Map<string, Overlay>();

  function overlay<R>(table: Table<R>): Overlay {
    const held = overlays.get(table.name);
    if (held !== undefined) return held;
    const maps = { rows: new Map(), came: new Map(), went: new Map(), orders: new Map() };
    const fresh: Overlay = { table: table as Table<unknown>, ...maps };
    overlays.set(table.name, fresh);
    return fresh;
  }

  function get<R>(table: Table<R>, key: string): R | undefined {
    const held = overlays.get(table.name);
    return held?.rows.has(key) ? (held.rows.get(key) as R | undefined) : base.get(table, key);
  }

  function ordered<R>(table: Table<R>, order: string, value: string): readonly string[] {
    return overlays.get(table.name)?.orders.get(slotOf(order, value)) ?? base.ordered(table, order, value);
  }

  return {
    endless: base.endless ?? false,
    amendments: base.amendments,
    get,
    find(table, index, value) {
      const held = overlays.get(table.name);
      const found = base.find(table, index, value);
      if (held === undefined) return found;
      const slot = slotOf(index, value);
      const came = held.came.get(slot);
      const went = held.went.get(slot);
      if (came === undefined && went === undefined) return found;
      const kept = went === undefined ? found : found.filter((key) => !went.has(key));
      return came === undefined ? kept : [...kept, ...came];
    },
    count(table, index, value) {
      const held = overlays.get(table.name);
      const place = slotOf(index, value);
      return base.count(table, index, value) + (held?.came.get(place)?.size ?? 0) - (held?.went.get(place)?.size ?? 0);
    },
    ordered,
    *keys(table) {
      const held = overlays.get(table.name);
      for (const key of base.keys(table)) if (!held?.rows.has(key)) yield key;
      if (held !== undefined) for (const [key, record] of held.rows) if (record !== undefined) yield key;
    },
    size(table) {
      let size = base.size(table);
      for (const [key, record] of overlays.get(table.name)?.rows ?? []) {
        const before = base.get(table, key) !== undefined;
        if (before !== (record !== undefined)) size += before ? -1 : 1;
      }
      return size;
    },
    put(table, key, record) {
      const before = get(table, key);
      const held = overlay(table);
      held.rows.set(key, record);
      for (const [index, valuesOf] of Object.entries(table.indexes)) {
        const old = before === undefined ? NO_VALUES : valuesOf(before, key);
        const now = record === undefined ? NO_VALUES : valuesOf(record, key);
        for (const value of onlyIn(old, now)) move(held.went, held.came, slotOf(index, value), key);
        for (const value of onlyIn(now, old)) move(held.came, held.went, slotOf(index, value), key);
      }
      for (const [name, order] of Object.entries(table.orders)) {
        const written = { key, before, record };
        reorder(order, written, {
          held: (value) => ordered(table, name, value),
          of: (each) => known(get(table, each), "a record in order"),
          put: (value, keys) => held.orders.set(slotOf(name, value), keys),
        });
      }
    },
    changes() {
      const changes: Change[] = [];
      for (const held of overlays.values()) {
        for (const [key, record] of held.rows) changes.push({ table: held.table.name, key, record });
      }
      return changes;
    },
  };
}

/** The place of an index value. */
export function slotOf(index: string, value: string): string {
  return `${index}\u0000${value}`;
}

/** The values of one list that another has not, each once; a record is found under a few. */
function onlyIn(values: readonly string[], others: readonly string[]): readonly string[] {
  if (values.length === 0) return values;
  return values.filter((value, place) => !others.includes(value) && values.indexOf(value) === place);
}

function move(into: Map<string, Set<string>>, outOf: Map<string, Set<string>>, slot: string, key: string): void {
  if (outOf.get(slot)?.delete(key)) return;
  const keys = into.get(slot);
  if (keys === undefined) into.set(slot, new Set([key]));
  else keys.add(key);
}
