/**
 * Sources: what an answer was read from. A step that is given them reads the state through them, and asks its instant
 * and whatever else it was told through them; what it did not ask for, its answer does not rest on.
 * Source: DESIGN §3 "Kept answers".
 */

import type { IdentityReader } from "../kernel/identity-tree.ts";
import type { Reader } from "../kernel/table.ts";
import { entriesOf } from "../kernel/table.ts";
import type { EpochMillis } from "../kernel/values.ts";

export interface Sources {
  /** The same state, each table noted that is asked. */
  reader(of: Reader): Reader;
  /** What a step is told, noted when it is asked. */
  told<T extends Told>(of: T): T;
  /** Names of the tables that were asked. */
  tables(): readonly string[];
  askedInstant(): boolean;
  /** Whether something was asked that is never twice the same. */
  askedElse(): boolean;
}

/** What a step is told that another one is not. */
interface Told {
  readonly now: EpochMillis;
  readonly number: number;
  readonly bootSeed: Uint8Array;
  readonly identities: IdentityReader;
}

/** Nothing was asked yet. */
export function openSources(): Sources {
  const tables = new Set<string>();
  let [instant, other] = [false, false];
  return {
    reader: (of) => ({
      endless: of.endless ?? false,
      amendments: of.amendments,
      sharing: of.sharing,
      get(table, key) {
        tables.add(table.name);
        return of.get(table, key);
      },
      find(table, index, value, most) {
        tables.add(table.name);
        return of.find(table, index, value, most);
      },
      count(table, index, value) {
        tables.add(table.name);
        return of.count(table, index, value);
      },
      ordered(table, order, value) {
        tables.add(table.name);
        return of.ordered(table, order, value);
      },
      keys(table) {
        tables.add(table.name);
        return of.keys(table);
      },
      entries(table) {
        tables.add(table.name);
        return entriesOf(of, table);
      },
      size(table) {
        tables.add(table.name);
        return of.size(table);
      },
    }),
    told: (of) => ({
      ...of,
      get now() {
        instant = true;
        return of.now;
      },
      get number() {
        other = true;
        return of.number;
      },
      get bootSeed() {
        other = true;
        return of.bootSeed;
      },
      get identities() {
        other = true;
        return of.identities;
      },
    }),
    tables: () => [...tables],
    askedInstant: () => instant,
    askedElse: () => other,
  };
}
