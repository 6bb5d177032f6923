/**
 * What this node's own endpoint tells it: slots become its view and, paced, announcements; transactions and
 * accounts become facts. Source: protocol 03 C.6, C5, C11.
 */

import { ruleOf } from "../../engine/overrides.ts";
import type { StepContext } from "../../engine/step-context.ts";
import type { ChainObservation } from "../../inputs.ts";
import { encodeCompact } from "../../kernel/schema.ts";
import { emitEvent } from "../../network/gossip/originate.ts";
import { onAbsent, onAccount, onTransaction } from "./follow.ts";
import { BlockhashAnnounced, CHAIN_EVENT } from "./gossip-events.ts";
import { holdNewest } from "./newest-slot.ts";
import { onRefused } from "./submissions.ts";
import { ANNOUNCED, isReachable, OWN, SlotObservations } from "./view.ts";

/** Least time and least advance between two announcements. Source: protocol 03 C5. */
export const ANNOUNCE_EVERY_MS = 10_000n;
export const ANNOUNCE_SLOTS_MIN = 20n;

export function onChainObserved(context: StepContext, observation: ChainObservation): void {
  switch (observation.type) {
    case "slot":
      return onSlot(context, observation);
    case "transaction":
      return onTransaction(context, observation);
    case "account":
      onAccount(context, observation);
      return context.registry.observers.forEach((observe) => void observe(context, observation));
    case "absent":
      return onAbsent(context, observation);
    case "submitted":
      return;
    case "refused":
      onRefused(context, observation.signature);
      return context.emit({
        type: "log",
        level: "warn",
        event: "transaction refused",
        fields: { reason: observation.reason },
      });
    case "unavailable":
      return context.emit({
        type: "log",
        level: "warn",
        event: "chain unavailable",
        fields: { reason: observation.reason },
      });
    case "disagreement":
      return context.emit({
        type: "log",
        level: "error",
        event: "chain endpoints disagree",
        fields: { about: observation.about, endpoint: observation.endpoint },
      });
  }
}

function onSlot(context: StepContext, { slot, blockhash }: Extract<ChainObservation, { readonly type: "slot" }>): void {
  // Its own endpoint is trusted over announcements (C11), but not beyond what its own last slot allows.
  if (!isReachable(context.draft.get(SlotObservations, OWN), slot, context.now)) {
    return context.emit({ type: "log", level: "warn", event: "implausible slot", fields: {} });
  }
  const seen = { blockhash, slot, observed_at: context.now };
  context.draft.put(SlotObservations, OWN, { passed_on: false, ...seen });
  holdNewest(context);
  const last = context.draft.get(SlotObservations, ANNOUNCED);
  const stands = last !== undefined && ruleOf(context.configuration, isHardlyNewer)(slot, last.slot);
  if (last !== undefined && (context.now - last.observed_at < ANNOUNCE_EVERY_MS || stands)) return;
  context.draft.put(SlotObservations, ANNOUNCED, { passed_on: true, ...seen });
  emitEvent(
    context,
    { event_type: "BlockhashAnnounced", ...CHAIN_EVENT, payload: encodeCompact(BlockhashAnnounced, seen) },
    null,
  );
}

/** Whether a slot is too little above the one announced to be announced too. Source: protocol 03 C5. */
export function isHardlyNewer(slot: bigint, announced: bigint): boolean {
  return slot >= announced && slot - announced < ANNOUNCE_SLOTS_MIN;
}
