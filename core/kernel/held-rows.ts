/**
 * The rows of one table as a state holds them: those in memory with their indexes, and beneath them those that are
 * sealed and lie in pages. Each row lies in one of the two. Source: CONVERGENCE "Roots", B7.
 */

import type { SharingPort } from "../ports/sharing.ts";
import { known } from "./assert.ts";
import type { Keyed, KeyedRows } from "./layered.ts";
import { inRankOrder, reorder } from "./ordered.ts";
import type { Row } from "./packed-row.ts";
import { placesOfRow } from "./packed-row.ts";
import type { SealedRows } from "./sealed-rows.ts";
import { rowsWith } from "./sealed-rows.ts";
import type { Order, Places, Table } from "./table.ts";
import { firstOf, NO_PLACES, slotOf } from "./table.ts";

export const NO_KEYS: readonly string[] = [];

/** So many keys at one place are a list, which is never changed once made; more are a set. */
const FEW = 8;

/** What stands at a place of an index: a key, few of them, or many. */
export type Keys = string | readonly string[] | Set<string>;

/** What stands at a place of an ordered index: a key, or several in its order. */
export type KeysInOrder = string | readonly string[];

/** Keys as an ordered index holds them: at least one. */
export function heldInOrder(keys: readonly string[]): KeysInOrder {
  return keys.length === 1 ? (keys[0] as string) : keys;
}

/** Keys as an index holds them: at least one. */
export function heldKeys(keys: readonly string[]): Keys {
  return keys.length === 1 ? (keys[0] as string) : keys.length <= FEW ? keys : new Set(keys);
}

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
  /** Of these, by the number of an index and a value, what is found there. */
  readonly indexes: (Keyed<Keys> | undefined)[];
  /** Ordered indexes of these, likewise; a list of keys is never changed once made. */
  readonly orders: (Keyed<KeysInOrder> | undefined)[];
  /** Where rows were another's: of the keys in `indexes`, those that have become the owner's. */
  readonly ownKeys: Set<Set<string>> | undefined;
  readonly sealed: SealedRows | undefined;
}

/** The rows of an empty table, to be written into by their owner. */
export function noRows(
  { indexNames, orderNames }: Pick<Table<unknown>, "indexNames" | "orderNames">,
  owner: Owner,
): HeldRows {
  const rows = new Map<string, Row>();
  const maps = { rows, live: rows, indexes: indexNames.map(notYet), orders: orderNames.map(notYet) };
  return { owner, ...maps, ownKeys: undefined, sealed: undefined };
}

/** An index that nothing stands in is made when something does. */
function notYet(): undefined {
  return undefined;
}

/** Rows with others that lie in pages. */
export function withSealed(held: HeldRows, sealed: SealedRows): HeldRows {
  return { ...held, rows: rowsWith(held.live, sealed), sealed };
}

/** Rows to be written into. The keys at a place follow when that is written into. */
export function ownedRows({ live: before, indexes, orders, sealed }: HeldRows, owner: Owner): HeldRows {
  const live = new Map(before);
  const maps = { rows: live, live, indexes: indexes.map(copied), orders: orders.map(copied), sealed: undefined };
  const own = { owner, ...maps, ownKeys: new Set<Set<string>>() };
  return sealed === undefined ? own : withSealed(own, sealed.copy());
}

function copied<V>(keyed: Keyed<V> | undefined): Keyed<V> | undefined {
  return keyed && new Map(keyed);
}

/** The same rows, all of them in memory: plain values, which can be kept as bytes. */
export function unpagedRows(table: Table<unknown>, rows: HeldRows): HeldRows {
  if (rows.sealed === undefined) return rows;
  const own = ownedRows(rows, rows.owner);
  for (const key of rows.sealed.keys()) takeBack(table, own, key);
  return { ...own, rows: own.live, sealed: undefined };
}

/** The keys under a value of an index, so many at most. */
export function keysAt(
  { indexNames }: Pick<Table<unknown>, "indexNames">,
  { indexes, sealed }: HeldRows,
  name: string,
  value: string,
  most: number,
): readonly string[] {
  const keys = indexes[indexNames.indexOf(name)]?.get(value);
  if (most <= 0) return NO_KEYS;
  const live = keys === undefined ? NO_KEYS : listed(keys, most);
  if (sealed === undefined || live.length >= most) return live;
  const others = sealed.under("indexes", slotOf(name, value), most - live.length);
  return others.length === 0 ? live : [...live, ...others];
}

/** How many keys there are under a value. */
export function countAt(
  { indexNames }: Pick<Table<unknown>, "indexNames">,
  { indexes, sealed }: HeldRows,
  name: string,
  value: string,
): number {
  const keys = indexes[indexNames.indexOf(name)]?.get(value);
  const live = keys === undefined ? 0 : countOf(keys);
  return sealed === undefined ? live : live + sealed.count("indexes", slotOf(name, value));
}

/** The keys under a value of an ordered index, in its order. */
export function orderedAt(table: Table<unknown>, held: HeldRows, name: string, value: string): readonly string[] {
  const live = inOrder(held.orders[table.orderNames.indexOf(name)]?.get(value));
  const sealed = held.sealed?.under("orders", slotOf(name, value)) ?? NO_KEYS;
  if (sealed.length === 0) return live;
  const rows = [...live, ...sealed].map((key) => ({ key, record: known(held.rows.get(key), "a row in order").record }));
  return inRankOrder(table.orders[name] as Order<unknown>, rows);
}

function inOrder(keys: KeysInOrder = NO_KEYS): readonly string[] {
  return typeof keys === "string" ? [keys] : keys;
}

/** Takes a key from the places where it was found, and to those where it is found now. */
export function index(held: HeldRows, key: string, old: Places, now: Places): void {
  for (let number = 0; number < held.indexes.length; number += 1) {
    const [were, are] = [old[number] ?? NO_KEYS, now[number] ?? NO_KEYS];
    if (were === are) continue;
    for (const value of were) if (!are.includes(value)) leave(held, number, value, key);
    for (const value of are) if (!were.includes(value)) enter(held, number, value, key);
  }
}

/** The same of ordered indexes. */
export function order(
  table: Table<unknown>,
  held: HeldRows,
  key: string,
  before: unknown,
  record: unknown,
  sharing?: SharingPort | undefined,
): void {
  for (const [number, name] of table.orderNames.entries()) {
    const lists = opened(held.orders, number);
    reorder(
      table.orders[name] as Order<unknown>,
      { key, before, record },
      {
        held: (value) => inOrder(lists.get(value)),
        of: (each) => known(held.live.get(each), "a record in order").record,
        put(value, keys) {
          if (keys.length === 0) lists.delete(value);
          else lists.set(value, heldInOrder(keys));
        },
      },
      table.common ? sharing : undefined,
    );
  }
}

/** Takes a sealed row back into memory, where there is one of a key: it is going to be written over. */
export function takeBack(table: Table<unknown>, held: HeldRows, key: string): void {
  const row = held.sealed?.take(key);
  if (row === undefined) return;
  held.live.set(key, row);
  index(held, key, NO_PLACES, placesOfRow(table, key, row));
  order(table, held, key, undefined, row.record);
}

/** Puts a row of memory into the pages. */
export function putAway(table: Table<unknown>, held: HeldRows, key: string, row: Row): void {
  order(table, held, key, row.record, undefined);
  held.live.delete(key);
  index(held, key, placesOfRow(table, key, row), NO_PLACES);
  known(held.sealed, "pages").put(key, row);
}

function countOf(keys: Keys): number {
  return typeof keys === "string" ? 1 : isMany(keys) ? keys.size : keys.length;
}

function isMany(keys: Keys): keys is Set<string> {
  return keys instanceof Set;
}

function listed(keys: Keys, most: number): readonly string[] {
  if (typeof keys === "string") return [keys];
  if (isMany(keys)) return keys.size <= most ? [...keys] : firstOf(keys, most);
  return keys.length <= most ? keys : keys.slice(0, most);
}

/** Many keys under a value, to be written into. */
function ownKeys({ indexes, ownKeys: own }: HeldRows, number: number, value: string, keys: Set<string>): Set<string> {
  if (own === undefined || own.has(keys)) return keys;
  const copy = new Set(keys);
  own.add(copy);
  indexes[number]?.set(value, copy);
  return copy;
}

/** An index to be written into. */
function opened<V>(indexes: (Keyed<V> | undefined)[], number: number): Keyed<V> {
  const held = indexes[number];
  if (held !== undefined) return held;
  const fresh = new Map<string, V>();
  indexes.splice(number, 1, fresh);
  return fresh;
}

function leave(held: HeldRows, number: number, value: string, key: string): void {
  const index = held.indexes[number];
  const keys = index?.get(value);
  if (keys === undefined || keys === key) index?.delete(value);
  else if (isMany(keys)) {
    const own = ownKeys(held, number, value, keys);
    own.delete(key);
    if (own.size > 0) return;
    index?.delete(value);
    held.ownKeys?.delete(own);
  } else if (typeof keys !== "string") index?.set(value, heldKeys(keys.filter((each) => each !== key)));
}

function enter(held: HeldRows, number: number, value: string, key: string): void {
  const index = opened(held.indexes, number);
  const keys = index.get(value);
  if (keys === undefined) index.set(value, key);
  else if (isMany(keys)) ownKeys(held, number, value, keys).add(key);
  else {
    // A list that is joined keeps no room for more.
    const more = heldKeys(listed(keys, FEW).concat(key));
    index.set(value, more);
    if (isMany(more)) held.ownKeys?.add(more);
  }
}
