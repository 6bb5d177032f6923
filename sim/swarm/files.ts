/**
 * Files of state in a drawn world: who makes them, and who asks for them. Source: protocol 05 §6.5; DESIGN section 5
 * "Faults" (swarm).
 */
import type { Action } from "../action-kinds.ts";
import { askFiles } from "../actions/snapshot.ts";
import { openDice } from "./dice.ts";
import type { Roster } from "./roster.ts";
import { somewhen, TAKERS } from "./roster.ts";
import { TRADES_FROM, TWISTED_EVERY } from "./twists.ts";

/** In some worlds some nodes make files of what they hold, and people ask for them. */
export function files(
  seed: bigint,
  roster: Roster,
): { readonly makers: readonly number[]; readonly asks: readonly Action[] } {
  const dice = openDice(seed, "files");
  if (!dice.oneIn(TWISTED_EVERY)) return { makers: [], asks: [] };
  const makers = dice.half(Array.from({ length: roster.nodes }, (_, node) => node));
  const asks = TAKERS.flatMap((name) =>
    dice.oneIn(2) ? [askFiles(name, somewhen(dice, roster, TRADES_FROM, roster.lasts))] : [],
  );
  return { makers, asks };
}
