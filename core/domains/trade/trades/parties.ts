/**
 * Who is party to a record of a trade: they have a share of their own in its room, so that however many strangers there
 * are, what the parties sign still finds some. Source: CONVERGENCE B2; DESIGN L4.
 */

import { allBy } from "../../../engine/statements/own-statements.ts";
import { contendersOf, parentsOf } from "../../../engine/statements/table.ts";
import type { Reference, Statement } from "../../../kernel/signed.ts";
import type { Reader } from "../../../kernel/table.ts";
import type { PeerId } from "../../../kernel/values.ts";
import { ArbitratorJoin } from "../disputes/schema.ts";
import type { ReservationRequest } from "../reservations/schema.ts";
import type { SettlementInitiate } from "../settlements/schema.ts";

/** The requester, and the merchants of the advertisements that the request names. */
export function isPartyToReservation(reader: Reader, request: Statement, person: PeerId): boolean {
  const { advertisement_id } = request.payload as ReservationRequest;
  const named = { kind: "advertisement", name: advertisement_id };
  return request.signer === person || contendersOf(reader, named, [person]).length > 0;
}

export function isPartyToSettlement(reader: Reader, initiate: Statement, person: PeerId): boolean {
  return partiesOfInitiate(reader, initiate as Statement<SettlementInitiate>).includes(person);
}

/** The parties of the trade, if one of them opened the case, and whoever joined it. */
export function isPartyToDispute(reader: Reader, open: Statement, person: PeerId, dispute: Reference): boolean {
  if (hasJoined(reader, dispute, person)) return true;
  return parentsOf<SettlementInitiate>(reader, open).some((initiate) => {
    const parties = partiesOfInitiate(reader, initiate);
    return parties.includes(open.signer) && parties.includes(person);
  });
}

/** Buyer and seller, when both are party to the reservation: anybody may name anybody. */
function partiesOfInitiate(reader: Reader, initiate: Statement<SettlementInitiate>): readonly PeerId[] {
  const { buyer, seller } = initiate.payload;
  const isOf = (request: Statement<ReservationRequest>) =>
    isPartyToReservation(reader, request, buyer) && isPartyToReservation(reader, request, seller);
  return parentsOf<ReservationRequest>(reader, initiate).some(isOf) ? [buyer, seller] : [];
}

function hasJoined(reader: Reader, dispute: Reference, person: PeerId): boolean {
  const own = allBy(reader, dispute, person);
  return own.some(({ type }) => type.name === ArbitratorJoin.name);
}
