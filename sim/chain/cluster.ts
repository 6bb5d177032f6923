/**
 * The chain of a simulation: slots, blockhashes, signatures, commitment levels, history. It has no clock, no
 * randomness and no timer: the caller says which slot it is. Executors only execute; they are awaited in `advance`
 * and `abandon` alone, so whatever reads the chain stays synchronous. Source: DESIGN section 4, protocol 03 part E.
 *
 * Forks: the chain is one line of blocks, the surviving fork. `abandon` drops its newest blocks, as a chain does
 * when another fork wins; blocks made afterwards belong to the next fork number and have other hashes.
 */

import type { Result, TransactionFlaw } from "../../core/index.ts";
import { acceptTransaction, assert, err, known, ok, toBase58 } from "../../core/index.ts";
import type { CryptoPort } from "../../core/ports/crypto.ts";
import { openAccountHistory } from "./account-history.ts";
import type { ChainState } from "./blocks.ts";
import { abandonAfter, advanceTo, isFresh, slotAt } from "./blocks.ts";
import type { ConfirmedTransaction } from "./confirmed-transaction.ts";
import type { ChainAccount, ExecutionError, Keypair, OpenExecutor } from "./executor.ts";
import { openForkLine } from "./fork-line.ts";
import type { Commitment, SlotOptions } from "./slots.ts";
import { BLOCKHASH_SLOTS, commitments, openSlots } from "./slots.ts";
import { openTransactionIndex } from "./transaction-index.ts";

export interface ClusterOptions extends Omit<SlotOptions, "sha256"> {
  readonly crypto: CryptoPort;
  readonly open: OpenExecutor;
  readonly genesis: readonly { readonly address: string; readonly account: ChainAccount }[];
  /** Keys of the simulated wallets, for executors that must sign anew. */
  readonly signers: readonly Keypair[];
  /** Address of the program whose lines the logs hold. */
  readonly escrowProgram: string;
}

/** Why a submitted transaction is refused at once. */
export type SubmitFlaw = TransactionFlaw | "VERSION_NOT_EXECUTED" | "BLOCKHASH_NOT_FOUND";

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

export interface Cluster {
  /** Makes the blocks of every slot up to this one; the first of them takes what was submitted. */
  advance(slot: bigint): Promise<void>;
  /** The newest slot that began, skipped or not. */
  currentSlot(): bigint;
  /** The newest slot with a block at a level. */
  slot(commitment: Commitment): bigint;
  /** The newest blockhash at a level, and the last slot that takes it. */
  latestBlockhash(commitment: Commitment): {
    readonly blockhash: string;
    readonly slot: bigint;
    readonly lastValidSlot: bigint;
  };
  /** Takes a signed transaction for the next block. A repeat answers its signature again and changes nothing. */
  submit(wire: Uint8Array): Result<string, SubmitFlaw>;
  signatureStatus(signature: string): SignatureStatus | undefined;
  /** Newest first. */
  signaturesForAddress(address: string, query?: SignaturesQuery): readonly ConfirmedTransaction[];
  transaction(signature: string, commitment?: Commitment): ConfirmedTransaction | undefined;
  account(address: string, commitment?: Commitment): ChainAccount | undefined;
  /** Every account at a level, for checks over the whole chain. */
  accounts(commitment?: Commitment): ReadonlyMap<string, ChainAccount>;
  /** Unix seconds of a slot. */
  unixTimestamp(slot: bigint): bigint;
  /**
   * Another fork wins: blocks after `slot` are gone. Their transactions wait again for a block, but for those that
   * `loses` names. `slot` must not be older than the finalized one.
   */
  abandon(slot: bigint, loses?: (signature: string) => boolean): Promise<void>;
  close(): Promise<void>;
}

/** Opens a chain whose slot 0 holds the genesis. */
export async function openCluster(options: ClusterOptions): Promise<Cluster> {
  const slots = openSlots({ ...options, sha256: options.crypto.sha256 });
  const state: ChainState = {
    slots,
    forks: openForkLine(slots),
    executor: await options.open(options.genesis, options.signers),
    accounts: openAccountHistory(options.genesis),
    transactions: openTransactionIndex(),
    escrowProgram: options.escrowProgram,
    pending: new Map(),
    current: 0n,
  };
  return {
    advance: (slot) => advanceTo(state, slot),
    currentSlot: () => state.current,
    slot: (commitment) => slotAt(state, commitment),
    latestBlockhash: (commitment) => {
      const slot = slotAt(state, commitment);
      return { blockhash: state.forks.hashText(slot), slot, lastValidSlot: slot + BLOCKHASH_SLOTS };
    },
    submit: (wire) => submit(state, options.crypto, wire),
    signatureStatus: (signature) => {
      const found = state.transactions.bySignature(signature);
      return found === undefined
        ? undefined
        : { slot: found.slot, err: found.err, commitment: levelOf(state, found.slot) };
    },
    signaturesForAddress: (address, query = {}) => signaturesFor(state, address, query),
    transaction: (signature, commitment = "finalized") => {
      const found = state.transactions.bySignature(signature);
      return found !== undefined && found.slot <= slotAt(state, commitment) ? found : undefined;
    },
    account: (address, commitment = "finalized") => state.accounts.at(address, slotAt(state, commitment)),
    accounts: (commitment = "finalized") => state.accounts.allAt(slotAt(state, commitment)),
    unixTimestamp: slots.unixTimestamp,
    abandon: (slot, loses = () => false) => {
      assert(slot >= slotAt(state, "finalized") && slot <= state.current, "only unfinalized blocks can be abandoned");
      return abandonAfter(state, slot, loses);
    },
    close: () => state.executor.close(),
  };
}

function submit(state: ChainState, crypto: CryptoPort, wire: Uint8Array): Result<string, SubmitFlaw> {
  const parsed = acceptTransaction(wire, crypto);
  if (!parsed.ok) return parsed;
  const { message, signatures } = parsed.value;
  if (message.version !== "legacy") return err("VERSION_NOT_EXECUTED");
  const signature = toBase58(known(signatures[0], "an accepted transaction is signed"));
  if (state.transactions.bySignature(signature) !== undefined || state.pending.has(signature)) return ok(signature);
  if (!isFresh(state, message.blockhash, state.current + 1n)) return err("BLOCKHASH_NOT_FOUND");
  state.pending.set(signature, { signature, wire, message });
  return ok(signature);
}

/** The highest level that the slot has reached. */
function levelOf(state: ChainState, slot: bigint): Commitment {
  return commitments.findLast((level) => slot <= slotAt(state, level)) ?? "processed";
}

function signaturesFor(state: ChainState, address: string, query: SignaturesQuery): readonly ConfirmedTransaction[] {
  const newest = slotAt(state, query.commitment ?? "finalized");
  const held = state.transactions.byAddress(address).filter((found) => found.slot <= newest);
  const before = held.findIndex((found) => found.signature === query.before);
  const until = held.findIndex((found) => found.signature === query.until);
  const window = held.slice(until + 1, before < 0 ? held.length : Math.max(until + 1, before));
  return window.reverse().slice(0, query.limit);
}
