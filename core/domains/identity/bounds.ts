/**
 * Bounds on what one wallet may claim: local refusals of an ingress, never of the fold.
 * Source: protocol 04 §1.11; CONVERGENCE "Bounds".
 */

import { ruleOf } from "../../engine/overrides.ts";
import { createdBy } from "../../engine/statements/table.ts";
import type { AdmissionView } from "../../engine/step-context.ts";
import type { Reader } from "../../kernel/table.ts";
import type { PeerId } from "../../kernel/values.ts";
import { fitsSizes, takesValue } from "./claim-values.ts";
import type { ClaimPublish } from "./schema.ts";

/** Claims of one wallet that a node keeps, dead and inert ones included. Source: DESIGN L10. */
export const CLAIMS_HELD_MAX = 1_024;
/** Longest id of a superseded claim by gossip, in bytes. Source: protocol 04 §1.11. */
const SUPERSEDED_ID_BYTES_MAX = 1_024;

/** Why a claim is admitted at no ingress, if so: its sizes, or a value that its type does not take. */
export function claimError({ configuration }: AdmissionView, publish: ClaimPublish): "INVALID_PARAMETER" | undefined {
  const fits = ruleOf(configuration, hasSaneSizes)(publish);
  return fits && takesValue(publish.claim_type, publish.value) ? undefined : "INVALID_PARAMETER";
}

/** Whether a claim keeps the sizes that every ingress asks for. */
export function hasSaneSizes(publish: ClaimPublish): boolean {
  return fitsSizes(publish, SUPERSEDED_ID_BYTES_MAX);
}

/** Whether a wallet may have one more claim kept. */
export function mayClaimMore(reader: Reader, wallet: PeerId): boolean {
  return createdBy(reader, "claim", wallet).length < CLAIMS_HELD_MAX;
}
