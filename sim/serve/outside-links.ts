/**
 * Links of a served world's nodes to peers that are not of the world. Between its own members the simulated network
 * carries everything; what comes from outside is told to a node as a fact, and what the node sends there is handed to
 * its real transport. What a node knows of such links is part of the world: one that goes on from an earlier state has
 * lost them, and its nodes hear so. Source: DESIGN section 5 "Network backends", section 6 "serve".
 */
import type { PeerId, RequestNumber } from "../../core/index.ts";
import { bringerOf } from "../../core/index.ts";
import type { TransportEvents, TransportPort } from "../../core/ports/transport.ts";
import type { Carrier, Member, OpenCarrier } from "../carrier.ts";
import { simulatedCarrier } from "../carrier.ts";
import type { MakeChecker } from "../checker.ts";
import type { Loop, Part } from "../clock.ts";
import type { Network } from "../network-state.ts";

/** Handles of requests from outside begin so; the simulated network's begin otherwise. */
const OUTSIDE = "o";
/** Where peers from outside may be dialled: a served network leaves no machine. */
const LOOPBACK = /^\/(?:ip4\/127\.\d{1,3}\.\d{1,3}\.\d{1,3}|ip6\/::1)\//;

/** The real transports of nodes, by their peer ids. */
export interface OutsideTransports {
  /** A node is up and hears what comes from outside. Whoever was connected to it before is so no longer. */
  up(node: PeerId, events: TransportEvents): void;
  /** A node is down: it is connected to nobody, and its address refuses. */
  down(node: PeerId): void;
  dial(node: PeerId, address: string): void;
  disconnect(node: PeerId, peer: PeerId): void;
  send(node: PeerId, to: PeerId, request: RequestNumber, bytes: Uint8Array): void;
  reply(node: PeerId, replyTo: string, bytes: Uint8Array): void;
  /** A peer brought a statement that a node did not hold. */
  brought(node: PeerId, peer: PeerId): void;
}

/** The links of one world. Without transports nobody comes in, as in a copy that is only asked something. */
export interface OutsideLinks {
  readonly openCarrier: OpenCarrier;
  /** Sees who brings statements. */
  readonly watch: MakeChecker;
  /** Hands the transports over to this world. */
  attach(transports: OutsideTransports): void;
}

/** What a node knows of peers from outside. */
interface Known {
  readonly links: Set<PeerId>;
  /** Requests to them that are not over. */
  readonly requests: Map<RequestNumber, PeerId>;
}

/** A node of a world that goes on from an earlier state hears that its links are gone. */
interface Broken {
  readonly kind: "broken";
  readonly node: PeerId;
}

interface State {
  readonly network: Network;
  readonly part: Part<Map<PeerId, Known>, Broken>;
  /** Who hears what comes in, of the nodes that are up. */
  readonly listeners: Map<PeerId, TransportEvents>;
  transports: OutsideTransports | undefined;
}

/** The links of a world that is about to be opened. */
export function openOutsideLinks(): OutsideLinks {
  const opened: { state?: State; transports?: OutsideTransports } = {};
  return {
    openCarrier(loop, network) {
      const state = stateOf(loop, network, opened.transports);
      opened.state = state;
      return carrierOf(state);
    },
    watch: () => ({
      name: "outside-links",
      onStep({ node, input, changes }) {
        const bringer = bringerOf(input, changes);
        const own = opened.state?.network.held.members[node];
        if (bringer !== undefined && own !== undefined) opened.state?.transports?.brought(own.peer, bringer);
      },
    }),
    attach(transports) {
      opened.transports = transports;
      const { state } = opened;
      if (state === undefined) return;
      state.transports = transports;
      for (const { peer } of state.network.held.members) {
        const events = state.listeners.get(peer);
        if (events === undefined) transports.down(peer);
        else transports.up(peer, listenerOf(state, peer, events));
      }
    },
  };
}

function stateOf(loop: Loop, network: Network, transports: OutsideTransports | undefined): State {
  const part = loop.part(
    "outside-links",
    () => new Map<PeerId, Known>(),
    ({ node }: Broken) => breakLinks(state, node),
  );
  const state: State = { network, part, listeners: new Map(), transports };
  return state;
}

function carrierOf(state: State): Carrier {
  const inner = simulatedCarrier(state.network);
  const listens = (member: Member, events: TransportEvents, port: TransportPort): TransportPort => {
    state.listeners.set(member.peer, events);
    state.transports?.up(member.peer, listenerOf(state, member.peer, events));
    return portOf(state, member.peer, port);
  };
  return {
    ...inner,
    join(member, events) {
      state.part.held.delete(member.peer);
      return listens(member, events, inner.join(member, events));
    },
    listen(member, events) {
      if (state.part.held.has(member.peer)) state.part.after(0, { kind: "broken", node: member.peer });
      return listens(member, events, inner.listen(member, events));
    },
    leave(peer, how) {
      state.listeners.delete(peer);
      state.part.held.delete(peer);
      state.transports?.down(peer);
      inner.leave(peer, how);
    },
  };
}

function knownTo({ part }: State, node: PeerId): Known {
  const known = part.held.get(node) ?? { links: new Set<PeerId>(), requests: new Map<RequestNumber, PeerId>() };
  part.held.set(node, known);
  return known;
}

/** The port of a node: who is of this world is reached over the simulated network, all others over the real one. */
function portOf(state: State, node: PeerId, inner: TransportPort): TransportPort {
  const isLinked = (peer: PeerId) => state.part.held.get(node)?.links.has(peer) === true;
  return {
    addresses: inner.addresses,
    dial(address) {
      const { byPeer, byAddress } = state.network.held;
      const peer = address.slice(address.lastIndexOf("/") + 1) as PeerId;
      const isOutside = !byAddress.has(address) && !byPeer.has(peer) && LOOPBACK.test(address);
      if (!isOutside || state.transports === undefined) inner.dial(address);
      else if (!isLinked(peer)) state.transports.dial(node, address);
    },
    disconnect(peer) {
      if (isLinked(peer)) state.transports?.disconnect(node, peer);
      else inner.disconnect(peer);
    },
    send(to, request, bytes) {
      if (!isLinked(to)) return inner.send(to, request, bytes);
      knownTo(state, node).requests.set(request, to);
      state.transports?.send(node, to, request, bytes);
    },
    reply(replyTo, bytes) {
      if (replyTo.startsWith(OUTSIDE)) state.transports?.reply(node, replyTo.slice(OUTSIDE.length), bytes);
      else inner.reply(replyTo, bytes);
    },
    close: inner.close,
  };
}

/** What a node is told of what its real transport says. Somebody who bears a key of the world's own is shown out. */
function listenerOf(state: State, node: PeerId, events: TransportEvents): TransportEvents {
  const isLinked = (peer: PeerId) => state.part.held.get(node)?.links.has(peer) === true;
  const ends = (request: RequestNumber) => state.part.held.get(node)?.requests.delete(request) === true;
  return {
    connected(peer, address) {
      if (state.network.held.byPeer.has(peer)) return state.transports?.disconnect(node, peer);
      knownTo(state, node).links.add(peer);
      events.connected(peer, address);
    },
    disconnected(peer) {
      if (isLinked(peer)) lose(state, node, peer, events);
    },
    unreachable: events.unreachable,
    measured(peer, latencyMs) {
      if (isLinked(peer)) events.measured(peer, latencyMs);
    },
    observed(peer, address) {
      if (isLinked(peer)) events.observed(peer, address);
    },
    received(from, replyTo, bytes) {
      if (isLinked(from)) events.received(from, `${OUTSIDE}${replyTo}`, bytes);
    },
    answered(from, request, bytes) {
      if (ends(request)) events.answered(from, request, bytes);
    },
    failed(to, request, reason) {
      if (ends(request)) events.failed(to, request, reason);
    },
  };
}

/** A link is gone: what was asked over it fails first. */
function lose(state: State, node: PeerId, peer: PeerId, events: TransportEvents): void {
  const { links, requests } = knownTo(state, node);
  for (const [request, to] of [...requests]) {
    if (to === peer && requests.delete(request)) events.failed(to, request, "disconnected");
  }
  if (links.delete(peer)) events.disconnected(peer);
}

function breakLinks(state: State, node: PeerId): void {
  const events = state.listeners.get(node);
  const { links } = knownTo(state, node);
  if (events !== undefined) for (const peer of [...links]) lose(state, node, peer, events);
}
