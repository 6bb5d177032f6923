/**
 * Drafts: a step's own writes laid over a state that they do not touch, so that a fact which triggers
 * others is one atomic set of changes. Nested drafts try something and are thrown away.
 * Source: DESIGN section 3 "Shape".
 */

import type { SharingPort } from "../ports/sharing.ts";
import { known } from "./assert.ts";
import { reorder } from "./ordered.ts";
import type { Change, Order, Reader, Table } from "./table.ts";
import { isShareable, slotOf } from "./table.ts";

export interface Draft extends Reader {
  put<R>(table: Table<R>, key: string, record: R | undefined): void;
  /** The writes so far, the last one of each record. */
  changes(): readonly Change[];
}

/** A record as a draft writes it, and where it is found. */
interface Written {
  readonly record: unknown;
  readonly places: readonly string[];
}

interface Overlay {
  readonly table: Table<unknown>;
  readonly rows: Map<string, Written>;
  /** Place of an index to keys that came or went. */
  readonly came: Map<string, Set<string>>;
  readonly went: Map<string, Set<string>>;
  /** Ordered index and value to the keys as they stand now. */
  readonly orders: Map<string, readonly string[]>;
}

const NO_PLACES: readonly string[] = [];

export function draftOf(base: Reader): Draft {
  const overlays = new Map<string, Overlay>();
  /** By table, how many records more than the base it has. */
  const grown = new Map<string, number>();
  /** What `changes` gave, until the next write. */
  let given: readonly Change[] | undefined;

  function overlay<R>(table: Table<R>): Overlay {
    const held = overlays.get(table.name);
    if (held !== undefined) return held;
    const maps = { rows: new Map(), came: new Map(), went: new Map(), orders: new Map() };
    const fresh: Overlay = { table: table as Table<unknown>, ...maps };
    overlays.set(table.name, fresh);
    return fresh;
  }

  function get<R>(table: Table<R>, key: string): R | undefined {
    const written = overlays.get(table.name)?.rows.get(key);
    return written === undefined ? base.get(table, key) : (written.record as R | undefined);
  }

  function ordered<R>(table: Table<R>, order: string, value: string): readonly string[] {
    return overlays.get(table.name)?.orders.get(slotOf(order, value)) ?? base.ordered(table, order, value);
  }

  function placesHeld<R>(table: Table<R>, key: string): readonly string[] {
    const written = overlays.get(table.name)?.rows.get(key);
    if (written !== undefined) return written.places;
    const held = base.placesHeld?.(table, key);
    if (held !== undefined) return held;
    const record = base.get(table, key);
    return record === undefined ? NO_PLACES : table.placesOf(record, key);
  }

  return {
    endless: base.endless ?? false,
    amendments: base.amendments,
    sharing: base.sharing,
    get,
    placesHeld,
    find(table, index, value, most = Infinity) {
      const held = overlays.get(table.name);
      if (held === undefined) return base.find(table, index, value, most);
      const slot = slotOf(index, value);
      const came = held.came.get(slot);
      const went = held.went.get(slot);
      const found = base.find(table, index, value, most + (went?.size ?? 0));
      if (came === undefined && went === undefined) return found;
      const kept = went === undefined ? found : found.filter((key) => !went.has(key));
      return (came === undefined ? kept : [...kept, ...came]).slice(0, Math.max(0, most));
    },
    count(table, index, value) {
      const held = overlays.get(table.name);
      const many = base.count(table, index, value);
      if (held === undefined) return many;
      const place = slotOf(index, value);
      return many + (held.came.get(place)?.size ?? 0) - (held.went.get(place)?.size ?? 0);
    },
    ordered,
    *keys(table) {
      const held = overlays.get(table.name);
      for (const key of base.keys(table)) if (!held?.rows.has(key)) yield key;
      if (held !== undefined) for (const [key, { record }] of held.rows) if (record !== undefined) yield key;
    },
    size: (table) => base.size(table) + (grown.get(table.name) ?? 0),
    put(table, key, record) {
      given = undefined;
      const held = overlay(table);
      const places = record === undefined ? NO_PLACES : placesOf(base.sharing, table, record, key);
      moveBetween(held, placesHeld(table, key), places, key);
      for (const name in table.orders) {
        const written = { key, before: get(table, key), record };
        reorder(table.orders[name] as Order<typeof record>, written, {
          held: (value) => ordered(table, name, value),
          of: (each) => known(get(table, each), "a record in order"),
          put: (value, keys) => held.orders.set(slotOf(name, value), keys),
        });
      }
      const more = (record === undefined ? 0 : 1) - (get(table, key) === undefined ? 0 : 1);
      if (more !== 0) grown.set(table.name, (grown.get(table.name) ?? 0) + more);
      held.rows.set(key, { record, places });
    },
    changes() {
      given ??= changesIn(overlays);
      return given;
    },
  };
}

/** Where a record is found; what nodes may hold in common was asked that before. */
function placesOf<R>(sharing: SharingPort | undefined, table: Table<R>, record: R, key: string): readonly string[] {
  if (sharing === undefined || table.root === "local" || !isShareable(record)) return table.placesOf(record, key);
  const first = sharing.of(table.indexes, record, () => ({ key, places: table.placesOf(record, key) }));
  return first.key === key ? first.places : table.placesOf(record, key);
}

function changesIn(overlays: ReadonlyMap<string, Overlay>): readonly Change[] {
  const changes: Change[] = [];
  for (const { table, rows } of overlays.values())
    for (const [key, { record, places }] of rows) changes.push({ table: table.name, key, record, places });
  return changes;
}

/** Takes a key from the places where it was found to those where it is found now. */
function moveBetween(held: Overlay, old: readonly string[], now: readonly string[], key: string): void {
  for (const place of old) if (!now.includes(place)) move(held.went, held.came, place, key);
  for (const place of now) if (!old.includes(place)) move(held.came, held.went, place, key);
}

function move(into: Map<string, Set<string>>, outOf: Map<string, Set<string>>, slot: string, key: string): void {
  if (outOf.get(slot)?.delete(key)) return;
  const keys = into.get(slot);
  if (keys === undefined) into.set(slot, new Set([key]));
  else keys.add(key);
}
