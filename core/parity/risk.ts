/**
 * The reference's risk records. Source: protocol 04 §4.5, §4.6.
 */

import { isRecent } from "../domains/risk/methods.ts";
import { clearanceOf, countedOf } from "../domains/risk/views.ts";
import { override } from "../engine/overrides.ts";

export const riskOverrides = [
  /** No date is asked for. Source: protocol 04 §4.5. */
  override(isRecent, () => true),
  /** Every unexpired record counts, of whomever and however many. Source: protocol 04 §4.6. */
  override(countedOf, (_reader, unexpired) => unexpired),
  /** Anybody's clearance cuts everybody's flags. Source: protocol 04 §4.6. */
  override(clearanceOf, () => "anybody"),
];
