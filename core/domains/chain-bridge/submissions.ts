/**
 * Transactions that this node submitted: once each within their life, remembered until they landed, dropped when they
 * no longer can. Landing changes no record; it is told to peers. Source: protocol 03 A.10.3 R7; C.6, C2, C3, W-6.
 */

import type { StepContext } from "../../engine/step-context.ts";
import type { ChainObservation } from "../../inputs.ts";
import { encodeCompact } from "../../kernel/schema.ts";
import { emitEvent } from "../../network/gossip/originate.ts";
import { inquire, wakeAt } from "./asking.ts";
import { CHAIN_EVENT, TransactionRelayed } from "./gossip-events.ts";
import type { SeenTransaction } from "./reading.ts";
import { Inquiries } from "./tables.ts";
import { slotView } from "./view.ts";
import { watchHinted } from "./watches.ts";

/** Submissions that are remembered at once. Source: protocol 03 W-6. */
export const SUBMISSIONS_MAX = 10_000;
/**
 * Slots after which none can land: a blockhash's 150, and what this node's view may be behind. Source: protocol 03
 * A.10.3 R7.
 */
export const SUBMISSION_LIFE_SLOTS = 300n;

/** Submits a transaction unless it was submitted and may still land. Its tag is a hint of what to watch. */
export function submitOnce(context: StepContext, signature: string, bytes: Uint8Array, tag: string | null): void {
  watchHinted(context, tag);
  if (context.draft.get(Inquiries, signature) !== undefined) return;
  context.emit({ type: "chain.submit", signature, bytes });
  if (context.draft.size(Inquiries) >= SUBMISSIONS_MAX) {
    const fields = { signature, limit: SUBMISSIONS_MAX };
    return context.emit({ type: "log", level: "warn", event: "submission not followed: limit reached", fields });
  }
  const slot = slotView(context.draft, context.now)?.slot;
  const valid = slot === undefined ? null : slot + SUBMISSION_LIFE_SLOTS;
  const held = { slot: slot ?? 0n, valid_until: valid, attempts: 0, again_at: context.now };
  wakeAt(context, inquire(context, signature, held));
}

/** No endpoint took it: whoever sends it again may. */
export function onRefused(context: StepContext, signature: string): void {
  if (context.draft.get(Inquiries, signature) !== undefined) context.draft.put(Inquiries, signature, undefined);
}

/** A submission is in a block that counts. */
export function onLanded(context: StepContext, seen: SeenTransaction): void {
  const held = context.draft.get(Inquiries, seen.signature);
  if (held === undefined) return;
  context.draft.put(Inquiries, seen.signature, undefined);
  if (!seen.succeeded) return;
  const payload = encodeCompact(TransactionRelayed, { signature: seen.signature, slot_submitted: held.slot });
  emitEvent(context, { event_type: "TransactionRelayed", ...CHAIN_EVENT, payload }, null);
}

/**
 * The finalized chain does not hold it; past its life it never will. A slot that was believed when it was submitted,
 * and that the chain then proves to be far ahead of itself, does not lengthen that life.
 */
export function onAbsentSubmission(
  context: StepContext,
  absent: Extract<ChainObservation, { readonly type: "absent" }>,
): void {
  const held = context.draft.get(Inquiries, absent.signature);
  if (held === undefined) return;
  const latest = absent.confirmed + SUBMISSION_LIFE_SLOTS;
  if (held.valid_until === null || held.valid_until > latest) {
    context.draft.put(Inquiries, absent.signature, { ...held, valid_until: latest });
  } else if (absent.finalized > held.valid_until) {
    context.draft.put(Inquiries, absent.signature, undefined);
  }
}
