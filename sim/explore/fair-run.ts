/**
 * One order of events among all, in which nothing goes wrong and nothing waits for ever: what is under way comes in
 * the order in which it was sent, timers fire when they are due, and the clock goes on when nothing is left. Worlds
 * begin with it, and what must come true at last is asked of it. Source: DESIGN section 5 "Phases".
 */
import type { EpochMillis } from "../../core/index.ts";
import type { Move, WorldState } from "./moves.ts";
import type { SmallWorld } from "./small-world.ts";

/** Moves that one stretch may take: beyond, nothing comes to rest. Source: DESIGN "Simulated world". */
const FAIR_MOVES = 20_000;

/** What is done first; what goes wrong is never done. */
const ORDER: readonly Move["kind"][] = ["sync", "start", "deliver", "look", "timer", "call", "tick"];

/**
 * Runs until `enough`, or until the clock would pass an instant; the state, and whether it was enough. Nodes that stay
 * off do not start.
 */
export function runFairly(
  world: SmallWorld,
  from: WorldState,
  until: EpochMillis,
  enough: (state: WorldState) => boolean = () => false,
  staysOff: (node: number) => boolean = () => false,
): { readonly state: WorldState; readonly done: boolean } {
  const faults = { drops: 0, duplicates: 0, crashes: 0, ticks: FAIR_MOVES };
  let state = world.withEnvironment(from, { ...world.environmentAt(from.environment), ...faults });
  for (let count = 0; count < FAIR_MOVES; count++) {
    if (enough(state)) return { state, done: true };
    const next = firstOf(world, world.moves(state), staysOff);
    if (next === undefined) return { state, done: false };
    const after = world.apply(state, next);
    if (world.environmentAt(after.environment).now > until) {
      const environment = { ...world.environmentAt(state.environment), now: until };
      return { state: world.withEnvironment(state, environment), done: false };
    }
    state = after;
  }
  return { state, done: false };
}

function firstOf(world: SmallWorld, moves: readonly number[], staysOff: (node: number) => boolean): number | undefined {
  let best: number | undefined;
  let rank: number = ORDER.length;
  for (const id of moves) {
    const move = world.moveAt(id);
    if (move.kind === "start" && staysOff(move.node)) continue;
    const place = ORDER.indexOf(move.kind);
    if (place >= 0 && place < rank) [best, rank] = [id, place];
  }
  return best;
}
