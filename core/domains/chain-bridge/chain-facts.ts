/**
 * Chain facts: taken when event and accounts agree, undone while a fork can still drop their transaction, final after.
 * One escrow is closed once: of two pending facts the final one counts, and after a final one every other is an alarm.
 * Source: protocol 03 A.10.3 R4, R6, R10, R11.
 */

import type { StepContext } from "../../engine/step-context.ts";
import { foldOf } from "../../engine/step-context.ts";
import { concat, toHex } from "../../kernel/bytes.ts";
import { fromBase58 } from "../../kernel/text.ts";
import { devnetProfile } from "../../solana/addresses.ts";
import { SETTLEMENT_UNIT } from "../trade/settlements/fold.ts";
import type { ChainFact } from "../trade/settlements/schema.ts";
import { ChainFacts } from "../trade/settlements/tables.ts";
import { agreedFact } from "./agreement.ts";
import { askForPendingFact, RECHECKS_MAX, wakeAt } from "./asking.ts";
import type { Closing, SeenTransaction } from "./reading.ts";
import type { PendingFact } from "./tables.ts";
import { PendingFacts } from "./tables.ts";
import { isNamed, unwatch } from "./watches.ts";

/** Pending facts of one escrow at a time: one a fork, and some room for endpoints that lie. Source: DESIGN L10. */
export const PENDING_FACTS_PER_ESCROW_MAX = 8;

/** SHA-256(program ‖ transaction signature ‖ event bytes). Source: protocol 03 A.10.3 R11. */
export function factId(context: StepContext, signature: string, event: Uint8Array): string {
  const program = fromBase58(context.configuration.profile.escrowProgram) ?? new Uint8Array(0);
  return toHex(context.crypto.sha256(concat(program, fromBase58(signature) ?? new Uint8Array(0), event)));
}

/** Notes that a transaction closed an escrow, and asks for what it takes to believe it. */
export function noteClosing(context: StepContext, seen: SeenTransaction, closing: Closing): void {
  const id = factId(context, seen.signature, closing.event);
  const held = context.draft.get(PendingFacts, id);
  if (held === undefined) {
    if (context.draft.get(ChainFacts, id) === undefined) begin(context, id, seen, closing);
  } else if (seen.commitment === "finalized" && !held.final) {
    // What the accounts said on a fork says nothing about them on the chain that is final.
    ask(context, id, {
      ...held,
      slot: seen.slot,
      final: true,
      attempts: 0,
      escrow_account: null,
      dispute_account: null,
    });
  } else if (held.slot !== seen.slot) {
    context.draft.put(PendingFacts, id, { ...held, slot: seen.slot });
  }
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
  // A fact about nobody's trade may be a misread account: it is read again before it is believed.
  if (held.attempts <= RECHECKS_MAX && !isNamed(context, held.escrow, fact)) return;
  if (!outranksOthers(context, id, held)) return;
  context.draft.put(PendingFacts, id, held.final ? undefined : { ...held, taken: true });
  putFact(context, id, fact, fact.reservation);
  if (held.final) unwatch(context, held.escrow);
}

/** Drops a pending fact that the chain does not bear out, and undoes its fact; what it kept out has its chance. */
export function drop(context: StepContext, id: string): void {
  const held = context.draft.get(PendingFacts, id);
  if (held === undefined) return;
  context.draft.put(PendingFacts, id, undefined);
  if (!held.taken) return;
  putFact(context, id, undefined, held.reservation);
  context.emit({ type: "log", level: "warn", event: "chain fact undone", fields: { kind: held.kind } });
  for (const other of context.draft.find(PendingFacts, "reservation", held.reservation.toString()))
    decide(context, other);
}

function begin(context: StepContext, id: string, seen: SeenTransaction, closing: Closing): void {
  const others = context.draft.find(PendingFacts, "reservation", closing.reservation.toString());
  if (others.length >= PENDING_FACTS_PER_ESCROW_MAX) {
    return context.emit({
      type: "log",
      level: "warn",
      event: "pending chain fact dropped: limit reached",
      fields: { escrow: closing.escrow, limit: PENDING_FACTS_PER_ESCROW_MAX },
    });
  }
  ask(context, id, {
    ...closing,
    transaction: seen.signature,
    slot: seen.slot,
    final: seen.commitment === "finalized",
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
function outranksOthers(context: StepContext, id: string, held: PendingFact): boolean {
  for (const other of [...context.draft.find(ChainFacts, "reservation", held.reservation.toString())]) {
    if (other === id) continue;
    const rival = context.draft.get(PendingFacts, other);
    if (rival === undefined) {
      context.draft.put(PendingFacts, id, undefined);
      context.emit({ type: "log", level: "error", event: "second closing of an escrow", fields: { kind: held.kind } });
      return false;
    }
    if (!held.final) return false;
    context.draft.put(PendingFacts, other, undefined);
    putFact(context, other, undefined, rival.reservation);
  }
  return true;
}

function putFact(context: StepContext, id: string, fact: ChainFact | undefined, reservation: bigint): void {
  context.draft.put(ChainFacts, id, fact);
  const fold = foldOf(context);
  fold.mark(SETTLEMENT_UNIT, reservation.toString());
  fold.run();
}
