/**
 * What wallets say about themselves, with everything that a story does not care about filled in; and what people say
 * of a settled trade. Source: protocol 04 §1.4, §2.12.
 */
import type { ClaimPublish, ClaimType, ClaimVerify } from "../../core/domains/identity/schema.ts";
import type { ReviewPublish } from "../../core/domains/reviews/schema.ts";
import type { EpochMillis, PeerId, PublicKey } from "../../core/kernel/values.ts";

/** Someone with a key. */
interface Speaker {
  readonly peer: PeerId;
  readonly key: PublicKey;
}

interface ClaimWords {
  readonly id?: string;
  readonly type?: ClaimType;
  readonly value?: string;
  readonly verified?: boolean;
  readonly supersedes?: string | null;
  readonly expires?: EpochMillis | null;
}

export function claimed(by: Speaker, timestamp: EpochMillis, words: ClaimWords = {}): ClaimPublish {
  return {
    id: words.id ?? "c",
    wallet: by.peer,
    wallet_public_key: by.key,
    claim_type: words.type ?? "Telegram",
    value: words.value ?? "@me",
    verified: words.verified ?? false,
    supersedes: words.supersedes ?? null,
    expires_at: words.expires ?? null,
    timestamp,
  };
}

/** A word about a claim: a verification or a revocation, which have the same members. */
export function about(by: Speaker, timestamp: EpochMillis, claim_id = "c"): ClaimVerify {
  return { claim_id, wallet: by.peer, timestamp };
}

interface ReviewWords {
  readonly settlement?: string;
  readonly rating?: number;
  readonly comment?: string;
}

export function reviewed(by: Speaker, created_at: EpochMillis, words: ReviewWords = {}): ReviewPublish {
  return {
    settlement: words.settlement ?? "s",
    author: by.peer,
    author_public_key: by.key,
    rating: words.rating ?? 5,
    comment: words.comment ?? "fast",
    created_at,
  };
}
