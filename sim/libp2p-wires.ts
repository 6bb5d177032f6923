/**
 * The links of the simulated network under real transports: each message is decided about when it is sent, crosses the
 * real stack at once, and is heard of when its link says so. Source: DESIGN section 5 "Network backends".
 */
import type { PeerId } from "../core/index.ts";
import { arrivedOn, carried, decide, handshakeMs } from "./links.ts";
import type { Joining } from "./network.ts";
import type { Network, Member as NetworkMember } from "./network-state.ts";
import { blockOf, conditionsOf, linkOf, PING_TIMEOUT_MS, shareLines } from "./network-state.ts";

/** What a link said of a message on its way. */
export interface Ordered {
  readonly delay: number;
  /** Tells the link that it arrived. */
  readonly arrived: () => void;
}

export interface Wires {
  readonly network: Network;
  /** Messages on their way, in their order, by kind and direction. */
  readonly orders: Map<string, Ordered[]>;
}

type Kind = "asked" | "answered";
type Who = Pick<Joining, "peer">;

export function openWires(network: Network): Wires {
  return { network, orders: new Map() };
}

/** Decides about a message; it is lost, or its delay is noted for when it arrives, and this is what is sent of it. */
export function sendOn(wires: Wires, kind: Kind, from: Who, to: Who, bytes: Uint8Array): Uint8Array | undefined {
  const { network } = wires;
  const [source, target] = [simulated(network, from), simulated(network, to)];
  const link = linkOf(network, source, target);
  const conditions = conditionsOf(network, source.index, target.index);
  decide(link, network.faults, conditions, network.clock.now(), bytes.length, false);
  shareLines(network, link, source, target, bytes.length);
  const block = network.held.blocks.size === 0 ? undefined : blockOf(network, source.index, target.index);
  network.faults.bite(block?.injection);
  if (link.lost) network.faults.count("loss", block === undefined);
  if (link.lost || block !== undefined) return undefined;
  const { number, delay } = link;
  const order = { delay, arrived: () => arrivedOn(link, network.faults, number) };
  const key = keyOf(kind, from.peer, to.peer);
  const queue = wires.orders.get(key);
  if (queue === undefined) wires.orders.set(key, [order]);
  else queue.push(order);
  return carried(link, network.faults, conditions, bytes);
}

/** What the link said of the message that arrived. */
export function arrival({ orders }: Wires, kind: Kind, from: PeerId, to: PeerId): Ordered | undefined {
  return orders.get(keyOf(kind, from, to))?.shift();
}

/** A connection between two is gone, and what was on its way with it. */
export function forgetPair({ orders }: Wires, one: PeerId, other: PeerId): void {
  for (const kind of ["asked", "answered"] as const) {
    orders.delete(keyOf(kind, one, other));
    orders.delete(keyOf(kind, other, one));
  }
}

/** How long a dial takes there and back. */
export function dialMs({ network }: Wires, from: Who, to: Who): number {
  return wordMs(network, from, to) + wordMs(network, to, from);
}

/** Whether a cut stops a dial. */
export function cutOff({ network }: Wires, from: Who, to: Who): boolean {
  const [source, target] = [simulated(network, from), simulated(network, to)];
  const block = blockOf(network, source.index, target.index) ?? blockOf(network, target.index, source.index);
  network.faults.bite(block?.injection);
  return block !== undefined;
}

/** When the other end hears that one is gone: by a word, or by silence. */
export function partingMs({ network }: Wires, gone: Who, left: Who, how: "closed" | "silent"): number {
  const block = blockOf(network, simulated(network, gone).index, simulated(network, left).index);
  network.faults.bite(block?.injection);
  return block === undefined && how === "closed" ? wordMs(network, gone, left) : PING_TIMEOUT_MS;
}

function wordMs(network: Network, from: Who, to: Who): number {
  const [source, target] = [simulated(network, from), simulated(network, to)];
  return handshakeMs(linkOf(network, source, target), conditionsOf(network, source.index, target.index));
}

function simulated(network: Network, { peer }: Who): NetworkMember {
  const member = network.held.byPeer.get(peer);
  if (member === undefined) throw new Error(`bug: ${peer} was never enrolled`);
  return member;
}

function keyOf(kind: Kind, from: PeerId, to: PeerId): string {
  return `${kind} ${from} ${to}`;
}
