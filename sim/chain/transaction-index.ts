/**
 * The transactions that stand in blocks, found by signature and by account. Source: protocol 03 R8 (a node watches
 * addresses), part E (signatures unique).
 */
import type { ConfirmedTransaction } from "./confirmed-transaction.ts";

export interface TransactionIndex {
  add(transaction: ConfirmedTransaction): void;
  bySignature(signature: string): ConfirmedTransaction | undefined;
  /** Oldest first. */
  byAddress(address: string): readonly ConfirmedTransaction[];
  /** Takes out everything after `slot`; answers it, oldest first. */
  dropAfter(slot: bigint): readonly ConfirmedTransaction[];
}

export function openTransactionIndex(): TransactionIndex {
  let line: ConfirmedTransaction[] = [];
  const signatures = new Map<string, ConfirmedTransaction>();
  const addresses = new Map<string, ConfirmedTransaction[]>();
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
    dropAfter: (slot) => {
      const dropped = line.filter((transaction) => transaction.slot > slot);
      line = line.filter((transaction) => transaction.slot <= slot);
      for (const { signature, message } of dropped) {
        signatures.delete(signature);
        for (const address of message.accounts) {
          addresses.set(
            address,
            (addresses.get(address) ?? []).filter((kept) => kept.slot <= slot),
          );
        }
      }
      return dropped;
    },
  };
}
