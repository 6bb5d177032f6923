/**
 * What every network has whatever its domains: the set of statements, peers, gossip, and the sweep of what is too old.
 * Source: DESIGN section 3.0.
 */

import { statements } from "./engine/statements/domain.ts";
import { gossip, retention } from "./network/gossip/domain.ts";
import { peers } from "./network/peers/domain.ts";

/** The domains that every network needs, whatever it is about. */
export const foundation = [statements, peers, gossip, retention] as const;
