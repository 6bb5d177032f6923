/**
 * Who comes back with old proofs in a drawn world: somebody wherever a disk refuses commits, because a node that has
 * forgotten which challenges were answered must not know the challenges either. Source: protocol 03 W-12.
 */
import type { Action } from "../action-kinds.ts";
import { proveAgain } from "../actions/prove-again.ts";
import type { FaultPlan } from "../fault-plans.ts";

const ROUNDS = 16;
/** He goes on for as long again, when the disk is well. */
const SPANS = 2;

/** What such people do beside all else: in a world without such a disk, nothing. */
export function oldProofs(faults: readonly FaultPlan[]): readonly Action[] {
  return faults.flatMap((fault) => {
    if (fault.kind !== "bad-disk" || (fault.conditions.full === 0 && fault.conditions.torn === 0)) return [];
    const { node, from, until } = fault;
    const every = Math.max(1, Math.floor((SPANS * (until - from)) / ROUNDS));
    return [proveAgain(`returner-${node}`, { at: from, via: node, rounds: ROUNDS, every })];
  });
}
