/**
 * Lists that are answered whole or in pages: in order of id, a page from behind the last id of the one before.
 * Source: protocol 02 B.9, N.3, O.29; 03 W-6.
 */

import type { Infer, Schema } from "../kernel/schema.ts";
import type { RecordOf } from "../kernel/schema-composites.ts";
import { list, listOr, option, struct } from "../kernel/schema-composites.ts";
import { u64 } from "../kernel/schema-scalars.ts";
import { compareText } from "../kernel/text.ts";
import { Text } from "../kernel/values.ts";

/** Rows of a page unless asked otherwise, and at most. Source: protocol 02 B.9. */
export const PAGE_ROWS_DEFAULT = 25;
export const PAGE_ROWS_MAX = 100;

/** What is asked of a page: the id that it begins behind, and how many rows. Source: protocol 02 B.8. */
export const Page = struct("Page", { after: option(Text), limit: option(u64) });
export type Page = Infer<typeof Page>;

/** Parameters of a list that may be asked for in pages. Source: protocol 02 O.29. */
export const pageParams = struct("PageParams", { page: present(Page) });

/** The answer of such a list: its rows, or of one page those under `member`. Source: protocol 02 B.8, O.29. */
export function listOrPage<T, M extends string>(name: string, member: M, row: Schema<T>) {
  const fields = { [member]: list(row), next_cursor: option(Text) } as PageFields<T, M>;
  return listOr(row, struct(name, fields));
}

type PageFields<T, M extends string> = { readonly [K in M]: Schema<readonly T[]> } & {
  readonly next_cursor: Schema<string | null>;
};

/** Rows in order of id as they are asked for: all, or of one page; only those that are answered are viewed. */
export function listedAs<R, V, M extends string>(
  member: M,
  rows: readonly R[],
  page: Page | null,
  { idOf, viewOf }: { readonly idOf: (row: R) => string; readonly viewOf: (row: R) => V },
): readonly V[] | RecordOf<PageFields<V, M>> {
  if (page === null) return rows.map(viewOf);
  const { rows: few, next } = pageOf(rows, idOf, page);
  return { [member]: few.map(viewOf), next_cursor: next } as RecordOf<PageFields<V, M>>;
}

/** The rows of one page, and behind which id the next one begins; that is null where fewer than asked for are left. */
export function pageOf<T>(
  rows: readonly T[],
  idOf: (row: T) => string,
  page: Page | null,
): { readonly rows: readonly T[]; readonly next: string | null } {
  const limit = Math.min(Math.max(Number(page?.limit ?? BigInt(PAGE_ROWS_DEFAULT)), 1), PAGE_ROWS_MAX);
  const after = page?.after ?? null;
  const begin = after === null ? 0 : rows.findIndex((row) => compareText(idOf(row), after) > 0);
  const found = begin < 0 ? [] : rows.slice(begin, begin + limit);
  const last = found.at(-1);
  return { rows: found, next: last === undefined || found.length < limit ? null : idOf(last) };
}

/** A record of optional members that may be absent itself; the reference refuses `null`. Source: protocol 02 B.8. */
export function present<T>(of: Schema<T>): Schema<T | null> {
  return {
    ...option(of),
    decode(node, decoder) {
      if (node !== null) return of.decode(node, decoder);
      decoder.depart("expected an object");
      return null;
    },
  };
}
