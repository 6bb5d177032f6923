/**
 * What is between nodes, as values: links, envelopes and facts under way, clients, what may still go wrong, the clock
 * and the chain. What a node orders comes to changes of it. Source: DESIGN section 5.1.
 */
import type { Effect, EpochMillis, Fact, PeerId } from "../../core/index.ts";
import { outcomeOf } from "./calls.ts";
import type { Ask } from "./endpoints.ts";

/** How far a client is. */
export interface ClientState {
  readonly next: number;
  readonly waiting: boolean;
  /** What came of each call so far. */
  readonly outcomes: readonly string[];
  /** The last answer that later calls are written from. */
  readonly kept: string | null;
}

/** All that is not inside a node and not under way. Never changed once made. */
export interface Environment {
  readonly now: EpochMillis;
  /** Connected pairs, as bits. */
  readonly links: number;
  readonly clients: readonly ClientState[];
  readonly drops: number;
  readonly duplicates: number;
  readonly crashes: number;
  readonly ticks: number;
  /** Jumps of the clock so far. */
  readonly jumps: number;
  /** The stage that the chain is at. */
  readonly chain: number;
  /** Files that are on a disk and can be fetched, as numbers of the items that brought them there. */
  readonly files: readonly number[];
}

/** Something under way to a node. */
export type Item =
  /** An envelope that a peer sent, as the request of that number at the peer. */
  | {
      readonly kind: "request";
      readonly to: number;
      readonly from: number;
      readonly request: number;
      readonly fact: Fact;
    }
  /** Another copy of one: what is answered to it goes nowhere. */
  | { readonly kind: "copy"; readonly to: number; readonly from: number; readonly fact: Fact }
  | {
      readonly kind: "answer";
      readonly to: number;
      readonly from: number;
      readonly request: number;
      readonly fact: Fact;
    }
  /** What the node's own transport tells. */
  | { readonly kind: "notice"; readonly to: number; readonly fact: Fact }
  | { readonly kind: "dial"; readonly to: number; readonly other: number; readonly address: string }
  /** The link to a peer is over: every request to it failed. */
  | { readonly kind: "lost"; readonly to: number; readonly peer: PeerId }
  /** A question of a node to its endpoint. */
  | { readonly kind: "ask"; readonly to: number; readonly ask: Ask }
  /** A file that a node's disk is to keep. */
  | { readonly kind: "write"; readonly to: number; readonly id: string; readonly archive: Uint8Array }
  /** A file on its way to a node. */
  | {
      readonly kind: "fetch";
      readonly to: number;
      readonly id: string;
      readonly location: string;
      readonly sizeBytes: bigint;
    };

/** Who is where. */
export interface Seats {
  readonly peers: readonly PeerId[];
  readonly addresses: readonly string[];
  /** Whether the next call of a client is written from the answer to this one. */
  readonly keeps: (client: number, call: number) => boolean;
}

export function linkBit(a: number, b: number): number {
  const [low, high] = a < b ? [a, b] : [b, a];
  return 1 << (low * 5 + high);
}

export function areLinked({ links }: Environment, a: number, b: number): boolean {
  return (links & linkBit(a, b)) !== 0;
}

/** What came of a node's orders: another environment, and what is under way because of them. */
export interface Emitted {
  readonly environment: Environment;
  readonly items: readonly Item[];
}

/** Carries out what a node ordered. */
export function carryOut(before: Environment, node: number, effects: readonly Effect[], seats: Seats): Emitted {
  let environment = before;
  const items: Item[] = [];
  for (const effect of effects) {
    const emitted = carryOutOne(environment, node, effect, seats);
    environment = emitted.environment;
    items.push(...emitted.items);
  }
  return { environment, items };
}

function carryOutOne(environment: Environment, node: number, effect: Effect, seats: Seats): Emitted {
  const only = (...items: readonly Item[]): Emitted => ({ environment, items });
  switch (effect.type) {
    case "message.send":
      return only(sent(environment, node, effect, seats));
    case "message.reply":
      return only(...answered(environment, node, effect, seats));
    case "peer.dial": {
      const other = seats.addresses.indexOf(effect.address);
      const fact: Fact = { type: "peer.unreachable", address: effect.address, reason: "nobody is there" };
      if (other < 0 || other === node) return only({ kind: "notice", to: node, fact });
      return only({ kind: "dial", to: node, other, address: effect.address });
    }
    case "peer.disconnect": {
      const other = seats.peers.indexOf(effect.peer);
      if (other < 0 || !areLinked(environment, node, other)) return only();
      const links = environment.links & ~linkBit(node, other);
      const lost = [lostLink(node, other, seats), lostLink(other, node, seats)];
      return { environment: { ...environment, links }, items: lost };
    }
    case "snapshot.write":
      return only({ kind: "write", to: node, id: effect.id, archive: effect.archive });
    case "snapshot.fetch": {
      const { id, location, sizeBytes } = effect;
      return only({ kind: "fetch", to: node, id, location, sizeBytes });
    }
    case "rpc.reply":
      return { environment: withAnswer(environment, effect.replyTo, effect.body ?? "", seats), items: [] };
    default:
      return only();
  }
}

type Of<K extends Effect["type"]> = Extract<Effect, { readonly type: K }>;

function sent(
  environment: Environment,
  from: number,
  { to: peer, request, bytes }: Of<"message.send">,
  seats: Seats,
): Item {
  const to = seats.peers.indexOf(peer);
  if (to < 0 || !areLinked(environment, from, to)) return failure(from, peer, request, "not connected");
  const fact: Fact = {
    type: "message.received",
    from: seats.peers[from] as PeerId,
    replyTo: `${from}:${request}`,
    bytes,
  };
  return { kind: "request", to, from, request, fact };
}

function answered(
  environment: Environment,
  from: number,
  { replyTo, bytes }: Of<"message.reply">,
  seats: Seats,
): Item[] {
  const [asker, request] = replyTo.split(":").map(Number);
  if (asker === undefined || request === undefined || Number.isNaN(asker)) return [];
  if (!areLinked(environment, from, asker)) return [];
  const fact: Fact = { type: "message.answered", from: seats.peers[from] as PeerId, request, bytes };
  return [{ kind: "answer", to: asker, from, request, fact }];
}

export function failure(node: number, to: PeerId, request: number, reason: string): Item {
  return { kind: "notice", to: node, fact: { type: "message.failed", to, request, reason } };
}

export function lostLink(node: number, other: number, { peers }: Seats): Item {
  return { kind: "lost", to: node, peer: peers[other] as PeerId };
}

function withAnswer(environment: Environment, replyTo: string, body: string, { keeps }: Seats): Environment {
  const [client, call] = replyTo.slice(1).split(".").map(Number);
  const state = environment.clients[client as number];
  // Whoever stopped waiting hears nothing.
  if (state === undefined || !state.waiting || state.next !== call) return environment;
  const kept = keeps(client as number, call) ? body : state.kept;
  const after = { next: state.next + 1, waiting: false, outcomes: [...state.outcomes, outcomeOf(body)], kept };
  return withClient(environment, client as number, after);
}

export function withClient(environment: Environment, client: number, state: ClientState): Environment {
  return { ...environment, clients: environment.clients.map((each, place) => (place === client ? state : each)) };
}
