/**
 * Chain facts: taken when event and accounts agree, undone while a fork can still drop their transaction, final after.
 * One escrow is closed once: of two sightings the final one counts, and after a final one every other is an alarm.
 * Source: protocol 03 A.10.3 R4, R6, R10, R11.
 */

import type { Turn } from "../../engine/step-context.ts";
import { foldOf } from "../../engine/step-context.ts";
import { concat, toHex } from "../../kernel/bytes.ts";
import { fromBase58 } from "../../kernel/text.ts";
import { devnetProfile } from "../../solana/addresses.ts";
import { SETTLEMENT_UNIT } from "../trade/settlements/fold.ts";
import type { ChainFact } from "../trade/settlements/schema.ts";
import { ChainFacts } from "../trade/settlements/tables.ts";
import { agreedFact } from "./agreement.ts";
import { askForSighting, DOUBTS_MAX, wakeAt } from "./asking.ts";
import type { Closing, SeenTransaction } from "./reading.ts";
import type { Sighting } from "./tables.ts";
import { Sightings } from "./tables.ts";
import { isNamed, unwatch } from "./watches.ts";

/** Sightings of one escrow at a time: one a fork, and some room for endpoints that lie. Source: DESIGN L10. */
export const SIGHTINGS_PER_ESCROW_MAX = 8;

/** SHA-256(program ‖ transaction signature ‖ event bytes). Source: protocol 03 A.10.3 R11. */
export function factId(turn: Turn, signature: string, event: Uint8Array): string {
  const program = fromBase58(turn.configuration.profile.escrowProgram) ?? new Uint8Array(0);
  return toHex(turn.crypto.sha256(concat(program, fromBase58(signature) ?? new Uint8Array(0), event)));
}

/** Notes that a transaction closed an escrow, and asks for what it takes to believe it. */
export function noteClosing(turn: Turn, seen: SeenTransaction, closing: Closing): void {
  const id = factId(turn, seen.signature, closing.event);
  const held = turn.draft.get(Sightings, id);
  if (held === undefined) {
    if (turn.draft.get(ChainFacts, id) === undefined) begin(turn, id, seen, closing);
  } else if (seen.commitment === "finalized" && !held.final) {
    // What the accounts said on a fork says nothing about them on the chain that is final.
    ask(turn, id, { ...held, slot: seen.slot, final: true, attempts: 0, escrow_account: null, dispute_account: null });
  } else if (held.slot !== seen.slot) {
    turn.draft.put(Sightings, id, { ...held, slot: seen.slot });
  }
}

/**
 * Takes a sighting as a fact if its accounts agree and nothing stronger says otherwise. Source: protocol 03 A.10.3 R4,
 * R10.
 */
export function decide(turn: Turn, id: string): void {
  const held = turn.draft.get(Sightings, id);
  if (held === undefined || (held.taken && !held.final)) return;
  const profile = { ...devnetProfile, escrowProgram: turn.configuration.profile.escrowProgram };
  const fact = agreedFact(profile, held);
  if (fact === undefined) return;
  // A fact about nobody's trade may be a misread account: it is read again before it is believed.
  if (held.attempts <= DOUBTS_MAX && !isNamed(turn, held.escrow, fact)) return;
  if (!outranksOthers(turn, id, held)) return;
  turn.draft.put(Sightings, id, held.final ? undefined : { ...held, taken: true });
  putFact(turn, id, fact, fact.reservation);
  if (held.final) unwatch(turn, held.escrow);
}

/** Drops a sighting that the chain does not bear out, and undoes its fact; what it kept out has its chance. */
export function drop(turn: Turn, id: string): void {
  const held = turn.draft.get(Sightings, id);
  if (held === undefined) return;
  turn.draft.put(Sightings, id, undefined);
  if (!held.taken) return;
  putFact(turn, id, undefined, held.reservation);
  turn.emit({ type: "log", level: "warn", event: "chain fact undone", fields: { kind: held.kind } });
  for (const other of turn.draft.find(Sightings, "reservation", held.reservation.toString())) decide(turn, other);
}

function begin(turn: Turn, id: string, seen: SeenTransaction, closing: Closing): void {
  const others = turn.draft.find(Sightings, "reservation", closing.reservation.toString());
  if (others.length >= SIGHTINGS_PER_ESCROW_MAX) {
    return turn.emit({ type: "log", level: "warn", event: "sighting not kept", fields: { held: others.length } });
  }
  ask(turn, id, {
    ...closing,
    transaction: seen.signature,
    slot: seen.slot,
    final: seen.commitment === "finalized",
    escrow_account: null,
    dispute_account: null,
    taken: false,
    attempts: 0,
    again_at: turn.now,
  });
}

function ask(turn: Turn, id: string, sighting: Sighting): void {
  wakeAt(turn, askForSighting(turn, id, sighting));
}

/** Whether nothing known of the escrow keeps a sighting out. What only a fork tells gives way to what is final. */
function outranksOthers(turn: Turn, id: string, held: Sighting): boolean {
  for (const other of [...turn.draft.find(ChainFacts, "reservation", held.reservation.toString())]) {
    if (other === id) continue;
    const rival = turn.draft.get(Sightings, other);
    if (rival === undefined) {
      turn.draft.put(Sightings, id, undefined);
      turn.emit({ type: "log", level: "error", event: "second closing of an escrow", fields: { kind: held.kind } });
      return false;
    }
    if (!held.final) return false;
    turn.draft.put(Sightings, other, undefined);
    putFact(turn, other, undefined, rival.reservation);
  }
  return true;
}

function putFact(turn: Turn, id: string, fact: ChainFact | undefined, reservation: bigint): void {
  turn.draft.put(ChainFacts, id, fact);
  const fold = foldOf(turn);
  fold.mark(SETTLEMENT_UNIT, reservation.toString());
  fold.run();
}
