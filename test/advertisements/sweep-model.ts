/**
 * The sweep as CONVERGENCE "Allocation" states it, over all claims at once: the oracle for the ledger, which
 * sweeps again only what a change can reach.
 */
import type { Claim } from "../../core/domains/trade/advertisements/allocation.ts";
import { compareClaims, STATUS_FINAL_MS } from "../../core/domains/trade/advertisements/allocation.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";

/** A claim, and since when a status other than Active has been in force at its date. */
export interface Dated extends Claim {
  readonly closedSince: EpochMillis | undefined;
}

export interface Outcome {
  readonly granted: ReadonlySet<string>;
  readonly barred: ReadonlySet<string>;
  readonly acknowledged: bigint;
}

/** Hands out `liquidity` (of `decimals`) over claims in (timestamp, identity) order. */
export function sweep(liquidity: bigint, decimals: number, claims: readonly Dated[]): Outcome {
  const granted = new Set<string>();
  const barred = new Set<string>();
  let acknowledged = 0n;
  const competing: Dated[] = [];
  for (const claim of claims) {
    if (isFinallyClosed(claim)) barred.add(claim.identity);
    else if (claim.decimals !== decimals) continue;
    else if (claim.acknowledged) {
      acknowledged += claim.units;
      granted.add(claim.identity);
    } else if (claim.closedSince === undefined) competing.push(claim);
  }
  const holds: Dated[] = [];
  for (const claim of competing.sort(compareClaims)) {
    const held = holds.filter((hold) => !hasEnded(hold, claim.timestamp)).reduce((sum, hold) => sum + hold.units, 0n);
    if (held + claim.units > liquidity - acknowledged) continue;
    granted.add(claim.identity);
    holds.push(claim);
  }
  return { granted, barred, acknowledged };
}

function hasEnded(claim: Claim, instant: EpochMillis): boolean {
  return claim.endsEarly ? claim.endsAt <= instant : claim.endsAt < instant;
}

function isFinallyClosed({ closedSince, timestamp }: Dated): boolean {
  return closedSince !== undefined && timestamp - closedSince > BigInt(STATUS_FINAL_MS);
}
