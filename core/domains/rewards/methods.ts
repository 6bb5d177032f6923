/**
 * Reward observations: what anybody may recompute a schedule from. Source: OFS-4100 §9; protocol 05 §4.4.
 */

import { query } from "../../engine/method.ts";
import { option, struct } from "../../kernel/schema-composites.ts";
import { u64 } from "../../kernel/schema-scalars.ts";
import { EPOCH_MS } from "./epochs.ts";
import { lastCompletedEpoch, observationsOf } from "./queries.ts";
import { RewardObservations } from "./schema.ts";

/** The newest epoch whose end is still an instant. */
const EPOCH_MAX = (1n << 64n) / EPOCH_MS - 2n;

export const rewardMethods = {
  getRewardObservations: query({
    params: struct("EpochParams", { epoch: option(u64) }),
    need: "optional",
    result: RewardObservations,
    source: "OFS-4100 §9; protocol 05 §4.4",
    doc: "What this node observed of its peers in an epoch: the last completed one unless said.",
    read(reader, { epoch }, context) {
      const asked = epoch ?? lastCompletedEpoch(context.now);
      return observationsOf(reader, asked > EPOCH_MAX ? EPOCH_MAX : asked, context.now);
    },
  }),
};
