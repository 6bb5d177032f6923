/**
 * The transactions that stand in the blocks of one branch, found by signature and by account.
 * Source: protocol 03 R8 (a node watches addresses), part E (signatures unique).
 */
import type { ConfirmedTransaction } from "./confirmed-transaction.ts";

export interface TransactionIndex {
  add(transaction: ConfirmedTransaction): void;
  bySignature(signature: string): ConfirmedTransaction | undefined;
  /** Oldest first. */
  byAddress(address: string): readonly ConfirmedTransaction[];
  /** Everything after `slot`, oldest first. */
  after(slot: bigint): readonly ConfirmedTransaction[];
  /** Forgets everything after `slot`. */
  rewind(slot: bigint): void;
}

export function openTransactionIndex(): TransactionIndex {
  const line: ConfirmedTransaction[] = [];
  const signatures = new Map<string, ConfirmedTransaction>();
  const addresses = new Map<string, ConfirmedTransaction[]>();
  const after = (slot: bigint) => line.slice(line.findLastIndex((transaction) => transaction.slot <= slot) + 1);
  return {
    add: (transaction) => {
      line.push(transaction);
      signatures.set(transaction.signature, transaction);
      for (const address of transaction.message.accounts) {
        const held = addresses.get(address);
        if (held === undefined) addresses.set(address, [transaction]);
        else held.push(transaction);
      }
    },
    bySignature: (signature) => signatures.get(signature),
    byAddress: (address) => addresses.get(address) ?? [],
    after,
    rewind: (slot) => {
      for (const { signature, message } of after(slot)) {
        line.pop();
        signatures.delete(signature);
        for (const address of message.accounts) {
          const held = addresses.get(address);
          while (held !== undefined && (held.at(-1)?.slot ?? -1n) > slot) held.pop();
        }
      }
    },
  };
}
