/**
 * Prices that doubles round otherwise than exact arithmetic does: the doubles stand, since every node must agree, and
 * the log of whoever receives such a request says so. Source: protocol 02 O.11.
 */

import { Statements } from "../../../engine/statements/table.ts";
import type { StepContext } from "../../../engine/step-context.ts";
import type { Statement } from "../../../kernel/signed.ts";
import type { Reader } from "../../../kernel/table.ts";
import { agreesWithPrice, floatingPriceExactly } from "../advertisements/pricing.ts";
import { registersOf } from "../advertisements/queries.ts";
import type { AdvertisementCreate } from "../advertisements/schema.ts";
import { FirstOffers } from "../advertisements/tables.ts";
import type { ReservationRequest } from "./schema.ts";

/** Tells of a request that agreed to a price which is not what exact arithmetic gives. It names no party. */
export function tellInexactPrice(context: StepContext, statement: Statement): void {
  const request = statement as Statement<ReservationRequest>;
  const { agreed_price, agreed_mid } = request.payload;
  if (agreed_mid === null) return;
  const model = floatingAgreed(context.draft, request.payload);
  if (model === undefined) return;
  const exact = floatingPriceExactly(agreed_mid, model.premium_bps, model.price_decimals);
  if (exact === agreed_price.base_units) return;
  const fields = { agreed: agreed_price.base_units.toString(), exact: exact.toString() };
  context.emit({ type: "log", level: "info", event: "agreed price is not what exact arithmetic gives", fields });
}

/** The floating price to which a request agreed, in one of the first advertisements of the id that it names. */
function floatingAgreed(reader: Reader, { advertisement_id, agreed_price, agreed_mid }: ReservationRequest) {
  for (const { identity } of reader.get(FirstOffers, advertisement_id) ?? []) {
    const create = reader.get(Statements, identity) as Statement<AdvertisementCreate> | undefined;
    if (create === undefined) continue;
    for (const { value } of registersOf(reader, create).prices)
      if ("Floating" in value && agreesWithPrice(value, agreed_price, agreed_mid)) return value.Floating;
  }
  return undefined;
}
