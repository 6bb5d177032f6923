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
import { handshakeMs } from "./links.ts";
import { forget, starve } from "./network-faults.ts";
import type { Connection, Member, Network, NetworkDue, NetworkState } from "./network-state.ts";
import {
  blockOf,
  conditionsOf,
  isOpen,
  linkOf,
  listenerOf,
  lives,
  MEMBERS_MAX,
  memberAt,
  PING_TIMEOUT_MS,
  shut,
} from "./network-state.ts";
import {
  answered,
  asked,
  askedAgain,
  closeEnd,
  ENVELOPE_BYTES_MAX,
  fail,
  failOverdue,
  reply,
  send,
  settle,
} from "./requests.ts";

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

/** What is done about each kind of event that is due. One row a kind; the compiler demands each. */
type Rows = {
  readonly [K in NetworkDue["kind"]]: (network: Network, due: Extract<NetworkDue, { kind: K }>) => void;
};

const rows: Rows = {
  refused: (network, { member, life, to, request, reason }) => {
    if (member.life === life) network.listeners.get(member.index)?.failed(to, request, reason);
  },
  dialled: reached,
  unreachable: (network, { member, life, address, reason }) => endDial(network, member, life, address, reason),
  "hang-up": (network, { member, other, connection }) => hangUp(network, member, other, connection),
  ended: (network, { member, other, connection }) => closeEnd(network, member, other, connection),
  asked,
  "asked-again": askedAgain,
  answered,
  unwritable: (network, { pending }) => fail(network, pending, "too large"),
  overdue: (network) => failOverdue(network),
  starved: starve,
  forgotten: forget,
  // After the failures of what was sent before and while it closed.
  closing: ({ plan }, { close }) => plan.after(0, { kind: "closed", close }),
  closed: ({ closings }, { close }) => closings[close]?.(),
};

/** The network of a world. Members join it one by one. */
export function createNetwork({ clock, seed, faults, conditions }: NetworkOptions): Network {
  const perform = (due: NetworkDue) => (rows[due.kind] as (network: Network, due: NetworkDue) => void)(network, due);
  const part = clock.part("network", () => freshState(conditions), perform);
  const network: Network = { clock, seed, faults, held: part.held, plan: part, listeners: new Map(), closings: [] };
  return network;
}

function freshState(conditions: LinkConditions): NetworkState {
  return {
    members: [],
    byAddress: new Map(),
    byPeer: new Map(),
    links: new Map(),
    overrides: new Map(),
    conditions,
    usual: conditions,
    networkConditions: new Set(),
    blocks: new Set(),
    lines: new Set(),
    timeouts: { queue: [], over: 0, armed: false },
    deliveries: 0,
  };
}

/** Brings a member up, for the first time or again after a crash; its links keep their history. */
export function joinNetwork(network: Network, joining: Joining, events: TransportEvents): TransportPort {
  const member = enrolMember(network, joining);
  member.up = true;
  member.life += 1;
  return listenToNetwork(network, member, events);
}

/** The transport of a member that is up. */
export function listenToNetwork(network: Network, member: Member, events: TransportEvents): TransportPort {
  network.listeners.set(member.index, events);
  const { life } = member;
  const { plan, held } = network;
  const refuse = (to: PeerId, request: RequestNumber, reason: string) => {
    plan.after(0, { kind: "refused", member, life, to, request, reason });
  };
  const connectionTo = (peer: PeerId) => {
    const other = lives(member, life) ? held.byPeer.get(peer) : undefined;
    const connection = other && member.connections.get(other.index);
    return other === undefined || connection === undefined ? undefined : { other, connection };
  };
  return {
    addresses: () => [member.address],
    dial: (address) => dial(network, member, life, address),
    disconnect(peer) {
      const found = connectionTo(peer);
      if (found !== undefined) plan.after(0, { kind: "hang-up", member, ...found });
    },
    send(to, request, bytes) {
      const found = connectionTo(to);
      if (found === undefined) return refuse(to, request, "not connected");
      if (bytes.length > ENVELOPE_BYTES_MAX) return refuse(to, request, "too large");
      send(network, member, found.other, found.connection, request, bytes);
    },
    reply(replyTo, bytes) {
      if (lives(member, life)) reply(network, member, replyTo, bytes);
    },
    close(done) {
      if (lives(member, life)) {
        for (const { to, request } of member.requests) refuse(to.peer, request, "closed");
        leaveNetwork(network, member.peer, "closed");
      }
      plan.after(0, { kind: "closing", close: network.closings.push(done) - 1 });
    },
  };
}

/**
 * Takes a member down at once. A process that closes or dies leaves its host to end its connections; when the host
 * loses power nobody is told, and the others notice by silence.
 */
export function leaveNetwork(network: Network, peer: PeerId, how: "closed" | "silent"): void {
  const member = network.held.byPeer.get(peer);
  if (member === undefined) return;
  member.up = false;
  for (const pending of [...member.requests]) settle(network, pending);
  member.inbound.clear();
  member.dials.clear();
  for (const [index, connection] of [...member.connections]) {
    shut(member, connection);
    noticeLater(network, member, memberAt(network, index), connection, how);
  }
}

/** Makes a member known without bringing it up. Its index is the number of those enrolled before it. */
export function enrolMember({ held }: Network, joining: Joining): Member {
  const known = held.byPeer.get(joining.peer);
  if (known !== undefined) return known;
  if (held.members.length >= MEMBERS_MAX) throw new RangeError(`at most ${MEMBERS_MAX} members`);
  const member: Member = {
    peer: joining.peer,
    address: joining.address,
    name: joining.name,
    index: held.members.length,
    up: false,
    life: 0,
    connections: new Map(),
    requests: new Set(),
    dials: new Set(),
    inbound: new Map(),
    incoming: 0,
    received: 0,
  };
  held.members.push(member);
  held.byAddress.set(joining.address, member);
  held.byPeer.set(joining.peer, member);
  return member;
}

/** A dial that finds nobody is told so after a round trip; one into a cut, after the time-out of a handshake. */
function dial(network: Network, member: Member, life: number, address: string): void {
  const other = network.held.byAddress.get(address);
  if (!lives(member, life) || member.dials.has(address)) return;
  member.dials.add(address);
  if (other === undefined || other === member) {
    const reason = "nobody is there";
    return network.plan.after(0, { kind: "unreachable", member, life, address, reason });
  }
  const there = handshakeMs(linkOf(network, member, other), conditionsOf(network, member.index, other.index));
  const back = handshakeMs(linkOf(network, other, member), conditionsOf(network, other.index, member.index));
  network.plan.after(there + back, { kind: "dialled", member, life, other });
}

/** A dial has come to its address. */
function reached(network: Network, { member, life, other }: Extract<NetworkDue, { kind: "dialled" }>): void {
  if (!lives(member, life)) return;
  const { address } = other;
  if (member.connections.has(other.index)) return void member.dials.delete(address);
  const block = blockOf(network, member.index, other.index) ?? blockOf(network, other.index, member.index);
  if (block !== undefined) {
    network.faults.bite(block.injection);
    return network.plan.after(DIAL_TIMEOUT_MS, { kind: "unreachable", member, life, address, reason: "timeout" });
  }
  if (!other.up) return endDial(network, member, life, address, "refused");
  const refusal = connect(network, member, other);
  if (refusal === undefined) member.dials.delete(address);
  else endDial(network, member, life, address, refusal);
}

function endDial(network: Network, member: Member, life: number, address: string, reason: string): void {
  if (lives(member, life) && member.dials.delete(address)) listenerOf(network, member)?.unreachable(address, reason);
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
  const connection: Connection = {
    dialer: dialer.index,
    acceptor: acceptor.index,
    dialerOpen: true,
    acceptorOpen: true,
    closing: false,
    halfOpen: undefined,
  };
  dialer.connections.set(acceptor.index, connection);
  acceptor.connections.set(dialer.index, connection);
  acceptor.incoming += 1;
  listenerOf(network, dialer)?.connected(acceptor.peer, acceptor.address);
  // An acceptor that never noticed the end of the old connection sees no new one either.
  if (!unnoticed && isOpen(connection, acceptor)) listenerOf(network, acceptor)?.connected(dialer.peer, null);
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
  network.faults.bite(block?.injection);
  const told = block === undefined && how === "closed";
  const conditions = conditionsOf(network, from.index, to.index);
  if (told) connection.closing = true;
  const delay = told ? handshakeMs(linkOf(network, from, to), conditions) : PING_TIMEOUT_MS;
  network.plan.after(delay, { kind: "ended", member: to, other: from, connection });
}
