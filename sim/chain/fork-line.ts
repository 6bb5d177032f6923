/**
 * Which fork a slot belongs to. The chain is one line of blocks, the surviving fork; when its newest blocks are
 * abandoned, the slots after them belong to a fork with the next number, whose blocks have other hashes. A tree with
 * several live forks would replace this file: everything else asks only for the fork of a slot.
 */
import type { Slots } from "./slots.ts";

export interface ForkLine {
  /** The blockhash of a slot on the surviving fork, base58. */
  hashText(slot: bigint): string;
  hash(slot: bigint): Uint8Array;
  /** From `slot` on, a new fork. */
  startAt(slot: bigint): void;
}

interface Segment {
  readonly from: bigint;
  readonly number: number;
}

export function openForkLine(slots: Slots): ForkLine {
  let segments: readonly Segment[] = [{ from: 0n, number: 0 }];
  let forks = 1;
  const forkOf = (slot: bigint) => segments.findLast((segment) => segment.from <= slot)?.number ?? 0;
  return {
    hashText: (slot) => slots.blockhashText(slot, forkOf(slot)),
    hash: (slot) => slots.blockhash(slot, forkOf(slot)),
    startAt: (slot) => {
      segments = [...segments.filter((segment) => segment.from < slot), { from: slot, number: forks }];
      forks += 1;
    },
  };
}
