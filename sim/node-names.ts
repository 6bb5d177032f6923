/**
 * What simulated nodes are called: in streams, in the network, and where their files are fetched.
 */

/** The name that a node's streams carry. */
export function nodeName(index: number): string {
  return `node/${index}`;
}

/** The address of a node in the simulated network. Source: protocol 01 §5.1, the form of an entrypoint. */
export function nodeAddress(index: number, publicPeer: string): string {
  return `/ip4/${hostOf(index)}/tcp/4001/p2p/${publicPeer}`;
}

/** The base under which a simulated node's files are fetched. Source: protocol 05 §6.8. */
export function nodeBase(index: number): string {
  return `http://${hostOf(index)}:7080`;
}

function hostOf(index: number): string {
  return `10.${(index >>> 16) & 255}.${(index >>> 8) & 255}.${index & 255}`;
}
