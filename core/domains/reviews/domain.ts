/**
 * Reviews: what the parties of a trade say of each other afterwards. Source: protocol 02 H.
 */

import { COMMON_LIMITS } from "../../engine/admission/bounds.ts";
import { defineDomain, typeRow } from "../../engine/domain.ts";
import { reviewError } from "./bounds.ts";
import { reviewMethods } from "./methods.ts";
import { ReviewPublish } from "./schema.ts";

export const reviews = defineDomain({
  name: "reviews",
  types: [typeRow(ReviewPublish, COMMON_LIMITS, { validate: reviewError })],
  methods: reviewMethods,
});
