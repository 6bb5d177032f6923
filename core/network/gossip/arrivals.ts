/**
 * What was fetched is taken in slices, so that one answer of a peer never keeps a node from everything else: an answer
 * carries as much as 786,432 bytes, which may be some thousand statements with two signatures each.
 * Source: CONVERGENCE B5; protocol 01 §9.3.
 */

import { ingresses } from "../../engine/admission/ingress.ts";
import { Pending, Statements } from "../../engine/statements/table.ts";
import type { StepContext } from "../../engine/step-context.ts";
import { foldOf } from "../../engine/step-context.ts";
import { list, struct } from "../../kernel/schema-composites.ts";
import { bool, u32 } from "../../kernel/schema-scalars.ts";
import { table } from "../../kernel/table.ts";
import { compareText } from "../../kernel/text.ts";
import type { PeerId } from "../../kernel/values.ts";
import { PeerId as Id } from "../../kernel/values.ts";
import { endComparison } from "./absence.ts";
import { GossipEvent } from "./envelope.ts";
import { receiveEvents } from "./receive.ts";

/** Fetched events that one step takes. Source: DESIGN "Work at once". */
export const FETCHED_AT_ONCE = 64;

const Arrival = struct("Arrival", {
  peer: Id,
  events: list(GossipEvent),
  answers: u32,
  /** Events that were fetched, and how many of those that were taken were new. */
  fetched: u32,
  brought: u32,
  /** Whether the last answer was full, and its peer had more. */
  more: bool,
});

/** What peers answered to fetches and is not taken yet, by peer. */
export const Arrivals = table("arrivals", Arrival, { root: "local" });

/** How many answers of a peer are still being taken. */
export function answersHeld(context: StepContext, peer: PeerId): number {
  return context.draft.get(Arrivals, peer)?.answers ?? 0;
}

/** An answer came: its first slice is taken now. `more`: it was full, and its peer has more. */
export function arrive(context: StepContext, peer: PeerId, events: readonly GossipEvent[], more: boolean): void {
  const held = context.draft.get(Arrivals, peer);
  context.draft.put(Arrivals, peer, {
    peer,
    events: [...(held?.events ?? []), ...events],
    answers: (held?.answers ?? 0) + 1,
    fetched: (held?.fetched ?? 0) + events.length,
    brought: held?.brought ?? 0,
    more: more || held?.more === true,
  });
  if (held === undefined) takeSlice(context, peer);
}

/** Takes one slice of one peer, another each time. */
export function takeNext(context: StepContext): void {
  const peers = [...context.draft.keys(Arrivals)].sort(compareText);
  const peer = peers[context.number % Math.max(peers.length, 1)];
  if (peer !== undefined) takeSlice(context, peer as PeerId);
}

/** The peers whose last answer was full and most of it new, now that all of it is taken. */
export const Unfinished = table("unfinished", struct("Unfinished", { peer: Id }), { root: "local" });

function takeSlice(context: StepContext, peer: PeerId): void {
  const held = context.draft.get(Arrivals, peer);
  if (held === undefined) return;
  const before = sizeOf(context);
  receiveEvents(context, foldOf(context), held.events.slice(0, FETCHED_AT_ONCE), peer, ingresses.recovery);
  const brought = held.brought + Math.max(sizeOf(context) - before, 0);
  const events = held.events.slice(FETCHED_AT_ONCE);
  context.draft.put(Arrivals, peer, events.length === 0 ? undefined : { ...held, events, brought });
  const goesOn = events.length === 0 && held.more && brought * 2 >= held.fetched;
  if (goesOn) context.draft.put(Unfinished, peer, { peer });
  else if (events.length === 0) endComparison(context, peer);
  if (goesOn || context.draft.size(Arrivals) > 0)
    context.emit({ type: "timer.set", timer: "reconcile", at: context.now });
}

function sizeOf({ draft }: StepContext): number {
  return draft.size(Statements) + draft.size(Pending);
}
