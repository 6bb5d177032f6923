/**
 * The transactions that stand in the blocks of one branch, found by signature and by account.
 * Source: protocol 03 R8 (a node watches addresses), part E (signatures unique).
 */
import type { ConfirmedTransaction } from "./confirmed-transaction.ts";
import { keysOf } from "./lookup-tables.ts";

/** The transactions of a branch, oldest first, and where to find them: plain values. */
export interface TransactionIndex {
  readonly line: ConfirmedTransaction[];
  readonly signatures: Map<string, ConfirmedTransaction>;
  readonly addresses: Map<string, ConfirmedTransaction[]>;
}

export function openTransactionIndex(): TransactionIndex {
  return { line: [], signatures: new Map(), addresses: new Map() };
}

export function addTransaction(index: TransactionIndex, transaction: ConfirmedTransaction): void {
  index.line.push(transaction);
  index.signatures.set(transaction.signature, transaction);
  for (const address of keysOf(transaction.message, transaction.loaded)) {
    const held = index.addresses.get(address);
    if (held === undefined) index.addresses.set(address, [transaction]);
    else held.push(transaction);
  }
}

/** Everything after `slot`, oldest first. */
export function afterSlot({ line }: TransactionIndex, slot: bigint): readonly ConfirmedTransaction[] {
  return line.slice(line.findLastIndex((transaction) => transaction.slot <= slot) + 1);
}

/** Forgets everything after `slot`. */
export function rewindTransactions(index: TransactionIndex, slot: bigint): void {
  for (const { signature, message, loaded } of afterSlot(index, slot)) {
    index.line.pop();
    index.signatures.delete(signature);
    for (const address of keysOf(message, loaded)) {
      const held = index.addresses.get(address);
      while (held !== undefined && (held.at(-1)?.slot ?? -1n) > slot) held.pop();
    }
  }
}
