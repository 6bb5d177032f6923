/**
 * The sweep, once a minute: what has become too old leaves the log, the orphans, what was refused, the peers, the
 * claims and the allowances; a node with few peers asks one of them for more. Of the set nothing is dropped; what is
 * terminal is sealed.
 * Source: protocol 01 §5.5 (60 s), §7.6 (retention), §13.1 (H); 05 §8.2; CONVERGENCE B4; the rest is DESIGN L10.
 */

import { RECOVERY_AGE_MS_MAX, STATEMENT_AGE_MS_MAX } from "../../engine/admission/ingress.ts";
import { Pending } from "../../engine/statements/table.ts";
import type { StepContext } from "../../engine/step-context.ts";
import { later } from "../../kernel/values.ts";
import { sweepClaims } from "../peers/address-claims.ts";
import { sweepPeers } from "../peers/peers.ts";
import { sweepLinks } from "./credit.ts";
import { Events, hourOf } from "./envelope.ts";
import { askForMore } from "./exchange.ts";
import { sweepRanges } from "./idle-ranges.ts";
import { forgetEventsOf } from "./originate.ts";
import { sweepRefusals } from "./refused.ts";

/** How often, in milliseconds. Source: protocol 01 §5.5. */
export const SWEEP_EVERY_MS = 60_000;
/**
 * How long the log keeps an event, in milliseconds; a comparison still carries its statement. Source: protocol 01 §7.6.
 */
export const LOG_MS = BigInt(STATEMENT_AGE_MS_MAX);
/** How long an orphan waits after its date, in milliseconds: a comparison brings it as long. Source: CONVERGENCE B4. */
export const ORPHAN_MS = BigInt(RECOVERY_AGE_MS_MAX);

/** The timer `sweep`. */
export function sweep(context: StepContext): void {
  sweepPeers(context);
  sweepClaims(context);
  sweepLinks(context);
  sweepOrphans(context);
  sweepRefusals(context);
  sweepRanges(context);
  sweepLog(context);
  for (const seal of context.registry.seals) seal(context);
  askForMore(context);
  sweepSoon(context);
}

/** At start: a node that was away holds events of hours that no sweep looks at any more. */
export function sweepFromStart(context: StepContext): void {
  for (const key of [...context.draft.keys(Events)]) {
    const stored = context.draft.get(Events, key);
    if (stored !== undefined && stored.event.timestamp + LOG_MS < context.now)
      context.draft.put(Events, key, undefined);
  }
  sweepSoon(context);
}

function sweepSoon(context: StepContext): void {
  context.emit({ type: "timer.set", timer: "sweep", at: later(context.now, SWEEP_EVERY_MS) });
}

/** What carried an orphan goes with it, of whatever date: it would only bring it again. */
function sweepOrphans(context: StepContext): void {
  for (const key of context.draft.keys(Pending)) {
    const orphan = context.draft.get(Pending, key);
    if (orphan === undefined || orphan.timestamp + ORPHAN_MS >= context.now) continue;
    context.draft.put(Pending, key, undefined);
    forgetEventsOf(context, key);
  }
}

/** Events by the hours that are over: those of H and, because a recovery brings older ones, of as long before. */
function sweepLog(context: StepContext): void {
  const cut = context.now > LOG_MS ? context.now - LOG_MS : 0n;
  const first = cut > LOG_MS ? hourOf(cut - LOG_MS) - 1n : 0n;
  for (let hour = first; hour <= hourOf(cut); hour++) {
    for (const key of context.draft.find(Events, "hour", hour.toString())) {
      const stored = context.draft.get(Events, key);
      if (stored !== undefined && stored.event.timestamp < cut) context.draft.put(Events, key, undefined);
    }
  }
  for (const key of context.draft.find(Events, "plain", "all")) {
    const event = context.draft.get(Events, key)?.event;
    const keptMs = event && context.registry.events.get(event.ofs_spec)?.keptMs;
    if (event !== undefined && keptMs !== undefined && event.timestamp + keptMs < context.now)
      context.draft.put(Events, key, undefined);
  }
}
