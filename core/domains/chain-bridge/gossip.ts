/**
 * Chain events by gossip: announcements of slots, and relays for nodes without an endpoint. None has an
 * inner signature, so none changes a record. Source: protocol 03 C.5, C.8.
 */

import type { PlainEvent, Turn } from "../../engine/step-context.ts";
import { decodeCompact } from "../../kernel/schema.ts";
import { toBase58 } from "../../kernel/text.ts";
import type { EpochMillis } from "../../kernel/values.ts";
import { acceptTransaction } from "../../solana/transaction.ts";
import { BlockhashAnnounced, TransactionRelayRequested } from "./gossip-events.ts";
import { agreesWithAnother, holdNewest, isPlausible } from "./newest-slot.ts";
import { submitOnce } from "./submissions.ts";
import { ANNOUNCEMENT_SKEW_MS_MAX, ORIGINS_MAX, SlotObservations } from "./view.ts";

/** Handles an event that no signed statement carries. False when it is not to be kept. */
export function handleChainEvent(turn: Turn, event: PlainEvent): boolean {
  if (event.event_type === "BlockhashAnnounced") return onBlockhash(turn, event);
  if (event.event_type === "TransactionRelayRequested") return onRelayRequested(turn, event);
  return event.event_type === "TransactionRelayed";
}

function onBlockhash(turn: Turn, event: PlainEvent): boolean {
  const heard = decodeCompact(BlockhashAnnounced, event.payload);
  if (heard === undefined || !isNear(event.timestamp, turn.now) || !isNear(heard.observed_at, turn.now)) return false;
  const observed = heard.observed_at < turn.now ? heard.observed_at : turn.now;
  const observation = { ...heard, observed_at: observed };
  const plausible = isPlausible(turn.draft, heard.slot, turn.now);
  if (!plausible && !agreesWithAnother(turn, event.origin, observation)) return false;
  const before = turn.draft.get(SlotObservations, event.origin);
  if (before === undefined && turn.draft.size(SlotObservations) >= ORIGINS_MAX) return false;
  if (before !== undefined && before.slot >= heard.slot && before.observed_at >= heard.observed_at) return true;
  turn.draft.put(SlotObservations, event.origin, observation);
  holdNewest(turn);
  return true;
}

function onRelayRequested(turn: Turn, event: PlainEvent): boolean {
  const asked = decodeCompact(TransactionRelayRequested, event.payload);
  const parsed = asked === undefined ? undefined : acceptTransaction(asked.tx_bytes, turn.crypto);
  if (asked === undefined || parsed === undefined || !parsed.ok) return false;
  const signature = parsed.value.signatures[0];
  if (turn.configuration.chain === "RpcConnected" && signature !== undefined) {
    submitOnce(turn, toBase58(signature), asked.tx_bytes, asked.correlation);
  }
  return true;
}

function isNear(instant: EpochMillis, now: EpochMillis): boolean {
  const apart = instant > now ? instant - now : now - instant;
  return apart <= ANNOUNCEMENT_SKEW_MS_MAX;
}
