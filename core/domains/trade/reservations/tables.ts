/**
 * The table of reservations. Source: CONVERGENCE "Records and ids".
 */

import { table } from "../../../kernel/table.ts";
import { ReservationRow } from "./schema.ts";

/** Reservations by pair. */
export const Reservations = table<ReservationRow>("reservations", ReservationRow, {
  root: "state",
  sealedBy: "request",
  indexes: {
    advertisement: (row) => [row.advertisement],
    request: (row) => [row.request],
  },
});
