/**
 * How many readings it takes until something counts for good. One reading is one endpoint's word, and what was misread
 * once would make this node's facts differ from everybody's. Source: DESIGN "A decision cannot be hidden"; protocol 04
 * §3.11.
 */
import { RECHECKS_MAX } from "../chain-bridge/chain-facts.ts";
import { READINGS_MIN } from "../chain-bridge/looks.ts";

/**
 * Readings in a row that say the same in all terms, each as of a later slot; more where nothing is read after it. Of a
 * stake one more than of a case: it may be of any amount, so a misread one looks as good as a right one.
 */
export function readingsThatCount(ends: boolean): number {
  return ends ? READINGS_MIN + RECHECKS_MAX : READINGS_MIN + 1;
}
