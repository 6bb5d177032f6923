/**
 * What accounts were, slot by slot, on one branch: what its own blocks wrote, as far back as a level may still ask.
 * Versions older than the finalized slot are forgotten but for the newest of them.
 * Source: DESIGN section 4 (account reads at a level).
 */
import type { ChainAccount } from "./executor.ts";

/** An account after a slot; undefined when it ceased to exist there. */
export interface AccountVersion {
  readonly slot: bigint;
  readonly account: ChainAccount | undefined;
}

/** What one branch's own blocks wrote: plain values. */
export interface AccountHistory {
  readonly versions: Map<string, readonly AccountVersion[]>;
  /** Addresses by the newest slot that wrote them. */
  recent: Map<string, bigint>;
}

/**
 * How many changed addresses are listed before those beyond undoing are swept out. Source: DESIGN "Simulated world".
 */
const RECENT_SWEEP = 4096;

/** A history that begins with the accounts of a genesis. */
export function openAccountHistory(
  genesis: readonly { readonly address: string; readonly account: ChainAccount }[] = [],
): AccountHistory {
  const versions = genesis.map(({ address, account }) => [address, [{ slot: 0n, account }]] as const);
  return { versions: new Map(versions), recent: new Map() };
}

/** The newest version not after `slot`, if this branch wrote one. */
export function versionAt(history: AccountHistory, address: string, slot: bigint): AccountVersion | undefined {
  return versionsOf(history, address).findLast((version) => version.slot <= slot);
}

/** Notes what an account is after `slot`. Versions that only slots before `oldest` could see are forgotten. */
export function noteAccount(
  history: AccountHistory,
  address: string,
  slot: bigint,
  account: ChainAccount | undefined,
  oldest: bigint,
): void {
  const { versions, recent } = history;
  const held = versionsOf(history, address).filter((version) => version.slot !== slot);
  const first = held.findLastIndex((version) => version.slot <= oldest);
  versions.set(address, [...held.slice(Math.max(0, first)), { slot, account }]);
  recent.set(address, slot);
  if (recent.size <= RECENT_SWEEP) return;
  history.recent = new Map([...recent].filter(([, changed]) => changed >= oldest));
}

/** Addresses written after a slot that can still be undone. */
export function changedAfter({ recent }: AccountHistory, slot: bigint): readonly string[] {
  return [...recent].flatMap(([address, changed]) => (changed > slot ? [address] : []));
}

/** Forgets what happened after `slot`. */
export function rewindAccounts(history: AccountHistory, slot: bigint): void {
  const { versions, recent } = history;
  for (const [address, changed] of [...recent]) {
    if (changed <= slot) continue;
    const kept = versionsOf(history, address).filter((version) => version.slot <= slot);
    if (kept.length === 0) versions.delete(address);
    else versions.set(address, kept);
    recent.delete(address);
    const last = kept.at(-1);
    if (last !== undefined && last.slot > 0n) recent.set(address, last.slot);
  }
}

/** Takes over every version of a branch that grew from this one. */
export function absorbAccounts(history: AccountHistory, grown: AccountHistory): void {
  for (const [address, own] of grown.versions) {
    history.versions.set(address, [...versionsOf(history, address), ...own]);
    const last = own.at(-1);
    if (last !== undefined) history.recent.set(address, last.slot);
  }
}

function versionsOf({ versions }: AccountHistory, address: string): readonly AccountVersion[] {
  return versions.get(address) ?? [];
}
