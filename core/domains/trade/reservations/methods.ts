/**
 * Reservation methods: redacted reads, a requester's own, and the validation orders of request and cancel.
 * Source: OFS-2200; protocol 02 C.4, C.6.
 */

import type {
  CheckResult,
  ValidationOrder,
  ValidationView,
  Viewer,
} from "../../../engine/admission/validation-order.ts";
import {
  commonChecks,
  firstOf,
  keyChecks,
  refuseWhen,
  signedChecks,
  signedThenNamed,
} from "../../../engine/admission/validation-order.ts";
import { idParams, mutation, query, signedTypes } from "../../../engine/method.ts";
import { ruleOf } from "../../../engine/overrides.ts";
import { listedAs, listOrPage, pageParams } from "../../../engine/pages.ts";
import { contenders } from "../../../engine/statements/table.ts";
import { ok } from "../../../kernel/result.ts";
import { list, option } from "../../../kernel/schema-composites.ts";
import type { Statement } from "../../../kernel/signed.ts";
import type { Reader } from "../../../kernel/table.ts";
import type { Amount, PeerId } from "../../../kernel/values.ts";
import { proven } from "../../wallet-proofs/proven.ts";
import { withinTerms } from "../advertisements/offer.ts";
import { agreesWithPrice, isNearRate } from "../advertisements/pricing.ts";
import { quoterAt } from "../advertisements/quotes.ts";
import type { AdvertisementRow } from "../advertisements/schema.ts";
import { availableUnits, shownById, statusShown } from "../advertisements/views.ts";
import { PublicReservation, Reservation, ReservationCancel, ReservationRequest } from "./schema.ts";
import { allReservations, reservationById, reservationRead, reservationsOf, reservationsWhere } from "./views.ts";

const requestErrors = [
  "INVALID_SIGNATURE",
  "INVALID_IDENTITY_CLAIM",
  "RESERVATION_ALREADY_EXISTS",
  "INVALID_REQUEST",
  "INVALID_PARAMETER",
  "ADVERTISEMENT_NOT_FOUND",
  "INSUFFICIENT_AVAILABLE_LIQUIDITY",
  "PRICE_DISAGREEMENT",
] as const;
const cancelErrors = [
  "RESERVATION_NOT_FOUND",
  "INVALID_SIGNATURE",
  "INVALID_PARAMETER",
  "INVALID_IDENTITY_CLAIM",
  "INVALID_RESERVATION_STATE",
] as const;

/** Source: protocol 02 C.4, N.19, O.12, O.15. */
const requestChecks: ValidationOrder = (view, candidate) => {
  const payload = candidate.payload as ReservationRequest;
  return firstOf(
    () => keyChecks(candidate),
    () => refuseWhen(contenders(view.reader, "reservation", payload.id).length > 0, "RESERVATION_ALREADY_EXISTS"),
    () => refuseWhen(payload.amount.base_units === 0n, "INVALID_REQUEST", "amount-zero"),
    () => commonChecks(view, candidate),
    () => refuseWhen(!ruleOf(view.configuration, isTimelyEnough)(view, payload), "INVALID_PARAMETER", "date-ahead"),
    () => againstAdvertisement(view, payload),
  );
};

/** Whether a request is dated well: asked of every payload already. Source: protocol 02 C.4 row 6. */
export function isTimelyEnough(_view: ValidationView, _request: ReservationRequest): boolean {
  return true;
}

/** Whether an advertisement has nothing left, which is said before anything else. */
export function isSoldOut(available: bigint): boolean {
  return available === 0n;
}

/** The amount that is held against an advertisement's terms. Source: protocol 02 C.4. */
export function amountCompared(amount: Amount, _row: AdvertisementRow): Amount {
  return amount;
}

/** Whether a mid is near the pair's current rate, where there is one. Source: protocol 02 O.12. */
export function isNearCurrentRate(
  view: ValidationView,
  row: AdvertisementRow,
  { agreed_mid }: ReservationRequest,
): boolean {
  const rate = quoterAt(view.reader, view).rateOf(row);
  return rate.status !== "current" || isNearRate(agreed_mid, rate.rate);
}

/** Rows 7 to 11, against the advertisement as it reads now. */
function againstAdvertisement(view: ValidationView, payload: ReservationRequest): CheckResult {
  const { reader, configuration } = view;
  const create = contenders(reader, "advertisement", payload.advertisement_id)[0];
  const shown = create === undefined ? undefined : shownById(reader, idOf(create, payload.advertisement_id));
  if (shown === undefined || shown.row.status === "Deleted" || shown.row.status === "Vacation")
    return "ADVERTISEMENT_NOT_FOUND";
  const available = availableUnits(reader, shown, view);
  const { row } = shown;
  if (ruleOf(configuration, isSoldOut)(available)) return "INSUFFICIENT_AVAILABLE_LIQUIDITY";
  if (statusShown(reader, shown, view) !== "Active") return "ADVERTISEMENT_NOT_FOUND";
  const compared = ruleOf(configuration, amountCompared)(payload.amount, row);
  if (!withinTerms(row, { units: compared.base_units, decimals: compared.decimals }))
    return { code: "INVALID_REQUEST", reason: "amount-outside-terms" };
  if (!agreesWithPrice(row.pricing, payload.agreed_price, payload.agreed_mid))
    return { code: "PRICE_DISAGREEMENT", reason: "price-differs" };
  if (!ruleOf(configuration, isNearCurrentRate)(view, row, payload))
    return { code: "PRICE_DISAGREEMENT", reason: "rate-moved" };
  const decimalsDiffer = payload.amount.decimals !== row.initial_liquidity.decimals;
  return refuseWhen(decimalsDiffer || payload.amount.base_units > available, "INSUFFICIENT_AVAILABLE_LIQUIDITY");
}

/** Source: protocol 02 C.4. */
const cancelChecks: ValidationOrder = (view, candidate) => {
  const payload = candidate.payload as ReservationCancel;
  const found = contenders<ReservationRequest>(view.reader, "reservation", payload.id);
  const mine = found.filter((request) => request.signer === payload.requester);
  const waiting = mine
    .flatMap((request) => reservationsOf(view.reader, request))
    .some((shown) => reservationRead(view.reader, shown, view).state === "EscrowLocked");
  return firstOf(
    () => refuseWhen(found.length === 0, "RESERVATION_NOT_FOUND"),
    () =>
      ruleOf(view.configuration, signedThenNamed)(
        () => signedChecks(view, candidate),
        () => refuseWhen(mine.length === 0, "INVALID_IDENTITY_CLAIM", "not-a-party"),
      ),
    () => refuseWhen(mine.length > 1, "INVALID_PARAMETER", "ambiguous"),
    () => refuseWhen(!waiting, "INVALID_RESERVATION_STATE"),
  );
};

/** Every reservation that a wallet requested, contested ids included, in order of id. */
function reservationsOfWallet(reader: Reader, wallet: PeerId, viewer: Viewer): readonly Reservation[] {
  return reservationsWhere(reader, ({ request }) => request.signer === wallet).map((shown) =>
    reservationRead(reader, shown, viewer),
  );
}

/** What the three reads answer. Source: protocol 02 C.6. */
export const ReservationAnswer = option(PublicReservation);
export const ReservationsAnswer = listOrPage("ReservationPage", "reservations", PublicReservation);
export const OwnReservationsAnswer = list(Reservation);

export const reservationMethods = {
  getReservation: query({
    params: idParams,
    about: "reservation",
    result: ReservationAnswer,
    source: "OFS-8200 §6; protocol 02 C.6",
    doc: "One reservation without its requester; null when the id is unknown.",
    read(reader, { id }, context) {
      const shown = reservationById(reader, id);
      return shown === undefined ? null : PublicReservation.of(reservationRead(reader, shown, context));
    },
  }),
  getReservations: query({
    params: pageParams,
    need: "paged",
    result: ReservationsAnswer,
    source: "OFS-8200 §6; protocol 02 C.6",
    doc: "Lists reservations without the parties, or with `page` one page of them.",
    read: (reader, { page }, context) =>
      listedAs("reservations", allReservations(reader), page, {
        idOf: ({ request }) => request.payload.id,
        viewOf: (shown) => PublicReservation.of(reservationRead(reader, shown, context)),
      }),
  }),
  getMyReservations: proven({
    domain: "openfiat-my-reservations",
    result: OwnReservationsAnswer,
    source: "OFS-8200 §7; protocol 02 C.6",
    doc: "The reservations that the proven wallet requested, in full.",
    run: (context, wallet) => ok(reservationsOfWallet(context.draft, wallet, context)),
  }),
  sendReservationRequest: mutation({
    signed: signedTypes(ReservationRequest),
    checks: requestChecks,
    answers: "id",
    errors: requestErrors,
    source: "OFS-2200; protocol 02 C.4",
    doc: "Reserves part of an advertisement's liquidity.",
  }),
  sendReservationCancel: mutation({
    signed: signedTypes(ReservationCancel),
    checks: cancelChecks,
    answers: "null",
    errors: cancelErrors,
    source: "OFS-2200; protocol 02 C.4",
    doc: "Gives a reservation up before it is settled.",
  }),
};

function idOf(create: Statement, name: string): string {
  return (create.payload as { readonly id?: string }).id ?? name;
}
