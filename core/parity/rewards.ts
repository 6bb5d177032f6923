/**
 * The reference's observations: it takes an origin's word for when it was there, and for what it announced.
 * Source: protocol 05 §4.2, §14.17, §14.19.
 */

import { announcesBlockhash, credit, observeEvent } from "../domains/rewards/observe.ts";
import { override } from "../engine/overrides.ts";
import type { StepContext } from "../engine/step-context.ts";
import type { GossipEvent } from "../network/gossip/envelope.ts";

export const rewardOverrides = [override(observeEvent, believeEvent)];

function believeEvent(context: StepContext, event: GossipEvent): void {
  credit(context, event.origin, event.timestamp, {});
  if (announcesBlockhash(event)) credit(context, event.origin, event.timestamp, { announced_blockhash: true });
}
