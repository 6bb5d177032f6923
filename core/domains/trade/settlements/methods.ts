/**
 * Settlement methods: redacted reads, a party's own, and the validation orders of what parties send.
 * An action is taken whenever it would have effect in the fold. Source: OFS-2300; protocol 02 D.4, D.6, O.5.
 */

import type { CheckResult, ValidationOrder, ValidationView } from "../../../engine/admission/validation-order.ts";
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
import { childrenBySigner } from "../../../engine/statements/own-statements.ts";
import { contenders, isWithinLife } from "../../../engine/statements/table.ts";
import { ok } from "../../../kernel/result.ts";
import { list, option } from "../../../kernel/schema-composites.ts";
import type { Statement } from "../../../kernel/signed.ts";
import { fromBase58 } from "../../../kernel/text.ts";
import type { PublicKey } from "../../../kernel/values.ts";
import { peerOfKey } from "../../../kernel/values.ts";
import { proven } from "../../wallet-proofs/proven.ts";
import { cancelOf } from "../reservations/fold.ts";
import type { Pair } from "../reservations/queries.ts";
import { expiryOf, fits, pairKey, pairsOf, pairsWith } from "../reservations/queries.ts";
import type { ReservationRequest } from "../reservations/schema.ts";
import { Reservations } from "../reservations/tables.ts";
import { reservationAt, reservationsOf } from "../reservations/views.ts";
import { actsOf, signedStateOf } from "./rules.ts";
import type { SettlementRow, SettlementState } from "./schema.ts";
import {
  PaymentReversed,
  PaymentSubmitted,
  PublicSettlement,
  Settlement,
  SettlementApproved,
  SettlementCancelled,
  SettlementInitiate,
  SettlementRejected,
} from "./schema.ts";
import { Settlements } from "./tables.ts";
import {
  allSettlements,
  settlementRead,
  settlementShown,
  settlementsOfParty,
  unfoldedSettlements,
  withUnfolded,
} from "./views.ts";

const initiateErrors = [
  "INVALID_SIGNATURE",
  "INVALID_IDENTITY_CLAIM",
  "INVALID_PARAMETER",
  "SETTLEMENT_ALREADY_EXISTS",
  "RESERVATION_NOT_FOUND",
  "INVALID_RESERVATION_STATE",
  "INVALID_REQUEST",
] as const;
const actionErrors = [
  "SETTLEMENT_NOT_FOUND",
  "INVALID_SIGNATURE",
  "INVALID_PARAMETER",
  "INVALID_IDENTITY_CLAIM",
  "INVALID_SETTLEMENT_STATE",
] as const;

/** Source: protocol 02 D.4, O.5, O.6. */
const initiateChecks: ValidationOrder = (view, candidate) => {
  const payload = candidate.payload as SettlementInitiate;
  return firstOf(
    () => keyChecks(candidate),
    () => commonChecks(view, candidate),
    () => refuseWhen(isTaken(view, payload.id), "SETTLEMENT_ALREADY_EXISTS"),
    () => ruleOf(view.configuration, againstReservation)(view, payload),
  );
};

function isTaken({ reader, configuration }: ValidationView, id: string): boolean {
  if (contenders(reader, "settlement", id).length > 0) return true;
  return ruleOf(configuration, unfoldedSettlements)(reader).some(({ row }) => row.id === id);
}

/** A settlement needs a reservation that it fits. */
export function againstReservation(view: ValidationView, payload: SettlementInitiate): CheckResult {
  const requests = contenders<ReservationRequest>(view.reader, "reservation", payload.reservation_id);
  const shown = requests.flatMap((request) => reservationsOf(view.reader, request));
  const unshown = requests.flatMap((request) => unshownPairs(view, request, payload));
  if (shown.length === 0 && unshown.length === 0)
    return { code: "RESERVATION_NOT_FOUND", reason: "not-yet-known", retryable: true };
  const open = shown.filter((each) => reservationAt(view.reader, each, view.now).state === "EscrowLocked");
  if (open.length === 0 && unshown.length === 0) return "INVALID_RESERVATION_STATE";
  const affordable = [...open, ...unshown].some(({ request: { payload: reserved } }) => {
    const { base_units, decimals } = payload.amount;
    return decimals === reserved.amount.decimals && base_units > 0n && base_units <= reserved.amount.base_units;
  });
  if (!affordable) return { code: "INVALID_REQUEST", reason: "amount-above-reserved" };
  const pairs = open.flatMap(({ row, request }) =>
    pairsOf(view.reader, request).filter((pair) => pair.advertisement.identity === row.advertisement),
  );
  const bound = bindsKey(payload.seller_public_key, payload.seller);
  const all = [...pairs, ...unshown];
  return refuseWhen(!bound || !all.some((pair) => fits(pair, payload)), "INVALID_IDENTITY_CLAIM", "not-a-party");
}

/** Pairs of a request and a party's advertisement that have no record yet, since many bear its name. */
function unshownPairs(
  { reader, now }: ValidationView,
  request: Statement<ReservationRequest>,
  { buyer, seller }: SettlementInitiate,
): readonly Pair[] {
  if (request.signer !== buyer && request.signer !== seller) return [];
  if (expiryOf(request) <= now || cancelOf(reader, request) !== undefined) return [];
  return pairsWith(reader, request, [buyer, seller]).filter(
    (pair) => reader.get(Reservations, pairKey(pair)) === undefined,
  );
}

/** The checks of every action: who must be who, and `from` which state it leads. Source: protocol 02 D.4, D.5. */
function actionChecks(
  from: SettlementState,
  role: (initiate: SettlementInitiate) => readonly string[],
): ValidationOrder {
  return (view, candidate) => {
    const takes = ruleOf(view.configuration, changesState);
    const { settlement_id } = candidate.payload as { readonly settlement_id: string };
    const folded = contenders<SettlementInitiate>(view.reader, "settlement", settlement_id).filter(
      (initiate) => view.reader.get(Settlements, initiate.identity) !== undefined,
    );
    const beside = ruleOf(view.configuration, unfoldedSettlements)(view.reader);
    const shown = beside.flatMap(({ row, initiate }) => (row.id === settlement_id ? [initiate] : []));
    const found = folded.length > 0 ? folded : shown;
    const mine = found.filter((initiate) => role(initiate.payload).includes(candidate.statement.signer));
    return firstOf(
      () => refuseWhen(found.length === 0, "SETTLEMENT_NOT_FOUND"),
      () =>
        ruleOf(view.configuration, signedThenNamed)(
          () => signedChecks(view, candidate),
          () => refuseWhen(mine.length === 0, "INVALID_IDENTITY_CLAIM", "not-a-party"),
        ),
      () => refuseWhen(mine.length > 1, "INVALID_PARAMETER", "ambiguous"),
      () =>
        refuseWhen(
          !mine.some((initiate) => takes(view, initiate, candidate.statement, from)),
          "INVALID_SETTLEMENT_STATE",
        ),
    );
  };
}

/**
 * Whether one more statement changes what a settlement says; nothing does once the chain has spoken. While it is
 * disputed its state stays, and a first payment or a word on one is kept. Source: CONVERGENCE "Small folds",
 * "Settlement".
 */
export function changesState(
  view: ValidationView,
  initiate: Statement<SettlementInitiate>,
  more: Statement,
  _from: SettlementState,
): boolean {
  const row = view.reader.get(Settlements, initiate.identity);
  if (!isWithinLife(view.reader, initiate, more)) return false;
  if (row === undefined || row.decided || row.released) return false;
  const { buyer, seller } = initiate.payload;
  const statements = [buyer, seller].flatMap((party) => childrenBySigner(view.reader, initiate, party));
  const acts = actsOf(initiate.payload, [...statements, more]);
  if (row.signed_state !== "Disputed") return signedStateOf(acts) !== row.signed_state;
  const everPaid = acts.payments.length > 0;
  const approved = everPaid && acts.approves.length > 0;
  const rejected = everPaid && !approved && acts.rejects.length > 0;
  return everPaid !== row.ever_paid || approved !== row.approved || rejected !== row.rejected;
}

const payChecks = actionChecks("AwaitingPayment", (initiate) => [initiate.buyer]);
const reverseChecks = actionChecks("PaymentSubmitted", (initiate) => [initiate.buyer]);
const respondChecks = actionChecks("PaymentSubmitted", (initiate) => [initiate.seller]);
const cancelChecks = actionChecks("AwaitingPayment", (initiate) => [initiate.buyer, initiate.seller]);

export const settlementMethods = {
  getSettlement: query({
    params: idParams,
    about: "settlement",
    result: option(PublicSettlement),
    source: "OFS-8200 §6; protocol 02 D.6",
    doc: "One settlement without its parties; null when the id is unknown.",
    read(reader, { id }, context) {
      const shown = settlementShown(reader, id, context);
      return shown === undefined ? null : PublicSettlement.of(settlementRead(shown.row, context));
    },
  }),
  getSettlements: query({
    params: pageParams,
    need: "paged",
    result: listOrPage("SettlementPage", "settlements", PublicSettlement),
    source: "OFS-8200 §6; protocol 02 D.6",
    doc: "Lists settlements without the parties, or with `page` one page of them.",
    read: (reader, { page }, context) =>
      listedAs(
        "settlements",
        withUnfolded(reader, allSettlements(reader), context, () => true),
        page,
        {
          idOf: ({ row }) => row.id,
          viewOf: ({ row }) => PublicSettlement.of(settlementRead(row, context)),
        },
      ),
  }),
  getMySettlements: proven({
    domain: "openfiat-my-settlements",
    result: list(Settlement),
    source: "OFS-8200 §7; protocol 02 D.6",
    doc: "The settlements of which the proven wallet is a party, in full.",
    run(context, wallet) {
      const own = settlementsOfParty(context.draft, wallet);
      const isOwn = ({ buyer, seller }: SettlementRow) => buyer === wallet || seller === wallet;
      return ok(withUnfolded(context.draft, own, context, isOwn).map(({ row }) => settlementRead(row, context)));
    },
  }),
  sendSettlementInitiate: mutation({
    signed: signedTypes(SettlementInitiate),
    checks: initiateChecks,
    answers: "id",
    errors: initiateErrors,
    source: "OFS-2300; protocol 02 D.4",
    doc: "Starts the fiat leg of a reserved trade.",
  }),
  sendPaymentSubmitted: action(PaymentSubmitted, payChecks, "Declares that the fiat payment was sent."),
  sendPaymentReversed: action(PaymentReversed, reverseChecks, "Takes a declared payment back."),
  sendSettlementApproved: action(SettlementApproved, respondChecks, "Confirms that the fiat payment arrived."),
  sendSettlementRejected: action(SettlementRejected, respondChecks, "Declares what is wrong with the payment."),
  sendSettlementCancelled: action(SettlementCancelled, cancelChecks, "Gives a settlement up before it is paid."),
};

function action<const T>(signed: T, checks: ValidationOrder, doc: string) {
  return mutation({
    signed: signedTypes(signed),
    checks,
    answers: "null",
    errors: actionErrors,
    source: "OFS-2300; protocol 02 D.4",
    doc,
  });
}

function bindsKey(key: PublicKey, peer: string): boolean {
  const bytes = fromBase58(key);
  return bytes !== undefined && peerOfKey(bytes) === peer;
}
