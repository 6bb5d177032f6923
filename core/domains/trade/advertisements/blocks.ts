/**
 * Allocations in canonical order, in immutable blocks: a change copies one block and the list of blocks, whatever
 * the advertisement's history. Source: CONVERGENCE "Bounds": sweeps coalesce per batch.
 */

import { known } from "../../../kernel/assert.ts";
import type { EpochMillis } from "../../../kernel/values.ts";
import { latest } from "../../../kernel/values.ts";
import type { Allocation } from "./allocation.ts";
import { compareAllocations, REFUSED } from "./allocation.ts";

/**
 * Allocations of one block at most. Source: DESIGN "Measured values": copying 128 references costs less than looking
 * for their place.
 */
export const BLOCK_ALLOCATIONS_MAX = 128;

/** Allocations, and what the sweep said of each. */
export interface Block {
  readonly allocations: readonly Allocation[];
  readonly verdicts: readonly number[];
  /** Until when any of them settles. */
  readonly settlesUntil: EpochMillis;
}

/** An allocation's place: which block, and where in it. */
export interface Place {
  readonly block: number;
  readonly offset: number;
}

type Order = Pick<Allocation, "timestamp" | "identity">;

/** The first place at or after (timestamp, identity); one past the end when there is none. */
export function placeOf(blocks: readonly Block[], sought: Order): Place {
  const block = firstWhere(blocks.length, (index) => {
    const last = blocks[index]?.allocations.at(-1);
    return last !== undefined && compareAllocations(last, sought) >= 0;
  });
  const allocations = blocks[block]?.allocations ?? [];
  return {
    block,
    offset: firstWhere(
      allocations.length,
      (index) => compareAllocations(allocations[index] as Allocation, sought) >= 0,
    ),
  };
}

/** The allocation of a request, if it has one. */
export function allocationAt(
  blocks: readonly Block[],
  sought: Order,
): { readonly allocation: Allocation; readonly verdict: number } | undefined {
  const { block, offset } = placeOf(blocks, sought);
  const allocation = blocks[block]?.allocations[offset];
  if (allocation?.identity !== sought.identity) return undefined;
  return { allocation, verdict: blocks[block]?.verdicts[offset] ?? REFUSED };
}

/** The blocks with allocations added or replaced; verdicts are those of before, REFUSED for a new allocation. */
export function withChanges(blocks: readonly Block[], changed: readonly Allocation[]): readonly Block[] {
  const news = [...changed].sort(compareAllocations);
  const [first] = news;
  if (first === undefined) return blocks;
  if (blocks.length === 0)
    return split(
      news,
      news.map(() => REFUSED),
    );
  let index = Math.min(placeOf(blocks, first).block, blocks.length - 1);
  const next = blocks.slice(0, index);
  for (let taken = 0; taken < news.length; index++) {
    const block = known(blocks[index], "a block for an allocation");
    const following = blocks[index + 1]?.allocations[0];
    const from = taken;
    while (taken < news.length && precedes(news[taken], following)) taken += 1;
    next.push(...(taken === from ? [block] : merged(block, news.slice(from, taken))));
  }
  return next.concat(blocks.slice(index));
}

function precedes(allocation: Allocation | undefined, following: Allocation | undefined): boolean {
  return allocation !== undefined && (following === undefined || compareAllocations(allocation, following) < 0);
}

function merged(block: Block, news: readonly Allocation[]): readonly Block[] {
  const allocations: Allocation[] = [];
  const verdicts: number[] = [];
  let at = 0;
  for (const allocation of news) {
    for (
      ;
      at < block.allocations.length && compareAllocations(block.allocations[at] as Allocation, allocation) < 0;
      at++
    ) {
      allocations.push(block.allocations[at] as Allocation);
      verdicts.push(block.verdicts[at] ?? REFUSED);
    }
    const replaces = block.allocations[at]?.identity === allocation.identity;
    allocations.push(allocation);
    verdicts.push(replaces ? (block.verdicts[at] ?? REFUSED) : REFUSED);
    if (replaces) at += 1;
  }
  return split([...allocations, ...block.allocations.slice(at)], [...verdicts, ...block.verdicts.slice(at)]);
}

/** Full blocks first, so that allocations which come in order fill the last one. */
function split(allocations: readonly Allocation[], verdicts: readonly number[]): readonly Block[] {
  const blocks: Block[] = [];
  for (let from = 0; from < allocations.length; from += BLOCK_ALLOCATIONS_MAX) {
    const until = from + BLOCK_ALLOCATIONS_MAX;
    const some = allocations.slice(from, until);
    const settlesUntil = latest(some.map((allocation) => allocation.settlesUntil));
    blocks.push({ allocations: some, verdicts: verdicts.slice(from, until), settlesUntil });
  }
  return blocks;
}

/** The first index for which something holds that holds for all after it. */
function firstWhere(length: number, holds: (index: number) => boolean): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
