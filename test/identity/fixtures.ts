/**
 * What wallets say about themselves, with everything that a story does not care about filled in; and what people say
 * of a settled trade. Source: protocol 04 §1.4, §2.12.
 */
import type { ClaimPublish, ClaimType, ClaimVerify } from "../../core/domains/identity/schema.ts";
import type { ReviewPublish } from "../../core/domains/reviews/schema.ts";
import type { EpochMillis, PeerId, PublicKey } from "../../core/kernel/values.ts";

/** Someone with a key. */
interface Signer {
  readonly peer: PeerId;
  readonly key: PublicKey;
}

interface ClaimFields {
  readonly id?: string;
  readonly type?: ClaimType;
  readonly value?: string;
  readonly verified?: boolean;
  readonly supersedes?: string | null;
  readonly expires?: EpochMillis | null;
}

export function claimed(by: Signer, timestamp: EpochMillis, fields: ClaimFields = {}): ClaimPublish {
  return {
    id: fields.id ?? "c",
    wallet: by.peer,
    wallet_public_key: by.key,
    claim_type: fields.type ?? "Telegram",
    value: fields.value ?? "@me",
    verified: fields.verified ?? false,
    supersedes: fields.supersedes ?? null,
    expires_at: fields.expires ?? null,
    timestamp,
  };
}

/** A word about a claim: a verification or a revocation, which have the same members. */
export function about(by: Signer, timestamp: EpochMillis, claim_id = "c"): ClaimVerify {
  return { claim_id, wallet: by.peer, timestamp };
}

interface ReviewFields {
  readonly settlement?: string;
  readonly rating?: number;
  readonly comment?: string;
}

export function reviewed(by: Signer, created_at: EpochMillis, fields: ReviewFields = {}): ReviewPublish {
  return {
    settlement: fields.settlement ?? "s",
    author: by.peer,
    author_public_key: by.key,
    rating: fields.rating ?? 5,
    comment: fields.comment ?? "fast",
    created_at,
  };
}
