/**
 * What a node and the process that makes its checkpoints share: by which rules rows are folded, and how changes are
 * gathered and put in order.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ChangesPage, LedgerChange } from "../../adapters/sqlite/changes.ts";
import type { NetworkProfile, Result } from "../../core/index.ts";
import { checkpointRules, ok } from "../../core/index.ts";
import type { StoreWrite } from "../../core/ports/store.ts";
import { packageVersion } from "./usage.ts";

/** Changes that are folded at once. Source: DESIGN "Work at once". */
const FOLDED_AT_ONCE = 256;

/** Changes as a catch-up takes them, and the rows that changed. */
export interface GatheredChanges {
  readonly pages: readonly (readonly StoreWrite[])[];
  readonly keys: ReadonlySet<string>;
  /** Up to which place. */
  readonly place: number;
}

/**
 * Asks for all changes behind a place, page by page, and gives the last one of each row, all removals first. Rows may
 * change meanwhile: then they come again behind the place that was asked for last.
 */
export async function changesBehind<P extends ChangesPage>(
  ask: (place: number) => Promise<Result<P, string>>,
  from: number,
): Promise<Result<GatheredChanges & { readonly last: P }, string>> {
  const changes = new Map<string, LedgerChange>();
  for (let place = from; ; ) {
    const page = await ask(place);
    if (!page.ok) return page;
    for (const change of page.value.changes) changes.set(rowOf(change), change);
    place = page.value.place;
    if (!page.value.last) continue;
    const all = [...changes.values()];
    const sorted = [...all.filter(({ bytes }) => bytes === null), ...all.filter(({ bytes }) => bytes !== null)];
    return ok({ pages: paged(sorted), keys: new Set(changes.keys()), place, last: page.value });
  }
}

/** A row's name among those of all tables. */
export function rowOf({ table, key }: Pick<StoreWrite, "table" | "key">): string {
  return `${table} ${key}`;
}

/** The rules by which this software folds the rows of a network. */
export function rulesOfSoftware(profile: NetworkProfile): string {
  return checkpointRules(softwareOf(), profile);
}

/** The version of this software; where it runs from its sources, a hash of those by which rows are folded as well. */
function softwareOf(): string {
  if (!import.meta.filename.endsWith(".ts")) return packageVersion();
  const core = join(import.meta.dirname, "..", "..", "core");
  const hash = createHash("sha256");
  for (const file of readdirSync(core, { recursive: true, encoding: "utf8" }).sort((a, b) => (a < b ? -1 : 1)))
    if (file.endsWith(".ts")) hash.update(`${file}\n`).update(readFileSync(join(core, file)));
  return `${packageVersion()} ${hash.digest("hex")}`;
}

function paged(changes: readonly StoreWrite[]): readonly (readonly StoreWrite[])[] {
  const pages: StoreWrite[][] = [];
  for (let at = 0; at < changes.length; at += FOLDED_AT_ONCE) pages.push(changes.slice(at, at + FOLDED_AT_ONCE));
  return pages;
}
