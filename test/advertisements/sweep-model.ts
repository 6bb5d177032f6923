/**
 * The sweep as CONVERGENCE "Allocation" states it, over all allocations at once: the oracle for the ledger, which
 * sweeps again only what a change can reach.
 */
import type { Allocation } from "../../core/domains/trade/advertisements/allocation.ts";
import { compareAllocations, STATUS_FINAL_MS } from "../../core/domains/trade/advertisements/allocation.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";

/** An allocation, and since when a status other than Active has been in force at its date. */
export interface Dated extends Allocation {
  readonly closedSince: EpochMillis | undefined;
  /** Whether what it agrees to was in force at its date; unless said, it was. */
  readonly offered?: boolean;
}

export interface Outcome {
  readonly granted: ReadonlySet<string>;
  readonly barred: ReadonlySet<string>;
  readonly acknowledged: bigint;
}

/** Hands out `liquidity` (of `decimals`) over allocations in (timestamp, identity) order. */
export function sweep(liquidity: bigint, decimals: number, allocations: readonly Dated[]): Outcome {
  const granted = new Set<string>();
  const barred = new Set<string>();
  let acknowledged = 0n;
  const competing: Dated[] = [];
  for (const allocation of allocations) {
    if (isFinallyClosed(allocation)) barred.add(allocation.identity);
    else if (allocation.decimals !== decimals) continue;
    else if (allocation.acknowledged) {
      acknowledged += allocation.units;
      granted.add(allocation.identity);
    } else if (allocation.closedSince === undefined && allocation.offered !== false) competing.push(allocation);
  }
  const holds: Dated[] = [];
  for (const allocation of competing.sort(compareAllocations)) {
    const held = holds
      .filter((hold) => !hasEnded(hold, allocation.timestamp))
      .reduce((sum, hold) => sum + hold.units, 0n);
    if (held + allocation.units > liquidity - acknowledged) continue;
    granted.add(allocation.identity);
    holds.push(allocation);
  }
  return { granted, barred, acknowledged };
}

function hasEnded(allocation: Allocation, instant: EpochMillis): boolean {
  return allocation.endsEarly ? allocation.endsAt <= instant : allocation.endsAt < instant;
}

function isFinallyClosed({ closedSince, timestamp }: Dated): boolean {
  return closedSince !== undefined && timestamp - closedSince > BigInt(STATUS_FINAL_MS);
}
