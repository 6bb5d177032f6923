/**
 * Who has a share of his own in the room of a record: those who are party to it. Strangers have the rest together, so
 * that however many they are, what the parties sign still finds room.
 * Source: CONVERGENCE "Bounds" ("the parties of a trade have a reserved share").
 */

import { ArbitratorJoin } from "../disputes/schema.ts";
import type { Reference, Statement } from "../kernel/signed.ts";
import type { Reader } from "../kernel/table.ts";
import { recordsOf } from "../kernel/table.ts";
import type { PeerId } from "../kernel/values.ts";
import type { ReservationRequest } from "../reservations/schema.ts";
import type { SettlementInitiate } from "../settlements/schema.ts";
import { contenders, parentsOf, Statements, slot } from "../statements/table.ts";

/** Whether somebody is party to a record of this name. */
export function isParty(reader: Reader, record: Reference, person: PeerId): boolean {
  if (record.kind === "dispute" && hasJoined(reader, record, person)) return true;
  return contenders(reader, record.kind, record.name).some((create) => isPartyOf(reader, create, person));
}

/** Whether somebody is party to the record that a statement creates. */
function isPartyOf(reader: Reader, create: Statement, person: PeerId): boolean {
  switch (create.type.creates) {
    case "reservation":
      return partiesOfRequest(reader, create as Statement<ReservationRequest>).includes(person);
    case "settlement":
      return partiesOfInitiate(reader, create as Statement<SettlementInitiate>).includes(person);
    case "dispute":
      return parentsOf<SettlementInitiate>(reader, create).some((initiate) => {
        const parties = partiesOfInitiate(reader, initiate);
        return parties.includes(create.signer) && parties.includes(person);
      });
    default:
      return create.signer === person;
  }
}

/** The requester, and the merchants of the advertisements that the request names. */
function partiesOfRequest(reader: Reader, request: Statement<ReservationRequest>): readonly PeerId[] {
  return [request.signer, ...parentsOf(reader, request).map((advertisement) => advertisement.signer)];
}

/** Buyer and seller, when both are party to the reservation: anybody may name anybody. */
function partiesOfInitiate(reader: Reader, initiate: Statement<SettlementInitiate>): readonly PeerId[] {
  const { buyer, seller } = initiate.payload;
  const isOf = (request: Statement<ReservationRequest>) => {
    const parties = partiesOfRequest(reader, request);
    return parties.includes(buyer) && parties.includes(seller);
  };
  return parentsOf<ReservationRequest>(reader, initiate).some(isOf) ? [buyer, seller] : [];
}

function hasJoined(reader: Reader, dispute: Reference, person: PeerId): boolean {
  const own = recordsOf(reader, Statements, "by", `${slot(dispute)}/${person}`);
  return own.some(({ type }) => type.name === ArbitratorJoin.name);
}
