/**
 * Reservations: requests for a part of an advertisement. Source: protocol 02 C.
 */

import { COMMON_LIMITS } from "../../../engine/admission/bounds.ts";
import { defineDomain, typeRow } from "../../../engine/domain.ts";
import { isPartyToReservation } from "../trades/parties.ts";
import { reservationFold } from "./fold.ts";
import { HookClocks, noteHooks } from "./hook-clocks.ts";
import { reservationMethods } from "./methods.ts";
import { ReservationCancel, ReservationRequest } from "./schema.ts";
import { REQUESTS_MAX, Reservations } from "./tables.ts";

export const reservations = defineDomain({
  name: "reservations",
  types: [
    typeRow(ReservationRequest, { ...COMMON_LIMITS, strangersMax: REQUESTS_MAX }, { isParty: isPartyToReservation }),
    typeRow(ReservationCancel, COMMON_LIMITS),
  ],
  records: [Reservations],
  tables: [HookClocks],
  folds: () => [reservationFold],
  methods: reservationMethods,
  onChange: [noteHooks],
});
