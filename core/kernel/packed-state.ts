/**
 * A whole state as packed tables, and a state that begins with them: nothing is decoded, hashed or folded before it is
 * asked for. What a root counts for a row is kept beside it, so the roots of what was packed can be summed up.
 * Source: CONVERGENCE "Durability", "Roots".
 */

import type { CryptoPort } from "../ports/crypto.ts";
import { known } from "./assert.ts";
import { compactReader } from "./compact.ts";
import type { HeldRows, Keys, KeysInOrder } from "./held-rows.ts";
import { heldInOrder, heldKeys, noRows, withSealed } from "./held-rows.ts";
import { treeOf } from "./identity-tree.ts";
import type { KeyedRows } from "./layered.ts";
import { derivedRows, layeredPlaces, layeredRows, packedKey } from "./layered.ts";
import type { Row } from "./packed-row.ts";
import { copiedRow, orderedPlaces, placeHash, placesOfRow } from "./packed-row.ts";
import type { PackedPlace, PackedTable } from "./packed-table.ts";
import { openPackedTable, packPlaces, packTable } from "./packed-table.ts";
import { pagesInMemory } from "./row-pages.ts";
import type { SealedRows } from "./sealed-rows.ts";
import { isPaged, openSealedRows } from "./sealed-rows.ts";
import type { HeldStore, Roots, StoreOptions } from "./state.ts";
import { openStore } from "./state.ts";
import type { Reader, Table, TypeRegistry } from "./table.ts";
import { slotOf } from "./table.ts";

/** Packed tables by name, and the roots that they sum up to. */
export interface PackedState {
  readonly roots: Readonly<Roots>;
  readonly tables: ReadonlyMap<string, Uint8Array>;
}

/** What packed tables are read with. */
interface Opening extends Omit<StoreOptions, "from" | "types"> {
  readonly crypto: CryptoPort;
  readonly tables: readonly Table<unknown>[];
  readonly types: TypeRegistry;
  /** How records are computed that no checkpoint holds, by their tables. */
  readonly derives: Derives;
}

/** Computes a record of a table from others, by the table's name. */
export type Derives = ReadonlyMap<string, (reader: Reader, key: string) => unknown>;

const ROOT_BITS = 256;
const NOTHING: Readonly<Roots> = { statements: 0n, facts: 0n, state: 0n, archive: 0n };

/** The state that was packed; nothing when the bytes are no tables, or their rows do not sum up to the roots. */
export function openPackedState({ roots, tables: packed }: PackedState, opening: Opening): HeldStore | undefined {
  const { crypto, tables, types, derives, ...options } = opening;
  const empty = openStore(crypto, tables).held();
  const state = { ...empty, roots: { ...roots } };
  const port = options.pages ?? pagesInMemory();
  let sums = NOTHING;
  const compared = new Set<string>();
  let reading: Reader | undefined;
  const reader = (): Reader => {
    reading ??= openStore(crypto, tables, { ...options, pages: port, from: state });
    return reading;
  };
  for (const table of tables) {
    const rows = noRows(table, state.owner);
    const derive = derives.get(table.name);
    if (derive !== undefined)
      state.tables.set(
        table.name,
        withRows(
          rows,
          derivedRows((key) => derivedRow(derive(reader(), key))),
        ),
      );
    const bytes = packed.get(table.name);
    if (bytes === undefined) continue;
    const opened = openPackedTable(bytes);
    if (opened === undefined) return undefined;
    const sealed = isPaged(table) ? openSealedRows({ crypto, table, types, port }) : undefined;
    const unsealed = sealed === undefined ? opened : withoutSealed(opened, table, sealed);
    const layered = layeredTable({ crypto, types }, table, unsealed, rows);
    state.tables.set(table.name, sealed === undefined || sealed.size === 0 ? layered : withSealed(layered, sealed));
    sums = withTable(sums, table, opened);
    if (table.compared) for (const key of unsealedKeys(opened)) compared.add(key);
  }
  const isWhole = (Object.keys(sums) as (keyof Roots)[]).every((root) => sums[root] === roots[root]);
  return isWhole ? { ...state, identities: treeOf([...compared].sort(compareDigits)) } : undefined;
}

function layeredTable(
  { crypto, types }: Pick<Opening, "crypto" | "types">,
  table: Table<unknown>,
  packed: PackedTable,
  { owner, ownKeys }: HeldRows,
): HeldRows {
  const rows = layeredRows<Row>(packed, (row, key) => {
    const reader = compactReader(packed.record(row));
    const record = known(table.checkpoint, "how a checkpoint holds a table").read(reader, types);
    known(reader.failed() ? undefined : record, `a record of ${table.name}`);
    const places = table.common ? table.placesOf(record, key) : undefined;
    return { record, places, hash: packed.hash(row), isArchived: packed.isArchived(row) };
  });
  const hashing = (name: string) => (value: string) => placeHash(crypto, slotOf(name, value));
  const indexes = table.indexNames.map((name, number) =>
    layeredPlaces<Keys>({
      ...{ packed, kind: "indexes", hashOf: hashing(name) },
      listOf: heldKeys,
      *values() {
        for (const [key, row] of rows) yield* placesOfRow(table, key, row)[number] as readonly string[];
      },
    }),
  );
  const orders = table.orderNames.map((name, number) =>
    layeredPlaces<KeysInOrder>({
      ...{ packed, kind: "orders", hashOf: hashing(name) },
      listOf: heldInOrder,
      *values() {
        for (const [key, { record }] of rows) yield* orderedPlaces(table, key, record)[number] as readonly string[];
      },
    }),
  );
  return withRows({ owner, ownKeys, indexes, orders }, rows);
}

function withRows(held: Omit<HeldRows, "rows" | "live" | "sealed">, rows: KeyedRows<Row>): HeldRows {
  return { ...held, rows, live: rows, sealed: undefined };
}

/**
 * A packed table without its sealed rows, which go into pages as they lie: nothing of them is decoded. Those of the
 * table of seals all do.
 */
function withoutSealed(packed: PackedTable, { root }: Table<unknown>, sealed: SealedRows): PackedTable {
  const isSealed = (row: number) => root === "seals" || packed.isArchived(row);
  /** The numbers of sealed rows in pages; of all others, from -1 down, those that they have among themselves. */
  const numbers = new Int32Array(packed.size);
  const stay: number[] = [];
  for (let row = 0; row < packed.size; row++) {
    numbers[row] = isSealed(row) ? sealed.putPacked(copiedRow(packed, row)) : -stay.push(row);
  }
  if (stay.length === packed.size) return packed;
  function* staying(kind: "indexes" | "orders"): Iterable<PackedPlace> {
    for (const { place, row } of packed.entries(kind)) {
      const number = known(numbers[row], "the number of a packed row");
      if (number < 0) yield { place, row: -1 - number };
      else sealed.place(kind, place, number);
    }
  }
  const places = (kind: "indexes" | "orders") => packPlaces(staying(kind), packed.entryCount(kind), []);
  const row = (number: number) => copiedRow(packed, known(stay[number], "a row that is not sealed"));
  const [indexes, orders] = [places("indexes"), places("orders")];
  const bytes = packTable({ size: stay.length, isHashed: packed.isHashed, row }, indexes, orders);
  return known(openPackedTable(bytes), "a packed table");
}

function derivedRow(record: unknown): Row | undefined {
  return record === undefined ? undefined : { record, places: [], hash: 0n, isArchived: false };
}

function* unsealedKeys(packed: PackedTable): Iterable<string> {
  for (let row = 0; row < packed.size; row++) if (!packed.isArchived(row)) yield packedKey(packed, row);
}

/** The roots with what a table counts. */
function withTable(sums: Readonly<Roots>, { root }: Table<unknown>, packed: PackedTable): Readonly<Roots> {
  if (root === "local" || root === "seals") return sums;
  const { counted, archived } = packed.sums();
  const plus = (sum: bigint, more: bigint) => BigInt.asUintN(ROOT_BITS, sum + more);
  return { ...sums, [root]: plus(sums[root], counted), archive: plus(sums.archive, archived) };
}

/** Orders two identities that differ. */
function compareDigits(a: string, b: string): number {
  return a < b ? -1 : 1;
}
