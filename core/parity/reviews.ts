/**
 * The reference's reviews. Source: protocol 02 H.
 */

import { isWithin } from "../domains/reviews/bounds.ts";
import { isName, nameOfReview } from "../domains/reviews/methods.ts";
import type { ReviewPublish } from "../domains/reviews/schema.ts";
import { reviewId } from "../domains/reviews/views.ts";
import { override } from "../engine/overrides.ts";

export const reviewOverrides = [
  /** The name of a settlement has no form. Source: protocol 02 H. */
  override(isName, () => true),
  override(isWithin, () => true),
  /** A review is called by settlement and author, which names a party. Source: protocol 02 H; DESIGN §7 #15. */
  override(nameOfReview, ({ payload }) => reviewId(payload as ReviewPublish)),
];
