/**
 * Rows that leave once a date of theirs is past: found by the minute of it, so that whoever takes them away looks at
 * what is expired and at little else, so many a step. The hours in which a table has such rows are noted, as no index
 * says which values it has. Source: CONVERGENCE B5, B7.
 */

import { known } from "../kernel/assert.ts";
import type { Draft } from "../kernel/draft.ts";
import { struct } from "../kernel/schema-composites.ts";
import { u64 } from "../kernel/schema-scalars.ts";
import type { Table } from "../kernel/table.ts";
import { table } from "../kernel/table.ts";
import { minuteOf, Text } from "../kernel/values.ts";

/** Rows that a step takes away because of their dates: the next goes on. Source: CONVERGENCE B5. */
export const SWEPT_AT_ONCE = 64;
const MINUTES_OF_HOUR = 60n;

const DatedHour = struct("DatedHour", { rows: Text, hour: u64 });
/** The hours of the minutes under which a table has rows, or had some. */
export const DatedHours = table("dated_hours", DatedHour, {
  root: "local",
  checkpoint: DatedHour,
  indexes: { rows: ({ rows }) => [rows] },
});

/** Rows of a table that has an index `minute`, or a group of them. */
export interface DatedRows<R> {
  readonly table: Table<R>;
  /** What stands before the minute in the index. */
  readonly group: string;
  readonly dateOf: (record: R) => bigint;
}

/** Notes a row that was written: every row of a table with an index `minute` has to be. */
export function noteDated<R>(draft: Draft, { name, indexes }: Table<R>, key: string, record: R): void {
  for (const place of indexes.minute?.(record, key) ?? []) {
    const end = place.lastIndexOf("/") + 1;
    const rows = `${name}/${place.slice(0, end)}`;
    const hour = BigInt(place.slice(end)) / MINUTES_OF_HOUR;
    if (draft.get(DatedHours, `${rows}${hour}`) === undefined) draft.put(DatedHours, `${rows}${hour}`, { rows, hour });
  }
}

/**
 * Takes away rows that are dated before an instant, so many at most; their keys, and whether that was all. In the
 * minute that is not over yet they are told from the others only where both are few: else they wait until it is.
 */
export function removeDated<R>(
  draft: Draft,
  rows: DatedRows<R>,
  instant: bigint,
  most: number,
): { readonly keys: readonly string[]; readonly isAll: boolean } {
  const last = minuteOf(instant);
  const keys: string[] = [];
  for (const slot of draft.find(DatedHours, "rows", `${rows.table.name}/${rows.group}`)) {
    const first = known(draft.get(DatedHours, slot), "an hour").hour * MINUTES_OF_HOUR;
    const end = first + MINUTES_OF_HOUR;
    let stay = 0;
    for (let minute = first; minute < end && minute <= last; minute++) {
      const { expired, left } = lookAt(draft, rows, {
        minute,
        isOver: minute < last,
        instant,
        most: most - keys.length,
      });
      for (const key of expired) draft.put(rows.table, key, undefined);
      keys.push(...expired);
      if (left === "more") return { keys, isAll: false };
      if (left === "some") stay += 1;
    }
    if (end <= last && stay === 0) draft.put(DatedHours, slot, undefined);
  }
  return { keys, isAll: true };
}

/** The keys of the rows that are dated first, by minutes, so many at most. */
export function oldestDated<R>(
  draft: Draft,
  { table: from, group }: Pick<DatedRows<R>, "table" | "group">,
  most: number,
): readonly string[] {
  const noted = draft.find(DatedHours, "rows", `${from.name}/${group}`);
  const hours = noted.map((slot) => known(draft.get(DatedHours, slot), "an hour").hour).sort(compareHours);
  const keys: string[] = [];
  for (const hour of hours) {
    for (let minute = hour * MINUTES_OF_HOUR; minute < (hour + 1n) * MINUTES_OF_HOUR; minute++) {
      if (keys.length >= most) return keys;
      keys.push(...draft.find(from, "minute", `${group}${minute}`, most - keys.length));
    }
  }
  return keys;
}

function compareHours(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

interface Look {
  readonly minute: bigint;
  readonly isOver: boolean;
  readonly instant: bigint;
  readonly most: number;
}

/** The expired ones of a minute's rows, and whether others stay there, or are expired too and wait for another step. */
function lookAt<R>(
  draft: Draft,
  { table: from, group, dateOf }: DatedRows<R>,
  { minute, isOver, instant, most }: Look,
): { readonly expired: readonly string[]; readonly left: "none" | "some" | "more" } {
  const place = `${group}${minute}`;
  const rows = draft.count(from, "minute", place);
  if (rows === 0) return { expired: [], left: "none" };
  if (isOver) return { expired: draft.find(from, "minute", place, most), left: rows > most ? "more" : "none" };
  if (rows > SWEPT_AT_ONCE) return { expired: [], left: "some" };
  if (rows > most) return { expired: [], left: "more" };
  const isPast = (key: string) => dateOf(draft.get(from, key) as R) < instant;
  return { expired: draft.find(from, "minute", place).filter(isPast), left: "some" };
}
