/**
 * Memory that peers can make this node hold: counted while held, bounded for one peer and for all.
 * Source: DESIGN L10.
 */
import type { PeerId } from "./types.ts";

/** What one exchange holds of a budget. */
export interface ByteLease {
  /** Holds more; false, and nothing changed, when the peer's or the common bound is reached. */
  grow(bytes: number): boolean;
  /** Gives everything back; the lease is over. Harmless when repeated. */
  release(): void;
}

export class ByteBudget {
  readonly #bytesMax: number;
  readonly #bytesPerPeerMax: number;
  readonly #held = new Map<PeerId, number>();
  #total = 0;

  constructor(bytesMax: number, bytesPerPeerMax: number) {
    this.#bytesMax = bytesMax;
    this.#bytesPerPeerMax = bytesPerPeerMax;
  }

  /** Bytes held by all leases together. */
  get total(): number {
    return this.#total;
  }

  lease(peer: PeerId): ByteLease {
    let mine = 0;
    let released = false;
    return {
      grow: (bytes) => {
        if (released || !this.#hold(peer, bytes)) return false;
        mine += bytes;
        return true;
      },
      release: () => {
        released = true;
        if (mine > 0) this.#giveBack(peer, mine);
        mine = 0;
      },
    };
  }

  #hold(peer: PeerId, bytes: number): boolean {
    const held = this.#held.get(peer) ?? 0;
    if (held + bytes > this.#bytesPerPeerMax || this.#total + bytes > this.#bytesMax) return false;
    this.#held.set(peer, held + bytes);
    this.#total += bytes;
    return true;
  }

  #giveBack(peer: PeerId, bytes: number): void {
    const left = (this.#held.get(peer) ?? 0) - bytes;
    if (left > 0) this.#held.set(peer, left);
    else this.#held.delete(peer);
    this.#total -= bytes;
  }
}
