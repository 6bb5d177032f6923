/**
 * Risk methods: public screening, and the validation order of what a provider publishes.
 * Source: OFS-7100; protocol 04 §4.5, §4.7, §4.11.
 */

import { ingresses, isTimely } from "../../engine/admission/ingress.ts";
import type { ValidationOrder, ValidationView } from "../../engine/admission/validation-order.ts";
import { commonChecks, dateReason, firstOf, keyChecks, refuseWhen } from "../../engine/admission/validation-order.ts";
import type { CallFailure } from "../../engine/method.ts";
import { call, mutation, signedTypes } from "../../engine/method.ts";
import { readAt, ruleOf } from "../../engine/overrides.ts";
import { contenders } from "../../engine/statements/table.ts";
import { err, ok } from "../../kernel/result.ts";
import { list, struct } from "../../kernel/schema-composites.ts";
import { Text, walletNamed } from "../../kernel/values.ts";
import { isWithinBounds, RiskPublish, RiskRecord, ScreeningResult } from "./schema.ts";
import { mayPublish, recordsAbout, screeningOf } from "./views.ts";

/** INVALID_REQUEST answers a foreign key, a date out of bounds, and an unregistered provider. */
const publishErrors = ["INVALID_SIGNATURE", "INVALID_REQUEST", "INVALID_PARAMETER", "RESOURCE_ALREADY_EXISTS"] as const;

/** Source: protocol 04 §4.5, §4.11; a date out of bounds is 2 here: protocol 01 §13.1. */
const publishChecks: ValidationOrder = (view, candidate) => {
  const payload = candidate.payload as RiskPublish;
  return firstOf(
    () => keyChecks(candidate, "INVALID_REQUEST"),
    () =>
      refuseWhen(!ruleOf(view.configuration, isRecent)(view, payload), "INVALID_REQUEST", dateReason(view, payload)),
    () => commonChecks(view, candidate),
    () => refuseWhen(!isWithinBounds(payload), "INVALID_PARAMETER", "out-of-bounds"),
    () => refuseWhen(!mayPublish(view.reader, payload.provider, view.now), "INVALID_REQUEST", "not-listed"),
    () => refuseWhen(contenders(view.reader, "risk", payload.id).length > 0, "RESOURCE_ALREADY_EXISTS"),
  );
};

/** Whether a publication has a date that RPC takes. */
export function isRecent({ now }: ValidationView, { timestamp }: RiskPublish): boolean {
  return isTimely(ingresses.rpc, timestamp, now);
}

const WalletParams = struct("WalletParams", { wallet: Text });
const notWallet: CallFailure = { type: "params", reason: "wallet must be a peer id in base64 or base58" };

export const riskMethods = {
  getWalletScreening: call({
    kind: "query",
    params: WalletParams,
    result: ScreeningResult,
    source: "OFS-8200 §6; protocol 04 §4.6",
    doc: "What registered providers currently say against a wallet: flags in order of time, the greatest severity.",
    run(context, { wallet }) {
      const peer = ruleOf(context.configuration, walletNamed)(wallet);
      return peer === undefined ? err(notWallet) : ok(screeningOf(context.draft, peer, readAt(context)));
    },
  }),
  getRiskRecordsByWallet: call({
    kind: "query",
    params: WalletParams,
    result: list(RiskRecord),
    source: "OFS-7100; protocol 04 §4.7",
    doc: "Every record about a wallet in order of id, clearances and expired ones included.",
    run({ draft, configuration, now }, { wallet }) {
      const peer = ruleOf(configuration, walletNamed)(wallet);
      return peer === undefined ? err(notWallet) : ok(recordsAbout(draft, peer, now));
    },
  }),
  sendRiskPublish: mutation({
    signed: signedTypes(RiskPublish),
    checks: publishChecks,
    answers: "null",
    errors: publishErrors,
    source: "OFS-7100; protocol 04 §4.5",
    doc: "Flags or clears a wallet, by a registered risk provider.",
  }),
};
