/**
 * Asking again: for the accounts of a pending fact until they agree, for a fact's transaction until it is final, for a
 * submitted transaction until it landed or cannot, for an escrow until its closing is explained. One timer serves them
 * all. Source: protocol 03 A.10.3 R4, R6, R7.
 */

import type { StepContext } from "../../engine/step-context.ts";
import type { EpochMillis } from "../../kernel/values.ts";
import { later } from "../../kernel/values.ts";
import type { Inquiry, Look, PendingFact } from "./tables.ts";
import { Alarms, Inquiries, Looks, PendingFacts } from "./tables.ts";
import { addressesOf } from "./watches.ts";

/** First and longest pause before asking again, in milliseconds. Source: protocol 03 A.10.3 R7. */
export const ASK_AGAIN_MS = 5_000;
export const ASK_AGAIN_MS_MAX = 60_000;
/** Between two looks at a fact that can still be undone. Source: protocol 03 C.7 (chain poll). */
export const CHECK_EVERY_MS = 10_000;
/** Looks at a closed escrow after which somebody should know of it. Source: DESIGN "Waiting times". */
const ALARM_AFTER = 8;
/** A look before either account was read. */
export const UNREAD = { escrow_account: null, escrow_slot: null, dispute_account: null, dispute_slot: null } as const;
const ALARM = "alarm";

/** When to ask again after so many times. */
export function pause(attempts: number): number {
  return attempts > 4 ? ASK_AGAIN_MS_MAX : Math.min(ASK_AGAIN_MS << attempts, ASK_AGAIN_MS_MAX);
}

/** The timer: asks for everything that is due, and sets itself for what is due next. */
export function askAgain(context: StepContext): void {
  if (context.configuration.chain !== "RpcConnected") return;
  context.draft.put(Alarms, ALARM, undefined);
  let next: EpochMillis | undefined;
  const sooner = (at: EpochMillis) => {
    if (next === undefined || at < next) next = at;
  };
  for (const id of [...context.draft.keys(PendingFacts)]) {
    const held = context.draft.get(PendingFacts, id);
    if (held !== undefined) sooner(held.again_at > context.now ? held.again_at : askForPendingFact(context, id, held));
  }
  for (const signature of [...context.draft.keys(Inquiries)]) {
    const held = context.draft.get(Inquiries, signature);
    if (held !== undefined) sooner(held.again_at > context.now ? held.again_at : inquire(context, signature, held));
  }
  for (const escrow of [...context.draft.keys(Looks)]) {
    const held = context.draft.get(Looks, escrow);
    if (held !== undefined) sooner(held.again_at > context.now ? held.again_at : look(context, escrow, held));
  }
  if (next !== undefined) wakeAt(context, next);
}

/** Sets the timer, unless it is set for an earlier instant. */
export function wakeAt(context: StepContext, at: EpochMillis): void {
  const held = context.draft.get(Alarms, ALARM);
  if (held !== undefined && held.at <= at) return;
  context.draft.put(Alarms, ALARM, { at });
  context.emit({ type: "timer.set", timer: "chain-retry", at });
}

/** Asks for all that a pending fact needs. A fact needs only its transaction; a pending one its accounts too. */
export function askForPendingFact(context: StepContext, id: string, held: PendingFact): EpochMillis {
  if (held.attempts > 0 || held.taken) context.emit({ type: "chain.check", signature: held.transaction });
  if (!held.taken || held.final) {
    const commitment = held.final ? "finalized" : "confirmed";
    const addresses = held.kind === "decided" ? [held.escrow, held.dispute] : [held.escrow];
    for (const address of addresses) context.emit({ type: "chain.read", address, slot: held.slot, commitment });
  }
  const again = later(context.now, held.taken ? CHECK_EVERY_MS : pause(held.attempts));
  context.draft.put(PendingFacts, id, { ...held, attempts: held.attempts + 1, again_at: again });
  return again;
}

/** Asks about a submitted transaction. */
export function inquire(context: StepContext, signature: string, held: Inquiry): EpochMillis {
  if (held.attempts > 0) context.emit({ type: "chain.check", signature });
  const again = later(context.now, pause(held.attempts));
  context.draft.put(Inquiries, signature, { ...held, attempts: held.attempts + 1, again_at: again });
  return again;
}

/** Looks at an escrow. `transaction` is the one that would have closed it, if one is known. */
export function beginLook(
  context: StepContext,
  { escrow, reservation }: { readonly escrow: string; readonly reservation: bigint },
  slot: bigint,
  transaction: string | null,
): void {
  const held = context.draft.get(Looks, escrow);
  if (held !== undefined) {
    const since = slot > held.slot ? slot : held.slot;
    return context.draft.put(Looks, escrow, { ...held, slot: since, transaction: transaction ?? held.transaction });
  }
  const nothing = { ...UNREAD, found: null, readings: 0 };
  const dispute = addressesOf(context).disputeCase(reservation).address;
  const fresh = { reservation, dispute, slot, transaction, ...nothing, attempts: 0, again_at: context.now };
  wakeAt(context, look(context, escrow, fresh));
}

/** Asks for both accounts, as of a later slot than they were read last. */
export function look(context: StepContext, escrow: string, held: Look): EpochMillis {
  for (const address of [escrow, held.dispute]) {
    context.emit({ type: "chain.read", address, slot: held.slot, commitment: "finalized" });
  }
  if (held.attempts === ALARM_AFTER) {
    context.emit({ type: "log", level: "error", event: "closed escrow is not explained", fields: { escrow } });
  }
  const again = later(context.now, pause(held.attempts));
  context.draft.put(Looks, escrow, { ...held, attempts: held.attempts + 1, again_at: again });
  return again;
}

export function endLook(context: StepContext, escrow: string): void {
  if (context.draft.get(Looks, escrow) !== undefined) context.draft.put(Looks, escrow, undefined);
}
