/**
 * Words this adapter takes from the transport port and from libp2p, under one name each.
 */
import type { Identify } from "@libp2p/identify";
import type { Libp2p } from "libp2p";
import type { TransportEvents } from "../../core/ports/transport.ts";

export type PeerId = Parameters<TransportEvents["disconnected"]>[0];
export type RequestNumber = Parameters<TransportEvents["answered"]>[1];
export type ReplyHandle = Parameters<TransportEvents["received"]>[1];

export type Connection = ReturnType<Libp2p["getConnections"]>[number];
export type Stream = Awaited<ReturnType<Connection["newStream"]>>;
/** What a peer said of itself and of this node once their connection was up. */
export type IdentifyResult = Awaited<ReturnType<Identify["identify"]>>;

export type Result<T, E> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: E };

/** Why no answer came. Texts of ours: the port passes them on as they are. */
export type SendFailure =
  | "not connected"
  | "connection lost"
  | "disconnected"
  | "refused by peer"
  | "no answer in time"
  | "malformed answer"
  | "envelope too large"
  | "too many unanswered requests"
  | "transport closed";
