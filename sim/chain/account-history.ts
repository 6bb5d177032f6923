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

export interface AccountHistory {
  /** The newest version not after `slot`, if this branch wrote one. */
  versionAt(address: string, slot: bigint): AccountVersion | undefined;
  /** Notes what an account is after `slot`. Versions that only slots before `oldest` could see are forgotten. */
  note(address: string, slot: bigint, account: ChainAccount | undefined, oldest: bigint): void;
  /** Addresses written after a slot that can still be undone. */
  changedAfter(slot: bigint): Iterable<string>;
  /** Forgets what happened after `slot`. */
  rewind(slot: bigint): void;
  /** Takes over every version of a branch that grew from this one. */
  absorb(grown: AccountHistory): void;
  addresses(): Iterable<string>;
  versionsOf(address: string): readonly AccountVersion[];
}

/**
 * How many changed addresses are listed before those beyond undoing are swept out. Source: DESIGN "Simulated world".
 */
const RECENT_SWEEP = 4096;

export function openAccountHistory(
  genesis: readonly { readonly address: string; readonly account: ChainAccount }[] = [],
): AccountHistory {
  const versions = new Map<string, readonly AccountVersion[]>();
  for (const { address, account } of genesis) versions.set(address, [{ slot: 0n, account }]);
  /** Addresses by the newest slot that wrote them. */
  let recent = new Map<string, bigint>();
  const of = (address: string) => versions.get(address) ?? [];
  return {
    versionAt: (address, slot) => of(address).findLast((version) => version.slot <= slot),
    note: (address, slot, account, oldest) => {
      const held = of(address).filter((version) => version.slot !== slot);
      const first = held.findLastIndex((version) => version.slot <= oldest);
      versions.set(address, [...held.slice(Math.max(0, first)), { slot, account }]);
      recent.set(address, slot);
      if (recent.size > RECENT_SWEEP) recent = new Map([...recent].filter(([, changed]) => changed >= oldest));
    },
    *changedAfter(slot) {
      for (const [address, changed] of recent) if (changed > slot) yield address;
    },
    rewind: (slot) => {
      for (const [address, changed] of [...recent]) {
        if (changed <= slot) continue;
        const kept = of(address).filter((version) => version.slot <= slot);
        if (kept.length === 0) versions.delete(address);
        else versions.set(address, kept);
        recent.delete(address);
        const last = kept.at(-1);
        if (last !== undefined && last.slot > 0n) recent.set(address, last.slot);
      }
    },
    absorb: (grown) => {
      for (const address of grown.addresses()) {
        const own = grown.versionsOf(address);
        versions.set(address, [...of(address), ...own]);
        const last = own.at(-1);
        if (last !== undefined) recent.set(address, last.slot);
      }
    },
    addresses: () => versions.keys(),
    versionsOf: of,
  };
}
