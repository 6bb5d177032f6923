/**
 * dag-pb nodes for tests: links of a UnixFS file, or of whatever else UnixFS knows. Source: the dag-pb format.
 */

import { concat } from "../../core/kernel/bytes.ts";
import type { Cid } from "../../core/kernel/cid.ts";
import { partsOfCid } from "../../core/kernel/cid.ts";
import { compactWriter } from "../../core/kernel/compact.ts";

const FILE = 2;

/** A node with these links; `type` as UnixFS counts, nothing when `null`. */
export function dagNode(links: readonly Cid[], type: number | null = FILE): Uint8Array {
  const data = type === null ? [] : [member(1, Uint8Array.of(0x08, type))];
  return concat(
    ...links.map((cid) => member(2, concat(member(1, bytesOf(cid)), member(2, new Uint8Array(0))))),
    ...data,
  );
}

/** A protobuf member of bytes. */
export function member(field: number, bytes: Uint8Array): Uint8Array {
  const writer = compactWriter();
  writer.varint(field * 8 + 2);
  writer.bytes(bytes);
  return writer.finish();
}

function bytesOf(cid: Cid): Uint8Array {
  const parts = partsOfCid(cid);
  if (parts === undefined) throw new Error(`${cid} is no identifier`);
  return Uint8Array.of(1, parts.codec === "raw" ? 0x55 : 0x70, 0x12, 0x20, ...parts.digest);
}
