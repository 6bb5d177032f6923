/**
 * Decisions of one part of a drawn world, one after the other, from a stream of their own: another part that draws more
 * shifts none of them. Source: DESIGN section 5 "Randomness".
 */
import { below, between, chance, openStream, pick, shuffled } from "../random.ts";

/** What is drawn next. */
export interface Dice {
  /** A whole number from 0 to `limit` - 1. */
  below(limit: number): number;
  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number;
  /** Whether something with a chance of one in `odds` happens. */
  oneIn(odds: number): boolean;
  /** Whether something with a chance of so many millionths happens. */
  chance(millionths: number): boolean;
  pick<T>(items: readonly T[]): T;
  /** Each item with a chance of one in two, in their order; one at least, if there is one. */
  half<T>(items: readonly T[]): readonly T[];
  shuffled<T>(items: readonly T[]): readonly T[];
}

/** The decisions of a part of the world that a seed draws. */
export function openDice(seed: bigint, part: string): Dice {
  const stream = openStream(seed, `swarm/${part}`);
  let drawn = 0;
  const dice: Dice = {
    below: (limit) => below(stream, drawn++, limit),
    between: (least, most) => between(stream, drawn++, least, most),
    oneIn: (odds) => dice.below(odds) === 0,
    chance: (millionths) => chance(stream, drawn++, millionths),
    pick: (items) => pick(stream, drawn++, items),
    half(items) {
      const chosen = items.filter(() => dice.oneIn(2));
      return chosen.length > 0 || items.length === 0 ? chosen : [dice.pick(items)];
    },
    shuffled: (items) => shuffled(stream, drawn++, items),
  };
  return dice;
}
