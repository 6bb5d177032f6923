/**
 * The reference's market data. Source: protocol 05 §3.4, §3.5.
 */

import { isWithinBounds } from "../domains/oracles/bounds.ts";
import { isCompared, quoteNamed } from "../domains/oracles/methods.ts";
import { newestOfEach } from "../domains/oracles/queries.ts";
import { override } from "../engine/overrides.ts";

export const oracleOverrides = [
  /** Rates, versions and lifetimes have no bounds. Source: protocol 05 §3.4. */
  override(isWithinBounds, () => true),
  /** A version is compared with anybody's of its id. Source: protocol 05 §3.4. */
  override(isCompared, () => true),
  /** Every unexpired record has a vote. Source: protocol 05 §3.5; DESIGN §7 #17. */
  override(newestOfEach, (records) => records),
  /** A quote is its bytes. Source: protocol 05 §3.5, §14.15. */
  override(quoteNamed, (quote) => quote),
];
