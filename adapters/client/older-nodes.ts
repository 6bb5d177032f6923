/**
 * What clients still meet on older nodes, and ours never emits: the checkpoint's old name, and service ids
 * from eight bytes. Keys as arrays of integers are read by the schemas themselves.
 * Source: protocol 01 §1.3, §14.1 row 12; 05 §1.4.
 */

import bs58 from "bs58";
import { peerOfKey, publicKeyText, toHex } from "../../core/index.ts";

/** Methods by the name that older nodes give them; their params and results are the same. */
export const olderNames: Readonly<Record<string, string>> = { getCheckpointSlot: "getCheckpointHeight" };

/** JSON-RPC's code for a method that a node does not have. */
export const METHOD_NOT_FOUND = -32_601;

/** Peer-id bytes in an id of the old scheme. */
const OLD_ID_BYTES = 8;

/** Ids under which a key's own service is found, today's first. */
export function serviceIds(service: "node" | "snapshot", publicKey: Uint8Array): readonly [string, string] {
  const peer = bs58.decode(peerOfKey(publicKey));
  return [`${service}-${publicKeyText(publicKey)}`, `${service}-${toHex(peer.subarray(0, OLD_ID_BYTES))}`];
}
