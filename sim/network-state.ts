/**
 * What the simulated network consists of: members, connections, requests under way, links, cuts, what is due, and the
 * questions everything else asks about them. All of it is values; only who listens to a member is not.
 * How it moves is in network.ts and requests.ts. Source: protocol 01 §5; DESIGN section 5 "Everything is data".
 */
import type { PeerId, ReplyHandle, RequestNumber } from "../core/index.ts";
import type { TransportEvents } from "../core/ports/transport.ts";
import type { SharedLine } from "./bottlenecks.ts";
import { waitInLines } from "./bottlenecks.ts";
import type { Clock, Part } from "./clock.ts";
import type { FaultLedger, Injection } from "./faults.ts";
import type { Link, LinkConditions } from "./links.ts";
import { createLink } from "./links.ts";

/** Links of different pairs never share a key. */
export const MEMBERS_MAX = 2 ** 20;
/** Silence after which a connection is given up. Source: protocol 01 §13.1, heartbeat. */
export const PING_TIMEOUT_MS = 45_000;

/** One live or remembered participant. */
export interface Member {
  readonly index: number;
  readonly peer: PeerId;
  readonly name: string;
  readonly address: string;
  /** Whether its process runs, and which of its processes that is. */
  up: boolean;
  life: number;
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

/** A cut between members, in force until it is taken away: between every two groups, or only from the first on. */
export interface Block {
  readonly groupOf: ReadonlyMap<number, number>;
  readonly oneWay: boolean;
  readonly injection: Injection;
}

/** What is due in the network. */
export type NetworkDue =
  /** A request that never left ends, with its reason. */
  | {
      readonly kind: "refused";
      readonly member: Member;
      readonly life: number;
      readonly to: PeerId;
      readonly request: RequestNumber;
      readonly reason: string;
    }
  /** A dial reaches its address, or is given up. */
  | { readonly kind: "dialled"; readonly member: Member; readonly life: number; readonly other: Member }
  | {
      readonly kind: "unreachable";
      readonly member: Member;
      readonly life: number;
      readonly address: string;
      readonly reason: string;
    }
  /** A member ends a connection of its own accord; an end learns that the other is gone. */
  | { readonly kind: "hang-up"; readonly member: Member; readonly other: Member; readonly connection: Connection }
  | { readonly kind: "ended"; readonly member: Member; readonly other: Member; readonly connection: Connection }
  /** A request arrives, or its copy does. */
  | {
      readonly kind: "asked";
      readonly pending: Pending;
      readonly bytes: Uint8Array;
      readonly link: Link;
      readonly number: number;
    }
  | {
      readonly kind: "asked-again";
      readonly pending: Pending;
      readonly bytes: Uint8Array;
      readonly injection: Injection;
    }
  /** An answer arrives, or could not be written. */
  | {
      readonly kind: "answered";
      readonly pending: Pending;
      readonly bytes: Uint8Array;
      readonly link: Link;
      readonly number: number;
    }
  | { readonly kind: "unwritable"; readonly pending: Pending }
  /** Requests have waited too long. */
  | { readonly kind: "overdue" }
  /** What a cut crosses, or what one end forgot, dies of silence. */
  | { readonly kind: "starved"; readonly connection: Connection; readonly block: Block }
  | {
      readonly kind: "forgotten";
      readonly left: Member;
      readonly forgetful: Member;
      readonly connection: Connection;
      readonly injection: Injection;
    }
  /** A transport that closes has closed, a turn after what it failed. */
  | { readonly kind: "closing" | "closed"; readonly close: number };

/** What the network remembers. */
export interface NetworkState {
  readonly members: Member[];
  readonly byAddress: Map<string, Member>;
  readonly byPeer: Map<PeerId, Member>;
  readonly links: Map<number, Link>;
  readonly overrides: Map<number, LinkConditions>;
  readonly blocks: Set<Block>;
  /** Lines that many directions share, while faults make them. */
  readonly lines: Set<SharedLine>;
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

export interface Network {
  readonly clock: Clock;
  readonly faults: FaultLedger;
  readonly seed: bigint;
  readonly held: NetworkState;
  readonly plan: Pick<Part<NetworkState, NetworkDue>, "at" | "after">;
  /** Who hears what reaches a member, by its index; nobody while its process is down. */
  readonly listeners: Map<number, TransportEvents>;
  /** Who waits for a transport to have closed, by number. */
  readonly closings: (() => void)[];
}

export function isOpen(connection: Connection, member: Member): boolean {
  return connection.dialer === member.index ? connection.dialerOpen : connection.acceptorOpen;
}

/** Whether a process of a member still runs. */
export function lives(member: Member, life: number): boolean {
  return member.up && member.life === life;
}

/** Who hears what reaches a member whose process runs. */
export function listenerOf(network: Network, member: Member): TransportEvents | undefined {
  return member.up ? network.listeners.get(member.index) : undefined;
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
export function blockOf({ held }: Network, from: number, to: number): Block | undefined {
  for (const block of held.blocks) if (stops(block, from, to)) return block;
  return undefined;
}

/** Whether a cut stops what one member sends to another. */
export function stops({ groupOf, oneWay }: Block, from: number, to: number): boolean {
  const [source, target] = [groupOf.get(from), groupOf.get(to)];
  if (source === undefined || target === undefined || source === target) return false;
  return !oneWay || source === 0;
}

export function memberAt({ held }: Network, index: number): Member {
  const member = held.members[index];
  if (member === undefined) throw new Error(`bug: no member ${index}`);
  return member;
}

/** The conditions of a direction: its own, or those of the whole network. */
export function conditionsOf({ held }: Network, from: number, to: number): LinkConditions {
  if (held.overrides.size === 0) return held.conditions;
  return held.overrides.get(from * MEMBERS_MAX + to) ?? held.conditions;
}

/** The link just decided about a message of so many bytes: it waits in the lines that it shares with others. */
export function shareLines({ held, faults, clock }: Network, link: Link, from: Member, to: Member, size: number): void {
  if (held.lines.size > 0) waitInLines(held.lines, faults, link, [from.index, to.index], clock.now(), size);
}

export function setConditions({ held }: Network, from: number, to: number, conditions: LinkConditions | null): void {
  if (conditions === null) held.overrides.delete(from * MEMBERS_MAX + to);
  else held.overrides.set(from * MEMBERS_MAX + to, conditions);
}

/** The direction from one member to another. */
export function linkOf({ held, seed }: Network, from: Member, to: Member): Link {
  const key = from.index * MEMBERS_MAX + to.index;
  const known = held.links.get(key);
  if (known !== undefined) return known;
  const link = createLink(seed, `link/${from.name}>${to.name}`);
  held.links.set(key, link);
  return link;
}
