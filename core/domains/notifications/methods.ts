/**
 * Notification methods: a wallet's subscription, what this node dispatched, what gateways report, and the validation
 * orders of both sends. Dispatches and receipts tie a wallet to its trades, so those are shown to a proof of that
 * wallet alone.
 * Source: OFS-6000; protocol 04 §6.7, §6.8; DESIGN §7 #15.
 */

import type { Candidate, CheckResult, ValidationOrder } from "../../engine/admission/validation-order.ts";
import { commonChecks, firstOf, refuseWhen, signatureCheck } from "../../engine/admission/validation-order.ts";
import type { CallFailure } from "../../engine/method.ts";
import { call, mutation, signedTypes } from "../../engine/method.ts";
import { ruleOf } from "../../engine/overrides.ts";
import type { StepContext } from "../../engine/step-context.ts";
import type { Result } from "../../kernel/result.ts";
import { err, ok } from "../../kernel/result.ts";
import type { Infer, Schema } from "../../kernel/schema.ts";
import { list, option, struct } from "../../kernel/schema-composites.ts";
import type { PeerId } from "../../kernel/values.ts";
import { decodeWallet, Text } from "../../kernel/values.ts";
import { serviceById } from "../providers/queries.ts";
import { proofErrors, proveWallet } from "../wallet-proofs/queries.ts";
import { isWithinBounds } from "./bounds.ts";
import { agrees, dispatchesOf, dispatchesTo, isAboutTrade, receiptOf } from "./queries.ts";
import {
  DeliveryReport,
  ShownDispatch,
  ShownReceipt,
  Subscription,
  SubscriptionUpdate,
  showDispatch,
  showReceipt,
} from "./schema.ts";
import type { DispatchRow } from "./tables.ts";
import { Subscriptions } from "./tables.ts";

/** What proofs for these reads are signed over. Source: protocol 04 §6.7, 03 B.3. */
export const PROOF_DOMAIN = "openfiat-my-notifications";
/** Largest payload of either send, in bytes: sixteen full destinations fit. Source: DESIGN "Bounds". */
export const NOTIFICATION_PAYLOAD_BYTES_MAX = 65_536;

/** What every read with an optional proof says of itself. */
const READ = {
  proof: { domain: PROOF_DOMAIN, challenge: "getWalletChallenge" },
  errors: proofErrors,
  source: "OFS-8200 §6; protocol 04 §6.7",
} as const;
const proof = { public_key: option(Text), nonce: option(Text), signature: option(Text) };
const oneParams = struct("NotificationParams", { id: Text, wallet: option(Text), ...proof });
const allParams = struct("WalletNotificationsParams", { wallet: Text, ...proof });
type MaybeProof = Omit<Infer<typeof oneParams>, "id">;

/** Under this domain a stated peer id that is not the key's is INVALID_REQUEST. Source: protocol 04 §6.8. */
const identityChecks = ({ verdict }: Candidate): CheckResult =>
  firstOf(
    () => refuseWhen(!verdict.point, "INVALID_SIGNATURE", "no-curve-point"),
    () => refuseWhen(!verdict.bound, "INVALID_REQUEST", "key-of-another"),
    () => signatureCheck(verdict),
  );

/** Source: protocol 04 §6.8; bounds are those of §6.12. What is not newer answers null without effect, in the fold. */
const subscriptionChecks: ValidationOrder = (view, candidate) =>
  firstOf(
    () => identityChecks(candidate),
    () => commonChecks(view, candidate),
    () =>
      refuseWhen(
        !ruleOf(view.configuration, isWithinBounds)(candidate.payload as SubscriptionUpdate),
        "INVALID_PARAMETER",
        "out-of-bounds",
      ),
  );

/** Source: protocol 04 §6.8; a report is matched by notification and service (§6.12). */
const reportChecks: ValidationOrder = (view, candidate) => {
  const report = candidate.payload as DeliveryReport;
  const service = serviceById(view.reader, report.service_id, view.now);
  const dispatches = dispatchesOf(view.reader, report.notification_id, view.now);
  const own = dispatches.find((dispatch) => dispatch.service_id === report.service_id);
  return firstOf(
    () => identityChecks(candidate),
    () => commonChecks(view, candidate),
    () => refuseWhen(service === undefined, "RESOURCE_NOT_FOUND"),
    () => refuseWhen(service?.provider !== report.provider, "INVALID_REQUEST", "not-the-provider"),
    () => refuseWhen(dispatches.length === 0, "RESOURCE_NOT_FOUND"),
    () =>
      refuseWhen(
        own === undefined || own.provider !== report.provider || !agrees(report, own),
        "INVALID_REQUEST",
        "report-differs",
      ),
  );
};

export const notificationMethods = {
  getSubscription: call({
    kind: "query",
    params: struct("WalletParams", { wallet: Text }),
    result: option(Subscription),
    source: "OFS-8200 §6; protocol 04 §6.7",
    doc: "What a wallet wants to be told and through whom; addresses are sealed.",
    run(context, params) {
      const wallet = walletOf(context, params.wallet);
      return wallet.ok ? ok(context.draft.get(Subscriptions, wallet.value) ?? null) : wallet;
    },
  }),
  getNotificationDispatch: readOne(
    ShownDispatch,
    "One dispatch of this node; with a proof of its recipient's wallet also of those about trades.",
    (_, dispatch, named) => showDispatch(dispatch, named),
  ),
  getNotificationDispatchesByWallet: readAll(
    ShownDispatch,
    "What this node dispatched to a wallet; with a proof of it also what is about trades.",
    (_, dispatch, named) => showDispatch(dispatch, named),
  ),
  getDeliveryReceipt: readOne(
    ShownReceipt,
    "What a gateway says became of a notification; with a proof of its recipient's wallet also of those about trades.",
    showReceiptOf,
  ),
  getDeliveryReceiptsByWallet: readAll(
    ShownReceipt,
    "What gateways say became of a wallet's notifications; with a proof of it also of those about trades.",
    showReceiptOf,
  ),
  sendSubscriptionUpdate: mutation({
    signed: signedTypes(SubscriptionUpdate),
    checks: subscriptionChecks,
    answers: "null",
    doc: "Replaces the wallet's subscription; what is not newer than the one held has no effect.",
    errors: ["INVALID_SIGNATURE", "INVALID_REQUEST", "INVALID_PARAMETER"],
    source: "OFS-6000; protocol 04 §6.8",
    bytesMax: NOTIFICATION_PAYLOAD_BYTES_MAX,
  }),
  sendDeliveryReport: mutation({
    signed: signedTypes(DeliveryReport),
    checks: reportChecks,
    answers: "null",
    doc: "A gateway's report about a notification that this node handed to it.",
    errors: ["INVALID_SIGNATURE", "INVALID_REQUEST", "INVALID_PARAMETER", "RESOURCE_NOT_FOUND"],
    source: "OFS-6000; protocol 04 §6.8",
    bytesMax: NOTIFICATION_PAYLOAD_BYTES_MAX,
  }),
};

/** Who reads: anybody, a wallet that proved itself, or somebody who may see all. */
type Reading = "stranger" | "all" | { readonly proved: PeerId };
/** Shows a dispatch, or what became of it, with its recipient or without; nothing when there is nothing to show. */
type Show<R> = (context: StepContext, dispatch: DispatchRow, named: boolean) => R | undefined;

/** One notification, through the gateway with the smallest service id of those that may be shown. */
function readOne<R>(result: Schema<R>, doc: string, show: Show<R>) {
  return call({
    ...{ kind: "query", params: oneParams, result: option(result), ...READ, doc },
    run(context, params) {
      const reading = ruleOf(context.configuration, readingOf)(context, params);
      if (!reading.ok) return reading;
      for (const dispatch of dispatchesOf(context.draft, params.id, context.now)) {
        const named = mayKnow(reading.value, dispatch);
        const shown = named || !isAboutTrade(dispatch.trigger) ? show(context, dispatch, named) : undefined;
        if (shown !== undefined) return ok(shown);
      }
      return ok(null);
    },
  });
}

/** Every notification to a wallet. The caller named it, so it stays; whether it trades is not told without a proof. */
function readAll<R>(result: Schema<R>, doc: string, show: Show<R>) {
  return call({
    ...{ kind: "query", params: allParams, result: list(result), ...READ, doc },
    run(context, params) {
      const reading = ruleOf(context.configuration, readingOf)(context, params);
      if (!reading.ok) return reading;
      const wallet = walletOf(context, params.wallet);
      if (!wallet.ok) return wallet;
      const shown = dispatchesTo(context.draft, wallet.value, context.now).filter(
        (dispatch) => mayKnow(reading.value, dispatch) || !isAboutTrade(dispatch.trigger),
      );
      return ok(shown.flatMap((dispatch) => show(context, dispatch, true) ?? []));
    },
  });
}

function showReceiptOf(context: StepContext, dispatch: DispatchRow, named: boolean): ShownReceipt | undefined {
  const receipt = receiptOf(context.draft, dispatch, context.now);
  return receipt && showReceipt(receipt, named);
}

/** Whether a reader may know whom a dispatch went to. */
function mayKnow(reading: Reading, { recipient_wallet }: DispatchRow): boolean {
  if (reading === "stranger" || reading === "all") return reading === "all";
  return reading.proved === recipient_wallet;
}

/** A proof that fails is refused, never narrowed. The name `id` fills `wallet` too, which alone is no proof. */
export function readingOf(
  context: StepContext,
  { wallet, public_key, nonce, signature }: MaybeProof,
): Result<Reading, CallFailure> {
  if (public_key === null && nonce === null && signature === null) return ok("stranger");
  if (wallet === null || public_key === null || nonce === null || signature === null)
    return misfit("a proof has wallet, public_key, nonce and signature");
  const proved = proveWallet(context, PROOF_DOMAIN, { wallet, public_key, nonce, signature });
  return proved.ok ? ok({ proved: proved.value }) : proved;
}

function walletOf(context: StepContext, received: string): Result<PeerId, CallFailure> {
  const peer = ruleOf(context.configuration, recipientNamed)(received);
  return peer === undefined ? misfit("wallet must be a peer id in base64 or base58") : ok(peer);
}

/** Whom a `wallet` parameter names. Source: protocol 04 §0.4. */
export function recipientNamed(received: string): PeerId | undefined {
  return decodeWallet(received)?.peer;
}

function misfit(reason: string): Result<never, CallFailure> {
  return err({ type: "params", reason });
}
