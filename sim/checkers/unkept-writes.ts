/**
 * The writes of a node's steps that its disk has not kept yet, in the order of the steps. A row that is kept as a later
 * step left it covers what earlier steps had made of it.
 */
import type { Change } from "../../core/index.ts";
import { equalBytes } from "../../core/index.ts";
import type { StoreWrite } from "../../core/ports/store.ts";

/** What a row is to be: its bytes, `null` when it is to go, `undefined` when anything will do. */
export interface Kept {
  readonly bytes: Uint8Array | null | undefined;
}

/** Kept writes that the queue may still hold. Source: DESIGN "Simulated world". */
const BEHIND_MAX = 1_024;

interface Write extends Kept {
  readonly step: number;
  readonly row: string;
  kept: boolean;
}

/** A row's name in reports and as a key. */
export function rowKey(table: string, key: string): string {
  return `${table}/${key}`;
}

/** Writes that are not on the disk yet, in the order of their steps, and by row. */
export interface UnkeptWrites {
  queue: Write[];
  /** Where the queue begins: what lies before is kept. */
  head: number;
  readonly byRow: Map<string, Write[]>;
}

export function noUnkeptWrites(): UnkeptWrites {
  return { queue: [], head: 0, byRow: new Map() };
}

/** Adds what a step writes; answers whether it writes anything. */
export function addWrites(
  unkept: UnkeptWrites,
  step: number,
  changes: readonly Change[],
  bytesOf: (change: Change) => Kept | undefined,
): boolean {
  const { queue, byRow } = unkept;
  const before = queue.length;
  for (const change of changes) {
    const kept = bytesOf(change);
    if (kept === undefined) continue;
    const write: Write = { step, row: rowKey(change.table, change.key), kept: false, ...kept };
    queue.push(write);
    const others = byRow.get(write.row);
    if (others === undefined) byRow.set(write.row, [write]);
    else others.push(write);
  }
  return queue.length > before;
}

/** The disk kept a write; false when no step that waits had left the row so. */
export function takeWrite(unkept: UnkeptWrites, { table, key, bytes }: StoreWrite): boolean {
  const { byRow } = unkept;
  const row = rowKey(table, key);
  const waiting = byRow.get(row) ?? [];
  const at = waiting.findIndex((write) => write.bytes === undefined || sameBytes(write.bytes, bytes));
  if (at < 0) return false;
  for (const write of waiting.splice(0, at + 1)) write.kept = true;
  if (waiting.length === 0) byRow.delete(row);
  while (unkept.queue[unkept.head]?.kept === true) unkept.head += 1;
  if (unkept.head === unkept.queue.length) clearWrites(unkept);
  else if (unkept.head > BEHIND_MAX) {
    unkept.queue = unkept.queue.slice(unkept.head);
    unkept.head = 0;
  }
  return true;
}

/** The oldest write that is not kept. */
export function firstWrite({ queue, head }: UnkeptWrites): { readonly step: number; readonly row: string } | undefined {
  return queue[head];
}

export function clearWrites(unkept: UnkeptWrites): void {
  unkept.queue = [];
  unkept.head = 0;
  unkept.byRow.clear();
}

function sameBytes(one: Uint8Array | null, other: Uint8Array | null): boolean {
  return one === null || other === null ? one === other : equalBytes(one, other);
}
