/**
 * Reservations: requests for a part of an advertisement. Source: protocol 02 C.
 */

import { COMMON_LIMITS } from "../../../engine/admission/bounds.ts";
import { defineDomain, typeRow } from "../../../engine/domain.ts";
import { ruleOf } from "../../../engine/overrides.ts";
import type { StepContext } from "../../../engine/step-context.ts";
import { isPartyToReservation } from "../trades/parties.ts";
import { reservationFold } from "./fold.ts";
import { reservationMethods } from "./methods.ts";
import { ReservationCancel, ReservationRequest } from "./schema.ts";
import { Reservations } from "./tables.ts";

export const reservations = defineDomain({
  name: "reservations",
  types: [
    typeRow(ReservationRequest, COMMON_LIMITS, { isParty: isPartyToReservation }),
    typeRow(ReservationCancel, COMMON_LIMITS),
  ],
  records: [Reservations],
  folds: () => [reservationFold],
  methods: reservationMethods,
  onChange: [(context) => ruleOf(context.configuration, noteChanges)(context)],
});

/** What a node notes beside the reservations that a step changed: nothing, since no answer asks when it did. */
export function noteChanges(_turn: StepContext): void {
  return undefined;
}
