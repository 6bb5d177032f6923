/**
 * Who is connected. Peers are told of, connections are not: two nodes that dial each other at once have two
 * connections and are one peer to each other. What it measures of connections from outside decides, by the core's
 * rule, which of them has to go when their places are full.
 */
import { createHmac, randomBytes } from "node:crypto";
import type { InboundLink, InboundRefusal, InboundVerdict, Origin } from "../../core/index.ts";
import { inboundVerdict, networksOfMultiaddr } from "../../core/index.ts";
import type { TransportLimits } from "./limits.ts";
import type { Connection, PeerId } from "./types.ts";

export type ConnectionBounds = Pick<
  TransportLimits,
  | "connectionsMax"
  | "inboundConnectionsMax"
  | "connectionsPerPeerMax"
  | "connectionsPerAddressMax"
  | "connectionsPerLocalAddressMax"
  | "connectionsPerSubnetMax"
>;

/** Why a connection was not taken: a bound of inbound ones, no room at all, or a peer that is being left. */
export type RefusalCause = InboundRefusal | "connections" | "parting";

/** What became of a new connection, and those that must close for it. */
export type Admission =
  | { readonly admission: "first" | "another"; readonly evicted: readonly Connection[] }
  | { readonly admission: "refused"; readonly cause: RefusalCause };

/** What is known of one connection beside itself. */
interface Held {
  readonly connection: Connection;
  readonly origin: Origin;
  readonly since: number;
  broughtAt: number | undefined;
  /** Told to close for another; its place is taken already. */
  leaving: boolean;
}

const SECRET_BYTES = 32;

export class ConnectionTable {
  readonly #bounds: ConnectionBounds;
  readonly #now: () => number;
  /** What networks are drawn by; nobody outside knows it. */
  readonly #secret = randomBytes(SECRET_BYTES);
  /** Oldest first. */
  readonly #byPeer = new Map<PeerId, readonly Held[]>();
  readonly #parting = new Set<PeerId>();

  /** `now` in milliseconds of any clock. */
  constructor(bounds: ConnectionBounds, now: () => number = () => performance.now()) {
    this.#bounds = bounds;
    this.#now = now;
  }

  get peers(): readonly PeerId[] {
    return [...this.#byPeer.keys()];
  }

  /** Connections of a direction; those that leave for another do not count. */
  count(direction: Connection["direction"]): number {
    return this.#staying().filter(({ connection }) => connection.direction === direction).length;
  }

  get full(): boolean {
    return this.#staying().length >= this.#bounds.connectionsMax;
  }

  /** Peers whose connections are closing because this node said so. */
  get parting(): number {
    return this.#parting.size;
  }

  has(peer: PeerId): boolean {
    return this.#byPeer.has(peer);
  }

  all(peer: PeerId): readonly Connection[] {
    return (this.#byPeer.get(peer) ?? []).map(({ connection }) => connection);
  }

  /** The connection to send on. A peer that restarted has an old one that is dead and a new one that is not. */
  newest(peer: PeerId): Connection | undefined {
    if (this.#parting.has(peer)) return undefined;
    return this.all(peer).findLast((connection) => connection.status === "open");
  }

  /** Why a connection from this address would be refused now; nothing when it would be taken. */
  refusalFor(from: Connection["remoteAddr"]): RefusalCause | undefined {
    const verdict = this.#verdict(originOf(from));
    return verdict.admitted ? undefined : verdict.cause;
  }

  /** Takes a connection in, or refuses it for a bound; another one, or the oldest to the same peer, may have to go. */
  add(peer: PeerId, connection: Connection): Admission {
    if (this.#parting.has(peer)) return { admission: "refused", cause: "parting" };
    const origin = originOf(connection.remoteAddr);
    const inbound = connection.direction === "inbound";
    if (!inbound && this.full) return { admission: "refused", cause: "connections" };
    const verdict: InboundVerdict<Held> = inbound ? this.#verdict(origin) : { admitted: true, leaves: undefined };
    if (!verdict.admitted) return { admission: "refused", cause: verdict.cause };
    const held = this.#byPeer.get(peer) ?? [];
    const newest: Held = { connection, origin, since: this.#now(), broughtAt: undefined, leaving: false };
    this.#byPeer.set(peer, [...held, newest]);
    const superseded = held.slice(0, Math.max(held.length + 1 - this.#bounds.connectionsPerPeerMax, 0));
    const evicted = verdict.leaves === undefined ? superseded : [...superseded, verdict.leaves];
    for (const each of evicted) each.leaving = true;
    return {
      admission: held.length === 0 ? "first" : "another",
      evicted: evicted.map((each) => each.connection),
    };
  }

  /** A peer brought a statement that this node did not hold. */
  brought(peer: PeerId): void {
    for (const held of this.#byPeer.get(peer) ?? []) held.broughtAt = this.#now();
  }

  /** Forgets a connection; true when it was the peer's last. */
  remove(peer: PeerId, connection: Connection): boolean {
    const held = this.#byPeer.get(peer);
    const left = held?.filter((other) => other.connection !== connection);
    if (held === undefined || left === undefined || left.length === held.length) return false;
    if (left.length > 0) {
      this.#byPeer.set(peer, left);
      return false;
    }
    this.#byPeer.delete(peer);
    this.#parting.delete(peer);
    return true;
  }

  /** Nothing more is sent to or taken from the peer; false when it is not connected or already parting. */
  part(peer: PeerId): boolean {
    if (!this.#byPeer.has(peer) || this.#parting.has(peer)) return false;
    this.#parting.add(peer);
    return true;
  }

  isParting(peer: PeerId): boolean {
    return this.#parting.has(peer);
  }

  /** Places of inbound links are their own bound, or what this node's links leave of all. */
  #verdict(origin: Origin): InboundVerdict<Held> {
    const inbound = this.#staying().filter(({ connection }) => connection.direction === "inbound");
    const room = this.#bounds.connectionsMax - this.count("outbound");
    const inboundConnectionsMax = Math.min(this.#bounds.inboundConnectionsMax, room);
    const links = inbound.map(
      (held): InboundLink<Held> => ({
        ...{ link: held, origin: held.origin, since: held.since, broughtAt: held.broughtAt },
        latencyMs: held.connection.rtt,
      }),
    );
    return inboundVerdict(origin, links, { ...this.#bounds, inboundConnectionsMax }, (network) => this.#drawn(network));
  }

  #drawn(network: string): string {
    return createHmac("sha256", this.#secret).update(network).digest("hex");
  }

  #staying(): readonly Held[] {
    return [...this.#byPeer.values()].flat().filter(({ leaving }) => !leaving);
  }
}

/** Where a connection comes from; what has no IP address is a place of its own. */
function originOf(address: Connection["remoteAddr"]): Origin {
  const text = address.toString();
  return networksOfMultiaddr(text) ?? { named: text };
}
