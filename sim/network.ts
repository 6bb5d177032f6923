/**
 * The simulated network: whole frames between members, one answer to each, on links that may be slow, lossy, cut or
 * half open. It keeps the contract of TransportPort: exactly one of `answered` and `failed` follows a `send`, and
 * events reach a member from the clock, never from inside its own call. Bytes are handed on, never copied.
 * Its state is in network-state.ts, requests are in requests.ts, faults in network-faults.ts.
 * Source: protocol 01 §5; DESIGN section 5.
 */
import type { PeerId, RequestNumber } from "../core/index.ts";
import type { TransportEvents, TransportPort } from "../core/ports/transport.ts";
import type { Clock } from "./clock.ts";
import type { FaultLedger } from "./faults.ts";
import type { LinkConditions } from "./links.ts";
import type { Connection, Member, Network } from "./network-state.ts";
import { blockOf, conditionsOf, isOpen, linkOf, MEMBERS_MAX, memberAt, shut } from "./network-state.ts";
import { closeEnd, ENVELOPE_BYTES_MAX, reply, send, settle } from "./requests.ts";

/** Silence after which a connection is given up. Source: protocol 01 §13.1, heartbeat. */
export const PING_TIMEOUT_MS = 45_000;
/** How long a handshake may take. Source: DESIGN "Simulated world", as the network's own transport has it. */
export const DIAL_TIMEOUT_MS = 10_000;
/** Connections of one member, and those it did not dial. Source: protocol 01 §5.1. */
export const CONNECTIONS_MAX = 512;
export const CONNECTIONS_INCOMING_MAX = 256;

export interface NetworkOptions {
  readonly clock: Clock;
  readonly seed: bigint;
  readonly faults: FaultLedger;
  readonly conditions: LinkConditions;
}

/** Who joins: its peer id, an address ending in `/p2p/<peer id>`, and the name its links' streams carry. */
export interface Joining {
  readonly peer: PeerId;
  readonly address: string;
  readonly name: string;
}

export function createNetwork(options: NetworkOptions): Network {
  return {
    ...options,
    members: [],
    byAddress: new Map(),
    byPeer: new Map(),
    links: new Map(),
    overrides: new Map(),
    usual: options.conditions,
    networkConditions: new Set(),
    blocks: new Set(),
    timeouts: { queue: [], over: 0, armed: false },
    deliveries: 0,
  };
}

/** Brings a member up, for the first time or again after a crash; its links keep their history. */
export function joinNetwork(network: Network, joining: Joining, events: TransportEvents): TransportPort {
  const member = enrolMember(network, joining);
  member.events = events;
  let closed = false;
  const refuse = (to: PeerId, request: RequestNumber, reason: string) => {
    network.clock.after(0, () => {
      if (closed || member.events === events) events.failed(to, request, reason);
    });
  };
  return {
    addresses: () => [member.address],
    dial: (address) => dial(network, member, events, address),
    disconnect: (peer) => {
      const other = network.byPeer.get(peer);
      const connection = other && member.connections.get(other.index);
      if (member.events !== events || other === undefined || connection === undefined) return;
      network.clock.after(0, () => hangUp(network, member, other, connection));
    },
    send(to, request, bytes) {
      const other = network.byPeer.get(to);
      const connection = other && member.connections.get(other.index);
      if (member.events !== events || other === undefined) return refuse(to, request, "not connected");
      if (connection === undefined) return refuse(to, request, "not connected");
      if (bytes.length > ENVELOPE_BYTES_MAX) return refuse(to, request, "too large");
      send(network, member, other, connection, request, bytes);
    },
    reply: (replyTo, bytes) => reply(network, member, events, replyTo, bytes),
    close(done) {
      if (member.events === events) {
        for (const { to, request } of member.requests) refuse(to.peer, request, "closed");
        leaveNetwork(network, member.peer, "closed");
        closed = true;
      }
      // After the failures of what was sent before and while it closed.
      network.clock.after(0, () => network.clock.after(0, done));
    },
  };
}

/**
 * Takes a member down at once. A process that closes or dies leaves its host to end its connections; when the host
 * loses power nobody is told, and the others notice by silence.
 */
export function leaveNetwork(network: Network, peer: PeerId, how: "closed" | "silent"): void {
  const member = network.byPeer.get(peer);
  if (member === undefined) return;
  member.events = undefined;
  for (const pending of [...member.requests]) settle(network, pending);
  member.inbound.clear();
  member.dials.clear();
  for (const [index, connection] of [...member.connections]) {
    shut(member, connection);
    noticeLater(network, member, memberAt(network, index), connection, how);
  }
}

/** Makes a member known without bringing it up. Its index is the number of those enrolled before it. */
export function enrolMember(network: Network, joining: Joining): Member {
  const known = network.byPeer.get(joining.peer);
  if (known !== undefined) return known;
  if (network.members.length >= MEMBERS_MAX) throw new RangeError(`at most ${MEMBERS_MAX} members`);
  const member: Member = {
    ...joining,
    index: network.members.length,
    events: undefined,
    connections: new Map(),
    requests: new Set(),
    dials: new Set(),
    inbound: new Map(),
    incoming: 0,
    received: 0,
  };
  network.members.push(member);
  network.byAddress.set(joining.address, member);
  network.byPeer.set(joining.peer, member);
  return member;
}

/** A dial that finds nobody is told so after a round trip; one into a cut, after the time-out of a handshake. */
function dial(network: Network, member: Member, events: TransportEvents, address: string): void {
  const other = network.byAddress.get(address);
  if (member.events !== events || member.dials.has(address)) return;
  member.dials.add(address);
  const end = (reason: string) => {
    if (member.events === events && member.dials.delete(address)) events.unreachable(address, reason);
  };
  if (other === undefined || other === member) return void network.clock.after(0, () => end("nobody is there"));
  const there = linkOf(network, member, other).handshakeMs(conditionsOf(network, member.index, other.index));
  const back = linkOf(network, other, member).handshakeMs(conditionsOf(network, other.index, member.index));
  network.clock.after(there + back, () => {
    if (member.events !== events) return;
    if (member.connections.has(other.index)) return void member.dials.delete(address);
    const block = blockOf(network, member.index, other.index) ?? blockOf(network, other.index, member.index);
    if (block !== undefined) {
      block.injection.bite();
      return void network.clock.after(DIAL_TIMEOUT_MS, () => end("timeout"));
    }
    if (other.events === undefined) return end("refused");
    const refusal = connect(network, member, other);
    if (refusal === undefined) member.dials.delete(address);
    else end(refusal);
  });
}

/** Connects two members, or says why not. */
function connect(network: Network, dialer: Member, acceptor: Member): string | undefined {
  const full = dialer.connections.size >= CONNECTIONS_MAX || acceptor.connections.size >= CONNECTIONS_MAX;
  if (full || acceptor.incoming >= CONNECTIONS_INCOMING_MAX) return "too many connections";
  const stale = acceptor.connections.get(dialer.index);
  // Word of a close was sent on the old connection before the new one was asked for.
  if (stale?.closing === true) closeEnd(network, acceptor, dialer, stale);
  const unnoticed = stale !== undefined && isOpen(stale, acceptor);
  if (stale !== undefined) shut(acceptor, stale);
  const ends = { dialer: dialer.index, acceptor: acceptor.index, dialerOpen: true, acceptorOpen: true };
  const connection: Connection = { ...ends, closing: false, halfOpen: undefined };
  dialer.connections.set(acceptor.index, connection);
  acceptor.connections.set(dialer.index, connection);
  acceptor.incoming += 1;
  dialer.events?.connected(acceptor.peer, acceptor.address);
  // An acceptor that never noticed the end of the old connection sees no new one either.
  if (!unnoticed && isOpen(connection, acceptor)) acceptor.events?.connected(dialer.peer, null);
  return undefined;
}

function hangUp(network: Network, member: Member, other: Member, connection: Connection): void {
  if (!isOpen(connection, member)) return;
  closeEnd(network, member, other, connection);
  noticeLater(network, member, other, connection, "closed");
}

/** The other end hears of a close after the link's delay; without a word, or behind a cut, by silence. */
function noticeLater(
  network: Network,
  from: Member,
  to: Member,
  connection: Connection,
  how: "closed" | "silent",
): void {
  const block = blockOf(network, from.index, to.index);
  block?.injection.bite();
  const told = block === undefined && how === "closed";
  const conditions = conditionsOf(network, from.index, to.index);
  if (told) connection.closing = true;
  const delay = told ? linkOf(network, from, to).handshakeMs(conditions) : PING_TIMEOUT_MS;
  network.clock.after(delay, () => closeEnd(network, to, from, connection));
}
