/**
 * The fork tree. A branch holds what its own blocks did since it left its parent, and reads through to the parent for
 * what came before; so a fork costs what happens on it, and idle slots cost nothing. Once one branch has won, its line
 * becomes the trunk. Source: DESIGN section 4 "Cluster".
 */
import type { ParsedMessage } from "../../core/testing.ts";
import type { AccountHistory } from "./account-history.ts";
import { absorbAccounts, changedAfter, openAccountHistory, rewindAccounts, versionAt } from "./account-history.ts";
import type { ConfirmedTransaction } from "./confirmed-transaction.ts";
import type { ChainAccount, ExecutionContext } from "./executor.ts";
import type { TransactionIndex } from "./transaction-index.ts";
import { addTransaction, afterSlot, openTransactionIndex, rewindTransactions } from "./transaction-index.ts";

/**
 * Slots back from the newest for which a hash may be asked: 512 blocks, most of them skipped. Source: DESIGN "Simulated
 * world".
 */
const HASHES_ASKED_BACK = 32_768n;

/** A submitted transaction that no block of a branch holds yet. */
export interface Pending {
  readonly signature: string;
  readonly wire: Uint8Array;
  readonly message: ParsedMessage;
  /** The first slot whose leader has heard of it. */
  readonly notBefore: bigint;
  /** The runtime error with which its first instruction ends, whatever it is. */
  readonly fails: string | undefined;
}

/** From a slot on, blocks belong to a fork with this number; it makes their hashes differ from their rivals'. */
interface Stretch {
  readonly from: bigint;
  readonly fork: number;
}

export interface Branch {
  readonly number: number;
  /** What it grew from; the trunk has none. */
  readonly parent: Branch | undefined;
  /** The last slot that it shares with its parent. */
  readonly after: bigint;
  readonly accounts: AccountHistory;
  readonly transactions: TransactionIndex;
  /** Waiting, by signature, in order of submission. */
  readonly pending: Map<string, Pending>;
  /** Fork numbers along its whole line, oldest first. */
  readonly stretches: readonly Stretch[];
  /** What its newest filled block showed to transactions. */
  shown: ExecutionContext | undefined;
}

export function openTrunk(genesis: Parameters<typeof openAccountHistory>[0]): Branch {
  return {
    number: 0,
    parent: undefined,
    after: -1n,
    accounts: openAccountHistory(genesis),
    transactions: openTransactionIndex(),
    pending: new Map(),
    stretches: [{ from: 0n, fork: 0 }],
    shown: undefined,
  };
}

/** A branch that shares everything up to `after` with its parent. */
export function growFrom(parent: Branch, after: bigint, number: number): Branch {
  return {
    number,
    parent,
    after,
    accounts: openAccountHistory(),
    transactions: openTransactionIndex(),
    pending: new Map(),
    stretches: [...parent.stretches.filter((stretch) => stretch.from <= after), { from: after + 1n, fork: number }],
    shown: undefined,
  };
}

/** The number of the fork that a slot of a branch belongs to. */
export function forkOf(branch: Branch, slot: bigint): number {
  return branch.stretches.findLast((stretch) => stretch.from <= slot)?.fork ?? 0;
}

export function accountAt(branch: Branch, address: string, slot: bigint): ChainAccount | undefined {
  let seenUpTo = slot;
  for (let on: Branch | undefined = branch; on !== undefined; on = on.parent) {
    const version = versionAt(on.accounts, address, seenUpTo);
    if (version !== undefined) return version.account;
    if (on.after < seenUpTo) seenUpTo = on.after;
  }
  return undefined;
}

/** Every account as it was at the end of a slot. */
export function accountsAt(branch: Branch, slot: bigint): ReadonlyMap<string, ChainAccount> {
  const found = new Map<string, ChainAccount>();
  for (const on of lineOf(branch)) {
    for (const address of on.accounts.versions.keys()) {
      const account = accountAt(branch, address, slot);
      if (account !== undefined) found.set(address, account);
    }
  }
  return found;
}

export function transactionOf(branch: Branch, signature: string): ConfirmedTransaction | undefined {
  let seenUpTo: bigint | undefined;
  for (let on: Branch | undefined = branch; on !== undefined; on = on.parent) {
    const found = on.transactions.signatures.get(signature);
    if (found !== undefined && (seenUpTo === undefined || found.slot <= seenUpTo)) return found;
    seenUpTo = seenUpTo === undefined || on.after < seenUpTo ? on.after : seenUpTo;
  }
  return undefined;
}

/** The transactions of an address up to a slot, oldest first. */
export function transactionsOf(branch: Branch, address: string, slot: bigint): readonly ConfirmedTransaction[] {
  const parts: (readonly ConfirmedTransaction[])[] = [];
  let seenUpTo = slot;
  for (let on: Branch | undefined = branch; on !== undefined; on = on.parent) {
    const own = on.transactions.addresses.get(address) ?? [];
    parts.unshift(own.filter((found) => found.slot <= seenUpTo));
    if (on.after < seenUpTo) seenUpTo = on.after;
  }
  return parts.flat();
}

/** The transactions of a branch's line after a slot, oldest first. */
export function transactionsAfter(branch: Branch, slot: bigint): readonly ConfirmedTransaction[] {
  const line = lineOf(branch);
  return line.flatMap((on, place) => {
    const next = line[place + 1];
    return afterSlot(on.transactions, slot).filter((found) => next === undefined || found.slot <= next.after);
  });
}

/** Addresses that may differ between two branches. */
export function differing(one: Branch, other: Branch): ReadonlySet<string> {
  const [left, right] = [lineOf(one), lineOf(other)];
  let shared = 0;
  while (left[shared] !== undefined && left[shared] === right[shared]) shared += 1;
  const split = [left[shared]?.after, right[shared]?.after].filter((after) => after !== undefined);
  const since = split.reduce((least, after) => (after < least ? after : least), split[0] ?? 0n);
  const trunk = left[shared - 1];
  return new Set(
    [trunk, ...left.slice(shared), ...right.slice(shared)].flatMap((on) =>
      on === undefined ? [] : changedAfter(on.accounts, since),
    ),
  );
}

/** Makes the line of a branch the trunk: what the trunk and others did since is forgotten. */
export function becomeTrunk(winner: Branch, newest: bigint): Branch {
  const [trunk, ...grown] = lineOf(winner);
  if (trunk === undefined || grown.length === 0) return winner;
  let merged = trunk;
  for (const branch of grown) {
    rewindAccounts(merged.accounts, branch.after);
    rewindTransactions(merged.transactions, branch.after);
    absorbAccounts(merged.accounts, branch.accounts);
    for (const transaction of afterSlot(branch.transactions, branch.after))
      addTransaction(merged.transactions, transaction);
    const { number, pending, stretches, shown } = branch;
    merged = { ...merged, number, pending, stretches, shown };
  }
  return { ...merged, stretches: recentStretches(merged.stretches, newest) };
}

/** The trunk first. */
function lineOf(branch: Branch): readonly Branch[] {
  return branch.parent === undefined ? [branch] : [...lineOf(branch.parent), branch];
}

/** Hashes are asked for so far back and no further. */
function recentStretches(stretches: readonly Stretch[], newest: bigint): readonly Stretch[] {
  const oldest = newest - HASHES_ASKED_BACK;
  const first = stretches.findLastIndex((stretch) => stretch.from <= oldest);
  return stretches.slice(Math.max(0, first));
}
