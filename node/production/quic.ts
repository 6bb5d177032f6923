/**
 * Where QUIC decides what a node can be asked for. Its module is the operator's to add, since it does not promise every
 * version of Node.js that this software runs on. Source: DESIGN section 6.
 */
import type { QuicLoaded } from "../../adapters/libp2p/quic.ts";
import { QUIC_MODULE } from "../../adapters/libp2p/quic.ts";

/** Where a node is asked to listen, and which peers and addresses it is told of. */
interface Asked {
  readonly gossip?: readonly string[];
  readonly gossipWithQuic?: readonly string[];
  readonly entrypoints?: readonly string[];
  readonly externalAddresses?: readonly string[];
}

/** What a node that was not told where listens on: a free port of loopback. */
const ANYWHERE = ["/ip4/127.0.0.1/tcp/0"];

/** Every address to listen on. */
export function gossipOf({ gossip = ANYWHERE, gossipWithQuic = [] }: Asked, quic: QuicLoaded): readonly string[] {
  return quic.ok ? [...gossip, ...gossipWithQuic] : gossip;
}

/** One line when an address needs QUIC and it does not load. */
export function quicProblem(quic: QuicLoaded, asked: Asked): string | undefined {
  if (quic.ok) return undefined;
  const flags = {
    "--gossip-bind-address": asked.gossip,
    "--entrypoint": asked.entrypoints,
    "--external-addr": asked.externalAddresses,
  };
  for (const [flag, addresses = []] of Object.entries(flags)) {
    const address = addresses.find((each) => /\/quic-v1(?:\/|$)/.test(each));
    if (address !== undefined)
      return `${flag} ${address}: QUIC does not load (${quic.error}); npm i ${QUIC_MODULE}@2, or name a TCP address.`;
  }
  return undefined;
}
