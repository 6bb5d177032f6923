/**
 * The rows of one table as a state holds them: those in memory with their indexes, and beneath them those that are
 * sealed and lie in pages. Each row lies in one of the two. Source: CONVERGENCE "Roots", B7.
 */

import { known } from "./assert.ts";
import type { Keyed, KeyedRows } from "./layered.ts";
import { inRankOrder, reorder } from "./ordered.ts";
import type { Row } from "./packed-row.ts";
import { placesOfRow } from "./packed-row.ts";
import type { SealedRows } from "./sealed-rows.ts";
import { rowsWith } from "./sealed-rows.ts";
import type { Order, Table } from "./table.ts";
import { firstOf, slotOf } from "./table.ts";

export const NO_KEYS: readonly string[] = [];

/** Who may write into rows: one state, told apart by identity. */
export interface Owner {
  readonly owns: "rows";
}

/** The rows of a table. Copies of a state share them; who does not own them writes into rows of its own. */
export interface HeldRows {
  readonly owner: Owner;
  /** All of them, for whoever reads. */
  readonly rows: KeyedRows<Row>;
  /** Those that do not lie in pages: what is written is written here. */
  readonly live: KeyedRows<Row>;
  /** Of these, by place, the key that is found there, or the keys: most places have one. */
  readonly indexes: Keyed<string | Set<string>>;
  /** Ordered indexes of these; a list of keys is never changed once made. */
  readonly orders: Keyed<readonly string[]>;
  /** Where rows were another's: the places of `indexes` whose keys have become the owner's. */
  readonly ownPlaces: Set<string> | undefined;
  readonly sealed: SealedRows | undefined;
}

/** The rows of an empty table, to be written into by their owner. */
export function noRows(owner: Owner): HeldRows {
  const rows = new Map<string, Row>();
  return { owner, rows, live: rows, indexes: new Map(), orders: new Map(), ownPlaces: undefined, sealed: undefined };
}

/** Rows with others that lie in pages. */
export function withSealed(held: HeldRows, sealed: SealedRows): HeldRows {
  return { ...held, rows: rowsWith(held.live, sealed), sealed };
}

/** Rows to be written into. The keys at a place follow when that is written into. */
export function ownedRows({ live: before, indexes, orders, sealed }: HeldRows, owner: Owner): HeldRows {
  const live = new Map(before);
  const maps = { rows: live, live, indexes: new Map(indexes), orders: new Map(orders), sealed: undefined };
  const own = { owner, ...maps, ownPlaces: new Set<string>() };
  return sealed === undefined ? own : withSealed(own, sealed.copy());
}

/** The same rows, all of them in memory: plain values, which can be kept as bytes. */
export function unpagedRows(table: Table<unknown>, rows: HeldRows): HeldRows {
  if (rows.sealed === undefined) return rows;
  const own = ownedRows(rows, rows.owner);
  for (const key of rows.sealed.keys()) takeBack(table, own, key);
  return { ...own, rows: own.live, sealed: undefined };
}

/** The keys at a place of an index, so many at most. */
export function keysAt({ indexes, sealed }: HeldRows, place: string, most: number): readonly string[] {
  const keys = indexes.get(place);
  if (most <= 0) return NO_KEYS;
  const live = keys === undefined ? NO_KEYS : listed(keys, most);
  if (sealed === undefined || live.length >= most) return live;
  const others = sealed.under("indexes", place, most - live.length);
  return others.length === 0 ? live : [...live, ...others];
}

/** How many keys there are at a place. */
export function countAt({ indexes, sealed }: HeldRows, place: string): number {
  const keys = indexes.get(place);
  const live = typeof keys === "string" ? 1 : (keys?.size ?? 0);
  return live + (sealed?.count("indexes", place) ?? 0);
}

/** The keys under a value of an ordered index, in its order. */
export function orderedAt(table: Table<unknown>, held: HeldRows, name: string, value: string): readonly string[] {
  const place = slotOf(name, value);
  const live = held.orders.get(place) ?? NO_KEYS;
  const sealed = held.sealed?.under("orders", place) ?? NO_KEYS;
  if (sealed.length === 0) return live;
  const rows = [...live, ...sealed].map((key) => ({ key, record: known(held.rows.get(key), "a row in order").record }));
  return inRankOrder(table.orders[name] as Order<unknown>, rows);
}

/** Takes a key from the places where it was found, and to those where it is found now. */
export function index(held: HeldRows, key: string, old: readonly string[], now: readonly string[]): void {
  for (const place of old) if (!now.includes(place)) leave(held, place, key);
  for (const place of now) if (!old.includes(place)) enter(held, place, key);
}

/** The same of ordered indexes. */
export function order(table: Table<unknown>, held: HeldRows, key: string, before: unknown, record: unknown): void {
  for (const name in table.orders) {
    reorder(
      table.orders[name] as Order<unknown>,
      { key, before, record },
      {
        held: (value) => held.orders.get(slotOf(name, value)) ?? NO_KEYS,
        of: (each) => known(held.live.get(each), "a record in order").record,
        put(value, keys) {
          if (keys.length === 0) held.orders.delete(slotOf(name, value));
          else held.orders.set(slotOf(name, value), keys);
        },
      },
    );
  }
}

/** Takes a sealed row back into memory, where there is one of a key: it is going to be written over. */
export function takeBack(table: Table<unknown>, held: HeldRows, key: string): void {
  const row = held.sealed?.take(key);
  if (row === undefined) return;
  held.live.set(key, row);
  index(held, key, NO_KEYS, placesOfRow(table, key, row));
  order(table, held, key, undefined, row.record);
}

/** Puts a row of memory into the pages. */
export function putAway(table: Table<unknown>, held: HeldRows, key: string, row: Row): void {
  order(table, held, key, row.record, undefined);
  held.live.delete(key);
  index(held, key, placesOfRow(table, key, row), NO_KEYS);
  known(held.sealed, "pages").put(key, row);
}

function listed(keys: string | Set<string>, most: number): readonly string[] {
  if (typeof keys === "string") return [keys];
  return keys.size <= most ? [...keys] : firstOf(keys, most);
}

/** Several keys at a place, to be written into. */
function ownKeys({ indexes, ownPlaces }: HeldRows, place: string, keys: Set<string>): Set<string> {
  if (ownPlaces === undefined || ownPlaces.has(place)) return keys;
  const own = new Set(keys);
  ownPlaces.add(place);
  indexes.set(place, own);
  return own;
}

function leave(held: HeldRows, place: string, key: string): void {
  const keys = held.indexes.get(place);
  if (keys === undefined || keys === key) held.indexes.delete(place);
  else if (typeof keys !== "string") {
    const own = ownKeys(held, place, keys);
    own.delete(key);
    if (own.size === 0) held.indexes.delete(place);
  }
}

function enter(held: HeldRows, place: string, key: string): void {
  const keys = held.indexes.get(place);
  if (keys === undefined) held.indexes.set(place, key);
  else if (typeof keys !== "string") ownKeys(held, place, keys).add(key);
  else {
    held.indexes.set(place, new Set([keys, key]));
    held.ownPlaces?.add(place);
  }
}
