/**
 * Reservations: requests for a part of an advertisement. Source: protocol 02 C.
 */

import { COMMON_LIMITS } from "../../../engine/admission/bounds.ts";
import { defineDomain, typeRow } from "../../../engine/domain.ts";
import { ruleOf } from "../../../engine/overrides.ts";
import type { StepContext } from "../../../engine/step-context.ts";
import { onChangeOf } from "../../../engine/step-context.ts";
import type { Statement } from "../../../kernel/signed.ts";
import { isPartyToReservation } from "../trades/parties.ts";
import { tellInexactPrice } from "./exact-prices.ts";
import { reservationFold } from "./fold.ts";
import { forgetReceipts, NOTED_BESIDE, noteReceipt } from "./late.ts";
import { reservationMethods } from "./methods.ts";
import { ReservationCancel, ReservationRequest } from "./schema.ts";
import { LateRequests, Reservations } from "./tables.ts";

export const reservations = defineDomain({
  name: "reservations",
  types: [
    typeRow(ReservationRequest, COMMON_LIMITS, { isParty: isPartyToReservation, onReceived: received }),
    typeRow(ReservationCancel, COMMON_LIMITS),
  ],
  records: [Reservations],
  tables: [LateRequests],
  folds: () => [reservationFold],
  methods: reservationMethods,
  onChange: [
    (context) => ruleOf(context.configuration, noteChanges)(context),
    onChangeOf(NOTED_BESIDE, forgetReceipts),
  ],
});

/** What a node does about a request that it hears for the first time. */
function received(context: StepContext, request: Statement): void {
  noteReceipt(context, request);
  tellInexactPrice(context, request);
}

/** What a node notes beside the reservations that a step changed: nothing, since no answer asks when it did. */
export function noteChanges(_turn: StepContext): void {
  return undefined;
}
