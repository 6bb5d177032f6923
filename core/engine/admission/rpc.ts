/**
 * The RPC ingress: a signed payload is decoded, judged, validated in its method's order, folded, and originated.
 * Source: protocol 01 §2.1, §11 "Common behaviour"; CONVERGENCE "Three layers".
 */

import type { Refusal } from "../../errors.ts";
import type { Result } from "../../kernel/result.ts";
import { err, ok } from "../../kernel/result.ts";
import { decodeCompact, encodeCompact } from "../../kernel/schema.ts";
import type { SignedType } from "../../kernel/signed.ts";
import { leavesOut, leavingOut, statementOf } from "../../kernel/signed.ts";
import type { Signature } from "../../kernel/values.ts";
import type { Signing } from "../../kernel/verification.ts";
import { preimageIn, signingsOf, verify } from "../../kernel/verification.ts";
import type { CallFailure, MutationPart } from "../method.ts";
import { ruleOf } from "../overrides.ts";
import type { StepContext } from "../step-context.ts";
import { foldOf } from "../step-context.ts";
import type { Refused } from "./admit.ts";
import { admit } from "./admit.ts";
import { ingresses } from "./ingress.ts";
import { explicitSignings, readPayload } from "./payload.ts";
import type { Candidate, CheckResult } from "./validation-order.ts";
import { dateReason } from "./validation-order.ts";

/** Applies a payload. The answer is the JSON text of the result. */
export function acceptPayload(context: StepContext, part: MutationPart, data: string): Result<string, CallFailure> {
  const judged = judge(context, part, data);
  if (!judged.ok) return judged;
  const { candidate, wire } = judged.value;
  if (wire.length > ruleOf(context.configuration, bytesTaken)(part))
    return err({ type: "domain", code: "INVALID_PARAMETER", reason: "too-large" });
  const { draft: reader, now, crypto, configuration, registry } = context;
  const outcome = part.checks({ reader, now, crypto, configuration, registry }, candidate);
  const answer = answerOf(part, candidate, context);
  if (outcome === "unchanged") return ok(answer);
  if (outcome !== undefined) return err({ type: "domain", ...refusalOf(outcome) });
  const fold = foldOf(context);
  const admission = admit(context, fold, ingresses.checked, candidate.statement);
  fold.run();
  if (typeof admission === "object") return err({ type: "domain", ...unadmitted(context, admission, candidate) });
  if (admission === "admitted" || admission === "waiting")
    for (const originate of registry.originators) originate(context, wire, candidate.statement);
  return ok(answer);
}

/** How large a payload of a method may be, in bytes. */
export function bytesTaken({ bytesMax }: MutationPart): number {
  return bytesMax;
}

/** A refusal of a validation order, which may be no more than a code. */
function refusalOf(outcome: Exclude<CheckResult, "unchanged" | undefined>): Refusal {
  return typeof outcome === "string" ? { code: outcome } : outcome;
}

/** The refusal that the validation order of the method leaves to admission. */
function unadmitted(context: StepContext, { refused }: Refused, { statement }: Candidate): Refusal {
  if (refused === "sealed" || refused === "life") return { code: "INVALID_REQUEST", reason: refused };
  if (refused === "space") return { code: "RATE_LIMIT_EXCEEDED", reason: "no-room" };
  if (refused === "ids") return { code: "INVALID_PARAMETER", reason: "id-form" };
  if (refused === "date") return { code: "INVALID_PARAMETER", reason: dateReason(context, statement) };
  return { code: refused, reason: "out-of-bounds" };
}

function answerOf({ answers }: MutationPart, { type, payload, statement }: Candidate, context: StepContext): string {
  if (answers === "null") return "null";
  return JSON.stringify(
    answers === "id" ? type.idOf(payload as never) : answers(statement, context.configuration, context.crypto),
  );
}

interface Judged {
  readonly candidate: Candidate;
  readonly wire: Uint8Array;
}

/** A payload with its verdict. */
function judge(context: StepContext, part: MutationPart, data: string): Result<Judged, CallFailure> {
  const { ahead } = context;
  const isRead = ahead !== undefined && ahead.signed === part.signed && ahead.data === data;
  const read = isRead ? ahead.read : readPayload(part.signed, data);
  if (!read.ok) return misfit(read.error);
  const { type, outer, signature, tainted, departure, leftOut } = read.value;
  const refused = departure === undefined ? undefined : ruleOf(context.configuration, asDeparted)(departure);
  if (refused !== undefined) return misfit(refused);
  const signings = isRead ? ahead.explicit : explicitSignings(read.value);
  const explicit = candidateOf(context, type, outer[type.outer], signature, tainted, signings);
  const brief = explicit.verdict.form === undefined ? leavingOut(signature, leftOut) : undefined;
  const candidate = brief === undefined ? explicit : candidateOf(context, type, outer[type.outer], brief, tainted);
  const wire = encodeCompact(type.wire, { ...outer, signature: brief ?? signature });
  // Nodes of one process hold one statement of it.
  const isAlone = context.draft.sharing === undefined || tainted || candidate.verdict.form === undefined;
  const common = isAlone ? undefined : receivedCandidate(context, type, wire);
  return ok({ candidate: common ?? candidate, wire });
}

/** Why what the reference would not read is refused: by us for no reason. Source: protocol 02 B.8, I.1. */
export function asDeparted(_departure: string): string | undefined {
  return undefined;
}

/** Whether a payload may be signed without its empty members. Source: protocol 01 §2.2. */
export function takesBrief(): boolean {
  return true;
}

/**
 * A payload with its verdict; an identifier written as an array makes it invalid whatever was signed. `signings`: what
 * the signature may sign, where it was written already.
 */
export function candidateOf(
  context: StepContext,
  type: SignedType,
  payload: unknown,
  signature: Signature,
  tainted: boolean,
  signings: readonly Signing[] = signingsOf(type, payload as never, signature),
): Candidate {
  const found = verify(context.crypto, type, payload as never, signature, signings);
  const isTaken = signings[0]?.leavesOut !== true || ruleOf(context.configuration, takesBrief)();
  const judged = isTaken ? found : { ...found, form: undefined };
  const verdict = tainted ? { bound: true, point: true, form: undefined } : judged;
  return {
    type,
    payload,
    verdict,
    statement: statementOf(
      context.crypto,
      type,
      payload as never,
      signature,
      verdict.form ?? "bare",
      preimageIn(signings),
    ),
  };
}

/** The same of a payload with its signature as peers send it; nothing where the bytes are none of this type. */
export function receivedCandidate(context: StepContext, type: SignedType, wire: Uint8Array): Candidate | undefined {
  const make = () => {
    const outer = decodeCompact(type.wire, wire);
    if (outer === undefined) return undefined;
    const signature = outer["signature"] as Signature;
    const candidate = candidateOf(context, type, outer[type.outer], signature, false);
    // What profiles judge differently is nobody else's.
    return { candidate, isCommon: !leavesOut(signature) };
  };
  const { sharing } = context.draft;
  const made = sharing === undefined ? make() : sharing.ofBytes(type, wire, make);
  return made === undefined || made.isCommon ? made?.candidate : make()?.candidate;
}

function misfit(reason: string): Result<never, CallFailure> {
  return err({ type: "params", reason });
}
