/**
 * The share of those whose files only identity claims name. A claim costs nothing and need not end, and a key may have
 * many, so what claims alone name takes a part of every bound and leaves the rest to what settlements show.
 * Source: protocol 02 G.6, G.7; 04 §1.6; DESIGN L10.
 */

import type { Cid } from "../../../kernel/cid.ts";
import type { Reader } from "../../../kernel/table.ts";
import { heldFile } from "./queries.ts";
import type { Usage } from "./schema.ts";
import { BLOCK_BYTES_MAX } from "./schema.ts";
import { Blocks, Unlisted, Usages, Wants } from "./tables.ts";

/** Blocks held at most because claims name them, and their bytes: a quarter of all. Source: DESIGN L10. */
export const CLAIMED_BLOCKS_MAX = 4_096;
export const CLAIMED_BYTES_MAX = 134_217_728;
/** Lacking blocks of such files listed at most: a quarter of all. Source: DESIGN L10. */
export const CLAIMED_WANTS_MAX = 1_024;
/** Such files remembered that found no place in that list: a quarter of all. Source: DESIGN L10. */
export const CLAIMED_UNLISTED_MAX = 1_024;

const NOTHING: Usage = { blocks: 0, bytes: 0n };

/** Whether one more block may be fetched for claims. Source: DESIGN L10. */
export function hasClaimedRoom(reader: Reader): boolean {
  const { blocks, bytes } = claimedUsage(reader);
  return blocks < CLAIMED_BLOCKS_MAX && bytes + BigInt(BLOCK_BYTES_MAX) <= BigInt(CLAIMED_BYTES_MAX);
}

/** Whether one more lacking block may be listed for claims. Source: DESIGN L10. */
export function mayListClaimed(reader: Reader): boolean {
  return reader.count(Wants, "claimed", "claimed") < CLAIMED_WANTS_MAX && hasClaimedRoom(reader);
}

/** Whether one more file of claims may be remembered for later. Source: DESIGN L10. */
export function mayRememberClaimed(reader: Reader): boolean {
  return reader.count(Unlisted, "claimed", "claimed") < CLAIMED_UNLISTED_MAX;
}

/** What blocks take that claims alone name. Source: DESIGN L10. */
export function claimedUsage(reader: Reader): Usage {
  return reader.get(Usages, "claimed") ?? NOTHING;
}

/**
 * Adds to what is live the files that claims name, as far as their share goes: those that are kept already before
 * fresh uploads. Answers what they take. Source: protocol 02 G.6; DESIGN L10.
 */
export function addClaimed(reader: Reader, live: Set<string>, roots: readonly Cid[]): Usage {
  let { blocks, bytes } = NOTHING;
  const isFresh = (root: Cid) => (reader.get(Blocks, root)?.uploaded_at ?? null) !== null;
  for (const root of [...roots.filter((each) => !isFresh(each)), ...roots.filter(isFresh)]) {
    const added = [...heldFile(reader, root).held].filter((cid) => !live.has(cid));
    const more = added.reduce((sum, cid) => sum + (reader.get(Blocks, cid)?.bytes.length ?? 0), 0);
    if (blocks + added.length > CLAIMED_BLOCKS_MAX || bytes + BigInt(more) > BigInt(CLAIMED_BYTES_MAX)) continue;
    blocks += added.length;
    bytes += BigInt(more);
    for (const cid of added) live.add(cid);
  }
  return { blocks, bytes };
}
