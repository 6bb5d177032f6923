/**
 * The table of reservations. Source: CONVERGENCE "Records and ids".
 */

import { table } from "../../../kernel/table.ts";
import { ReservationRow } from "./schema.ts";

/** Requests about one advertisement that strangers to it sign. Source: DESIGN L10. */
export const REQUESTS_MAX = 16_384;

/** Reservations by pair. */
export const Reservations = table<ReservationRow>("reservations", ReservationRow, {
  root: "state",
  sealedBy: "request",
  indexes: {
    advertisement: (row) => [row.advertisement],
    request: (row) => [row.request],
  },
});
