/**
 * Rows of a disk that wears: some are not what was written, and one write may land in another row's place. A ledger
 * keeps a checksum of key and content with each row (adapters/sqlite), which finds any change of either; so a damaged
 * row is one that cannot be read, and what it would hold is never shown. A row that stays as it was because its new
 * content went elsewhere has a checksum that is right: nobody finds that out. Source: DESIGN section 5 "Faults".
 */
import type { Outcome, RowPage, Rows } from "../adapters/store/row-store.ts";
import { broken } from "../adapters/store/row-store.ts";
import type { StoreWrite } from "../core/ports/store.ts";
import type { FaultLedger, Injection } from "./faults.ts";
import type { Stream } from "./random.ts";
import { below } from "./random.ts";

/** Where a row stands. */
export interface RowPlace {
  readonly table: string;
  readonly key: string;
}

/** What a disk remembers of its wear. */
export interface HeldWear {
  /** Rows that do not match their checksums, by place, with what damaged them. */
  readonly damaged: Map<string, RowPlace & { readonly injection: Injection }>;
  /** Why the next write goes astray, if it does. */
  astray: Injection | undefined;
  /** Decisions that were taken. */
  drawn: number;
}

/** Rows that wear, and what is done to them. */
export interface WornRows extends Rows {
  /** So many rows are not what was written any more. */
  readonly rot: (count: number, injection: Injection) => void;
  /** Takes every damaged row away. Answers how many there were. */
  readonly repair: () => number;
}

export interface WearOptions {
  readonly rows: Rows;
  readonly held: HeldWear;
  readonly stream: Stream;
  readonly faults: FaultLedger;
  /** Told of rows that are from now on not what the node wrote. */
  readonly worn: (rows: readonly RowPlace[]) => void;
}

/** A disk that has not worn. */
export function noWear(): HeldWear {
  return { damaged: new Map(), astray: undefined, drawn: 0 };
}

/** The same rows, worn as `held` says. */
export function openWornRows(options: WearOptions): WornRows {
  const { rows, held } = options;
  return {
    commit(writes) {
      const landed = held.astray === undefined ? writes : misdirected(options, held.astray, writes);
      for (const { table, key } of landed) held.damaged.delete(placeOf({ table, key }));
      return rows.commit(landed);
    },
    pages: () => wornPages(options),
    close: rows.close,
    rot(count, injection) {
      const places = placesIn(rows);
      const rotten: RowPlace[] = [];
      for (let left = count; left > 0 && places.length > 0; left -= 1) rotten.push(...draw(options, places));
      damage(options, rotten, injection);
    },
    repair() {
      const gone = [...held.damaged.values()];
      held.damaged.clear();
      const removed = rows.commit(gone.map(({ table, key }) => ({ table, key, bytes: null })));
      if (!removed.ok) throw new Error(`bug: a simulated disk cannot be repaired: ${removed.error.code}`);
      return gone.length;
    },
  };
}

/** One row of the batch lands in the place of another row, which is damaged by it; its own place stays as it was. */
function misdirected(options: WearOptions, injection: Injection, writes: readonly StoreWrite[]): readonly StoreWrite[] {
  const written = new Set(writes.map(placeOf));
  const others = placesIn(options.rows).filter((place) => !written.has(placeOf(place)));
  const [victim] = draw(options, others);
  const [lost] = draw(options, [...writes]);
  if (victim === undefined || lost === undefined) return writes;
  options.held.astray = undefined;
  damage(options, [victim], injection);
  options.worn([{ table: lost.table, key: lost.key }]);
  return writes.filter((write) => placeOf(write) !== placeOf(lost));
}

function damage({ held, worn }: WearOptions, places: readonly RowPlace[], injection: Injection): void {
  for (const { table, key } of places) held.damaged.set(placeOf({ table, key }), { table, key, injection });
  worn(places);
}

/** Takes one of several out of their list. */
function draw<T>({ held, stream }: WearOptions, from: T[]): readonly T[] {
  return from.length === 0 ? [] : from.splice(below(stream, held.drawn++, from.length), 1);
}

function* wornPages({ rows, held, faults }: WearOptions): Generator<Outcome<RowPage>, undefined> {
  const pages = rows.pages();
  for (let page = pages.next(); page.done !== true; page = pages.next()) {
    const found = held.damaged.size > 0 && page.value.ok ? damagedIn(page.value.value, held) : undefined;
    faults.bite(found?.injection);
    yield found === undefined
      ? page.value
      : broken(`table ${found.table}, row ${JSON.stringify(found.key)} does not match its checksum`);
  }
  return undefined;
}

function damagedIn({ rows }: RowPage, { damaged }: HeldWear) {
  const found = rows.find((row) => damaged.has(placeOf(row)));
  return found && damaged.get(placeOf(found));
}

function placesIn(rows: Rows): RowPlace[] {
  const places: RowPlace[] = [];
  const pages = rows.pages();
  for (let page = pages.next(); page.done !== true; page = pages.next()) {
    if (page.value.ok) places.push(...page.value.value.rows.map(({ table, key }) => ({ table, key })));
  }
  return places;
}

/** No table's name has NUL in it. */
function placeOf({ table, key }: RowPlace): string {
  return `${table}\0${key}`;
}
