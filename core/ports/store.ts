/**
 * The store port: durable rows. Every adapter passes test/ports/store.contract.ts, faults included.
 * Completion is a callback, so that the same driver runs under a virtual clock and in production.
 */

import type { Result } from "../kernel/result.ts";

/** A durable row written or, with `null`, removed. */
export interface StoreWrite {
  readonly table: string;
  readonly key: string;
  readonly bytes: Uint8Array | null;
}

/** One row as it is kept. */
export interface StoreRow {
  readonly table: string;
  readonly key: string;
  readonly bytes: Uint8Array;
}

/** Why a store did not do what it was asked; nothing of the call was kept. */
export type StoreFailure =
  | { readonly code: "full" }
  | { readonly code: "broken"; readonly reason: string }
  | { readonly code: "closed" };

/** A stretch of a store's rows, and whether more follow. */
export interface StorePage {
  readonly rows: readonly StoreRow[];
  readonly last: boolean;
}

/** Durable rows: writes all or nothing, and reads them back when a node starts. */
export interface StorePort {
  /**
   * Writes everything or nothing; `done` is called once, when the writes would survive power loss. A commit of no
   * writes tells whether the store takes any.
   */
  commit(writes: readonly StoreWrite[], done: (result: Result<null, StoreFailure>) => void): void;
  /**
   * Gives all rows in pages, tables in byte order of name, rows in byte order of key; the last page may be empty. A
   * `close` ends it as closed.
   */
  load(page: (result: Result<StorePage, StoreFailure>) => void): void;
  close(done: () => void): void;
}
