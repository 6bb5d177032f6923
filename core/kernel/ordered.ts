/**
 * Keys in the order of a rank: what an ordered index of a table keeps for one value. A list is never changed once made,
 * so states and drafts share it; finding a place takes the logarithm of its length.
 * Source: CONVERGENCE B5.
 */

import type { SharingPort } from "../ports/sharing.ts";
import type { Order, Reader, Table } from "./table.ts";
import { eachOnce, isShareable } from "./table.ts";
import { compareText } from "./text.ts";

const NO_VALUES: readonly string[] = [];

/** The first place whose rank is not below one; `rankAt` gives the rank at a place. */
function placeOf(length: number, rank: string, rankAt: (place: number) => string): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (rankAt(middle) < rank) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** No two keys share a rank: the key itself decides between equals. */
function rankOf<R>(order: Order<R>, key: string, record: R): string {
  return `${order.rank(record, key)}/${key}`;
}

/** Keys in the order of an index, of the records that stand under one value of it. */
export function inRankOrder<R>(
  order: Order<R>,
  rows: readonly { readonly key: string; readonly record: R }[],
): readonly string[] {
  const ranked = rows.map(({ key, record }) => ({ key, rank: rankOf(order, key, record) }));
  return ranked.sort((a, b) => (a.rank < b.rank ? -1 : 1)).map(({ key }) => key);
}

/** The values that a record stands under; of what nodes hold in common, each is asked once for all of them. */
export function valuesUnder<R>(
  order: Order<R>,
  key: string,
  record: R,
  sharing: SharingPort | undefined,
): readonly string[] {
  const make = () => ({ key, values: eachOnce(order.under(record, key)) });
  const first = sharing === undefined || !isShareable(record) ? make() : sharing.of(order, record, make);
  return first.key === key ? first.values : make().values;
}

/** What a record that is written changes in an ordered index: the lists of the values it stands under. */
export function reorder<R>(
  order: Order<R>,
  { key, before, record }: { readonly key: string; readonly before: R | undefined; readonly record: R | undefined },
  lists: {
    readonly held: (value: string) => readonly string[];
    readonly of: (key: string) => R;
    readonly put: (value: string, keys: readonly string[]) => void;
  },
  sharing: SharingPort | undefined,
): void {
  const old = before === undefined ? NO_VALUES : valuesUnder(order, key, before, sharing);
  const now = record === undefined ? NO_VALUES : valuesUnder(order, key, record, sharing);
  const was = before === undefined ? "" : rankOf(order, key, before);
  const is = record === undefined ? "" : rankOf(order, key, record);
  const rankAt = (keys: readonly string[]) => (place: number) => {
    const each = keys[place] as string;
    return each === key ? was : rankOf(order, each, lists.of(each));
  };
  for (const value of new Set([...old, ...now])) {
    const [stood, stands] = [old.includes(value), now.includes(value)];
    if (stood && stands && was === is) continue;
    let keys = lists.held(value);
    if (stood) keys = keys.toSpliced(placeOf(keys.length, was, rankAt(keys)), 1);
    if (stands) keys = keys.toSpliced(placeOf(keys.length, is, rankAt(keys)), 0, key);
    lists.put(value, keys);
  }
}

/** Two ranks: what lies between them does not come before the first and comes before the second. */
export type Stretch = readonly [from: string, end: string];

/** The keys under a value of an ordered index whose ranks lie in a stretch, in its order. */
export function keysWithin<R>(
  reader: Reader,
  table: Table<R>,
  order: string,
  value: string,
  stretch: Stretch,
): readonly string[] {
  const keys = reader.ordered(table, order, value);
  return keys.slice(...placesOf(reader, table, order, keys, stretch));
}

/** The first of them. */
export function firstWithin<R>(
  reader: Reader,
  table: Table<R>,
  order: string,
  value: string,
  stretch: Stretch,
): string | undefined {
  const keys = reader.ordered(table, order, value);
  const [first, end] = placesOf(reader, table, order, keys, stretch);
  return first < end ? keys[first] : undefined;
}

/** The last of them. */
export function lastWithin<R>(
  reader: Reader,
  table: Table<R>,
  order: string,
  value: string,
  stretch: Stretch,
): string | undefined {
  const keys = reader.ordered(table, order, value);
  const [first, end] = placesOf(reader, table, order, keys, stretch);
  return first < end ? keys[end - 1] : undefined;
}

/** The places between which a stretch lies among keys. */
function placesOf<R>(
  reader: Reader,
  table: Table<R>,
  name: string,
  keys: readonly string[],
  [from, end]: Stretch,
): readonly [first: number, end: number] {
  const order = table.orders[name] as Order<R>;
  const rankAt = (place: number) => {
    const key = keys[place] as string;
    return rankOf(order, key, reader.get(table, key) as R);
  };
  return [placeOf(keys.length, from, rankAt), placeOf(keys.length, end, rankAt)];
}

/** Of all that bear an id the one that comes first, for each id; in order of the ids. */
export function firstOfEach<T>(
  all: Iterable<T>,
  idOf: (each: T) => string,
  compare: (a: T, b: T) => number,
): readonly T[] {
  const first = new Map<string, T>();
  for (const each of all) {
    const id = idOf(each);
    const other = first.get(id);
    if (other === undefined || compare(each, other) < 0) first.set(id, each);
  }
  return [...first].sort(([a], [b]) => compareText(a, b)).map(([, each]) => each);
}
