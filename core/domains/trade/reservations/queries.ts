/**
 * Pairs: in which advertisements a request is valid, and which pair an initiate belongs to. Validity only
 * grows: a merchant's later or back-dated edit adds prices and terms, and takes none away.
 * Source: CONVERGENCE "Allocation", "Records and ids"; protocol 02 O.1, O.5.
 */

import { CLOCK_SKEW_MS_MAX } from "../../../engine/admission/ingress.ts";
import { contenders, parentsOf } from "../../../engine/statements/table.ts";
import type { Statement } from "../../../kernel/signed.ts";
import { compareStatements, identityOfName } from "../../../kernel/signed.ts";
import type { Reader } from "../../../kernel/table.ts";
import { fromBase58 } from "../../../kernel/text.ts";
import type { PublicKey } from "../../../kernel/values.ts";
import { later, peerOfKey } from "../../../kernel/values.ts";
import type { Allocation } from "../advertisements/allocation.ts";
import { withinTerms } from "../advertisements/offer.ts";
import { agreesWithPrice } from "../advertisements/pricing.ts";
import { registersOf, validAdvertisement } from "../advertisements/queries.ts";
import type { Registers } from "../advertisements/registers.ts";
import type { AdvertisementCreate } from "../advertisements/schema.ts";
import type { SettlementInitiate } from "../settlements/schema.ts";
import type { ReservationRequest, ReservationRow } from "./schema.ts";
import { RESERVATION_WINDOW_MS } from "./schema.ts";

/** A request in one advertisement in which it is valid. */
export interface Pair {
  readonly advertisement: Statement<AdvertisementCreate>;
  readonly request: Statement<ReservationRequest>;
}

/** Key of a pair's records. */
export function pairKey(pair: Pair): string {
  return `${pair.advertisement.identity}:${pair.request.identity}`;
}

/** Every advertisement in which a request is valid. */
export function pairsOf(reader: Reader, request: Statement<ReservationRequest>): readonly Pair[] {
  if (request.idForm === "void") return [];
  return parentsOf<AdvertisementCreate>(reader, request)
    .filter((advertisement) => isValidIn(reader, advertisement, request))
    .map((advertisement) => ({ advertisement, request }));
}

/** Every valid pair whose parties and amount an initiate names, the smallest first. They only grow in number. */
export function pairsOfInitiate(reader: Reader, initiate: Statement<SettlementInitiate>): readonly Pair[] {
  const pairs = parentsOf<ReservationRequest>(reader, initiate)
    .flatMap((request) => pairsOf(reader, request))
    .filter((pair) => fits(pair, initiate.payload));
  return [...pairs].sort(comparePairs);
}

/**
 * Whether an initiate's parties and amount are those of the pair. The seller did not sign it, so his key is
 * checked too: chain facts are bound by it. Source: protocol 02 O.5, 03 A.10.3 R1b.
 */
export function fits(pair: Pair, initiate: SettlementInitiate): boolean {
  const [merchant, requester] = [pair.advertisement.signer, pair.request.signer];
  const sells = pair.advertisement.payload.direction === "Sell";
  if (initiate.seller !== (sells ? merchant : requester)) return false;
  if (initiate.buyer !== (sells ? requester : merchant)) return false;
  if (!isKeyOf(initiate.seller, initiate.seller_public_key)) return false;
  const [asked, reserved] = [initiate.amount, pair.request.payload.amount];
  return asked.decimals === reserved.decimals && asked.base_units > 0n && asked.base_units <= reserved.base_units;
}

/** The ids under which requests of a reservation name are grouped: the name itself, or that of a named statement. */
export function groupsOfName(reader: Reader, name: string): readonly string[] {
  if (identityOfName(name) === undefined) return [name];
  return contenders<ReservationRequest>(reader, "reservation", name).map((request) => request.payload.id);
}

/** Whether a request's terms and price are any that its merchant signed no later than it, plus the skew. */
export function isValidIn(
  reader: Reader,
  advertisement: Statement<AdvertisementCreate>,
  request: Statement<ReservationRequest>,
): boolean {
  if (request.payload.amount.base_units === 0n || !validAdvertisement(advertisement)) return false;
  const registers = registersOf(reader, advertisement);
  return termsAllow(registers, request) && pricesAgree(registers, request);
}

/** When a reservation's hold ends by itself. */
export function expiryOf(request: Statement<ReservationRequest>) {
  return later(request.timestamp, RESERVATION_WINDOW_MS);
}

function termsAllow(registers: Registers, request: Statement<ReservationRequest>): boolean {
  const { base_units: units, decimals } = request.payload.amount;
  const asked = { units, decimals };
  const until = later(request.timestamp, CLOCK_SKEW_MS_MAX);
  return registers.terms.some((terms) => terms.statement.timestamp <= until && withinTerms(terms.value, asked));
}

function pricesAgree(registers: Registers, request: Statement<ReservationRequest>): boolean {
  const until = later(request.timestamp, CLOCK_SKEW_MS_MAX);
  const { agreed_price, agreed_mid } = request.payload;
  return registers.prices.some(
    (price) => price.statement.timestamp <= until && agreesWithPrice(price.value, agreed_price, agreed_mid),
  );
}

function isKeyOf(peer: string, key: PublicKey): boolean {
  const bytes = fromBase58(key);
  return bytes !== undefined && peerOfKey(bytes) === peer;
}

function comparePairs(a: Pair, b: Pair): number {
  return compareStatements(a.advertisement, b.advertisement) || compareStatements(a.request, b.request);
}

/** How long a granted reservation takes from what is available. Source: CONVERGENCE "Availability". */
export function holdsOnceGranted(row: ReservationRow): Allocation["holds"] {
  if (row.sold) return "for ever";
  if (row.cancelled_at !== null && !row.acknowledged && !row.touched) return "no more";
  if (row.settling) return row.abandoned ? "for its window" : row.acknowledged ? "for ever" : "while it settles";
  return row.cancelled_at !== null && !row.acknowledged ? "no more" : "for its window";
}
