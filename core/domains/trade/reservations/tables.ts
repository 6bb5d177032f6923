/**
 * The table of reservations, and what a node notes beside it. Source: CONVERGENCE "Records and ids", B8.
 */

import { table } from "../../../kernel/table.ts";
import { LateRequest, ReservationRow } from "./schema.ts";

/** Reservations by pair. */
export const Reservations = table<ReservationRow>("reservations", ReservationRow, {
  root: "state",
  sealedBy: "request",
  indexes: {
    advertisement: (row) => [row.advertisement],
    request: (row) => [row.request],
  },
});

/** Requests that were received late, by their identities: a row of each such request, as long as that is held. */
export const LateRequests = table<LateRequest>("late_requests", LateRequest, { root: "local", durable: true });
