/**
 * Chain events by gossip: announcements of slots, and relays for nodes without an endpoint. None has an
 * inner signature, so none changes a record. Source: protocol 03 C.5, C.8.
 */

import { ruleOf } from "../../engine/overrides.ts";
import type { PlainEvent, PlainOutcome, StepContext } from "../../engine/step-context.ts";
import { decodeCompact } from "../../kernel/schema.ts";
import { toBase58 } from "../../kernel/text.ts";
import type { EpochMillis } from "../../kernel/values.ts";
import { acceptTransaction } from "../../solana/transaction.ts";
import { BlockhashAnnounced, TransactionRelayRequested } from "./gossip-events.ts";
import { agreesWithAnother, holdNewest, isPlausible } from "./newest-slot.ts";
import { submitOnce } from "./submissions.ts";
import type { SlotObservation } from "./view.ts";
import { ANNOUNCEMENT_SKEW_MS_MAX, ORIGINS_MAX, pairOf, SlotObservations } from "./view.ts";

/**
 * Origins that announce the same blockhash of a slot and are passed on: as many as a view and rewards ask for, so that
 * what a node hears of slots does not grow with the network. The reference passes on the first.
 * Source: protocol 01 §7.3; 03 C.4, C9; 05 §14.19.
 */
export const PASSED_ON_ORIGINS_MAX = 3;

/** Handles an event that no signed statement carries. */
export function handleChainEvent(context: StepContext, event: PlainEvent): PlainOutcome {
  if (event.event_type === "BlockhashAnnounced") return onBlockhash(context, event);
  if (event.event_type === "TransactionRelayRequested") return onRelayRequested(context, event);
  return event.event_type === "TransactionRelayed" ? "passed on" : "left";
}

function onBlockhash(context: StepContext, event: PlainEvent): PlainOutcome {
  const announced = decodeCompact(BlockhashAnnounced, event.payload);
  if (announced === undefined || !isNear(event.timestamp, context.now) || !isNear(announced.observed_at, context.now))
    return "left";
  const observed = announced.observed_at < context.now ? announced.observed_at : context.now;
  const observation = { ...announced, observed_at: observed };
  const plausible = isPlausible(context.draft, announced.slot, context.now);
  if (!plausible && !agreesWithAnother(context, event.origin, observation)) return "left";
  const before = context.draft.get(SlotObservations, event.origin);
  if (before === undefined && context.draft.size(SlotObservations) >= ORIGINS_MAX) return "left";
  const passesOn = isOfTheFirst(context, event, observation);
  const outcome = passesOn ? "passed on" : "kept";
  if (before !== undefined && before.slot >= announced.slot && before.observed_at >= announced.observed_at)
    return outcome;
  const wasPassedOn = before?.passed_on === true && pairOf(before) === pairOf(observation);
  const passed_on = wasPassedOn || (passesOn && event.ttl > 1);
  context.draft.put(SlotObservations, event.origin, { passed_on, ...observation });
  holdNewest(context);
  return outcome;
}

/** Whether an announcement is passed on: few origins said the same before, as far as others heard it from here. */
function isOfTheFirst(
  { draft, configuration }: StepContext,
  { origin }: PlainEvent,
  announced: SlotObservation,
): boolean {
  const before = draft.get(SlotObservations, origin);
  if (before?.passed_on === true && pairOf(before) === pairOf(announced)) return false;
  return draft.count(SlotObservations, "passedOn", pairOf(announced)) < ruleOf(configuration, originsPassedOn)();
}

/** How many origins of one announcement are passed on. */
export function originsPassedOn(): number {
  return PASSED_ON_ORIGINS_MAX;
}

function onRelayRequested(context: StepContext, event: PlainEvent): PlainOutcome {
  const asked = decodeCompact(TransactionRelayRequested, event.payload);
  const parsed = asked === undefined ? undefined : acceptTransaction(asked.tx_bytes, context.crypto);
  if (asked === undefined || parsed === undefined || !parsed.ok) return "left";
  const signature = parsed.value.signatures[0];
  if (context.configuration.chain === "RpcConnected" && signature !== undefined) {
    submitOnce(context, toBase58(signature), asked.tx_bytes, asked.correlation);
  }
  return "passed on";
}

function isNear(instant: EpochMillis, now: EpochMillis): boolean {
  const apart = instant > now ? instant - now : now - instant;
  return apart <= ANNOUNCEMENT_SKEW_MS_MAX;
}
