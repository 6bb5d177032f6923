/**
 * Who is connected. Peers are told of, connections are not: two nodes that dial each other at once have two
 * connections and are one peer to each other.
 */
import type { TransportLimits } from "./limits.ts";
import type { Connection, PeerId } from "./types.ts";

export type ConnectionBounds = Pick<
  TransportLimits,
  "connectionsMax" | "inboundConnectionsMax" | "connectionsPerPeerMax"
>;

/** What became of a new connection. */
export type Admission = "first" | "another" | "refused";

export class ConnectionTable {
  readonly #bounds: ConnectionBounds;
  /** Oldest first. */
  readonly #byPeer = new Map<PeerId, Connection[]>();
  readonly #parting = new Set<PeerId>();
  #total = 0;
  #inbound = 0;

  constructor(bounds: ConnectionBounds) {
    this.#bounds = bounds;
  }

  get peers(): readonly PeerId[] {
    return [...this.#byPeer.keys()];
  }

  get full(): boolean {
    return this.#total >= this.#bounds.connectionsMax;
  }

  get fullForInbound(): boolean {
    return this.full || this.#inbound >= this.#bounds.inboundConnectionsMax;
  }

  /** Peers whose connections are closing because this node said so. */
  get parting(): number {
    return this.#parting.size;
  }

  has(peer: PeerId): boolean {
    return this.#byPeer.has(peer);
  }

  all(peer: PeerId): readonly Connection[] {
    return this.#byPeer.get(peer) ?? [];
  }

  /** The connection to send on. A peer that restarted has an old one that is dead and a new one that is not. */
  newest(peer: PeerId): Connection | undefined {
    if (this.#parting.has(peer)) return undefined;
    return this.#byPeer.get(peer)?.findLast((connection) => connection.status === "open");
  }

  /** Takes a connection in, or refuses it for a bound; the oldest one to the same peer may have to go. */
  add(
    peer: PeerId,
    connection: Connection,
  ): { readonly admission: Admission; readonly evicted: readonly Connection[] } {
    const refused = this.#parting.has(peer) || (connection.direction === "inbound" ? this.fullForInbound : this.full);
    if (refused) return { admission: "refused", evicted: [] };
    const held = this.#byPeer.get(peer);
    this.#byPeer.set(peer, [...(held ?? []), connection]);
    this.#count(connection, 1);
    const excess = (held?.length ?? 0) + 1 - this.#bounds.connectionsPerPeerMax;
    return {
      admission: held === undefined ? "first" : "another",
      evicted: excess > 0 ? this.all(peer).slice(0, excess) : [],
    };
  }

  /** Forgets a connection; true when it was the peer's last. */
  remove(peer: PeerId, connection: Connection): boolean {
    const held = this.#byPeer.get(peer);
    if (held === undefined || !held.includes(connection)) return false;
    this.#count(connection, -1);
    const left = held.filter((other) => other !== connection);
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

  #count(connection: Connection, by: 1 | -1): void {
    this.#total += by;
    if (connection.direction === "inbound") this.#inbound += by;
  }
}
