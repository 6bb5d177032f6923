/**
 * What a merchant offered at a date: a price or terms of his are in force until half an hour after the next ones, so
 * that who asked for what he saw is served, and who claims a price of nine hours ago is not.
 * Source: CONVERGENCE B8, "Allocation".
 */

import { CLOCK_SKEW_MS_MAX } from "../../../engine/admission/ingress.ts";
import { compareStatements } from "../../../kernel/signed.ts";
import type { EpochMillis } from "../../../kernel/values.ts";
import type { Asked } from "./allocation.ts";
import { agreesWithPrice } from "./pricing.ts";
import type { Registers, Signed, Terms } from "./registers.ts";
import type { PricingModel } from "./schema.ts";

/** How long after the next one a price or terms are in force, in milliseconds. Source: CONVERGENCE B8. */
export const EDIT_GRACE_MS = 1_800_000;

/** The merchant's prices and terms in order of their dates. */
export interface Offer {
  readonly prices: readonly Signed<PricingModel>[];
  readonly terms: readonly Signed<Terms>[];
}

export function offerOf({ prices, terms }: Registers): Offer {
  return { prices: [...prices].sort(byDate), terms: [...terms].sort(byDate) };
}

/** Whether a price and terms that a request agrees to were in force at its date. */
export function isOffered({ prices, terms }: Offer, asked: Asked): boolean {
  return (
    inForce(prices, asked.timestamp).some(({ value }) => agreesWithPrice(value, asked.price, asked.mid)) &&
    inForce(terms, asked.timestamp).some(({ value }) => withinTerms(value, asked))
  );
}

/** Whether an amount lies within terms, decimals included. Source: protocol 02 C.4 row 9, O.15. */
export function withinTerms({ min_trade, max_trade }: Terms, asked: Pick<Asked, "units" | "decimals">): boolean {
  if (asked.decimals !== min_trade.decimals) return false;
  return min_trade.base_units <= asked.units && asked.units <= max_trade.base_units;
}

/** From which date on two offers may differ. */
export function offersDifferFrom(before: Offer, after: Offer): EpochMillis | undefined {
  const dates = [firstOther(before.prices, after.prices), firstOther(before.terms, after.terms)];
  const found = dates.filter((date) => date !== undefined).sort((a, b) => (a < b ? -1 : 1))[0];
  return found === undefined ? undefined : ((found - BigInt(CLOCK_SKEW_MS_MAX)) as EpochMillis);
}

/** The settings in force at a date: found by their dates, however many there are. */
function inForce<T>(settings: readonly Signed<T>[], date: EpochMillis): readonly Signed<T>[] {
  const last = countUntil(settings, date + BigInt(CLOCK_SKEW_MS_MAX));
  const replaced = countUntil(settings, date - BigInt(EDIT_GRACE_MS) - 1n);
  return settings.slice(Math.max(0, replaced - 1), last);
}

/** How many settings are dated no later than an instant. */
function countUntil<T>(settings: readonly Signed<T>[], instant: bigint): number {
  let [low, high] = [0, settings.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((settings[middle] as Signed<T>).statement.timestamp <= instant) low = middle + 1;
    else high = middle;
  }
  return low;
}

function firstOther<T>(before: readonly Signed<T>[], after: readonly Signed<T>[]): EpochMillis | undefined {
  const length = Math.max(before.length, after.length);
  for (let index = 0; index < length; index++) {
    const [a, b] = [before[index]?.statement, after[index]?.statement];
    if (a?.identity === b?.identity) continue;
    if (a === undefined || b === undefined) return (a ?? b)?.timestamp;
    return a.timestamp < b.timestamp ? a.timestamp : b.timestamp;
  }
  return undefined;
}

function byDate(a: Signed<unknown>, b: Signed<unknown>): number {
  return compareStatements(a.statement, b.statement);
}
