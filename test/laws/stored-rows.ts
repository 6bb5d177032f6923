/**
 * Rows of durable tables through a store: written as a node writes them, loaded as a node loads them.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openMemoryDisk, openMemoryStore } from "../../adapters/memory/store.ts";
import { openLedger } from "../../adapters/sqlite/ledger.ts";
import { openSqljsRows, openSqljsStore } from "../../adapters/sqlite/sqljs.ts";
import { marketplace } from "../../core/domains.ts";
import { step, writesOf } from "../../core/engine/step.ts";
import type { Reader, StoredRow } from "../../core/index.ts";
import { devnetNetwork, encodeCompact, tables } from "../../core/index.ts";
import { openStore } from "../../core/kernel/state.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import type { StorePort } from "../../core/ports/store.ts";
import { crypto, gossipOnly } from "../rpc/lone-node.ts";
import type { StoreKind } from "./restarts.ts";

/** By table, records by key. */
export type Rows = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** What a node holds that loads a store into which the rows were written. */
export async function stored(kind: StoreKind, rows: Rows): Promise<Reader> {
  const { open, remove } = await openKind(kind);
  const writes = writesOf(
    marketplace,
    Object.entries(rows).flatMap(([table, byKey]) =>
      Object.entries(byKey).map(([key, record]) => ({ table, key, record })),
    ),
  );
  const before = await open();
  await new Promise<void>((resolve) => before.commit(writes, () => resolve()));
  await new Promise<void>((resolve) => before.close(resolve));
  const after = await open();
  const loaded = await new Promise<readonly StoredRow[]>((resolve) => {
    const all: StoredRow[] = [];
    after.load((page) => {
      if (page.ok) all.push(...page.value.rows);
      if (!page.ok || page.value.last) resolve(all);
    });
  });
  await new Promise<void>((resolve) => after.close(resolve));
  remove();
  const memory = openStore(crypto, tables);
  const context = {
    ...{ store: memory, crypto, configuration: gossipOnly(devnetNetwork) },
    ...{ bootSeed: new Uint8Array(32), network: marketplace },
  };
  const input = { type: "store.loaded", rows: loaded, last: true, now: 0n as EpochMillis, number: 0 } as const;
  memory.commit(step(context, input).changes);
  return memory;
}

/** Rows that a node does not hold as they were written. */
export function differences(rows: Rows, view: Reader): readonly string[] {
  return Object.entries(rows).flatMap(([name, byKey]) => {
    const table = tables.find((one) => one.name === name);
    if (table === undefined) return [`there is no table ${name}`];
    const text = (record: unknown) => Buffer.from(encodeCompact(table.record, record)).toString("hex");
    const wrong = Object.entries(byKey).flatMap(([key, record]) => {
      const has = view.get(table, key);
      return has !== undefined && text(has) === text(record) ? [] : [`${name}/${key}`];
    });
    return view.size(table) === Object.keys(byKey).length ? wrong : [...wrong, `${name} has ${view.size(table)} rows`];
  });
}

async function openKind(kind: StoreKind): Promise<{ open(): Promise<StorePort>; remove(): void }> {
  if (kind === "libsql") {
    const directory = mkdtempSync(join(tmpdir(), "ofs-rows-"));
    return {
      async open() {
        const opened = openLedger(directory);
        if (!opened.ok) throw new Error(opened.error.reason);
        return opened.value;
      },
      remove: () => rmSync(directory, { recursive: true }),
    };
  }
  if (kind === "memory") {
    const disk = openMemoryDisk();
    const soon = (_: unknown, end: (outcome: { readonly type: "done" }) => void) =>
      queueMicrotask(() => end({ type: "done" }));
    return { open: async () => openMemoryStore(disk, { schedule: soon }), remove: () => undefined };
  }
  let bytes: Uint8Array | undefined;
  return {
    async open() {
      const rows = await openSqljsRows(bytes === undefined ? {} : { bytes });
      const close = () => {
        bytes = rows.exported();
        rows.close();
      };
      return openSqljsStore({ rows: { ...rows, close } });
    },
    remove: () => undefined,
  };
}
