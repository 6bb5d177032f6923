/**
 * The sweep, once a minute: what has become too old leaves the log, the orphans, the peers, the claims and the
 * allowances; a node with few peers asks one of them for more. Of the set nothing is dropped; what is over is sealed.
 * Source: protocol 01 §5.5 (60 s), §7.6 (retention), §13.1 (H); 05 §8.2; the rest is DESIGN L10.
 */

import { STATEMENT_AGE_MS_MAX } from "../../engine/admission/ingress.ts";
import { Pending } from "../../engine/statements/table.ts";
import type { Turn } from "../../engine/step-context.ts";
import { later } from "../../kernel/values.ts";
import { sweepClaims } from "../peers/address-claims.ts";
import { sweepPeers } from "../peers/peers.ts";
import { sweepLinks } from "./credit.ts";
import { Events, hourOf } from "./envelope.ts";
import { askForMore } from "./exchange.ts";
import { forgetEventsOf } from "./originate.ts";

/** How often, in milliseconds. Source: protocol 01 §5.5. */
export const SWEEP_EVERY_MS = 60_000;
/**
 * How long the log keeps an event, in milliseconds; a comparison still carries its statement. Source: protocol 01 §7.6.
 */
export const LOG_MS = BigInt(STATEMENT_AGE_MS_MAX);
/** How long an orphan waits after its own date, in milliseconds: H. Source: protocol 01 §13.1. */
export const ORPHAN_MS = BigInt(STATEMENT_AGE_MS_MAX);

/** The timer `sweep`. */
export function sweep(turn: Turn): void {
  sweepPeers(turn);
  sweepClaims(turn);
  sweepLinks(turn);
  sweepOrphans(turn);
  sweepLog(turn);
  for (const seal of turn.registry.seals) seal(turn);
  askForMore(turn);
  sweepSoon(turn);
}

/** At start: a node that was away holds events of hours that no sweep looks at any more. */
export function sweepFromStart(turn: Turn): void {
  for (const key of [...turn.draft.keys(Events)]) {
    const stored = turn.draft.get(Events, key);
    if (stored !== undefined && stored.event.timestamp + LOG_MS < turn.now) turn.draft.put(Events, key, undefined);
  }
  sweepSoon(turn);
}

function sweepSoon(turn: Turn): void {
  turn.emit({ type: "timer.set", timer: "sweep", at: later(turn.now, SWEEP_EVERY_MS) });
}

/** What carried an orphan goes with it, of whatever date: it would only bring it again. */
function sweepOrphans(turn: Turn): void {
  for (const key of turn.draft.keys(Pending)) {
    const orphan = turn.draft.get(Pending, key);
    if (orphan === undefined || orphan.timestamp + ORPHAN_MS >= turn.now) continue;
    turn.draft.put(Pending, key, undefined);
    forgetEventsOf(turn, key);
  }
}

/** Events by the hours that are over: those of H and, because a recovery brings older ones, of as long before. */
function sweepLog(turn: Turn): void {
  const cut = turn.now > LOG_MS ? turn.now - LOG_MS : 0n;
  const first = cut > LOG_MS ? hourOf(cut - LOG_MS) - 1n : 0n;
  for (let hour = first; hour <= hourOf(cut); hour++) {
    for (const key of turn.draft.find(Events, "hour", hour.toString())) {
      const stored = turn.draft.get(Events, key);
      if (stored !== undefined && stored.event.timestamp < cut) turn.draft.put(Events, key, undefined);
    }
  }
  for (const key of turn.draft.find(Events, "plain", "all")) {
    const event = turn.draft.get(Events, key)?.event;
    const keptMs = event && turn.registry.events.get(event.ofs_spec)?.keptMs;
    if (event !== undefined && keptMs !== undefined && event.timestamp + keptMs < turn.now)
      turn.draft.put(Events, key, undefined);
  }
}
