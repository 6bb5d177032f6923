/**
 * The production transport under a world: every member runs the libp2p adapter over `@libp2p/memory`. In lock-step:
 * after each event of the loop everything on the way arrives at its transport before time goes on. When a member hears
 * of it is what the links of the simulated network say, faults included; requests run out of time by the world's
 * clock. The order within one instant is the stack's own, so roots are compared with other runs, never traces.
 * Source: DESIGN section 5 "Network backends".
 */
import { whenQuiet } from "../adapters/libp2p/quiet.ts";
import type { OpenedTransport } from "../adapters/libp2p/transport.ts";
import { openLibp2pTransport } from "../adapters/libp2p/transport.ts";
import type { PeerId, ReplyHandle, RequestNumber } from "../core/index.ts";
import type { TransportEvents, TransportPort } from "../core/ports/transport.ts";
import type { Carrier, Member } from "./carrier.ts";
import { unknownOverLibp2p } from "./carrier.ts";
import type { Loop } from "./clock.ts";
import type { Ordered, Wires } from "./libp2p-wires.ts";
import { arrival, cutOff, dialMs, forgetPair, openWires, partingMs, sendOn } from "./libp2p-wires.ts";
import { DIAL_TIMEOUT_MS, enrolMember } from "./network.ts";
import type { Block, Network } from "./network-state.ts";
import { PING_TIMEOUT_MS, stops } from "./network-state.ts";
import { REQUEST_TIMEOUT_MS } from "./requests.ts";

interface Joined {
  readonly member: Member;
  /** The transport, once it is open, and what was asked of it before. */
  transport: OpenedTransport | undefined;
  readonly early: ((transport: OpenedTransport) => void)[];
  readonly events: TransportEvents;
  /** Requests that it was handed and has not answered, by handle, with who asked. */
  readonly inHand: Map<ReplyHandle, PeerId>;
  /** Peers that it knows itself connected to, and those of them that are gone without its having heard. */
  readonly connected: Set<PeerId>;
  readonly gone: Map<PeerId, () => void>;
  /** Peers that it takes leave of. */
  readonly parting: Set<PeerId>;
  readonly dials: Set<string>;
  /** Requests that the link lost. */
  readonly lost: Map<RequestNumber, PeerId>;
  open: boolean;
}

interface State {
  readonly loop: Loop;
  readonly network: Network;
  readonly wires: Wires;
  /** Tells this world's members from those of other worlds in the process. */
  readonly world: number;
  readonly members: Map<string, Member>;
  readonly joined: Map<PeerId, Joined>;
  readonly pending: Set<Promise<void>>;
  /** How members left. */
  readonly left: Map<PeerId, "closed" | "silent">;
  /** Cuts that were seen. */
  readonly cuts: WeakSet<Block>;
  deliveries: number;
  /** Whether anything was asked of a transport since all was quiet. */
  stirred: boolean;
}

/** Worlds of this process so far. */
const worlds = { count: 0 };

/** Longer than any run: what libp2p times by the machine's clock has no say in virtual time. */
const NEVER_MS = 2_000_000_000;

/** Real transports for the members of a world, on the links of its simulated network. */
export function libp2pCarrier(loop: Loop, network: Network): Carrier {
  worlds.count += 1;
  const state: State = {
    ...{ loop, network, wires: openWires(network), world: worlds.count, deliveries: 0, stirred: false },
    ...{ members: new Map(), joined: new Map(), pending: new Set(), left: new Map(), cuts: new WeakSet() },
  };
  return {
    unknownFaults: unknownOverLibp2p,
    enrol: (member) => enrol(state, member),
    join: (member, events) => join(state, member, events),
    listen() {
      throw new Error("bug: a world over libp2p was held");
    },
    leave: (peer, how) => leave(state, peer, how),
    deliveries: () => state.deliveries,
    settle() {
      noticeCuts(state);
      return state.stirred || state.pending.size > 0 ? settle(state) : undefined;
    },
    async close() {
      for (const peer of [...state.joined.keys()]) leave(state, peer, "closed");
      await Promise.all(state.pending);
    },
  };
}

function enrol({ members, network }: State, member: Member): void {
  members.set(member.address, member);
  enrolMember(network, { peer: member.peer, address: member.address, name: member.name });
}

function join(state: State, member: Member, events: TransportEvents): TransportPort {
  enrol(state, member);
  state.left.delete(member.peer);
  const own: Joined = {
    ...{ member, events, transport: undefined, open: true },
    ...{ early: [], inHand: new Map(), connected: new Set(), gone: new Map(), parting: new Set() },
    ...{ dials: new Set(), lost: new Map() },
  };
  state.joined.set(member.peer, own);
  waitFor(state, open(state, own));
  return {
    addresses: () => [member.address],
    dial: (address) => dial(state, own, address),
    disconnect(peer) {
      own.parting.add(peer);
      ask(state, own, (transport) => transport.disconnect(peer));
    },
    send: (to, request, bytes) => send(state, own, to, request, bytes),
    reply: (replyTo, bytes) => reply(state, own, replyTo, bytes),
    close(done) {
      leave(state, member.peer, "closed");
      queueMicrotask(done);
    },
  };
}

/** Asks something of a transport, now or as soon as it is open. */
function ask(state: State, own: Joined, what: (transport: OpenedTransport) => void): void {
  state.stirred = true;
  if (own.transport === undefined) own.early.push(what);
  else what(own.transport);
}

async function open(state: State, own: Joined): Promise<void> {
  const opened = await openLibp2pTransport({
    secretKey: own.member.secretKey,
    listen: [`/memory/${memoryName(state, own.member)}`],
    memory: true,
    events: eventsFor(state, own),
    limits: { pingIntervalMs: NEVER_MS, connectionsPerHostAndSecondMax: 100_000 },
    setDeadline(afterMs, over) {
      const wanted = { still: true };
      state.loop.after(afterMs, () => (wanted.still ? over() : undefined));
      return () => {
        wanted.still = false;
      };
    },
  });
  if (!opened.ok) throw new Error(`bug: no transport for ${own.member.name}: ${opened.error.reason}`);
  if (!own.open) return await closed(opened.value);
  own.transport = opened.value;
  for (const what of own.early.splice(0)) what(opened.value);
}

/** A dial takes as long as the simulated network's, and ends as that would where nobody answers. */
function dial(state: State, own: Joined, address: string): void {
  const other = state.members.get(address);
  if (own.dials.has(address)) return;
  own.dials.add(address);
  const end = (reason: string) => {
    if (own.dials.delete(address) && own.open) own.events.unreachable(address, reason);
  };
  if (other === undefined || other === own.member) return state.loop.after(0, () => end("nobody is there"));
  state.loop.after(dialMs(state.wires, own.member, other), () => {
    if (!own.open) return;
    if (cutOff(state.wires, own.member, other)) return state.loop.after(DIAL_TIMEOUT_MS, () => end("timeout"));
    if (!state.joined.has(other.peer)) return end("refused");
    own.dials.delete(address);
    if (!own.connected.has(other.peer)) ask(state, own, (transport) => transport.dial(memoryAddress(state, other)));
  });
}

function send(state: State, own: Joined, to: PeerId, request: RequestNumber, bytes: Uint8Array): void {
  const other = own.connected.has(to) ? memberOf(state, to) : undefined;
  // Who is not connected hears so from the transport.
  const sent = other === undefined ? bytes : sendOn(state.wires, "asked", own.member, other, bytes);
  if (sent !== undefined) return ask(state, own, (transport) => transport.send(to, request, sent));
  own.lost.set(request, to);
  state.loop.after(REQUEST_TIMEOUT_MS, () => failLost(own, request, "timeout"));
}

function failLost(own: Joined, request: RequestNumber, reason: string): void {
  const to = own.lost.get(request);
  if (to !== undefined && own.lost.delete(request) && own.open) own.events.failed(to, request, reason);
}

function reply(state: State, own: Joined, replyTo: ReplyHandle, bytes: Uint8Array): void {
  const asker = own.inHand.get(replyTo);
  const other = asker && memberOf(state, asker);
  if (other === undefined) return;
  const sent = sendOn(state.wires, "answered", own.member, other, bytes);
  if (sent === undefined) {
    // Its asker waits in vain, and so long the request is in hand.
    return state.loop.after(REQUEST_TIMEOUT_MS, () => void own.inHand.delete(replyTo));
  }
  own.inHand.delete(replyTo);
  ask(state, own, (transport) => transport.reply(replyTo, sent));
}

/** What a member hears, when its links let it. Nothing once it has left. */
function eventsFor(state: State, own: Joined): TransportEvents {
  const { events, member } = own;
  const later = (order: Ordered | undefined, tell: () => void) => {
    state.stirred = true;
    state.loop.after(order?.delay ?? 0, () => {
      if (!own.open) return;
      order?.arrived();
      state.deliveries += 1;
      tell();
    });
  };
  return {
    connected(peer, address) {
      state.stirred = true;
      own.gone.get(peer)?.();
      own.connected.add(peer);
      if (own.open) events.connected(peer, address === null ? null : (memberOf(state, peer)?.address ?? address));
    },
    disconnected: (peer) => noticeGone(state, own, peer),
    unreachable: () => undefined,
    measured: () => undefined,
    observed: () => undefined,
    received(from, replyTo, bytes) {
      own.inHand.set(replyTo, from);
      later(arrival(state.wires, "asked", from, member.peer), () => events.received(from, replyTo, bytes));
    },
    answered(from, request, bytes) {
      later(arrival(state.wires, "answered", from, member.peer), () => events.answered(from, request, bytes));
    },
    failed(to, request, reason) {
      state.stirred = true;
      if (own.open) events.failed(to, request, reason);
    },
  };
}

/** A connection is gone; its end hears of that when a word, or long silence, says so. */
function noticeGone(state: State, own: Joined, peer: PeerId): void {
  const { member, events } = own;
  state.stirred = true;
  const tell = () => {
    if (!own.gone.delete(peer)) return;
    own.connected.delete(peer);
    for (const [request, to] of [...own.lost]) if (to === peer) failLost(own, request, "disconnected");
    if (own.open) events.disconnected(peer);
  };
  own.gone.set(peer, tell);
  for (const [handle, from] of [...own.inHand]) if (from === peer) own.inHand.delete(handle);
  forgetPair(state.wires, member.peer, peer);
  const other = memberOf(state, peer);
  if (own.parting.delete(peer) || other === undefined) return tell();
  state.loop.after(partingMs(state.wires, other, member, state.left.get(peer) ?? "closed"), tell);
}

function leave(state: State, peer: PeerId, how: "closed" | "silent"): void {
  const own = state.joined.get(peer);
  if (own === undefined) return;
  state.joined.delete(peer);
  state.left.set(peer, how);
  own.open = false;
  state.stirred = true;
  if (own.transport !== undefined) waitFor(state, closed(own.transport));
}

/** Connections that a cut crosses die of silence, unless the cut is taken away before. */
function noticeCuts(state: State): void {
  for (const block of state.network.held.blocks) {
    if (state.cuts.has(block)) continue;
    state.cuts.add(block);
    state.loop.after(PING_TIMEOUT_MS, () => starve(state, block));
  }
}

function starve(state: State, block: Block): void {
  if (!state.network.held.blocks.has(block)) return;
  const indexOf = (peer: PeerId) => state.network.held.byPeer.get(peer)?.index ?? -1;
  for (const own of state.joined.values()) {
    for (const peer of own.connected) {
      const [from, to] = [indexOf(own.member.peer), indexOf(peer)];
      if (!stops(block, from, to) && !stops(block, to, from)) continue;
      state.network.faults.bite(block.injection);
      own.parting.add(peer);
      ask(state, own, (transport) => transport.disconnect(peer));
    }
  }
}

/** Waits until nothing is on its way: what members have in hand waits for virtual time, and for nothing else. */
async function settle(state: State): Promise<void> {
  do {
    state.stirred = false;
    await Promise.all(state.pending);
    const joined = [...state.joined.values()];
    const transports = joined.flatMap(({ transport }) => transport ?? []);
    await whenQuiet(transports, undefined, () => joined.reduce((sum, { inHand }) => sum + inHand.size, 0));
  } while (state.pending.size > 0);
  state.stirred = false;
}

/** Something that has to be over before time goes on. */
function waitFor(state: State, promise: Promise<void>): void {
  const pending = promise.finally(() => state.pending.delete(pending));
  state.pending.add(pending);
}

function closed(transport: OpenedTransport): Promise<void> {
  return new Promise((resolve) => transport.close(resolve));
}

function memberOf({ members }: State, peer: PeerId): Member | undefined {
  for (const member of members.values()) if (member.peer === peer) return member;
  return undefined;
}

function memoryName(state: State, { name }: Member): string {
  return `world-${state.world}-${name.replaceAll(/[^a-z0-9]/gi, "-")}`;
}

function memoryAddress(state: State, member: Member): string {
  return `/memory/${memoryName(state, member)}/p2p/${member.peer}`;
}
