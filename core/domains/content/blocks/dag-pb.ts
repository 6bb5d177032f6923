/**
 * dag-pb nodes as far as files need them: the links of a node, and whether UnixFS says that it is something else
 * than a file. Source: protocol 02 G.3; the dag-pb and UnixFS formats.
 */

import type { Cid } from "../../../kernel/cid.ts";
import { cidOf, partsOfBytes } from "../../../kernel/cid.ts";

/** Links of one node at most. Source: protocol 02 G.7. */
export const LINKS_PER_NODE_MAX = 1_024;

const LENGTH_DELIMITED = 2;
const VARINT = 0;
/** UnixFS types whose links are no parts of a file: directory, metadata, symlink, sharded directory. */
const NOT_A_FILE: readonly number[] = [1, 3, 4, 5];

/** One member of a protobuf message: bytes or a number. */
type Member = { readonly field: number } & ({ readonly bytes: Uint8Array } | { readonly value: number });

/** The links of a node in order; nothing when it is no node, or its links name what cannot be held. */
export function linksOfNode(block: Uint8Array): readonly Cid[] | undefined {
  const members = membersOf(block);
  if (members === undefined) return undefined;
  const links: Cid[] = [];
  for (const member of members) {
    if (!("bytes" in member) || member.field > 2 || links.length > LINKS_PER_NODE_MAX) return undefined;
    if (member.field === 1) continue;
    const cid = linkTarget(member.bytes);
    if (cid === undefined) return undefined;
    links.push(cid);
  }
  const data = members.find(({ field }) => field === 1);
  if (links.length > 0 && data !== undefined && "bytes" in data && isOther(data.bytes)) return undefined;
  return links.length > LINKS_PER_NODE_MAX ? undefined : links;
}

function linkTarget(link: Uint8Array): Cid | undefined {
  const hash = membersOf(link)?.find(({ field }) => field === 1);
  const parts = hash !== undefined && "bytes" in hash ? partsOfBytes(hash.bytes) : undefined;
  return parts && cidOf(parts);
}

/** Whether UnixFS says of a node that it is not a file; what is no UnixFS says nothing. */
function isOther(data: Uint8Array): boolean {
  const type = membersOf(data)?.find(({ field }) => field === 1);
  return type !== undefined && "value" in type && NOT_A_FILE.includes(type.value);
}

/** The members of a protobuf message, or nothing when it is none. */
function membersOf(message: Uint8Array): readonly Member[] | undefined {
  const members: Member[] = [];
  let at = 0;
  const varint = (): number | undefined => {
    let value = 0;
    for (let scale = 1; scale <= 0x1_0000_0000_0000; scale *= 128) {
      const byte = message[at++];
      if (byte === undefined) return undefined;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
    return undefined;
  };
  while (at < message.length) {
    const key = varint();
    const value = key === undefined ? undefined : varint();
    if (key === undefined || value === undefined) return undefined;
    const [field, wire] = [Math.floor(key / 8), key % 8];
    if (wire === VARINT) {
      members.push({ field, value });
      continue;
    }
    if (wire !== LENGTH_DELIMITED || value > message.length - at) return undefined;
    members.push({ field, bytes: message.subarray(at, at + value) });
    at += value;
  }
  return members;
}
