/**
 * What this node's own endpoint tells it: slots become its view and, paced, announcements; transactions and
 * accounts become facts. Source: protocol 03 C.6, C5, C11.
 */

import { ruleOf } from "../../engine/overrides.ts";
import type { Turn } from "../../engine/step-context.ts";
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

export function onChainObserved(turn: Turn, observation: ChainObservation): void {
  switch (observation.type) {
    case "slot":
      return onSlot(turn, observation);
    case "transaction":
      return onTransaction(turn, observation);
    case "account":
      onAccount(turn, observation);
      return turn.registry.observers.forEach((observe) => void observe(turn, observation));
    case "absent":
      return onAbsent(turn, observation);
    case "submitted":
      return;
    case "refused":
      onRefused(turn, observation.signature);
      return turn.emit({
        type: "log",
        level: "warn",
        event: "transaction refused",
        fields: { reason: observation.reason },
      });
    case "unavailable":
      return turn.emit({
        type: "log",
        level: "warn",
        event: "chain unavailable",
        fields: { reason: observation.reason },
      });
    case "disagreement":
      return turn.emit({
        type: "log",
        level: "error",
        event: "chain endpoints disagree",
        fields: { about: observation.about, endpoint: observation.endpoint },
      });
  }
}

function onSlot(turn: Turn, { slot, blockhash }: Extract<ChainObservation, { readonly type: "slot" }>): void {
  // Its own endpoint is trusted over announcements (C11), but not beyond what its own last slot allows.
  if (!isReachable(turn.draft.get(SlotObservations, OWN), slot, turn.now)) {
    return turn.emit({ type: "log", level: "warn", event: "implausible slot", fields: {} });
  }
  const seen = { blockhash, slot, observed_at: turn.now };
  turn.draft.put(SlotObservations, OWN, seen);
  holdNewest(turn);
  const last = turn.draft.get(SlotObservations, ANNOUNCED);
  const stands = last !== undefined && ruleOf(turn.configuration, isHardlyNewer)(slot, last.slot);
  if (last !== undefined && (turn.now - last.observed_at < ANNOUNCE_EVERY_MS || stands)) return;
  turn.draft.put(SlotObservations, ANNOUNCED, seen);
  emitEvent(
    turn,
    { event_type: "BlockhashAnnounced", ...CHAIN_EVENT, payload: encodeCompact(BlockhashAnnounced, seen) },
    null,
  );
}

/** Whether a slot is too little above the one announced to be announced too. Source: protocol 03 C5. */
export function isHardlyNewer(slot: bigint, announced: bigint): boolean {
  return slot >= announced && slot - announced < ANNOUNCE_SLOTS_MIN;
}
