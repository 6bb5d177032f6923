/**
 * Rows of one table in pages that are written once: so many rows a page, found by their numbers. The last page is in
 * memory until it is full; of those that are read a few are kept. Of each a hash is kept in memory, and what comes back
 * otherwise than it was written is never read: whoever keeps the pages is told, and the node ends.
 * Source: CONVERGENCE B7; DESIGN §9.1.
 */

import type { CryptoPort } from "../ports/crypto.ts";
import type { PagesPort } from "../ports/pages.ts";
import { assert, known } from "./assert.ts";
import { equalBytes } from "./bytes.ts";
import { copiedRow } from "./packed-row.ts";
import type { PackedRow, PackedTable } from "./packed-table.ts";
import { openPackedTable, packTable } from "./packed-table.ts";

/** Rows of one page, some 16 kB of statements: for one of them all are read and hashed. Source: DESIGN §9.1. */
export const ROWS_OF_PAGE = 32;
/** Pages of a table that stay in memory once they were read. Source: DESIGN §9.1. */
export const PAGES_READ_MAX = 64;

const NO_BYTES = new Uint8Array(0);
const DROPPED: PackedRow = { key: NO_BYTES, record: NO_BYTES, hash: undefined, isArchived: false };

/** Rows by their numbers. */
export interface RowPages {
  /** Takes a row; answers its number. */
  add(row: PackedRow): number;
  row(number: number): PackedRow;
  /** Nobody asks for a row any more. */
  drop(number: number): void;
  /** All rows, page after page. */
  all(): Iterable<readonly [number: number, row: PackedRow]>;
  /** One that shares the pages that are written, and nothing else. */
  copy(): RowPages;
}

interface Page {
  readonly place: number;
  readonly hash: Uint8Array;
  /** A bit for each row that was not dropped. */
  readonly live: number;
}

/** Pages that are written, and the rows of the last one: nothing where all rows of a page, or one of the last, left. */
interface Held {
  readonly pages: readonly (Page | undefined)[];
  readonly open: readonly (PackedRow | undefined)[];
}

/** What rows are kept with. */
interface Keeping {
  readonly name: string;
  readonly isHashed: boolean;
  readonly crypto: CryptoPort;
  readonly port: PagesPort;
}

/** Pages of a table, which has none yet. */
export function openRowPages(keeping: Keeping): RowPages {
  return pagesOf(keeping, { pages: [], open: [] });
}

function pagesOf({ name, isHashed, crypto, port }: Keeping, held: Held): RowPages {
  const pages = [...held.pages];
  const open = [...held.open];
  const read = new Map<number, PackedTable>();

  /** Writes the page that is full. */
  function write(): void {
    const rows = open.splice(0);
    const live = rows.reduce((bits, row, at) => (row === undefined ? bits : bits | (1 << at)), 0);
    const bytes = packTable({ size: rows.length, isHashed, row: (at) => rows[at] ?? DROPPED }, NO_BYTES, NO_BYTES);
    pages.push(live === 0 ? undefined : { place: port.append(bytes), hash: crypto.sha256(bytes), live });
  }

  function pageAt(number: number): PackedTable {
    const held = read.get(number);
    const page = held ?? opened(known(pages[number], "a page of rows"));
    read.delete(number);
    read.set(number, page);
    const [oldest] = read.keys();
    if (read.size > PAGES_READ_MAX && oldest !== undefined) read.delete(oldest);
    return page;
  }

  function opened({ place, hash }: Page): PackedTable {
    const bytes = port.read(place);
    const isWhole = equalBytes(crypto.sha256(bytes), hash);
    if (!isWhole) port.damaged(place, name);
    assert(isWhole, `the page at ${place} of ${name} is what was written`);
    return known(openPackedTable(bytes), "a page of rows");
  }

  function row(number: number): PackedRow {
    const [page, at] = [Math.floor(number / ROWS_OF_PAGE), number % ROWS_OF_PAGE];
    return page === pages.length ? known(open[at], "a row of the last page") : copiedRow(pageAt(page), at);
  }

  return {
    add(added) {
      open.push(added);
      const number = pages.length * ROWS_OF_PAGE + open.length - 1;
      if (open.length === ROWS_OF_PAGE) write();
      return number;
    },
    row,
    drop(number) {
      const [at, slot] = [Math.floor(number / ROWS_OF_PAGE), number % ROWS_OF_PAGE];
      if (at === pages.length) open[slot] = undefined;
      const page = pages[at];
      if (page === undefined) return;
      const live = page.live & ~(1 << slot);
      pages[at] = live === 0 ? undefined : { ...page, live };
      if (live === 0) read.delete(at);
    },
    *all() {
      for (const [at, page] of pages.entries()) {
        if (page === undefined) continue;
        const table = opened(page);
        for (let slot = 0; slot < ROWS_OF_PAGE; slot++)
          if ((page.live & (1 << slot)) !== 0) yield [at * ROWS_OF_PAGE + slot, copiedRow(table, slot)];
      }
      for (const [slot, each] of open.entries())
        if (each !== undefined) yield [pages.length * ROWS_OF_PAGE + slot, each];
    },
    copy: () => pagesOf({ name, isHashed, crypto, port }, { pages, open }),
  };
}

/** Pages that are kept in memory. */
export function pagesInMemory(): PagesPort {
  const pages: Uint8Array[] = [];
  return {
    append: (page) => pages.push(page) - 1,
    read: (place) => pages[place] ?? NO_BYTES,
    clear: () => void pages.splice(0),
    damaged: () => undefined,
  };
}
