/**
 * The walk over all states of a scope, breadth first: so the way to what it finds is as short as any.
 * Source: DESIGN section 5.1.
 */
import type { Footprint } from "./independence.ts";
import { footprintOf, keptTo } from "./independence.ts";
import type { Broken } from "./laws.ts";
import type { WorldState } from "./moves.ts";
import { asleepBehind, openSleepSets } from "./sleep-sets.ts";
import type { SmallWorld } from "./small-world.ts";
import { openStateTable } from "./state-table.ts";

export interface WalkOptions {
  /** At most so many states, for so long; by `elapsed`, in seconds. */
  readonly states: number;
  readonly seconds: number;
  /** Whether moves that were tried in another order need not be tried again. */
  readonly reduced: boolean;
  readonly elapsed: () => number;
  /** Whether somebody wants it to end. */
  readonly isStopped?: () => boolean;
  /** Lets others of this process have their turn, such as a signal; asked several times a second. */
  readonly pause?: () => Promise<void>;
  /** Told before every state how far the walk is. */
  readonly progress?: (seen: WalkSeen) => void;
}

/** What a walk came to. */
export interface WalkSeen {
  readonly states: number;
  readonly transitions: number;
  readonly finals: number;
  /** How many moves from the first the last state was that was walked from. */
  readonly depth: number;
  readonly complete: boolean;
  readonly bytes: number;
  readonly broken: (Broken & { readonly moves: readonly number[] }) | undefined;
}

/** What a walk asks about the states that it meets. */
export interface Judge {
  /** What the steps since the last question broke. */
  broken(): Broken | undefined;
  /** Asked of every state that is met, once or more often. */
  ofState(state: WorldState): Broken | undefined;
  /** Asked where nothing but faults can happen. */
  ofFinal(state: WorldState): Broken | undefined;
}

/** Between two pauses of a walk, in seconds: whoever asks it to end does not wait noticeably. */
const PAUSE_EVERY_SECONDS = 0.2;

/** A reduction rests on what moves touch: where one touched more, the walk begins anew without it. */
const TOUCHED_MORE = Symbol("a move touched more than its footprint says");

/** Walks from a state until every state was met, a law is broken, or a bound is. */
export async function walk(
  world: SmallWorld,
  first: WorldState,
  judge: Judge,
  options: WalkOptions,
): Promise<WalkSeen> {
  const seen = await walkOnce(world, first, judge, options);
  if (seen !== TOUCHED_MORE) return seen;
  return (await walkOnce(world, first, judge, { ...options, reduced: false })) as WalkSeen;
}

async function walkOnce(
  world: SmallWorld,
  first: WorldState,
  judge: Judge,
  options: WalkOptions,
): Promise<WalkSeen | typeof TOUCHED_MORE> {
  const count = first.nodes.length;
  const width = rowOf(first).length;
  const table = openStateTable(width);
  const sleeping = options.reduced ? openSleepSets() : undefined;
  const footprints: Footprint[] = [];
  const footprint = (move: number): Footprint => {
    footprints[move] ??= footprintOf(world, world.moveAt(move));
    return footprints[move] as Footprint;
  };
  const row = new Array<number>(width).fill(0);
  const again: { readonly at: number; readonly moves: readonly number[] }[] = [];
  let [transitions, finals, depth] = [0, 0, 0];
  let broken: WalkSeen["broken"];
  let touchedMore = false;
  const bounds = openBounds(options);

  const seen = (complete: boolean): WalkSeen => {
    return { states: table.size(), transitions, finals, depth, complete, bytes: table.bytes(), broken };
  };
  const stateAt = (at: number): WorldState => {
    table.read(at, row);
    return stateOf(row, count);
  };

  /** Walks some moves of a state; `earlier` are those behind which others may sleep already. */
  function follow(at: number, state: WorldState, moves: readonly number[], before: readonly number[], walked: number) {
    const earlier = [...before];
    for (const move of moves) {
      transitions += 1;
      const next = world.apply(state, move);
      const found = judge.broken() ?? judge.ofState(next);
      if (found !== undefined) {
        broken = { ...found, moves: [...table.way(at), move] };
        return;
      }
      const { at: met, isNew } = table.add(rowOf(next), at, move, table.depth(at) + 1);
      if (sleeping === undefined) continue;
      if (!keptTo(footprint(move), state, next)) {
        touchedMore = true;
        return;
      }
      const asleep = asleepBehind(footprint(move), earlier, footprint);
      const more = sleeping.meet(met, asleep, isNew, met <= walked);
      if (more.length > 0) again.push({ at: met, moves: more });
      earlier.push(move);
    }
  }

  /** States that were walked, and are met now with fewer moves asleep. */
  function followAgain(walked: number): void {
    for (let next = again.pop(); next !== undefined && broken === undefined && !touchedMore; next = again.pop()) {
      const state = stateAt(next.at);
      const { moves } = next;
      const others = world.moves(state).filter((move) => !moves.includes(move));
      follow(next.at, state, moves, others, walked);
    }
  }

  table.add(rowOf(first), 0, 0, 0);
  for (let at = 0; at < table.size(); at++) {
    // At every state: where most of a state's moves are new steps, thousands of states take minutes.
    options.progress?.(seen(false));
    const wait = bounds.wait();
    if (wait !== undefined) await wait;
    if (bounds.areMet(table.size())) return seen(false);
    depth = table.depth(at);
    const state = stateAt(at);
    const moves = world.moves(state);
    const isLast = isFinal(world, moves);
    if (isLast) finals += 1;
    const wrong = isLast ? judge.ofFinal(state) : undefined;
    if (wrong !== undefined) {
      broken = { ...wrong, moves: table.way(at) };
      return seen(false);
    }
    const asleep = sleeping?.of(at) ?? NOTHING;
    const awake = asleep.length === 0 ? moves : moves.filter((move) => !asleep.includes(move));
    follow(at, state, awake, asleep, at);
    followAgain(at);
    if (touchedMore) return TOUCHED_MORE;
    if (broken !== undefined) return seen(false);
  }
  return seen(true);
}

const NOTHING: readonly number[] = [];

/** What ends a walk before its end. */
function openBounds({ states, seconds, elapsed, isStopped, pause }: WalkOptions) {
  let [now, pauses] = [0, 0];
  return {
    /** A turn for others, when it is time for one. */
    wait(): Promise<void> | undefined {
      now = elapsed();
      if (now < pauses) return undefined;
      pauses = now + PAUSE_EVERY_SECONDS;
      return pause?.();
    },
    areMet: (met: number) => now > seconds || met > states || isStopped?.() === true,
  };
}

function rowOf({ nodes, flights, endpoints, environment }: WorldState): readonly number[] {
  return [environment, ...nodes, ...flights, ...endpoints];
}

function stateOf(row: readonly number[], count: number): WorldState {
  const [environment = 0] = row;
  const [nodes, flights] = [row.slice(1, 1 + count), row.slice(1 + count, 1 + 2 * count)];
  return { nodes, flights, endpoints: row.slice(1 + 2 * count), environment };
}

const FAULTS: readonly string[] = ["drop", "copy", "crash", "deliver-and-crash", "sync-and-crash", "tick", "jump"];

/** Whether nothing is left to happen but what need not. */
function isFinal(world: SmallWorld, moves: readonly number[]): boolean {
  return moves.every((move) => FAULTS.includes(world.moveAt(move).kind));
}
