/**
 * The reference's claims. Source: protocol 04 §1.2, §1.11.
 */

import { hasSaneSizes } from "../domains/identity/bounds.ts";
import { isModest } from "../domains/identity/methods.ts";
import { sameType } from "../domains/identity/queries.ts";
import { override } from "../engine/overrides.ts";

export const identityOverrides = [
  /** A claim of any type replaces the one that it names. Source: protocol 04 §1.2. */
  override(sameType, () => true),
  /** Texts have no bounds, over RPC and by gossip. Source: protocol 04 §1.11. */
  override(isModest, () => true),
  override(hasSaneSizes, () => true),
];
