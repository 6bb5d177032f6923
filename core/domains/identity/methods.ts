/**
 * Identity methods: public reads of what wallets say about themselves, and the validation orders of what they send.
 * Source: OFS-5000; protocol 04 §1.5, §1.7, §1.11.
 */

import { ID_BYTES_MAX } from "../../engine/admission/ingress.ts";
import type { Candidate, ValidationOrder, ValidationView } from "../../engine/admission/validation-order.ts";
import {
  commonChecks,
  firstOf,
  keyChecks,
  refuseWhen,
  signatureCheck,
} from "../../engine/admission/validation-order.ts";
import { call, idParams, mutation, query, signedTypes } from "../../engine/method.ts";
import type { ReadAt } from "../../engine/overrides.ts";
import { readAt, ruleOf } from "../../engine/overrides.ts";
import { contenders } from "../../engine/statements/table.ts";
import { err, ok } from "../../kernel/result.ts";
import { list, option, struct } from "../../kernel/schema-composites.ts";
import type { Reader } from "../../kernel/table.ts";
import { compareText } from "../../kernel/text.ts";
import type { PeerId } from "../../kernel/values.ts";
import { Text, walletNamed } from "../../kernel/values.ts";
import { mayClaimMore } from "./bounds.ts";
import { fitsSizes, namesSanely, takesValue } from "./claim-values.ts";
import { claimById, countedClaims, isNamed, LIVE_CLAIMS_MAX, liveClaims, sameType } from "./queries.ts";
import { Claim, ClaimPublish, ClaimRevoke, ClaimVerify } from "./schema.ts";
import { Claims } from "./tables.ts";

const publishErrors = [
  "INVALID_SIGNATURE",
  "INVALID_IDENTITY_CLAIM",
  "INVALID_PARAMETER",
  "IDENTITY_ALREADY_EXISTS",
  "DESERIALIZATION_ERROR",
  "CLAIM_LIMIT_REACHED",
] as const;
const followUpErrors = [
  "IDENTITY_NOT_FOUND",
  "INVALID_IDENTITY_CLAIM",
  "INVALID_SIGNATURE",
  "INVALID_PARAMETER",
] as const;

/** Source: protocol 04 §1.5, §1.11. */
const publishChecks: ValidationOrder = (view, candidate) => {
  const publish = candidate.payload as ClaimPublish;
  return firstOf(
    () => keyChecks(candidate),
    () => commonChecks(view, candidate),
    () => refuseWhen(!ruleOf(view.configuration, isModest)(publish), "INVALID_PARAMETER", "out-of-bounds"),
    () => refuseWhen(contenders(view.reader, "claim", publish.id).length > 0, "IDENTITY_ALREADY_EXISTS"),
    () => refuseWhen(!takesValue(publish.claim_type, publish.value), "DESERIALIZATION_ERROR"),
    () => refuseWhen(!mayClaimMore(view.reader, publish.wallet), "CLAIM_LIMIT_REACHED"),
    () => refuseWhen(isBeyondLimit(view, publish), "CLAIM_LIMIT_REACHED"),
  );
};

/** The checks of a statement about a claim; a revoked one takes none. Source: protocol 04 §1.5. */
const followUpChecks: ValidationOrder = (view, candidate) => {
  const found = claimsNamed(view.reader, candidate);
  const own = found.filter((claim) => claim.wallet === candidate.statement.signer);
  return firstOf(
    () => refuseWhen(found.length === 0, "IDENTITY_NOT_FOUND"),
    () => refuseWhen(own.length === 0, "INVALID_IDENTITY_CLAIM", "not-a-party"),
    () => signatureCheck(candidate.verdict),
    () => commonChecks(view, candidate),
    () => refuseWhen(own.length > 1, "INVALID_PARAMETER", "ambiguous"),
    () => refuseWhen(own[0]?.revoked ?? false, "INVALID_IDENTITY_CLAIM"),
  );
};

export const identityMethods = {
  getIdentityClaim: query({
    params: idParams,
    result: option(Claim),
    source: "OFS-8200 §6; protocol 04 §1.7",
    doc: "One claim, dead ones included; null when the id is unknown.",
    read: (reader, { id }, context) => claimById(reader, id, readAt(context))?.claim ?? null,
  }),
  getIdentityClaimsByWallet: call({
    kind: "query",
    params: struct("WalletParams", { wallet: Text }),
    result: list(Claim),
    source: "OFS-8200 §6; protocol 04 §1.7",
    doc: "Everything that a wallet claims about itself, dead claims included, in order of id.",
    run(context, params) {
      const wallet = ruleOf(context.configuration, walletNamed)(params.wallet);
      if (wallet === undefined) return err({ type: "params", reason: "wallet must be a peer id in base64 or base58" });
      return ok(claimsOfWallet(context.draft, wallet, readAt(context)));
    },
  }),
  sendClaimPublish: mutation({
    signed: signedTypes(ClaimPublish),
    checks: publishChecks,
    answers: "id",
    errors: publishErrors,
    source: "OFS-5000; protocol 04 §1.5",
    doc: "Publishes what a wallet says about itself, in the place of an older claim if it names one.",
  }),
  sendClaimVerify: mutation({
    signed: signedTypes(ClaimVerify),
    checks: followUpChecks,
    answers: "null",
    errors: followUpErrors,
    source: "OFS-5000; protocol 04 §1.5, §1.7 (our own extension)",
    doc: "Attests a claim by its own wallet.",
  }),
  sendClaimRevoke: mutation({
    signed: signedTypes(ClaimRevoke),
    checks: followUpChecks,
    answers: "null",
    errors: followUpErrors,
    source: "OFS-5000; protocol 04 §1.5, §1.7 (our own extension)",
    doc: "Takes a claim back for ever.",
  }),
};

/** Whether a publication's texts are of a sane length and spelling. Source: protocol 04 §1.11. */
export function isModest(publish: ClaimPublish): boolean {
  return fitsSizes(publish, ID_BYTES_MAX) && namesSanely(publish);
}

/**
 * Whether a wallet has as many live claims as it may. One that replaces a live claim adds none.
 * Source: protocol 04 §1.5 row 7; by type as well, since only then it supersedes (§1.11).
 */
function isBeyondLimit(view: ValidationView, { wallet, supersedes, claim_type }: ClaimPublish): boolean {
  const live = liveClaims(view.reader, wallet, readAt(view));
  const mayReplace = ruleOf(view.configuration, sameType);
  const replaces = live.some(
    (held) => supersedes !== null && isNamed(held, supersedes) && mayReplace(held.claim.claim_type, claim_type),
  );
  return !replaces && live.length >= LIVE_CLAIMS_MAX;
}

function claimsNamed(reader: Reader, { payload }: Candidate): readonly Claim[] {
  const { claim_id } = payload as ClaimVerify;
  return contenders<ClaimPublish>(reader, "claim", claim_id).flatMap(({ identity }) => {
    const claim = reader.get(Claims, identity);
    return claim === undefined ? [] : [claim];
  });
}

function claimsOfWallet(reader: Reader, wallet: PeerId, moment: ReadAt): readonly Claim[] {
  const counted = [...countedClaims(reader, wallet, moment)];
  counted.sort((a, b) => compareText(a.claim.id, b.claim.id) || (a.identity < b.identity ? -1 : 1));
  return counted.map(({ claim }) => claim);
}
