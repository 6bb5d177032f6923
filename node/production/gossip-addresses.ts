/**
 * Multiaddrs that an operator names, looked at before anything is opened: where peers reach the node, and what it
 * announces. Not here: peers to dial (start.ts). Source: protocol 01 §5.1, §5.5.
 */
import { parseAnnouncedAddress, parseListenAddress } from "../../adapters/libp2p/addresses.ts";
import type { PeerId } from "../../core/index.ts";

/** Whether QUIC loads is another question, which quic.ts asks. */
const CARRIERS = { memory: false, quic: true };

/** What an operator named. */
export interface GossipAddresses {
  readonly gossip?: readonly string[];
  readonly externalAddresses?: readonly string[];
}

/**
 * One line about the first that is none, or nothing. An announced address may name its node: `self`, "unborn" when its
 * key is yet to be drawn, or undefined while that is not known. Source: protocol 01 §5.1, §5.5.
 */
export function gossipAddressProblem(
  { gossip = [], externalAddresses = [] }: GossipAddresses,
  self: PeerId | "unborn" | undefined,
): string | undefined {
  for (const text of gossip) {
    const parsed = parseListenAddress(text, CARRIERS);
    if (!parsed.ok) return `--gossip-bind-address ${parsed.error}.`;
  }
  for (const text of externalAddresses) {
    const parsed = parseAnnouncedAddress(text, self, CARRIERS);
    if (!parsed.ok) return `--external-addr ${parsed.error}.`;
  }
  return undefined;
}
