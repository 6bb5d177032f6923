/**
 * Bad usage, and the values of options: each is read once, and what cannot be read is refused in one line that says
 * what would do. Source: DESIGN section 6.
 */
import { SEED_MAX } from "../../sim/random.ts";

/** Ends the command with exit code 2 and this line. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** What a shell shows where somebody interrupted a command. Source: DESIGN section 6. */
export const INTERRUPTED = 130;
/** Nodes of one world. Source: DESIGN "Simulated world". */
export const NODES_MAX = 100_000;
/** Seeds of one `verify`. Source: DESIGN "Simulated world". */
export const SEEDS_MAX = 1_000_000n;

/** Times that `verify` holds one run. Source: DESIGN "Simulated world". */
export const HELD_MAX = 1_000;

/** Processes that run seeds beside each other. Source: DESIGN "Simulated world". */
export const WORKERS_MAX = 256;
/** Minutes of one `fuzz`. Source: DESIGN "Simulated world". */
export const MINUTES_MAX = 10_080;
/** Runs of one sweep: all their figures are held until the page is written. Source: DESIGN "Simulated world". */
export const SWEEP_RUNS_MAX = 100_000;
/** Runs that making one violation small may take. Source: DESIGN "Simulated world". */
export const TRIES_MAX = 100_000;
/** States of one scope: beyond, their table does not fit one machine. */
export const STATES_MAX = 50_000_000;

export interface SeedRange {
  readonly first: bigint;
  readonly last: bigint;
}

export function seedOf(text: string): bigint {
  const seed = /^[0-9]{1,20}$/.test(text) ? BigInt(text) : undefined;
  if (seed !== undefined && seed <= SEED_MAX) return seed;
  throw new UsageError(`A seed is a whole number from 0 to ${SEED_MAX}, not "${text}".`);
}

export function seedRangeOf(text: string): SeedRange {
  const [, from = "", to = from] = /^([0-9]+)(?:\.\.([0-9]+))?$/.exec(text) ?? [];
  if (from === "") throw new UsageError(`Seeds are given as A..B, for example 1..20, not "${text}".`);
  const range = { first: seedOf(from), last: seedOf(to) };
  if (range.last < range.first) throw new UsageError(`Seeds ${text} are none: the first is above the last.`);
  if (range.last - range.first >= SEEDS_MAX) throw new UsageError(`At most ${SEEDS_MAX} seeds at once.`);
  return range;
}

export function nodesOf(text: string): number {
  const count = /^[0-9]{1,6}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= NODES_MAX) return count;
  throw new UsageError(`--nodes takes a whole number from 1 to ${NODES_MAX}, not "${text}".`);
}

export function eventsOf(text: string): number {
  const count = /^[0-9]{1,15}$/.test(text) ? Number(text) : 0;
  if (count >= 1) return count;
  throw new UsageError(`--hold-at takes a whole number of events, 1 or more, not "${text}".`);
}

export function eventNumberOf(text: string): number {
  const count = /^[0-9]{1,15}$/.test(text) ? Number(text) : -1;
  if (count >= 0) return count;
  throw new UsageError(`An event is a whole number, not "${text}".`);
}

export function nodeNumberOf(text: string): number {
  const node = /^[0-9]{1,6}$/.test(text) ? Number(text) : -1;
  if (node >= 0) return node;
  throw new UsageError(`--node takes the number of a node, not "${text}".`);
}

export function heldOf(text: string): number {
  const count = /^[0-9]{1,4}$/.test(text) ? Number(text) : HELD_MAX + 1;
  if (count <= HELD_MAX) return count;
  throw new UsageError(`--held takes a whole number from 0 to ${HELD_MAX}, not "${text}".`);
}

/** A whole number from 1 to a limit, for an option. */
export function countOf(option: string, most: number): (text: string) => number {
  return (text) => {
    const count = /^[0-9]{1,9}$/.test(text) ? Number(text) : 0;
    if (count >= 1 && count <= most) return count;
    throw new UsageError(`${option} takes a whole number from 1 to ${most}, not "${text}".`);
  };
}

/** One of a few words. */
export function choiceOf<const T extends string>(option: string, choices: readonly T[]): (text: string) => T {
  return (text) => {
    const found = choices.find((choice) => choice === text);
    if (found !== undefined) return found;
    throw new UsageError(`${option} is one of ${choices.join(", ")}, not "${text}".`);
  };
}
