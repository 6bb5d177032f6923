/**
 * Drafts: a step's own writes laid over a state that they do not touch, so that a fact which triggers
 * others is one atomic set of changes. Nested drafts try something and are thrown away.
 * Source: DESIGN section 3 "Shape".
 */

import type { SharingPort } from "../ports/sharing.ts";
import { known } from "./assert.ts";
import { reorder } from "./ordered.ts";
import type { Change, Order, Places, Reader, Table } from "./table.ts";
import { bytesOfRecord, entriesOf, isShareable, NO_PLACES, slotOf } from "./table.ts";

export interface Draft extends Reader {
  put<R>(table: Table<R>, key: string, record: R | undefined): void;
  /** The writes so far, the last one of each record. */
  changes(): readonly Change[];
  /** Whether any of them is into a table. */
  wrote(table: Table<unknown>): boolean;
}

/** What a draft writes into one table. What most writes need none of is made when it is needed. */
interface Overlay {
  readonly table: Table<unknown>;
  /** The last write of each record, as the step leaves it behind. */
  readonly rows: Map<string, Written>;
  /** How many records more than the base the table has. */
  grown: number;
  /** By the number of an index what moved there. */
  moved: Map<number, Moved> | undefined;
  /** Ordered index and value to the keys as they stand now. */
  orders: Map<string, readonly string[]> | undefined;
}

type Written = Required<Change>;

/** A record as some codec wrote it. */
interface WrittenBytes {
  readonly codec: unknown;
  readonly bytes: Uint8Array;
}

/** Value of an index to keys that came or went. */
interface Moved {
  readonly came: Map<string, Set<string>>;
  readonly went: Map<string, Set<string>>;
}

const NO_VALUES: readonly string[] = [];

export function draftOf(base: Reader): Draft {
  /** In the order of their first writes: a step writes into a handful of tables. */
  const overlays: Overlay[] = [];
  /** What `changes` gave, until the next write. */
  let given: readonly Change[] | undefined;
  /** By record its bytes, once somebody asked for them: bounds, the count of space and the store all do. */
  let encoded: Map<unknown, WrittenBytes> | undefined;

  function overlayOf<R>({ name }: Table<R>): Overlay | undefined {
    for (const each of overlays) if (each.table.name === name) return each;
    return undefined;
  }

  function overlay<R>(table: Table<R>): Overlay {
    const held = overlayOf(table);
    if (held !== undefined) return held;
    const fresh: Overlay = {
      table: table as Table<unknown>,
      rows: new Map(),
      grown: 0,
      moved: undefined,
      orders: undefined,
    };
    overlays.push(fresh);
    return fresh;
  }

  function get<R>(table: Table<R>, key: string): R | undefined {
    const written = overlayOf(table)?.rows.get(key);
    return written === undefined ? base.get(table, key) : (written.record as R | undefined);
  }

  function movedIn<R>(table: Table<R>, index: string): Moved | undefined {
    const moved = overlayOf(table)?.moved;
    return moved === undefined ? undefined : moved.get(table.indexNames.indexOf(index));
  }

  function ordered<R>(table: Table<R>, order: string, value: string): readonly string[] {
    return overlayOf(table)?.orders?.get(slotOf(order, value)) ?? base.ordered(table, order, value);
  }

  function placesHeld<R>(table: Table<R>, key: string): Places {
    const written = overlayOf(table)?.rows.get(key);
    if (written !== undefined) return written.places;
    const held = base.placesHeld?.(table, key);
    if (held !== undefined) return held;
    const record = base.get(table, key);
    return record === undefined ? NO_PLACES : table.placesOf(record, key);
  }

  function bytesOf<R>(table: Table<R>, record: R): Uint8Array {
    if (base.sharing !== undefined && table.common) return bytesOfRecord(table, record, base.sharing);
    const before = bytesHeld(table, record);
    if (before !== undefined) return before;
    const bytes = bytesOfRecord(table, record);
    encoded ??= new Map();
    encoded.set(record, { codec: table.record, bytes });
    return bytes;
  }

  function bytesHeld<R>({ record: codec }: Table<R>, record: R | undefined): Uint8Array | undefined {
    const before = record === undefined ? undefined : encoded?.get(record);
    return before?.codec === codec ? before.bytes : undefined;
  }

  return {
    endless: base.endless ?? false,
    amendments: base.amendments,
    sharing: base.sharing,
    get,
    placesHeld,
    bytesOf,
    find(table, index, value, most = Infinity) {
      const moved = movedIn(table, index);
      if (moved === undefined) return base.find(table, index, value, most);
      const came = moved.came.get(value);
      const went = moved.went.get(value);
      const found = base.find(table, index, value, most + (went?.size ?? 0));
      if (came === undefined && went === undefined) return found;
      const kept = went === undefined ? found : found.filter((key) => !went.has(key));
      return (came === undefined ? kept : [...kept, ...came]).slice(0, Math.max(0, most));
    },
    count(table, index, value) {
      const moved = movedIn(table, index);
      const many = base.count(table, index, value);
      if (moved === undefined) return many;
      return many + (moved.came.get(value)?.size ?? 0) - (moved.went.get(value)?.size ?? 0);
    },
    ordered,
    *keys(table) {
      const held = overlayOf(table);
      for (const key of base.keys(table)) if (!held?.rows.has(key)) yield key;
      if (held !== undefined) for (const [key, { record }] of held.rows) if (record !== undefined) yield key;
    },
    *entries<R>(table: Table<R>): Iterable<readonly [string, R]> {
      const held = overlayOf(table);
      for (const entry of entriesOf(base, table)) if (!held?.rows.has(entry[0])) yield entry;
      if (held !== undefined)
        for (const [key, { record }] of held.rows) if (record !== undefined) yield [key, record as R];
    },
    size: (table) => base.size(table) + (overlayOf(table)?.grown ?? 0),
    put(table, key, record) {
      given = undefined;
      const held = overlay(table);
      const places = record === undefined ? NO_PLACES : placesOf(base.sharing, table, record, key);
      const before = placesHeld(table, key);
      for (let number = 0; number < table.indexNames.length; number += 1) {
        const [were, are] = [before[number] ?? NO_VALUES, places[number] ?? NO_VALUES];
        if (areSame(were, are)) continue;
        held.moved ??= new Map();
        moveBetween(held.moved, number, were, are, key);
      }
      for (const name in table.orders) {
        const written = { key, before: get(table, key), record };
        const lists = {
          held: (value: string) => ordered(table, name, value),
          of: (each: string) => known(get(table, each), "a record in order"),
          put(value: string, keys: readonly string[]) {
            held.orders ??= new Map();
            held.orders.set(slotOf(name, value), keys);
          },
        };
        reorder(table.orders[name] as Order<typeof record>, written, lists, table.common ? base.sharing : undefined);
      }
      held.grown += (record === undefined ? 0 : 1) - (get(table, key) === undefined ? 0 : 1);
      held.rows.set(key, { table: table.name, key, record, places, bytes: bytesHeld(table, record) });
    },
    changes() {
      given ??= changesIn(overlays);
      return given;
    },
    wrote: (table) => overlayOf(table) !== undefined,
  };
}

/** Where a record is found; what nodes may hold in common was asked that before. */
function placesOf<R>(sharing: SharingPort | undefined, table: Table<R>, record: R, key: string): Places {
  if (sharing === undefined || !table.common || !isShareable(record)) return table.placesOf(record, key);
  const first = sharing.of(table.indexes, record, () => ({ key, places: table.placesOf(record, key) }));
  return first.key === key ? first.places : table.placesOf(record, key);
}

function changesIn(overlays: readonly Overlay[]): readonly Change[] {
  const changes: Change[] = [];
  for (const { rows } of overlays) for (const written of rows.values()) changes.push(written);
  return changes;
}

function areSame(some: readonly string[], others: readonly string[]): boolean {
  return some === others || (some.length === others.length && some.every((value, at) => value === others[at]));
}

/** Takes a key from the values of an index under which it was found to those under which it is found now. */
function moveBetween(
  moved: Map<number, Moved>,
  number: number,
  old: readonly string[],
  now: readonly string[],
  key: string,
): void {
  const { came, went } = moved.get(number) ?? { came: new Map(), went: new Map() };
  moved.set(number, { came, went });
  for (const value of old) if (!now.includes(value)) move(went, came, value, key);
  for (const value of now) if (!old.includes(value)) move(came, went, value, key);
}

function move(into: Map<string, Set<string>>, outOf: Map<string, Set<string>>, value: string, key: string): void {
  if (outOf.get(value)?.delete(key)) return;
  const keys = into.get(value);
  if (keys === undefined) into.set(value, new Set([key]));
  else keys.add(key);
}
