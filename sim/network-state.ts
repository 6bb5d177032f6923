/**
 * What the simulated network consists of: members, connections, requests under way, links, cuts, and the questions
 * everything else asks about them. How it moves is in network.ts and requests.ts. Source: protocol 01 §5.
 */
import type { PeerId, ReplyHandle, RequestNumber } from "../core/index.ts";
import type { TransportEvents } from "../core/ports/transport.ts";
import type { Clock } from "./clock.ts";
import type { FaultLedger, Injection } from "./faults.ts";
import type { Link, LinkConditions } from "./links.ts";
import { createLink } from "./links.ts";

/** Links of different pairs never share a key. */
export const MEMBERS_MAX = 2 ** 20;

/** One live or remembered participant. `events` is absent while its process is down. */
export interface Member {
  readonly index: number;
  readonly peer: PeerId;
  readonly name: string;
  readonly address: string;
  events: TransportEvents | undefined;
  readonly connections: Map<number, Connection>;
  readonly requests: Set<Pending>;
  /** Addresses that it is dialling. */
  readonly dials: Set<string>;
  /** What it was asked and has not answered, by the handle of the answer. */
  readonly inbound: Map<ReplyHandle, Pending>;
  incoming: number;
  received: number;
}

/** A connection as both ends see it; `open` by member index. A half-open one is open at one end. */
export interface Connection {
  readonly dialer: number;
  readonly acceptor: number;
  dialerOpen: boolean;
  acceptorOpen: boolean;
  /** One end has closed, and word of it is on its way to the other. */
  closing: boolean;
  /** Why only one end is open, when a fault did that. */
  halfOpen: Injection | undefined;
}

/** A request that has not ended. */
export interface Pending {
  readonly owner: Member;
  readonly to: Member;
  readonly request: RequestNumber;
  readonly connection: Connection;
  readonly deadline: number;
  /** The handle under which the other holds it, and those of its copies. */
  handle: ReplyHandle | undefined;
  copies: ReplyHandle[] | undefined;
  settled: boolean;
}

/** A cut between members, in force until it is taken away. */
export interface Block {
  readonly blocks: (from: number, to: number) => boolean;
  readonly injection: Injection;
}

export interface Network {
  readonly clock: Clock;
  readonly faults: FaultLedger;
  readonly seed: bigint;
  readonly members: Member[];
  readonly byAddress: Map<string, Member>;
  readonly byPeer: Map<PeerId, Member>;
  readonly links: Map<number, Link>;
  readonly overrides: Map<number, LinkConditions>;
  readonly blocks: Set<Block>;
  /** Requests in the order they were made, and how many of them are over. */
  readonly timeouts: { queue: Pending[]; over: number; armed: boolean };
  /**
   * What every direction is like that has no conditions of its own: the usual ones, under the changes laid over them.
   */
  conditions: LinkConditions;
  usual: LinkConditions;
  readonly networkConditions: Set<Partial<LinkConditions>>;
  /** Messages that reached a member: requests and answers. */
  deliveries: number;
}

export function isOpen(connection: Connection, member: Member): boolean {
  return connection.dialer === member.index ? connection.dialerOpen : connection.acceptorOpen;
}

/** Forgets a connection at one end, without a word to the member. */
export function shut(member: Member, connection: Connection): void {
  const dialled = connection.dialer === member.index;
  if (dialled) connection.dialerOpen = false;
  else connection.acceptorOpen = false;
  const other = dialled ? connection.acceptor : connection.dialer;
  if (member.connections.get(other) !== connection) return;
  member.connections.delete(other);
  if (!dialled) member.incoming -= 1;
}

/** The first cut that stops a message from one member to another. */
export function blockOf(network: Network, from: number, to: number): Block | undefined {
  for (const block of network.blocks) if (block.blocks(from, to)) return block;
  return undefined;
}

export function memberAt(network: Network, index: number): Member {
  const member = network.members[index];
  if (member === undefined) throw new Error(`bug: no member ${index}`);
  return member;
}

/** The conditions of a direction: its own, or those of the whole network. */
export function conditionsOf(network: Network, from: number, to: number): LinkConditions {
  if (network.overrides.size === 0) return network.conditions;
  return network.overrides.get(from * MEMBERS_MAX + to) ?? network.conditions;
}

export function setConditions(network: Network, from: number, to: number, conditions: LinkConditions | null): void {
  if (conditions === null) network.overrides.delete(from * MEMBERS_MAX + to);
  else network.overrides.set(from * MEMBERS_MAX + to, conditions);
}

/** The direction from one member to another. */
export function linkOf(network: Network, from: Member, to: Member): Link {
  const key = from.index * MEMBERS_MAX + to.index;
  const held = network.links.get(key);
  if (held !== undefined) return held;
  const link = createLink(network.seed, `link/${from.name}>${to.name}`, network.faults);
  network.links.set(key, link);
  return link;
}
