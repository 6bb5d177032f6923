/**
 * Pairs: in which advertisements a request is valid, and which pair an initiate belongs to. Validity only
 * grows: a merchant's later or back-dated edit adds prices and terms, and takes none away.
 * Source: CONVERGENCE "Allocation", "Records and ids"; protocol 02 O.1, O.5.
 */

import { CLOCK_SKEW_MS_MAX, RECOVERY_AGE_MS_MAX } from "../../../engine/admission/ingress.ts";
import { amid } from "../../../engine/statements/own-statements.ts";
import {
  contendersOf,
  countContenders,
  isWithinLife,
  namesOf,
  parentsOf,
  Statements,
} from "../../../engine/statements/table.ts";
import type { Statement } from "../../../kernel/signed.ts";
import { compareStatements } from "../../../kernel/signed.ts";
import type { Reader } from "../../../kernel/table.ts";
import { fromBase58 } from "../../../kernel/text.ts";
import type { PeerId, PublicKey } from "../../../kernel/values.ts";
import { later, peerOfKey } from "../../../kernel/values.ts";
import type { Allocation } from "../advertisements/allocation.ts";
import { withinTerms } from "../advertisements/offer.ts";
import { agreesWithPrice } from "../advertisements/pricing.ts";
import { registersOf, validAdvertisement } from "../advertisements/queries.ts";
import type { Registers } from "../advertisements/registers.ts";
import type { AdvertisementCreate } from "../advertisements/schema.ts";
import type { FirstOffer } from "../advertisements/tables.ts";
import { FIRST_OFFERS_MAX, FirstOffers } from "../advertisements/tables.ts";
import { SettlementInitiate } from "../settlements/schema.ts";
import type { ReservationRequest, ReservationRow } from "./schema.ts";
import { RESERVATION_WINDOW_MS } from "./schema.ts";

/** How much older than a request an advertisement is that nobody can date before it any more, in milliseconds. */
const ESTABLISHED_MS = RECOVERY_AGE_MS_MAX + RESERVATION_WINDOW_MS;

/** A request in one advertisement in which it is valid. */
export interface Pair {
  readonly advertisement: Statement<AdvertisementCreate>;
  readonly request: Statement<ReservationRequest>;
}

/** Key of a pair's records. */
export function pairKey(pair: Pair): string {
  return `${pair.advertisement.identity}:${pair.request.identity}`;
}

/** Every advertisement in which a request is valid, of those in which it is tried. */
export function pairsOf(reader: Reader, request: Statement<ReservationRequest>): readonly Pair[] {
  if (request.idForm === "void") return [];
  const linked = isContested(reader, request) ? pairsWith(reader, request, merchantsOf(reader, request)) : [];
  const tried = firstNamed(reader, request)
    .filter((advertisement) => isValidIn(reader, advertisement, request))
    .map((advertisement) => ({ advertisement, request }));
  return linked.length === 0
    ? tried
    : [...new Map([...tried, ...linked].map((pair) => [pairKey(pair), pair])).values()];
}

/** Whether more advertisements bear the name that a request says than it is tried in. */
export function isContested(reader: Reader, { payload }: Statement<ReservationRequest>): boolean {
  const name = { kind: "advertisement", name: payload.advertisement_id };
  return countContenders(reader, name) > FIRST_OFFERS_MAX;
}

/**
 * The advertisements in which a request is tried though nobody began a trade on it: all that bear the name, as long as
 * few are dated no later than it; else those of the first few that nobody can date before it any more. So strangers who
 * take a merchant's name take no trade from him, and of those who name one old enough no hold either; and however many
 * they are, one request costs a few pairs. Source: CONVERGENCE B2.
 */
function firstNamed(reader: Reader, request: Statement<ReservationRequest>): readonly Statement<AdvertisementCreate>[] {
  if (!isContested(reader, request)) return parentsOf<AdvertisementCreate>(reader, request);
  const first = reader.get(FirstOffers, request.payload.advertisement_id) ?? [];
  const known = first.filter(({ timestamp }) => timestamp <= later(request.timestamp, CLOCK_SKEW_MS_MAX));
  const few = known.length <= FIRST_OFFERS_MAX;
  const tried = few ? known : known.slice(0, FIRST_OFFERS_MAX).filter((create) => isEstablished(create, request));
  return tried.flatMap(({ identity }) => (reader.get(Statements, identity) as Statement<AdvertisementCreate>) ?? []);
}

/** Whether an advertisement is so much older than a request that nobody can date one before it any more. */
function isEstablished(create: FirstOffer, request: FirstOffer): boolean {
  return create.timestamp <= request.timestamp - BigInt(ESTABLISHED_MS);
}

/** Whether one more advertisement of its name may change in which a request is tried. */
export function mayBeTried(
  reader: Reader,
  create: Statement<AdvertisementCreate>,
  request: Statement<ReservationRequest>,
): boolean {
  if (!isContested(reader, request)) return true;
  const first = reader.get(FirstOffers, request.payload.advertisement_id) ?? [];
  const known = first.filter(({ timestamp }) => timestamp <= later(request.timestamp, CLOCK_SKEW_MS_MAX));
  const isFirst = known.some(({ identity }) => identity === create.identity);
  return isFirst && (known.length <= FIRST_OFFERS_MAX + 1 || isEstablished(create, request));
}

/** With whom somebody began a trade on a request. */
function merchantsOf(reader: Reader, request: Statement<ReservationRequest>): readonly PeerId[] {
  const begun = namesOf(request).flatMap((name) =>
    amid<SettlementInitiate>(reader, name, request.signer, SettlementInitiate),
  );
  return begun
    .filter((initiate) => isWithinLife(reader, request, initiate))
    .map(({ payload }) => otherParty(payload, request.signer));
}

/** The party of a settlement that somebody is not. */
export function otherParty({ buyer, seller }: Pick<SettlementInitiate, "buyer" | "seller">, person: PeerId): PeerId {
  return buyer === person ? seller : buyer;
}

/** Every valid pair whose parties and amount an initiate names, the smallest first. They only grow in number. */
export function pairsOfInitiate(reader: Reader, initiate: Statement<SettlementInitiate>): readonly Pair[] {
  const { buyer, seller } = initiate.payload;
  const pairs = parentsOf<ReservationRequest>(reader, initiate)
    .flatMap((request) => pairsWith(reader, request, [buyer, seller]))
    .filter((pair) => fits(pair, initiate.payload));
  return [...pairs].sort(comparePairs);
}

/** A request's pairs with some merchants, however many others bear the advertisement's name. */
export function pairsWith(
  reader: Reader,
  request: Statement<ReservationRequest>,
  merchants: readonly PeerId[],
): readonly Pair[] {
  if (request.idForm === "void") return [];
  const name = { kind: "advertisement", name: request.payload.advertisement_id };
  return contendersOf<AdvertisementCreate>(reader, name, [...new Set(merchants)])
    .filter((advertisement) => isValidIn(reader, advertisement, request))
    .map((advertisement) => ({ advertisement, request }));
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

/** Whether a request's terms and price are any that its merchant signed no later than it, plus the skew. */
export function isValidIn(
  reader: Reader,
  advertisement: Statement<AdvertisementCreate>,
  request: Statement<ReservationRequest>,
): boolean {
  if (request.payload.amount.base_units === 0n || !validAdvertisement(advertisement)) return false;
  // Whoever takes a name later than a request changes nothing of it, and nothing of what is sealed.
  const since = later(request.timestamp, CLOCK_SKEW_MS_MAX);
  if (advertisement.timestamp > since && reader.endless !== true) return false;
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
  if (row.sold && row.acknowledged) return "for ever";
  if (row.cancelled_at !== null && !row.acknowledged && !row.touched) return "no more";
  if (row.settling) return row.abandoned ? "for its window" : row.acknowledged ? "for ever" : "while it settles";
  return row.cancelled_at !== null && !row.acknowledged ? "no more" : "for its window";
}
