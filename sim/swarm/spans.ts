/**
 * When a fault of a drawn world begins and ends. Source: DESIGN section 5 "Faults".
 */
import type { Span } from "../fault-plans.ts";
import { seconds } from "../scenario.ts";
import type { Dice } from "./dice.ts";

/** The first one begins when every node is up. */
const TROUBLE_FROM = seconds(1);
const LONGEST_MS = seconds(40);

/** A stretch of a world that lasts so many virtual milliseconds. */
export function spanIn(dice: Dice, lasts: number): Span {
  const from = dice.between(TROUBLE_FROM, lasts - seconds(2));
  return { from, until: Math.min(lasts, from + dice.between(1, LONGEST_MS)) };
}
