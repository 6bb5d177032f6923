/**
 * Making blocks: what waits is executed in order of submission, its effects noted slot by slot. The only place where
 * an executor is awaited. Source: DESIGN section 4, protocol 03 part E.
 */
import type { ParsedMessage } from "../../core/index.ts";
import { isWritable, systemProgram } from "../../core/index.ts";
import type { AccountHistory } from "./account-history.ts";
import { framedLogs, landed } from "./confirmed-transaction.ts";
import type { ChainAccount, ChainExecutor, ExecutionContext } from "./executor.ts";
import type { ForkLine } from "./fork-line.ts";
import type { Commitment, Slots } from "./slots.ts";
import { BLOCKHASH_SLOTS, commitmentLag, SLOT_HASHES_MAX } from "./slots.ts";
import type { TransactionIndex } from "./transaction-index.ts";

/** A submitted transaction that no block holds yet. */
export interface Pending {
  readonly signature: string;
  readonly wire: Uint8Array;
  readonly message: ParsedMessage;
}

/** All that a cluster remembers. */
export interface ChainState {
  readonly slots: Slots;
  readonly forks: ForkLine;
  readonly executor: ChainExecutor;
  readonly accounts: AccountHistory;
  readonly transactions: TransactionIndex;
  readonly escrowProgram: string;
  /** Waiting, by signature, in order of submission. */
  readonly pending: Map<string, Pending>;
  /** The newest slot that began. */
  current: bigint;
}

/** The newest slot with a block at a commitment level. */
export function slotAt(state: ChainState, commitment: Commitment): bigint {
  const reached = state.current - commitmentLag[commitment];
  return state.slots.blockAtOrBefore(reached < 0n ? 0n : reached);
}

/** Whether a transaction with this blockhash may still run in `slot`. */
export function isFresh(state: ChainState, blockhash: string, slot: bigint): boolean {
  const oldest = slot > BLOCKHASH_SLOTS ? slot - BLOCKHASH_SLOTS : 0n;
  for (let earlier = slot - 1n; earlier >= oldest; earlier -= 1n) {
    if (state.slots.hasBlock(earlier) && state.forks.hashText(earlier) === blockhash) return true;
  }
  return false;
}

/** Goes to `slot`; the first block on the way takes what waits. */
export async function advanceTo(state: ChainState, slot: bigint): Promise<void> {
  while (state.current < slot) {
    state.current = state.pending.size === 0 ? slot : state.current + 1n;
    if (state.pending.size > 0 && state.slots.hasBlock(state.current)) await makeBlock(state);
  }
}

/** Drops the blocks after `slot`. What they held waits again, but for the signatures that `loses` names. */
export async function abandonAfter(
  state: ChainState,
  slot: bigint,
  loses: (signature: string) => boolean,
): Promise<void> {
  const waiting = [...state.pending.values()];
  state.pending.clear();
  for (const { signature, wire, message } of state.transactions.dropAfter(slot)) {
    if (!loses(signature)) state.pending.set(signature, { signature, wire, message });
  }
  for (const pending of waiting) state.pending.set(pending.signature, pending);
  for (const [address, account] of state.accounts.rewind(slot)) {
    await state.executor.putAccount(address, account ?? nothing);
  }
  state.forks.startAt(slot + 1n);
}

async function makeBlock(state: ChainState): Promise<void> {
  const slot = state.current;
  const taken = [...state.pending.values()];
  state.pending.clear();
  const context = contextIn(state, slot);
  for (const pending of taken) {
    if (isFresh(state, pending.message.blockhash, slot)) await execute(state, pending, context); // else it never lands
  }
}

async function execute(state: ChainState, pending: Pending, context: ExecutionContext): Promise<void> {
  const { signature, wire, message } = pending;
  const result = await state.executor.execute(wire, context);
  const oldest = slotAt(state, "finalized");
  for (const [index, address] of message.accounts.entries()) {
    if (!isWritable(message, index)) continue;
    state.accounts.note(address, context.slot, await state.executor.account(address), oldest);
  }
  if (!landed(result)) return;
  state.transactions.add({
    signature,
    slot: context.slot,
    blockTime: context.unixTimestamp,
    err: result.error,
    wire,
    message,
    logs: framedLogs(result, message, state.escrowProgram),
  });
}

/** Clock and slot hashes as a transaction in `slot` sees them; one object for the whole block. */
function contextIn(state: ChainState, slot: bigint): ExecutionContext {
  const slotHashes: { readonly slot: bigint; readonly hash: Uint8Array }[] = [];
  for (let earlier = slot - 1n; earlier >= 0n && slotHashes.length < SLOT_HASHES_MAX; earlier -= 1n) {
    if (state.slots.hasBlock(earlier)) slotHashes.push({ slot: earlier, hash: state.forks.hash(earlier) });
  }
  return { slot, unixTimestamp: state.slots.unixTimestamp(slot), slotHashes };
}

/** What an executor is told when an account must cease to exist. */
const nothing: ChainAccount = {
  lamports: 0n,
  owner: systemProgram,
  data: new Uint8Array(0),
  executable: false,
};
