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

export class UnkeptWrites {
  #queue: Write[] = [];
  /** Where the queue begins: what lies before is kept. */
  #head = 0;
  readonly #byRow = new Map<string, Write[]>();

  /** Whether the step writes anything. */
  add(step: number, changes: readonly Change[], bytesOf: (change: Change) => Kept | undefined): boolean {
    const before = this.#queue.length;
    for (const change of changes) {
      const kept = bytesOf(change);
      if (kept === undefined) continue;
      const write: Write = { ...kept, step, row: rowKey(change.table, change.key), kept: false };
      this.#queue.push(write);
      const others = this.#byRow.get(write.row);
      if (others === undefined) this.#byRow.set(write.row, [write]);
      else others.push(write);
    }
    return this.#queue.length > before;
  }

  /** The disk kept a write; false when no step that waits had left the row so. */
  take({ table, key, bytes }: StoreWrite): boolean {
    const row = rowKey(table, key);
    const waiting = this.#byRow.get(row) ?? [];
    const at = waiting.findIndex((write) => write.bytes === undefined || sameBytes(write.bytes, bytes));
    if (at < 0) return false;
    for (const write of waiting.splice(0, at + 1)) write.kept = true;
    if (waiting.length === 0) this.#byRow.delete(row);
    while (this.#queue[this.#head]?.kept === true) this.#head += 1;
    if (this.#head === this.#queue.length) this.clear();
    else if (this.#head > BEHIND_MAX) {
      this.#queue = this.#queue.slice(this.#head);
      this.#head = 0;
    }
    return true;
  }

  /** The oldest write that is not kept. */
  first(): { readonly step: number; readonly row: string } | undefined {
    return this.#queue[this.#head];
  }

  rows(): Iterable<string> {
    return this.#byRow.keys();
  }

  clear(): void {
    this.#queue = [];
    this.#head = 0;
    this.#byRow.clear();
  }
}

function sameBytes(one: Uint8Array | null, other: Uint8Array | null): boolean {
  return one === null || other === null ? one === other : equalBytes(one, other);
}
