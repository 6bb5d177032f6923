/**
 * Proving a wallet: the checks of a proof in their order. Refusal, never narrowing.
 * Source: protocol 03 B.3, B.5.
 */

import type { CallFailure } from "../../engine/method.ts";
import { ruleOf } from "../../engine/overrides.ts";
import type { StepContext } from "../../engine/step-context.ts";
import type { ErrorCode, Refusal } from "../../errors.ts";
import type { Result } from "../../kernel/result.ts";
import { err, ok } from "../../kernel/result.ts";
import { firstOf } from "../../kernel/table.ts";
import { fromBase58, toBase64, utf8 } from "../../kernel/text.ts";
import type { PeerId } from "../../kernel/values.ts";
import { PUBLIC_KEY_BYTES, peerOfKey, SIGNATURE_BYTES } from "../../kernel/values.ts";
import { expiryOfNonce } from "./nonce.ts";
import type { ProofParams } from "./schema.ts";
import { SpentNonces } from "./schema.ts";
import { bytesSpelled, walletSpelled } from "./spelling.ts";

/**
 * Spent nonces remembered at most: beyond, the expired are dropped, then proofs are refused. Source: DESIGN "Bounds".
 */
export const SPENT_NONCES_MAX = 65_536;
/** Of these, the first that were spent among which expired ones are looked for. Source: DESIGN "Work at once". */
const LOOKED_AT = 64;

/** Every code that a proof can be refused with, in order. */
export const proofErrors = [
  "INVALID_IDENTITY_CLAIM",
  "RESOURCE_NOT_FOUND",
  "RATE_LIMIT_EXCEEDED",
  "INVALID_REQUEST",
  "INVALID_SIGNATURE",
] as const satisfies readonly ErrorCode[];

/** The wallet that a proof proves; the nonce is spent from the row at which it is looked up. */
export function proveWallet(context: StepContext, domain: string, params: ProofParams): Result<PeerId, CallFailure> {
  const wallet = ruleOf(context.configuration, walletSpelled)(params.wallet);
  if (wallet === undefined) return misfit("wallet must be a peer id in base64 or base58");
  const spelled = ruleOf(context.configuration, bytesSpelled);
  const key = spelled(params.public_key, PUBLIC_KEY_BYTES);
  if (key === undefined) return misfit("public key must be 32 bytes");
  if (!context.crypto.isCurvePoint(key) || peerOfKey(key) !== wallet.peer)
    return refused({ code: "INVALID_IDENTITY_CLAIM", reason: "key-of-another" });
  const subject = fromBase58(wallet.peer) ?? new Uint8Array(0);
  const expiry = expiryOfNonce(context.crypto, context.bootSeed, params.nonce, { ledger: "wallet", subject });
  if (expiry === undefined || context.draft.get(SpentNonces, params.nonce) !== undefined)
    return refused({ code: "RESOURCE_NOT_FOUND", reason: "challenge-unknown" });
  if (!spend(context, params.nonce, expiry)) return refused({ code: "RATE_LIMIT_EXCEEDED", reason: "no-room" });
  if (expiry < context.now) return refused({ code: "INVALID_REQUEST", reason: "challenge-expired" });
  const signature = spelled(params.signature, SIGNATURE_BYTES);
  if (signature === undefined) return misfit("signature must be 64 bytes");
  const texts = wallet.form === "base64" ? [toBase64(subject), wallet.peer] : [wallet.peer, toBase64(subject)];
  const proved = texts.some((text) => context.crypto.verify(key, utf8(`${domain}:${text}:${params.nonce}`), signature));
  return proved ? ok(wallet.peer) : refused({ code: "INVALID_SIGNATURE", reason: "other-bytes" });
}

/** Remembers a nonce as used; false when no more can be remembered. */
export function spend(context: StepContext, nonce: string, expiry: bigint): boolean {
  if (context.draft.size(SpentNonces) >= SPENT_NONCES_MAX) {
    for (const key of firstOf(context.draft.keys(SpentNonces), LOOKED_AT)) {
      const held = context.draft.get(SpentNonces, key);
      if (held !== undefined && held.expires_at < context.now) context.draft.put(SpentNonces, key, undefined);
    }
    if (context.draft.size(SpentNonces) >= SPENT_NONCES_MAX) return false;
  }
  context.draft.put(SpentNonces, nonce, { expires_at: expiry as never });
  return true;
}

function refused(refusal: Refusal): Result<never, CallFailure> {
  return err({ type: "domain", ...refusal });
}

function misfit(reason: string): Result<never, CallFailure> {
  return err({ type: "params", reason });
}
