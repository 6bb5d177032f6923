/**
 * What the tests of stores share: writes in short, the calls of a store as promises, and a map as the model.
 */
import { expect } from "vitest";
import type { StoreFailure, StorePort, StoreRow, StoreWrite } from "../../core/ports/store.ts";

export type Answer = { readonly ok: true } | { readonly ok: false; readonly error: StoreFailure };
export interface Loaded {
  readonly pages: readonly (readonly StoreRow[])[];
  readonly error: StoreFailure | undefined;
}
/** Rows in the order of a load, as text: table, key, bytes in hexadecimal. */
export type Listing = readonly (readonly [string, string, string])[];

/** No operation of these tests makes as many calls below the store. */
const CALLS_MAX = 500;

/** Runs with the 1st, 2nd, nth call failing until there is no such call; gives how many there were. */
export async function failEachCall(run: (n: number) => Promise<boolean>): Promise<number> {
  for (let n = 1; n <= CALLS_MAX; n += 1) if (!(await run(n))) return n - 1;
  throw new Error(`still failing after ${CALLS_MAX} calls`);
}

export function put(table: string, key: string, bytes: string): StoreWrite {
  return { table, key, bytes: new Uint8Array(Buffer.from(bytes, "hex")) };
}

export function remove(table: string, key: string): StoreWrite {
  return { table, key, bytes: null };
}

export function commit(store: StorePort, writes: readonly StoreWrite[]): Promise<Answer> {
  return new Promise((resolve) => store.commit(writes, resolve));
}

export function close(store: StorePort): Promise<void> {
  return new Promise((resolve) => store.close(resolve));
}

export function load(store: StorePort): Promise<Loaded> {
  const pages: (readonly StoreRow[])[] = [];
  return new Promise((resolve) => {
    store.load((page) => {
      if (!page.ok) return resolve({ pages, error: page.error });
      pages.push(page.value.rows);
      if (page.value.last) resolve({ pages, error: undefined });
    });
  });
}

export async function list(store: StorePort): Promise<Listing> {
  const { pages, error } = await load(store);
  expect(error).toBeUndefined();
  return listed(pages);
}

export function listed(pages: readonly (readonly StoreRow[])[]): Listing {
  return pages.flat().map((row) => [row.table, row.key, Buffer.from(row.bytes).toString("hex")]);
}

export function hex(text: string): string {
  return Buffer.from(text, "utf8").toString("hex");
}

export function modelOf(writes: readonly StoreWrite[]): Map<string, StoreRow> {
  const model = new Map<string, StoreRow>();
  apply(model, writes);
  return model;
}

export function apply(model: Map<string, StoreRow>, writes: readonly StoreWrite[]): void {
  for (const { table, key, bytes } of writes) {
    const name = JSON.stringify([table, key]);
    if (bytes === null) model.delete(name);
    else model.set(name, { table, key, bytes });
  }
}

export function listing(model: ReadonlyMap<string, StoreRow>): Listing {
  const rows = [...model.values()].sort((a, b) => byBytes(a.table, b.table) || byBytes(a.key, b.key));
  return listed([rows]);
}

export function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a, "utf8"), Buffer.from(b, "utf8"));
}
