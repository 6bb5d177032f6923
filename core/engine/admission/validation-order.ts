/**
 * Validation order: what may enter the set. Decoding and the verdict are the same at every ingress; here is the policy
 * that is not: clocks, sizes, and the checks common to all methods over RPC. A fold never sees any of it.
 * Source: CONVERGENCE "Three layers"; protocol 01 §13.1, §15 W12; 03 W-7.
 */

import type { ErrorCode, Refusal, SeveralCauses } from "../../errors.ts";
import type { SignedType, Statement } from "../../kernel/signed.ts";
import type { Reader } from "../../kernel/table.ts";
import type { EpochMillis } from "../../kernel/values.ts";
import type { Verdict } from "../../kernel/verification.ts";
import type { CryptoPort } from "../../ports/crypto.ts";
import type { Reason } from "../../reasons.ts";
import type { ResolvedConfiguration } from "../overrides.ts";
import { ruleOf } from "../overrides.ts";
import type { Registry } from "../step-context.ts";
import { idsOf, ingresses, isIdForm, isInTime } from "./ingress.ts";

/** Longest reason of a dispute, in bytes. Source: protocol 03 W-7. */
export const REASON_BYTES_MAX = 4_096;

/** A payload that was decoded and judged, before anything else looked at it. */
export interface Candidate<P = unknown> {
  readonly type: SignedType;
  readonly payload: P;
  readonly verdict: Verdict;
  readonly statement: Statement<P>;
}

/** What a check may look at. */
export interface ValidationView {
  readonly reader: Reader;
  readonly now: EpochMillis;
  readonly crypto: CryptoPort;
  readonly configuration: ResolvedConfiguration;
  readonly registry: Registry;
}

/** A refusal; `unchanged` is a success that adds nothing; nothing at all lets the statement in. */
export type CheckResult = Exclude<ErrorCode, SeveralCauses> | Refusal | "unchanged" | undefined;
export type ValidationOrder = (view: ValidationView, candidate: Candidate) => CheckResult;

/**
 * The checks at which a verdict answers, for payloads that carry a key; `unbound` answers a key of another peer.
 * Source: protocol 02 A.4; 04 §0.2.
 */
export function keyChecks({ verdict }: Candidate, unbound: ErrorCode = "INVALID_IDENTITY_CLAIM"): CheckResult {
  if (!verdict.point) return { code: "INVALID_SIGNATURE", reason: "no-curve-point" };
  if (!verdict.bound) return { code: unbound, reason: "key-of-another" };
  return signatureCheck(verdict);
}

export function signatureCheck(verdict: Verdict): CheckResult {
  return refuseWhen(verdict.form === undefined, "INVALID_SIGNATURE", "other-bytes");
}

/**
 * The signature, then who is named: an answer that depends on a name, given before the signature is judged, would tell
 * whoever tries one name after the other who the parties of a trade are. Source: DESIGN L4; protocol 02 O.31.
 */
export function signedThenNamed(signature: () => CheckResult, named: () => CheckResult): CheckResult {
  return firstOf(signature, named);
}

/** The signature of a payload without a key, and what every payload must keep right after it. */
export function signedChecks(view: ValidationView, candidate: Candidate): CheckResult {
  return signatureCheck(candidate.verdict) ?? commonChecks(view, candidate);
}

/** When and for whom something is looked at. */
export type Viewer = Pick<ValidationView, "now" | "configuration">;

/**
 * What every payload must keep over RPC: an id that is not inert for ever, since nothing could ever show it, and what
 * the network asks of ids and dates.
 */
export function commonChecks(view: ValidationView, candidate: Candidate): CheckResult {
  if (candidate.statement.idForm === "void") return { code: "INVALID_PARAMETER", reason: "id-not-its-own" };
  return ruleOf(view.configuration, idsAndDate)(view, candidate);
}

/** Ids of a sane form, a date near this node's clock. */
export function idsAndDate(view: ValidationView, candidate: Candidate): CheckResult {
  const { payload, type } = candidate;
  const misdated = dateCheck(view, candidate);
  if (misdated !== undefined) return misdated;
  return refuseWhen(!idsOf(type, payload).every(isIdForm), "INVALID_PARAMETER", "id-form");
}

/** A date near this node's clock, for sends that have checks of their own before those of ids. */
export function dateCheck(view: ValidationView, { statement }: Candidate): CheckResult {
  const isDated = ruleOf(view.configuration, isInTime)(ingresses.rpc, statement, view.now);
  return refuseWhen(!isDated, "INVALID_PARAMETER", dateReason(view, statement));
}

/** On which side of the bounds a date lies. */
export function dateReason({ now }: Pick<ValidationView, "now">, { timestamp }: { readonly timestamp: EpochMillis }) {
  return timestamp > now ? "date-ahead" : "date-behind";
}

/** The first check that answers. */
export function firstOf(...checks: readonly (() => CheckResult)[]): CheckResult {
  for (const check of checks) {
    const answer = check();
    if (answer !== undefined) return answer;
  }
  return undefined;
}

/** A refusal where something is so; a code of several causes takes the one that it was. */
export function refuseWhen(condition: boolean, ...why: Why): CheckResult {
  const [code, reason] = why;
  if (!condition) return undefined;
  return { code, ...(reason !== undefined && { reason }) } as Refusal;
}

/** The refusal of a payload with a member outside its bounds. */
export function outOfBounds(code: ErrorCode | null | undefined): CheckResult {
  return (code ?? undefined) && ({ code, reason: "out-of-bounds" } as Refusal);
}

type Why =
  | readonly [code: Exclude<ErrorCode, SeveralCauses>, reason?: Reason]
  | readonly [code: ErrorCode, reason: Reason];
