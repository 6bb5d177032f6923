/**
 * The reference's content and attachments. Source: protocol 02 G.5, G.6, N.21.
 */

import { namesById, namesWithin } from "../domains/content/attachments/bounds.ts";
import { againstSettlement, takesId } from "../domains/content/attachments/methods.ts";
import { shownOf } from "../domains/content/attachments/views.ts";
import { isSpelled, misfit, unfit } from "../domains/content/blocks/methods.ts";
import { override } from "../engine/overrides.ts";

export const contentOverrides = [
  /** Any spelling of an identifier names new content. Source: protocol 02 G.6. */
  override(isSpelled, () => true),
  /** What does not fit its identifier is malformed parameters. Source: protocol 02 N.21. */
  override(unfit, misfit),
  /** Authors are shown and claims believed. Source: protocol 02 G.6; DESIGN §7 #15. */
  override(shownOf, (_reader, held) => held),
  /** An id is anybody's. Source: protocol 02 G.5 row 7. */
  override(takesId, () => true),
  /** The name of a settlement has no form. Source: protocol 02 G.5. */
  override(namesWithin, () => true),
  override(namesById, () => true),
  /** Anybody attaches anything to a settlement. Source: protocol 02 G.5. */
  override(againstSettlement, () => undefined),
];
