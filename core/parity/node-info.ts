/**
 * The reference's peers. Source: protocol 01 §12.3, W16.
 */

import { measuredOf } from "../domains/node-info/methods.ts";
import { override } from "../engine/overrides.ts";

export const nodeInfoOverrides = [
  /** It measures no peer. Source: protocol 01 §12.3, W16. */
  override(measuredOf, (peer) => ({ ...peer, latency_ms: null, successes: 0, failures: 0 })),
];
