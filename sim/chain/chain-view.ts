/**
 * What one branch of the chain shows to who reads it, level by level. Source: protocol 03 part E, A.10.3 R3.
 */
import type { ChainState } from "./blocks.ts";
import { hashText, slotAt } from "./blocks.ts";
import type { Branch } from "./branches.ts";
import { accountAt, accountsAt, transactionOf, transactionsAfter, transactionsOf } from "./branches.ts";
import type { ConfirmedTransaction } from "./confirmed-transaction.ts";
import type { ChainAccount, ExecutionError } from "./executor.ts";
import type { Commitment } from "./slots.ts";
import { BLOCKHASH_SLOTS, commitments } from "./slots.ts";

export interface SignatureStatus {
  readonly slot: bigint;
  readonly err: ExecutionError | null;
  readonly commitment: Commitment;
}

export interface SignaturesQuery {
  readonly commitment?: Commitment;
  readonly limit?: number;
  /** Only what is older than this signature. */
  readonly before?: string;
  /** Only what is newer than this signature. */
  readonly until?: string;
}

/** What a slot's leader made. */
export interface Block {
  readonly slot: bigint;
  readonly blockhash: string;
  /** Unix seconds. */
  readonly blockTime: bigint;
  readonly parentSlot: bigint;
  readonly parentBlockhash: string;
  readonly transactions: readonly ConfirmedTransaction[];
}

export interface ChainView {
  /** The newest slot with a block at a level. */
  slot(commitment: Commitment): bigint;
  /** The slot as of which an account was last written past every program: the genesis, or since. */
  written(): bigint;
  /** The newest blockhash at a level, and the last slot that takes it. */
  latestBlockhash(commitment: Commitment): {
    readonly blockhash: string;
    readonly slot: bigint;
    readonly lastValidSlot: bigint;
  };
  signatureStatus(signature: string): SignatureStatus | undefined;
  /** Newest first. */
  signaturesForAddress(address: string, query?: SignaturesQuery): readonly ConfirmedTransaction[];
  transaction(signature: string, commitment?: Commitment): ConfirmedTransaction | undefined;
  /** The block of a slot; undefined when the slot has none, or is not there yet. */
  block(slot: bigint): Block | undefined;
  hasBlock(slot: bigint): boolean;
  /** Transactions of every block after a slot, oldest first. */
  transactionsAfter(slot: bigint): readonly ConfirmedTransaction[];
  account(address: string, commitment?: Commitment): ChainAccount | undefined;
  /** Every account at a level, for checks over the whole chain. */
  accounts(commitment?: Commitment): ReadonlyMap<string, ChainAccount>;
}

/** A view of whichever branch `branch` answers when it is asked. */
export function viewOf(state: ChainState, branch: () => Branch): ChainView {
  const at = (commitment: Commitment) => slotAt(state, commitment);
  return {
    slot: at,
    written: () => state.written,
    latestBlockhash: (commitment) => {
      const slot = at(commitment);
      return { blockhash: hashText(state, branch(), slot), slot, lastValidSlot: slot + BLOCKHASH_SLOTS };
    },
    signatureStatus: (signature) => {
      const found = transactionOf(branch(), signature);
      return found && { slot: found.slot, err: found.err, commitment: levelOf(state, found.slot) };
    },
    signaturesForAddress: (address, query = {}) => {
      const held = transactionsOf(branch(), address, at(query.commitment ?? "finalized"));
      return windowOf(held, query);
    },
    transaction: (signature, commitment = "finalized") => {
      const found = transactionOf(branch(), signature);
      return found !== undefined && found.slot <= at(commitment) ? found : undefined;
    },
    block: (slot) => blockOf(state, branch(), slot),
    hasBlock: (slot) => slot <= state.current && state.slots.hasBlock(slot),
    transactionsAfter: (slot) => transactionsAfter(branch(), slot),
    account: (address, commitment = "finalized") => accountAt(branch(), address, at(commitment)),
    accounts: (commitment = "finalized") => accountsAt(branch(), at(commitment)),
  };
}

function blockOf(state: ChainState, branch: Branch, slot: bigint): Block | undefined {
  if (slot > state.current || !state.slots.hasBlock(slot)) return undefined;
  const parentSlot = slot === 0n ? 0n : state.slots.blockAtOrBefore(slot - 1n);
  return {
    slot,
    blockhash: hashText(state, branch, slot),
    blockTime: state.slots.unixTimestamp(slot),
    parentSlot,
    parentBlockhash: hashText(state, branch, parentSlot),
    transactions: transactionsAfter(branch, slot - 1n).filter((found) => found.slot === slot),
  };
}

/** The highest level that the slot has reached. */
function levelOf(state: ChainState, slot: bigint): Commitment {
  return commitments.findLast((level) => slot <= slotAt(state, level)) ?? "processed";
}

function windowOf(held: readonly ConfirmedTransaction[], query: SignaturesQuery): readonly ConfirmedTransaction[] {
  const before = held.findIndex((found) => found.signature === query.before);
  const until = held.findIndex((found) => found.signature === query.until);
  const window = held.slice(until + 1, before < 0 ? held.length : Math.max(until + 1, before));
  return window.reverse().slice(0, query.limit);
}
