/**
 * Making blocks: on every live branch, what waits there is executed in order of submission and its effects noted slot
 * by slot. The only place where an executor is awaited. Source: DESIGN section 4, protocol 03 part E.
 */
import type { ParsedMessage } from "../../core/testing.ts";
import { systemProgram } from "../../core/testing.ts";
import { noteAccount } from "./account-history.ts";
import type { Branch, Pending } from "./branches.ts";
import { accountAt, differing, forkOf } from "./branches.ts";
import { feeOf } from "./compute-budget.ts";
import { landed } from "./confirmed-transaction.ts";
import type { ChainAccount, ChainExecutor, ExecutionContext, ExecutionResult } from "./executor.ts";
import type { Finality, Hold } from "./finality.ts";
import { reached } from "./finality.ts";
import { keysOf, loadAddressesFrom, mayWrite, nothingLoaded } from "./lookup-tables.ts";
import { advanced, livesByNonce, nonceAccountOf, nonceAfter } from "./nonce-accounts.ts";
import type { Commitment, Slots } from "./slots.ts";
import { BLOCKHASH_SLOTS, SLOT_HASHES_MAX } from "./slots.ts";
import { addTransaction } from "./transaction-index.ts";
import { logOf } from "./transaction-log.ts";

/** A cluster: what it remembers, and what it works with. */
export interface ChainState extends HeldChain {
  readonly slots: Slots;
  readonly executor: ChainExecutor;
  readonly sha256: (bytes: Uint8Array) => Uint8Array;
}

/** All that a cluster remembers besides the accounts of its executor, which are those of the loaded branch. */
export interface HeldChain {
  readonly finality: Finality;
  /** The branch that the cluster itself follows. */
  main: Branch;
  /** Rivals of it, by number. */
  readonly rivals: Map<number, { readonly branch: Branch; readonly hold: Hold }>;
  /** The branch whose accounts the executor holds. */
  loaded: Branch;
  /** Forks that began so far. */
  forks: number;
  /** The newest slot that began. */
  current: bigint;
  /** The slot as of which an account was last written past every program: the genesis, or since. */
  written: bigint;
}

/** Main first, then its rivals as they began. */
export function branchesOf(state: ChainState): readonly Branch[] {
  return [state.main, ...[...state.rivals.values()].map(({ branch }) => branch)];
}

/** The newest slot with a block at a commitment level. */
export function slotAt(state: ChainState, commitment: Commitment): bigint {
  return state.slots.blockAtOrBefore(reached(state.finality, commitment, state.current));
}

/** The blockhash of a slot on a branch, base58. */
export function hashText(state: ChainState, branch: Branch, slot: bigint): string {
  return state.slots.blockhashText(slot, forkOf(branch, slot));
}

/** Whether a transaction with this blockhash may still run in `slot` of a branch. */
export function isFresh(state: ChainState, branch: Branch, blockhash: string, slot: bigint): boolean {
  const oldest = slot > BLOCKHASH_SLOTS ? slot - BLOCKHASH_SLOTS : 0n;
  const block = state.slots.blockOf(blockhash);
  if (block !== undefined) {
    const known = block.slot < slot && block.slot >= oldest && state.slots.hasBlock(block.slot);
    return known && forkOf(branch, block.slot) === block.fork;
  }
  for (let earlier = slot - 1n; earlier >= oldest; earlier -= 1n) {
    if (state.slots.hasBlock(earlier) && hashText(state, branch, earlier) === blockhash) return true;
  }
  return false;
}

/** The nonce account by which a message may run in a slot of a branch, whatever its blockhash; undefined for none. */
export function nonceIn(state: ChainState, branch: Branch, message: ParsedMessage, slot: bigint): string | undefined {
  const address = nonceAccountOf(message, (index) => mayWrite(message, nothingLoaded, index));
  if (address === undefined) return undefined;
  const lives = livesByNonce(message, accountAt(branch, address, slot), nextNonceIn(state, branch, slot));
  return lives ? address : undefined;
}

/** What nonces move on to in a slot of a branch. */
function nextNonceIn({ slots, sha256 }: ChainState, branch: Branch, slot: bigint): Uint8Array {
  const before = slots.blockAtOrBefore(slot - 1n);
  return nonceAfter(sha256, slots.blockhash(before, forkOf(branch, before)));
}

/** Goes to `slot`. While a transaction waits somewhere, every slot on the way is looked at. */
export async function advanceTo(state: ChainState, slot: bigint): Promise<void> {
  while (state.current < slot) {
    const waiting = branchesOf(state).filter((branch) => branch.pending.size > 0);
    state.current = waiting.length === 0 ? slot : state.current + 1n;
    if (!state.slots.hasBlock(state.current)) continue;
    for (const branch of waiting) await makeBlock(state, branch);
  }
}

/**
 * Executes transactions in a block of a branch. Those whose blockhash it does not know, or no longer, never land,
 * unless a nonce account holds what they name.
 */
export async function fillBlock(
  state: ChainState,
  branch: Branch,
  slot: bigint,
  taken: readonly Pending[],
): Promise<void> {
  const context = contextIn(state, branch, slot);
  for (const pending of taken) {
    const { message } = pending;
    const isRecent = isFresh(state, branch, message.blockhash, slot);
    const nonce = isRecent ? undefined : nonceIn(state, branch, message, slot);
    if (!isRecent && nonce === undefined) continue;
    await load(state, branch);
    await execute(state, branch, pending, context, nonce);
  }
}

/** Brings the executor to the accounts of a branch. */
export async function load(state: ChainState, branch: Branch): Promise<void> {
  if (state.loaded === branch) return;
  for (const address of differing(state.loaded, branch)) {
    await state.executor.putAccount(address, accountAt(branch, address, state.current) ?? nothing);
  }
  state.loaded = branch;
}

/** Writes an account on the main branch, in its newest slot, past every program. */
export async function putAccount(state: ChainState, address: string, account: ChainAccount | undefined): Promise<void> {
  await load(state, state.main);
  await state.executor.putAccount(address, account ?? nothing);
  state.written = slotAt(state, "processed");
  noteAccount(state.main.accounts, address, state.written, account, slotAt(state, "finalized"));
}

async function makeBlock(state: ChainState, branch: Branch): Promise<void> {
  const slot = state.current;
  const taken = [...branch.pending.values()].filter((pending) => pending.notBefore <= slot);
  for (const { signature } of taken) branch.pending.delete(signature);
  await fillBlock(state, branch, slot, taken);
}

async function execute(
  state: ChainState,
  branch: Branch,
  pending: Pending,
  context: ExecutionContext,
  nonce: string | undefined,
): Promise<void> {
  const { signature, wire, message } = pending;
  const result =
    pending.fails === undefined ? await state.executor.execute(wire, context) : await spoil(state, pending, context);
  // A transaction that fails moves its nonce on all the same, or it could run again and pay again.
  if (nonce !== undefined && !result.ok && landed(result)) await advance(state, branch, nonce, context.slot);
  const oldest = slotAt(state, "finalized");
  for (const [index, address] of keysOf(message, result.loaded).entries()) {
    if (!mayWrite(message, result.loaded, index)) continue;
    noteAccount(branch.accounts, address, context.slot, await state.executor.account(address), oldest);
  }
  if (!landed(result)) return;
  addTransaction(branch.transactions, {
    signature,
    slot: context.slot,
    blockTime: context.unixTimestamp,
    err: result.error,
    wire,
    message,
    logs: logOf(result, message),
    invoked: result.invoked,
    loaded: result.loaded,
  });
}

async function advance(state: ChainState, branch: Branch, nonce: string, slot: bigint): Promise<void> {
  const account = await state.executor.account(nonce);
  const moved = account && advanced(account, nextNonceIn(state, branch, slot));
  if (moved !== undefined) await state.executor.putAccount(nonce, moved);
}

/** A transaction that the chain fails of its own accord: it pays its fee, and nothing else happens. */
async function spoil(
  { executor }: ChainState,
  { message, fails }: Pending,
  context: ExecutionContext,
): Promise<ExecutionResult> {
  const loaded = await loadAddressesFrom(message, (address) => executor.account(address), context);
  if (!loaded.ok) {
    const error = { type: "other", instruction: null, name: loaded.error } as const;
    return { ok: false, error, logs: [], invoked: [], loaded: nothingLoaded };
  }
  const payer = message.accounts[0] ?? systemProgram;
  const held = await executor.account(payer);
  const fee = feeOf(message);
  const pays = held !== undefined && held.lamports >= fee;
  if (pays) await executor.putAccount(payer, { ...held, lamports: held.lamports - fee });
  const error = { type: "other", instruction: pays ? 0 : null, name: fails ?? "Failed" } as const;
  return { ok: false, error, logs: [], invoked: [], loaded: loaded.value };
}

/**
 * Clock and slot hashes as a transaction in `slot` sees them; one object for the whole block. What the branch's last
 * block saw is seen again behind the slots since.
 */
export function contextIn(state: ChainState, branch: Branch, slot: bigint): ExecutionContext {
  const before = branch.shown !== undefined && branch.shown.slot <= slot ? branch.shown : undefined;
  const slotHashes: ExecutionContext["slotHashes"][number][] = [];
  const first = before?.slot ?? 0n;
  for (let earlier = slot - 1n; earlier >= first && slotHashes.length < SLOT_HASHES_MAX; earlier -= 1n) {
    if (!state.slots.hasBlock(earlier)) continue;
    slotHashes.push({ slot: earlier, hash: state.slots.blockhash(earlier, forkOf(branch, earlier)) });
  }
  if (before !== undefined) slotHashes.push(...before.slotHashes.slice(0, SLOT_HASHES_MAX - slotHashes.length));
  branch.shown = { slot, unixTimestamp: state.slots.unixTimestamp(slot), slotHashes };
  return branch.shown;
}

/** What an executor is told when an account must cease to exist. */
export const nothing: ChainAccount = {
  lamports: 0n,
  owner: systemProgram,
  data: new Uint8Array(0),
  executable: false,
};
