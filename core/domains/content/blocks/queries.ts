/**
 * Files out of blocks: a raw block is a file, a dag-pb node is the concatenation of its leaves, depth first.
 * Source: protocol 02 G.3, G.6, G.7.
 */

import type { Cid } from "../../../kernel/cid.ts";
import { partsOfCid } from "../../../kernel/cid.ts";
import type { Reader } from "../../../kernel/table.ts";
import { linksOfNode } from "./dag-pb.ts";
import { BLOCKS_PER_FILE_MAX, FILE_BYTES_MAX } from "./schema.ts";
import { Blocks } from "./tables.ts";

/** What a node holds of a file. */
export interface HeldFile {
  /** `broken`: no file, or more than one may be, whatever else arrives. */
  readonly type: "whole" | "incomplete" | "broken";
  /** Its leaves in order, as far as they are held. */
  readonly parts: readonly Uint8Array[];
  readonly length: number;
  /** Every held block that was looked at. */
  readonly held: ReadonlySet<Cid>;
  readonly missing: ReadonlySet<Cid>;
}

/** Looks a file up from its root's canonical CID. A node without links has no leaves to be a file of. */
export function heldFile(reader: Reader, root: Cid): HeldFile {
  const parts: Uint8Array[] = [];
  const [held, missing] = [new Set<Cid>(), new Set<Cid>()];
  let [length, visited, hollow, broken] = [0, 0, false, false];
  const ahead: Cid[] = [root];
  for (let cid = ahead.pop(); cid !== undefined && !broken; cid = ahead.pop()) {
    visited += 1;
    const block = reader.get(Blocks, cid);
    if (block === undefined) {
      missing.add(cid);
      continue;
    }
    held.add(cid);
    if (partsOfCid(cid)?.codec === "raw") {
      parts.push(block.bytes);
      length += block.bytes.length;
      broken = length > FILE_BYTES_MAX;
      continue;
    }
    const links = linksOfNode(block.bytes);
    if (links === undefined || visited + ahead.length + links.length > BLOCKS_PER_FILE_MAX) broken = true;
    else if (links.length === 0) hollow = true;
    else ahead.push(...[...links].reverse());
  }
  const type = broken ? "broken" : missing.size > 0 || hollow ? "incomplete" : "whole";
  return { type, parts, length, held, missing };
}
