/**
 * Chain facts: taken when event and accounts agree, undone while a fork can still drop their transaction, final after.
 * One escrow is closed once: of two pending facts the final one counts, and after a final one every other is an alarm.
 * Source: protocol 03 A.10.3 R4, R6, R10, R11.
 */

import type { StepContext } from "../../engine/step-context.ts";
import { foldOf } from "../../engine/step-context.ts";
import { equalBytes } from "../../kernel/bytes.ts";
import { devnetProfile } from "../../solana/addresses.ts";
import { SETTLEMENT_UNIT } from "../trade/settlements/fold.ts";
import { groupOfFact } from "../trade/settlements/reservation-numbers.ts";
import type { ChainFact } from "../trade/settlements/schema.ts";
import { ChainFacts } from "../trade/settlements/tables.ts";
import { agreedFact } from "./agreement.ts";
import { askForPendingFact, beginLook, endLook, wakeAt } from "./asking.ts";
import { factNameOfEvent } from "./fact-names.ts";
import type { Closing, SeenTransaction } from "./reading.ts";
import type { PendingFact } from "./tables.ts";
import { PendingFacts } from "./tables.ts";
import { isNamed, unwatch } from "./watches.ts";

/** Pending facts of one escrow at a time: one a fork, and some room for endpoints that lie. Source: DESIGN L10. */
export const PENDING_FACTS_PER_ESCROW_MAX = 8;
/** How often a fact that names nobody's trade is read before it is looked at. Source: DESIGN "Waiting times". */
export const RECHECKS_MAX = 3;

/** Notes that a transaction closed an escrow, and asks for what it takes to believe it. */
export function noteClosing(context: StepContext, seen: SeenTransaction, closing: Closing): void {
  const id = factNameOfEvent(context, closing);
  const held = context.draft.get(PendingFacts, id);
  const final = seen.commitment === "finalized";
  const told = { ...closing, transaction: seen.signature, slot: seen.slot };
  if (held === undefined) {
    if (context.draft.get(ChainFacts, id) === undefined) begin(context, id, { ...told, final });
  } else if (final && !held.final) {
    // What the accounts said on a fork says nothing about them on the chain that is final.
    const anew = { attempts: 0, escrow_account: null, dispute_account: null };
    ask(context, id, { ...held, ...told, final, ...anew });
  } else if (final === held.final && isOther(held, told)) {
    // Another fork holds it in another place, or somebody forged one of them: the chain's accounts tell.
    context.draft.put(PendingFacts, id, { ...held, ...told });
    if (!held.taken) decide(context, id);
  }
}

function isOther(held: PendingFact, told: { readonly slot: bigint; readonly event: Uint8Array }): boolean {
  return held.slot !== told.slot || !equalBytes(held.event, told.event);
}

/**
 * Takes a pending fact as one if its accounts agree and nothing stronger says otherwise. Source: protocol 03 A.10.3 R4,
 * R10.
 */
export function decide(context: StepContext, id: string): void {
  const held = context.draft.get(PendingFacts, id);
  if (held === undefined || (held.taken && !held.final)) return;
  const profile = { ...devnetProfile, escrowProgram: context.configuration.profile.escrowProgram };
  const fact = agreedFact(profile, held);
  if (fact === undefined) return;
  if (!isNamed(context, held.escrow, fact)) return recheck(context, held);
  if (held.final) return takeFinal(context, id, held.escrow, fact);
  if (!outranksOthers(context, id, fact, false)) return;
  context.draft.put(PendingFacts, id, { ...held, taken: true });
  putFact(context, id, fact);
}

/**
 * A fact about nobody's trade may be a misread account: it is read again, and where it stays one, a look finds out.
 * Readings that agree one after another are believed then, and no single one.
 */
function recheck(context: StepContext, held: PendingFact): void {
  if (held.attempts > RECHECKS_MAX) beginLook(context, held, held.slot, held.transaction);
}

/** Takes what is final as a fact, and ends the watch: nothing more happens to a closed escrow. */
export function takeFinal(context: StepContext, id: string, escrow: string, fact: ChainFact): void {
  if (!outranksOthers(context, id, fact, true)) return;
  context.draft.put(PendingFacts, id, undefined);
  putFact(context, id, fact);
  endLook(context, escrow);
  unwatch(context, escrow);
}

/** Drops a pending fact that the chain does not bear out, and undoes its fact; what it kept out has its chance. */
export function drop(context: StepContext, id: string): void {
  const held = context.draft.get(PendingFacts, id);
  if (held === undefined) return;
  context.draft.put(PendingFacts, id, undefined);
  // It may have kept others from looking.
  beginLook(context, held, held.slot, null);
  if (!held.taken) return;
  putFact(context, id, undefined);
  context.emit({ type: "log", level: "warn", event: "chain fact undone", fields: { kind: held.kind } });
  for (const other of context.draft.find(PendingFacts, "reservation", held.reservation.toString()))
    decide(context, other);
}

type Told = Closing & Pick<PendingFact, "transaction" | "slot" | "final">;

function begin(context: StepContext, id: string, told: Told): void {
  const { escrow, reservation, slot } = told;
  const others = context.draft.find(PendingFacts, "reservation", reservation.toString());
  if (others.length >= PENDING_FACTS_PER_ESCROW_MAX) {
    // What is dropped is asked for again: the accounts tell which of so many stories is the chain's.
    beginLook(context, { escrow, reservation }, slot, null);
    const fields = { escrow, limit: PENDING_FACTS_PER_ESCROW_MAX };
    return context.emit({ type: "log", level: "warn", event: "pending chain fact dropped: limit reached", fields });
  }
  ask(context, id, {
    ...told,
    escrow_account: null,
    dispute_account: null,
    taken: false,
    attempts: 0,
    again_at: context.now,
  });
}

function ask(context: StepContext, id: string, pendingFact: PendingFact): void {
  wakeAt(context, askForPendingFact(context, id, pendingFact));
}

/** Whether nothing known of the escrow keeps a pending fact out. What only a fork tells gives way to what is final. */
function outranksOthers(context: StepContext, id: string, fact: ChainFact, final: boolean): boolean {
  for (const other of [...context.draft.find(ChainFacts, "reservation", fact.reservation.toString())]) {
    if (other === id) continue;
    const rival = context.draft.get(PendingFacts, other);
    if (rival === undefined) {
      context.draft.put(PendingFacts, id, undefined);
      context.emit({ type: "log", level: "error", event: "second closing of an escrow", fields: { kind: fact.kind } });
      return false;
    }
    if (!final) return false;
    context.draft.put(PendingFacts, other, undefined);
    putFact(context, other, undefined);
  }
  return true;
}

function putFact(context: StepContext, id: string, fact: ChainFact | undefined): void {
  const before = context.draft.get(ChainFacts, id);
  context.draft.put(ChainFacts, id, fact);
  const fold = foldOf(context);
  for (const each of [before, fact]) if (each !== undefined) fold.mark(SETTLEMENT_UNIT, groupOfFact(each));
  fold.run();
}
