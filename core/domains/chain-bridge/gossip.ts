/**
 * Chain events by gossip: announcements of slots, and relays for nodes without an endpoint. None has an
 * inner signature, so none changes a record. Source: protocol 03 C.5, C.8.
 */

import type { PlainEvent, StepContext } from "../../engine/step-context.ts";
import { decodeCompact } from "../../kernel/schema.ts";
import { toBase58 } from "../../kernel/text.ts";
import type { EpochMillis } from "../../kernel/values.ts";
import { acceptTransaction } from "../../solana/transaction.ts";
import { BlockhashAnnounced, TransactionRelayRequested } from "./gossip-events.ts";
import { agreesWithAnother, holdNewest, isPlausible } from "./newest-slot.ts";
import { submitOnce } from "./submissions.ts";
import { ANNOUNCEMENT_SKEW_MS_MAX, ORIGINS_MAX, SlotObservations } from "./view.ts";

/** Handles an event that no signed statement carries. False when it is not to be kept. */
export function handleChainEvent(context: StepContext, event: PlainEvent): boolean {
  if (event.event_type === "BlockhashAnnounced") return onBlockhash(context, event);
  if (event.event_type === "TransactionRelayRequested") return onRelayRequested(context, event);
  return event.event_type === "TransactionRelayed";
}

function onBlockhash(context: StepContext, event: PlainEvent): boolean {
  const announced = decodeCompact(BlockhashAnnounced, event.payload);
  if (announced === undefined || !isNear(event.timestamp, context.now) || !isNear(announced.observed_at, context.now))
    return false;
  const observed = announced.observed_at < context.now ? announced.observed_at : context.now;
  const observation = { ...announced, observed_at: observed };
  const plausible = isPlausible(context.draft, announced.slot, context.now);
  if (!plausible && !agreesWithAnother(context, event.origin, observation)) return false;
  const before = context.draft.get(SlotObservations, event.origin);
  if (before === undefined && context.draft.size(SlotObservations) >= ORIGINS_MAX) return false;
  if (before !== undefined && before.slot >= announced.slot && before.observed_at >= announced.observed_at) return true;
  context.draft.put(SlotObservations, event.origin, observation);
  holdNewest(context);
  return true;
}

function onRelayRequested(context: StepContext, event: PlainEvent): boolean {
  const asked = decodeCompact(TransactionRelayRequested, event.payload);
  const parsed = asked === undefined ? undefined : acceptTransaction(asked.tx_bytes, context.crypto);
  if (asked === undefined || parsed === undefined || !parsed.ok) return false;
  const signature = parsed.value.signatures[0];
  if (context.configuration.chain === "RpcConnected" && signature !== undefined) {
    submitOnce(context, toBase58(signature), asked.tx_bytes, asked.correlation);
  }
  return true;
}

function isNear(instant: EpochMillis, now: EpochMillis): boolean {
  const apart = instant > now ? instant - now : now - instant;
  return apart <= ANNOUNCEMENT_SKEW_MS_MAX;
}
