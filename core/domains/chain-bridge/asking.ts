/**
 * Asking again: for the accounts of a sighting until they agree, for a fact's transaction until it is final, for a
 * submitted transaction until it landed or cannot. One timer serves them all. Source: protocol 03 A.10.3 R4, R6, R7.
 */

import type { Turn } from "../../engine/step-context.ts";
import type { EpochMillis } from "../../kernel/values.ts";
import { later } from "../../kernel/values.ts";
import type { Inquiry, Sighting } from "./tables.ts";
import { Alarms, Inquiries, Sightings } from "./tables.ts";

/** First and longest pause before asking again, in milliseconds. Source: protocol 03 A.10.3 R7. */
export const ASK_AGAIN_MS = 5_000;
export const ASK_AGAIN_MS_MAX = 60_000;
/** Between two looks at a fact that can still be undone. Source: protocol 03 C.7 (chain poll). */
export const CHECK_EVERY_MS = 10_000;
/** How often a transaction whose telling was doubtful is asked for. Source: DESIGN "Waiting times". */
export const DOUBTS_MAX = 3;
const ALARM = "alarm";

/** When to ask again after so many times. */
export function pause(attempts: number): number {
  return attempts > 4 ? ASK_AGAIN_MS_MAX : Math.min(ASK_AGAIN_MS << attempts, ASK_AGAIN_MS_MAX);
}

/** The timer: asks for everything that is due, and sets itself for what is due next. */
export function askAgain(turn: Turn): void {
  if (turn.configuration.chain !== "RpcConnected") return;
  turn.draft.put(Alarms, ALARM, undefined);
  let next: EpochMillis | undefined;
  const sooner = (at: EpochMillis) => {
    if (next === undefined || at < next) next = at;
  };
  for (const id of [...turn.draft.keys(Sightings)]) {
    const held = turn.draft.get(Sightings, id);
    if (held !== undefined) sooner(held.again_at > turn.now ? held.again_at : askForSighting(turn, id, held));
  }
  for (const signature of [...turn.draft.keys(Inquiries)]) {
    const held = turn.draft.get(Inquiries, signature);
    const at =
      held === undefined ? undefined : held.again_at > turn.now ? held.again_at : inquire(turn, signature, held);
    if (at !== undefined) sooner(at);
  }
  if (next !== undefined) wakeAt(turn, next);
}

/** Sets the timer, unless it is set for an earlier instant. */
export function wakeAt(turn: Turn, at: EpochMillis): void {
  const held = turn.draft.get(Alarms, ALARM);
  if (held !== undefined && held.at <= at) return;
  turn.draft.put(Alarms, ALARM, { at });
  turn.emit({ type: "timer.set", timer: "chain-retry", at });
}

/** Asks for all that a sighting needs. A fact needs only its transaction; another sighting its accounts too. */
export function askForSighting(turn: Turn, id: string, held: Sighting): EpochMillis {
  if (held.attempts > 0 || held.taken) turn.emit({ type: "chain.check", signature: held.transaction });
  if (!held.taken || held.final) {
    const commitment = held.final ? "finalized" : "confirmed";
    const addresses = held.kind === "decided" ? [held.escrow, held.dispute] : [held.escrow];
    for (const address of addresses) turn.emit({ type: "chain.read", address, slot: held.slot, commitment });
  }
  const again = later(turn.now, held.taken ? CHECK_EVERY_MS : pause(held.attempts));
  turn.draft.put(Sightings, id, { ...held, attempts: held.attempts + 1, again_at: again });
  return again;
}

/** Asks about a transaction; a doubtful one not for ever. */
export function inquire(turn: Turn, signature: string, held: Inquiry): EpochMillis | undefined {
  if (!held.submitted && held.attempts >= DOUBTS_MAX) {
    turn.draft.put(Inquiries, signature, undefined);
    return undefined;
  }
  if (held.attempts > 0) turn.emit({ type: "chain.check", signature });
  const again = later(turn.now, pause(held.attempts));
  turn.draft.put(Inquiries, signature, { ...held, attempts: held.attempts + 1, again_at: again });
  return again;
}
