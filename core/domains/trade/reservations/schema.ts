/**
 * Reservations: a taker's time-limited hold on part of an advertisement's liquidity.
 * Source: OFS-2200; protocol 02 C.
 */

import type { Infer } from "../../../kernel/schema.ts";
import { option, reveal, struct } from "../../../kernel/schema-composites.ts";
import { bool, enumeration, f64 } from "../../../kernel/schema-scalars.ts";
import type { Payload } from "../../../kernel/signed.ts";
import { signed } from "../../../kernel/signed.ts";
import { Amount, EpochMillis, PeerId, PublicKey, Text } from "../../../kernel/values.ts";

const GOSSIP = { ofs: 2200, priority: 0 } as const;

/** How long an unacknowledged reservation holds liquidity, in milliseconds. Source: protocol 02 C.7. */
export const RESERVATION_WINDOW_MS = 1_800_000;

/** Source: protocol 02 C.2. */
export const ReservationState = enumeration("EscrowLocked", "Settling", "Settled", "Cancelled", "Expired");
export type ReservationState = Infer<typeof ReservationState>;

/** Signed by the requester. Source: protocol 02 C.3. */
export const ReservationRequest = signed("openfiat/reservations/ReservationRequest/v1", {
  outer: "request",
  signer: "requester",
  key: "requester_public_key",
  time: "timestamp",
  creates: "reservation",
  naming: "number",
  lifeMs: RESERVATION_WINDOW_MS,
  about: { kind: "advertisement", member: "advertisement_id" },
  event: "ReservationRequested",
  ...GOSSIP,
  fields: {
    id: Text,
    advertisement_id: Text,
    requester: PeerId,
    requester_public_key: PublicKey,
    amount: Amount,
    agreed_price: Amount,
    agreed_mid: option(f64),
    timestamp: EpochMillis,
  },
});
export type ReservationRequest = Payload<typeof ReservationRequest>;

/** Signed by the requester. Source: protocol 02 C.3. */
export const ReservationCancel = signed("openfiat/reservations/ReservationCancel/v1", {
  outer: "cancel",
  signer: "requester",
  time: "timestamp",
  about: { kind: "reservation", member: "id" },
  among: "signer",
  event: "ReservationCancelled",
  ...GOSSIP,
  fields: { id: Text, requester: PeerId, timestamp: EpochMillis },
});
export type ReservationCancel = Payload<typeof ReservationCancel>;

/** The record of protocol 02 C.2, with our `received_at`. */
export const Reservation = struct("Reservation", {
  id: Text,
  advertisement_id: Text,
  requester: PeerId,
  requester_public_key: PublicKey,
  amount: Amount,
  agreed_price: Amount,
  agreed_mid: option(f64),
  state: ReservationState,
  requested_at: EpochMillis,
  updated_at: EpochMillis,
  expires_at: EpochMillis,
  received_at: option(EpochMillis),
});
export type Reservation = Infer<typeof Reservation>;

/** What a stranger may read: the trade, never the people. Source: protocol 02 K. */
export const PublicReservation = reveal(
  "PublicReservation",
  Reservation,
  "id",
  "advertisement_id",
  "amount",
  "agreed_price",
  "agreed_mid",
  "state",
  "requested_at",
  "updated_at",
  "expires_at",
  "received_at",
);
export type PublicReservation = Infer<typeof PublicReservation>;

const { received_at: _, ...filedFields } = Reservation.fields;
/** The full record without the member that is ours, as every node reads it in a file. Source: protocol 02 C.2. */
export const FiledReservation = struct("FiledReservation", filedFields);

/**
 * When a node first received a request whose time was over by then: what others had and what holds it may have missed,
 * so reads say it. Of this node alone. Source: CONVERGENCE B8.
 */
export const LateRequest = struct("LateRequest", { received_at: EpochMillis });
export type LateRequest = Infer<typeof LateRequest>;

/**
 * What nodes keep of a reservation: one row for each (advertisement, request) pair in which the request
 * is valid, under both identities. Whether it was granted, and what it reads at an instant, is computed.
 * Source: CONVERGENCE "Reservation".
 */
export const ReservationRow = struct("ReservationRow", {
  advertisement: Text,
  request: Text,
  /** The settlement that it follows: the creating statement's identity. */
  settlement: option(Text),
  /** A fact sold it, or the merchant approved and no fact undid it. */
  sold: bool,
  /** The merchant approved, or on Buy initiated; or a fact sold it: holds for ever. */
  acknowledged: bool,
  /** Ever paid, disputed or decided: never refused for a rival or a status. */
  touched: bool,
  /** Awaiting payment, paid or disputed. */
  settling: bool,
  /** The merchant cancelled or rejected: past its window it no longer counts as held. */
  abandoned: bool,
  /** While it is settling, the last date of what may be said about that: it holds nothing from then on. */
  settles_until: option(EpochMillis),
  /** A fact gave the escrow back. */
  returned: bool,
  /** The requester's earliest cancel. */
  cancelled_at: option(EpochMillis),
  /** Newest effective statement behind the pair, expiry aside. */
  updated_at: EpochMillis,
});
export type ReservationRow = Infer<typeof ReservationRow>;
