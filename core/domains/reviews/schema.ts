/**
 * Reviews: what one party of a settled trade says of the other. Opinions beside the counters; they change none.
 * Source: protocol 02 H; 04 §2.12 (an extension of the reference).
 */

import type { Infer } from "../../kernel/schema.ts";
import { sized } from "../../kernel/schema.ts";
import { struct } from "../../kernel/schema-composites.ts";
import { small } from "../../kernel/schema-scalars.ts";
import type { Payload } from "../../kernel/signed.ts";
import { signed } from "../../kernel/signed.ts";
import { EpochMillis, PeerId, PublicKey, Text } from "../../kernel/values.ts";

/** Longest comment, in code points. Source: protocol 02 H; 01 §13.3. */
export const COMMENT_POINTS_MAX = 500;

/** Source: protocol 02 H row 4. */
export const Rating = small(8, { least: 1, most: 5 });

/** Signed by its author: of his reviews of one settlement the newest in its life counts. */
export const ReviewPublish = signed("openfiat/reviews/ReviewPublish/v1", {
  outer: "review",
  signer: "author",
  key: "author_public_key",
  time: "created_at",
  about: { kind: "settlement", member: "settlement" },
  among: "signer",
  ownDepth: 1,
  event: "ReviewPublished",
  ofs: 3000,
  priority: 3,
  fields: {
    settlement: Text,
    author: PeerId,
    author_public_key: PublicKey,
    rating: Rating,
    comment: sized(Text, { points: COMMENT_POINTS_MAX }),
    created_at: EpochMillis,
  },
});
export type ReviewPublish = Payload<typeof ReviewPublish>;

/** What its author and its subject read. Source: protocol 04 §2.12. */
export const Review = struct("Review", {
  id: Text,
  settlement: Text,
  author: PeerId,
  about: PeerId,
  rating: Rating,
  comment: Text,
  created_at: EpochMillis,
});
export type Review = Infer<typeof Review>;

/**
 * What a stranger may read about the wallet he asks for: no author, no trade, and of the date only the day.
 * Source: protocol 02 K.
 */
export const PublicReview = struct("PublicReview", {
  about: PeerId,
  rating: Rating,
  comment: Text,
  created_on: EpochMillis,
});
export type PublicReview = Infer<typeof PublicReview>;
