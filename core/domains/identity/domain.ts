/**
 * Identity: what wallets claim of themselves, and what providers verify. Source: protocol 04 §1.
 */

import { COMMON_LIMITS } from "../../engine/admission/bounds.ts";
import { defineDomain, typeRow } from "../../engine/domain.ts";
import { claimError, mayClaimMore } from "./bounds.ts";
import { claimFold } from "./fold.ts";
import { identityMethods } from "./methods.ts";
import { ClaimPublish, ClaimRevoke, ClaimVerify } from "./schema.ts";
import { Claims } from "./tables.ts";

export const identity = defineDomain({
  name: "identity",
  types: [
    typeRow(
      ClaimPublish,
      { ...COMMON_LIMITS, withinLimits: (reader, { signer }) => mayClaimMore(reader, signer) },
      { validate: claimError },
    ),
    typeRow(ClaimVerify, COMMON_LIMITS),
    typeRow(ClaimRevoke, COMMON_LIMITS),
  ],
  records: [Claims],
  folds: () => [claimFold],
  methods: identityMethods,
});
