/**
 * Claims in canonical order, in immutable blocks: a change copies one block and the list of blocks, whatever
 * the advertisement's history. Source: CONVERGENCE "Bounds": sweeps coalesce per batch.
 */

import { known } from "../../../kernel/assert.ts";
import type { Claim } from "./allocation.ts";
import { compareClaims, REFUSED } from "./allocation.ts";

/**
 * Claims of one block at most. Source: DESIGN "Measured values": copying 128 references costs less than looking for
 * their place.
 */
export const BLOCK_CLAIMS_MAX = 128;

/** Claims, and what the sweep said of each. */
export interface Block {
  readonly claims: readonly Claim[];
  readonly verdicts: readonly number[];
}

/** A claim's place: which block, and where in it. */
export interface Place {
  readonly block: number;
  readonly offset: number;
}

type Order = Pick<Claim, "timestamp" | "identity">;

/** The first place at or after (timestamp, identity); one past the end when there is none. */
export function placeOf(blocks: readonly Block[], sought: Order): Place {
  const block = firstWhere(blocks.length, (index) => {
    const last = blocks[index]?.claims.at(-1);
    return last !== undefined && compareClaims(last, sought) >= 0;
  });
  const claims = blocks[block]?.claims ?? [];
  return { block, offset: firstWhere(claims.length, (index) => compareClaims(claims[index] as Claim, sought) >= 0) };
}

/** The claim of a request, if it has one. */
export function claimAt(
  blocks: readonly Block[],
  sought: Order,
): { readonly claim: Claim; readonly verdict: number } | undefined {
  const { block, offset } = placeOf(blocks, sought);
  const claim = blocks[block]?.claims[offset];
  if (claim?.identity !== sought.identity) return undefined;
  return { claim, verdict: blocks[block]?.verdicts[offset] ?? REFUSED };
}

/** The blocks with claims added or replaced; verdicts are those of before, REFUSED for a new claim. */
export function withChanges(blocks: readonly Block[], changed: readonly Claim[]): readonly Block[] {
  const news = [...changed].sort(compareClaims);
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
    const block = known(blocks[index], "a block for a claim");
    const following = blocks[index + 1]?.claims[0];
    const from = taken;
    while (taken < news.length && precedes(news[taken], following)) taken += 1;
    next.push(...(taken === from ? [block] : merged(block, news.slice(from, taken))));
  }
  return next.concat(blocks.slice(index));
}

function precedes(claim: Claim | undefined, following: Claim | undefined): boolean {
  return claim !== undefined && (following === undefined || compareClaims(claim, following) < 0);
}

function merged(block: Block, news: readonly Claim[]): readonly Block[] {
  const claims: Claim[] = [];
  const verdicts: number[] = [];
  let at = 0;
  for (const claim of news) {
    for (; at < block.claims.length && compareClaims(block.claims[at] as Claim, claim) < 0; at++) {
      claims.push(block.claims[at] as Claim);
      verdicts.push(block.verdicts[at] ?? REFUSED);
    }
    const replaces = block.claims[at]?.identity === claim.identity;
    claims.push(claim);
    verdicts.push(replaces ? (block.verdicts[at] ?? REFUSED) : REFUSED);
    if (replaces) at += 1;
  }
  return split([...claims, ...block.claims.slice(at)], [...verdicts, ...block.verdicts.slice(at)]);
}

/** Full blocks first, so that claims which come in order fill the last one. */
function split(claims: readonly Claim[], verdicts: readonly number[]): readonly Block[] {
  const blocks: Block[] = [];
  for (let from = 0; from < claims.length; from += BLOCK_CLAIMS_MAX) {
    const until = from + BLOCK_CLAIMS_MAX;
    blocks.push({ claims: claims.slice(from, until), verdicts: verdicts.slice(from, until) });
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
