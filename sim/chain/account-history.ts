/**
 * What every account was, slot by slot, as far back as a commitment level may still ask: versions older than the
 * finalized slot are forgotten but for the newest of them. Source: DESIGN section 4 (account reads at a level).
 */
import type { ChainAccount } from "./executor.ts";

interface Version {
  readonly slot: bigint;
  readonly account: ChainAccount | undefined;
}

export interface AccountHistory {
  /** The account as it was at the end of `slot`. */
  at(address: string, slot: bigint): ChainAccount | undefined;
  /** Notes what an account is after `slot`. Versions that only slots before `oldest` could see are forgotten. */
  note(address: string, slot: bigint, account: ChainAccount | undefined, oldest: bigint): void;
  /** Forgets what happened after `slot`; answers what every account touched since is again. */
  rewind(slot: bigint): ReadonlyMap<string, ChainAccount | undefined>;
  /** Every account as it was at the end of `slot`. */
  allAt(slot: bigint): ReadonlyMap<string, ChainAccount>;
}

export function openAccountHistory(
  genesis: readonly { readonly address: string; readonly account: ChainAccount }[],
): AccountHistory {
  const versions = new Map<string, readonly Version[]>();
  for (const { address, account } of genesis) versions.set(address, [{ slot: 0n, account }]);
  /** Addresses changed in slots that may still be rewound. */
  let recent = new Map<string, bigint>();
  const upTo = (held: readonly Version[], slot: bigint) => held.findLast((version) => version.slot <= slot);
  return {
    at: (address, slot) => upTo(versions.get(address) ?? [], slot)?.account,
    note: (address, slot, account, oldest) => {
      const held = (versions.get(address) ?? []).filter((version) => version.slot !== slot);
      const first = Math.max(
        0,
        held.findLastIndex((version) => version.slot <= oldest),
      );
      versions.set(address, [...held.slice(first), { slot, account }]);
      recent.set(address, slot);
      if (recent.size > RECENT_SWEEP) recent = new Map([...recent].filter(([, changed]) => changed >= oldest));
    },
    rewind: (slot) => {
      const restored = new Map<string, ChainAccount | undefined>();
      for (const [address, changed] of recent) {
        if (changed <= slot) continue;
        const kept = (versions.get(address) ?? []).filter((version) => version.slot <= slot);
        versions.set(address, kept);
        restored.set(address, kept[kept.length - 1]?.account);
        recent.delete(address);
        const last = kept[kept.length - 1];
        if (last !== undefined && last.slot > 0n) recent.set(address, last.slot);
      }
      return restored;
    },
    allAt: (slot) => {
      const found = new Map<string, ChainAccount>();
      for (const [address, held] of versions) {
        const account = upTo(held, slot)?.account;
        if (account !== undefined) found.set(address, account);
      }
      return found;
    },
  };
}

/** How many changed addresses are listed before those beyond rewinding are swept out. Source: ours. */
const RECENT_SWEEP = 4096;
