/**
 * What a wallet's reputation is read from: its own settlements and requests, found through indexes, so that other
 * people's trades cost nothing. Source: protocol 04 §2.4, §2.11.
 */

import type { ReadAt } from "../../engine/overrides.ts";
import { createdBy, Statements } from "../../engine/statements/table.ts";
import { known } from "../../kernel/assert.ts";
import type { Statement } from "../../kernel/signed.ts";
import type { Reader } from "../../kernel/table.ts";
import type { EpochMillis, PeerId } from "../../kernel/values.ts";
import type { AdvertisementCreate } from "../trade/advertisements/schema.ts";
import type { ReservationRequest, ReservationState } from "../trade/reservations/schema.ts";
import { reservationAt, reservationsOf } from "../trade/reservations/views.ts";
import { mintMoved } from "../trade/settlements/moved.ts";
import type { SettlementRow } from "../trade/settlements/schema.ts";
import { settlementsOfParty } from "../trade/settlements/views.ts";
import type { Trade } from "./rules.ts";
import { profileOf } from "./rules.ts";
import type { ReputationProfile } from "./schema.ts";

/** States in which a request, contested perhaps, came to something or still may. */
const NOT_MISSED: readonly ReservationState[] = ["EscrowLocked", "Settling", "Settled"];

/** A wallet's counters at an instant. */
export function reputationOf(reader: Reader, wallet: PeerId, { now, rules }: ReadAt): ReputationProfile {
  const trades = settlementsOfParty(reader, wallet).map(({ row }) => tradeOf(reader, row));
  return profileOf(wallet, trades, reservationsMissed(reader, wallet, now), rules);
}

function tradeOf(reader: Reader, settlement: SettlementRow): Trade {
  const request = known(reader.get(Statements, settlement.request), "a settlement's request");
  const advertisement = known(reader.get(Statements, settlement.advertisement), "a settlement's advertisement");
  const named = (advertisement as Statement<AdvertisementCreate>).payload.asset_mint;
  const asset_mint = mintMoved(reader, settlement) ?? named;
  return { settlement, requested_at: request.timestamp, asset_mint };
}

/** Requests of a wallet that expired; the merchant never answers for them. Source: protocol 04 §2.4. */
function reservationsMissed(reader: Reader, wallet: PeerId, now: EpochMillis): number {
  return createdBy<ReservationRequest>(reader, "reservation", wallet).filter((request) => {
    const states = reservationsOf(reader, request).map((shown) => reservationAt(reader, shown, now).state);
    return states.includes("Expired") && !states.some((state) => NOT_MISSED.includes(state));
  }).length;
}
