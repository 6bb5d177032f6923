/**
 * Multiaddrs: which ones this adapter can listen on, dial and announce. A wildcard is never announced.
 * Source: protocol 01 §5.1, §5.5.
 */
import { peerIdFromString } from "@libp2p/peer-id";
import type { Multiaddr } from "@multiformats/multiaddr";
import { multiaddr } from "@multiformats/multiaddr";
import type { PeerId, Result } from "./types.ts";

const PEER_ID = /^12D3Koo[1-9A-HJ-NP-Za-km-z]{45}$/;
const HOSTS = new Set(["ip4", "ip6", "dns", "dns4", "dns6"]);

/** What a transport may speak beside TCP. */
export interface Carriers {
  readonly memory: boolean;
  readonly quic: boolean;
}

/** What a listen address may look like: `/ip4/…/tcp/…`, ip6 likewise, and what `carriers` add. */
export function parseListenAddress(text: string, carriers: Carriers): Result<Multiaddr, string> {
  const parsed = parse(text);
  if (!parsed.ok) return parsed;
  const names = protocolsOf(parsed.value).join("/");
  if (/^ip[46]\/tcp$/.test(names) || isQuic(names, carriers) || (carriers.memory && names === "memory")) return parsed;
  const others = carriers.quic ? " or /ip4/HOST/udp/PORT/quic-v1" : "";
  return { ok: false, error: `${text}: not an address to listen on; expected /ip4/HOST/tcp/PORT${others}` };
}

/**
 * An address that this node says it can be reached at, without its own `/p2p` part. Whose that part is cannot be told
 * where `self` is undefined. Source: protocol 01 §5.5.
 */
export function parseAnnouncedAddress(
  text: string,
  self: string | undefined,
  carriers: Carriers,
): Result<Multiaddr, string> {
  const parsed = parse(text);
  if (!parsed.ok) return parsed;
  const peer = peerOf(parsed.value);
  if (peer !== undefined && self !== undefined && peer !== self)
    return { ok: false, error: `${text}: announces another peer` };
  const address = withoutPeer(parsed.value);
  if (isWildcard(address)) return { ok: false, error: `${text}: a wildcard reaches nobody` };
  if (!isReachable(address, carriers)) return { ok: false, error: `${text}: not an address that peers can dial` };
  return { ok: true, value: address };
}

/** An address to dial, which names the peer expected there. */
export function parseDialAddress(
  text: string,
  carriers: Carriers,
): Result<{ address: Multiaddr; peer: PeerId }, string> {
  const parsed = parse(text);
  if (!parsed.ok) return parsed;
  const peer = peerOf(parsed.value);
  if (peer === undefined) return { ok: false, error: `${text}: does not end in /p2p/12D3Koo…` };
  if (!isReachable(withoutPeer(parsed.value), carriers)) {
    return { ok: false, error: `${text}: not an address that this node can dial; expected /ip4/HOST/tcp/PORT/p2p/…` };
  }
  return { ok: true, value: { address: parsed.value, peer } };
}

/** Whether a text is the id of a peer and nothing else: who it is, and not where. */
export function isPeerName(text: string): boolean {
  try {
    return PEER_ID.test(text) && peerIdFromString(text).type === "Ed25519";
  } catch {
    return false;
  }
}

/** Addresses as they are announced: declared ones first, no wildcard, none twice, each ending in `/p2p/<self>`. */
export function announcedAddresses(
  declared: readonly Multiaddr[],
  bound: readonly Multiaddr[],
  self: PeerId,
): readonly string[] {
  const texts = [...declared, ...bound]
    .filter((address) => !isWildcard(address))
    .map((address) => `${withoutPeer(address).toString()}/p2p/${self}`);
  return [...new Set(texts)];
}

/** Whether a listen address stands for every interface of the machine. */
export function isWildcard(address: Multiaddr): boolean {
  return address.getComponents().some(({ name, value }) => isWildcardHost(name, value ?? ""));
}

function isWildcardHost(name: string, value: string): boolean {
  return (name === "ip4" && value === "0.0.0.0") || (name === "ip6" && /^[0:]+$/.test(value));
}

function isReachable(address: Multiaddr, carriers: Carriers): boolean {
  const names = protocolsOf(address);
  const [first, second, ...rest] = names;
  if (carriers.memory && first === "memory" && second === undefined) return true;
  if (isQuic(names.join("/"), carriers)) return true;
  return first !== undefined && HOSTS.has(first) && second === "tcp" && rest.length === 0;
}

/** Names are not among them: the module takes addresses only. */
function isQuic(names: string, { quic }: Carriers): boolean {
  return quic && /^ip[46]\/udp\/quic-v1$/.test(names);
}

function parse(text: string): Result<Multiaddr, string> {
  try {
    return { ok: true, value: multiaddr(text) };
  } catch {
    return { ok: false, error: `${text}: not a multiaddr` };
  }
}

function protocolsOf(address: Multiaddr): readonly string[] {
  return address.getComponents().map(({ name }) => name);
}

/** The peer that an address ends in. */
function peerOf(address: Multiaddr): PeerId | undefined {
  const last = address.getComponents().at(-1);
  return last?.name === "p2p" && PEER_ID.test(last.value ?? "") ? (last.value as PeerId) : undefined;
}

function withoutPeer(address: Multiaddr): Multiaddr {
  return address.getComponents().at(-1)?.name === "p2p" ? address.decapsulate("/p2p") : address;
}
