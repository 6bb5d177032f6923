/**
 * Bounds on what one wallet may claim: local refusals of a door, never of the fold.
 * Source: protocol 04 §1.11; CONVERGENCE "Bounds".
 */

import { createdBy } from "../../engine/statements/table.ts";
import type { Statement } from "../../kernel/signed.ts";
import type { Reader } from "../../kernel/table.ts";
import type { PeerId } from "../../kernel/values.ts";
import { fitsSizes, takesValue } from "./claim-values.ts";
import { ClaimPublish } from "./schema.ts";

/** Claims of one wallet that a node keeps, dead and inert ones included. Source: DESIGN L10. */
export const CLAIMS_HELD_MAX = 1_024;
/** Longest id of a superseded claim by gossip, in bytes. Source: protocol 04 §1.11. */
const SUPERSEDED_ID_BYTES_MAX = 1_024;

/** Whether there is room for a claim that is not held yet; every other statement has it. */
export function hasClaimRoom(reader: Reader, statement: Statement): boolean {
  if (statement.type.name !== ClaimPublish.name) return true;
  const publish = statement.payload as ClaimPublish;
  if (!fitsSizes(publish, SUPERSEDED_ID_BYTES_MAX) || !takesValue(publish.claim_type, publish.value)) return false;
  return mayClaimMore(reader, statement.signer);
}

/** Whether a wallet may have one more claim kept. */
export function mayClaimMore(reader: Reader, wallet: PeerId): boolean {
  return createdBy(reader, "claim", wallet).length < CLAIMS_HELD_MAX;
}
