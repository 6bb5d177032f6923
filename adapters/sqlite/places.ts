/**
 * Places: every change of a ledger gets the next one, so that what changed since a checkpoint lies behind its place.
 * Removals are kept only while there is a checkpoint, or one is being made: else nobody will ask for them.
 * Not here: who asks (changes.ts).
 */
import { crc32 } from "node:zlib";
import { COUNT_REMOVALS, KEEP_REMOVAL, NAMED_CHECKPOINT, NEWEST_PLACE } from "./schema.ts";
import type { SqlDriver, SqlStatement } from "./sql-driver.ts";

/** The places of a ledger's changes. */
export interface Places {
  /** The newest place that was given. */
  newest(): number;
  /** The place of the next change. */
  next(): number;
  /** Keeps a removal, where removals are kept. */
  noteRemoval(place: number, tableId: number, key: string): void;
  /** Before a transaction is committed: how many removals it kept is counted with them. */
  finish(): void;
  /** The transaction was rolled back. */
  giveUp(): void;
  /** Whether removals are kept from now on; unless said, while the ledger names a checkpoint. */
  keep(removals: boolean): void;
}

/** The places of an open database whose tables exist. */
export function openPlaces(driver: SqlDriver): Places {
  let newest: number | undefined;
  let keeps: boolean | undefined;
  let noted = 0;
  const statements = new Map<string, SqlStatement>();
  const prepared = (sql: string): SqlStatement => {
    const statement = statements.get(sql) ?? driver.prepare(sql);
    statements.set(sql, statement);
    return statement;
  };
  const newestPlace = (): number => {
    newest ??= Number(prepared(NEWEST_PLACE).all([])[0]?.[0] ?? 0);
    return newest;
  };
  return {
    newest: newestPlace,
    next() {
      newest = newestPlace() + 1;
      return newest;
    },
    noteRemoval(place, tableId, key) {
      keeps ??= prepared(NAMED_CHECKPOINT).all([]).length > 0;
      if (!keeps) return;
      prepared(KEEP_REMOVAL).run([place, tableId, key, removalChecksum(place, tableId, key)]);
      noted += 1;
    },
    finish() {
      if (noted > 0) prepared(COUNT_REMOVALS).run([noted]);
      noted = 0;
    },
    giveUp() {
      newest = undefined;
      noted = 0;
    },
    keep(removals) {
      keeps = removals;
    },
  };
}

/** Finds a removal whose place, table or key changed by itself. */
export function removalChecksum(place: number, tableId: number, key: string | Uint8Array): number {
  return crc32(key, crc32(`${place} ${tableId} `));
}
