/**
 * The transport port: whole frames between peers, one answer to each, on authenticated links.
 * Every adapter passes test/ports/transport.contract.ts, the simulated network included.
 * Source: protocol 01 §5, §9.1 (`/openfiat/envelope/1.0.0`).
 */

import type { ReplyHandle, RequestNumber } from "../inputs.ts";
import type { PeerId } from "../kernel/values.ts";

/** What the transport tells its node. */
export interface TransportEvents {
  readonly connected: (peer: PeerId, address: string | null) => void;
  readonly disconnected: (peer: PeerId) => void;
  /** A dial led to no connection: told once for each `dial`, except to a peer that is connected or being dialled. */
  readonly unreachable: (address: string, reason: string) => void;
  /** A ping of the transport's own was answered; a transport that makes none tells nothing. */
  readonly measured: (peer: PeerId, latencyMs: number) => void;
  /**
   * Over a link that this node dialled, its peer said at which address it sees this node; of a link from outside
   * nothing is told, as it leads where its peer chose to dial. A transport whose peers do not say that tells nothing.
   */
  readonly observed: (peer: PeerId, address: string) => void;
  readonly received: (from: PeerId, replyTo: ReplyHandle, bytes: Uint8Array) => void;
  readonly answered: (from: PeerId, request: RequestNumber, bytes: Uint8Array) => void;
  readonly failed: (to: PeerId, request: RequestNumber, reason: string) => void;
}

/** Moves envelopes between peers that know each other's keys. */
export interface TransportPort {
  /** Addresses on which this node can be reached, each ending in `/p2p/<peer id>`. */
  addresses(): readonly string[];
  /** Ends with `connected`, with `unreachable`, or with nothing for a peer that is connected already. */
  dial(address: string): void;
  disconnect(peer: PeerId): void;
  /** Sends one envelope (without its length prefix); exactly one of `answered` and `failed` follows. */
  send(to: PeerId, request: RequestNumber, bytes: Uint8Array): void;
  reply(replyTo: ReplyHandle, bytes: Uint8Array): void;
  close(done: () => void): void;
}
