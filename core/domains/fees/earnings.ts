/**
 * A service's earnings: read by whoever proves the service's key. Nothing meters a delivery yet, so every
 * statement is empty; the shape and the proof are those that a metering node will use.
 * Source: OFS-4100 §9.5; OFS-1500 §15; protocol 05 §2.1-2.3, §2.6.
 */

import type { CallFailure } from "../../engine/method.ts";
import type { StepContext } from "../../engine/step-context.ts";
import type { ErrorCode, Refusal } from "../../errors.ts";
import type { Result } from "../../kernel/result.ts";
import { err, ok } from "../../kernel/result.ts";
import type { Infer } from "../../kernel/schema.ts";
import { list, option, struct } from "../../kernel/schema-composites.ts";
import { fromBase58, utf8 } from "../../kernel/text.ts";
import { Amount, decodeEither, EpochMillis, later, SIGNATURE_BYTES, Text } from "../../kernel/values.ts";
import type { ServiceName } from "../providers/queries.ts";
import { serviceById } from "../providers/queries.ts";
import type { Issue } from "../wallet-proofs/nonce.ts";
import { CHALLENGE_LIFETIME_MS, expiryOfNonce, issueNonce } from "../wallet-proofs/nonce.ts";
import { spend } from "../wallet-proofs/queries.ts";
import { SpentNonces } from "../wallet-proofs/schema.ts";

/** Source: protocol 05 §2.2. */
export const EarningsChallenge = struct("EarningsChallenge", {
  service_id: Text,
  nonce: Text,
  expires_at: EpochMillis,
});
export type EarningsChallenge = Infer<typeof EarningsChallenge>;

/** Source: protocol 05 §2.2. */
export const EarningEntry = struct("EarningEntry", {
  token_mint: Text,
  amount: Amount,
  reference: Text,
  credited_at: EpochMillis,
});
export type EarningEntry = Infer<typeof EarningEntry>;

/** Source: protocol 05 §2.2. */
export const ProviderEarnings = struct("ProviderEarnings", {
  service_id: Text,
  payout_wallet: option(Text),
  entries: list(EarningEntry),
});
export type ProviderEarnings = Infer<typeof ProviderEarnings>;

/** What a proof of earnings is asked with. Source: protocol 05 §1.9. */
export const EarningsParams = struct("EarningsParams", { id: Text, nonce: Text, signature: Text });

/** In order. `RATE_LIMIT_EXCEEDED`: no more spent nonces can be remembered. Source: protocol 05 §2.3. */
export const earningsErrors = [
  "RESOURCE_NOT_FOUND",
  "RATE_LIMIT_EXCEEDED",
  "INVALID_REQUEST",
  "INVALID_SIGNATURE",
] as const satisfies readonly ErrorCode[];

/** A challenge for a service, whoever asks; none replaces another. Source: protocol 05 §2.3. */
export function challenge(context: StepContext, id: string): Result<EarningsChallenge, CallFailure> {
  if (serviceById(context.draft, id, context.now) === undefined)
    return refused({ code: "RESOURCE_NOT_FOUND", reason: "service-unknown" });
  const expires_at = later(context.now, CHALLENGE_LIFETIME_MS);
  return ok({
    service_id: id,
    nonce: issueNonce(context.crypto, context.bootSeed, context.number, issueOf(id), expires_at),
    expires_at,
  });
}

/** The statement of a proven service; the nonce is spent from the row at which it is looked up. */
export function earnings(
  context: StepContext,
  params: Infer<typeof EarningsParams>,
): Result<ProviderEarnings, CallFailure> {
  const { id, nonce } = params;
  const service = serviceById(context.draft, id, context.now);
  if (service === undefined) return refused({ code: "RESOURCE_NOT_FOUND", reason: "service-unknown" });
  const expiry = expiryOfNonce(context.crypto, context.bootSeed, nonce, issueOf(id));
  if (expiry === undefined || context.draft.get(SpentNonces, nonce) !== undefined)
    return refused({ code: "RESOURCE_NOT_FOUND", reason: "challenge-unknown" });
  if (!spend(context, nonce, expiry)) return refused({ code: "RATE_LIMIT_EXCEEDED", reason: "no-room" });
  if (expiry < context.now) return refused({ code: "INVALID_REQUEST", reason: "challenge-expired" });
  const signature = decodeEither(params.signature, SIGNATURE_BYTES);
  if (signature === undefined) return err({ type: "params", reason: "signature must be 64 bytes" });
  const key = fromBase58(service.provider_public_key) ?? new Uint8Array(0);
  if (!context.crypto.verify(key, proofBytes(id, nonce), signature))
    return refused({ code: "INVALID_SIGNATURE", reason: "other-bytes" });
  return ok({ service_id: id, payout_wallet: service.payout_wallet, entries: [] });
}

/** What the service's key signs. Source: protocol 05 §2.3. */
export function proofBytes(id: string, nonce: string): Uint8Array {
  return utf8(`openfiat-earnings:${id}:${nonce}`);
}

/** Sums for each mint, in the order in which mints come up; other decimals than the first's are left out. */
export function totalsOf(entries: readonly EarningEntry[]): ReadonlyMap<string, Amount> {
  const totals = new Map<string, Amount>();
  for (const { token_mint, amount } of entries) {
    const held = totals.get(token_mint);
    if (held !== undefined && held.decimals !== amount.decimals) continue;
    totals.set(token_mint, { ...amount, base_units: (held?.base_units ?? 0n) + amount.base_units });
  }
  return totals;
}

/**
 * What a consumer pays a service for. Reads of rates and downloads of snapshots are free for ever. Source: protocol 05
 * §2.6.
 */
export function billedFor(service: ServiceName): "delivery" | "slot" | "nothing" {
  switch (service) {
    case "Email":
    case "Telegram":
    case "Sms":
    case "Push":
    case "Webhook":
      return "delivery";
    case "RiskIntelligenceProvider":
    case "WalletFlaggingProvider":
      return "slot";
    default:
      return "nothing";
  }
}

/** How long a wallet that was billed is not billed again, in milliseconds. Source: protocol 05 §2.6. */
export const WALLET_BILLED_EVERY_MS = 172_800_000;

/** Whether a risk provider may bill for a wallet again. Source: protocol 05 §2.6. */
export function isBillable(billedAt: EpochMillis | undefined, now: EpochMillis): boolean {
  return billedAt === undefined || now >= later(billedAt, WALLET_BILLED_EVERY_MS);
}

function issueOf(id: string): Issue {
  return { ledger: "earnings", subject: utf8(id) };
}

function refused(refusal: Refusal): Result<never, CallFailure> {
  return err({ type: "domain", ...refusal });
}
