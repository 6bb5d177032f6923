/**
 * Ratios that were measured once and are kept: a quick run fails where less than 70 % of one is left. Only
 * ratios against calibrations of the same run are kept, since rates say more of the machine than of the product.
 * Source: DESIGN "Budgets".
 */
import { readFileSync, writeFileSync } from "node:fs";
import type { Figure } from "./measure.ts";

/** How much of a kept ratio must be left. */
export const LEFT_LEAST = 0.7;
const FILE = new URL("./baseline.json", import.meta.url);

/** Kept ratios by the name of their figure. */
export type Baseline = Readonly<Record<string, number>>;

export function readBaseline(): Baseline {
  return JSON.parse(readFileSync(FILE, "utf8")) as Baseline;
}

export function writeBaseline(figures: readonly Figure[]): void {
  const ratios = figures.filter(({ isRatio }) => isRatio).map(({ name, value }) => [name, value] as const);
  writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(ratios), null, 2)}\n`);
}

/** What fell too far, one line each, and what is kept and was not measured. */
export function fallen(baseline: Baseline, figures: readonly Figure[]): readonly string[] {
  const now = new Map(figures.map((figure) => [figure.name, figure.value]));
  return Object.entries(baseline).flatMap(([name, kept]) => {
    const value = now.get(name);
    if (value === undefined) return [`${name}: ${kept} is kept, and nothing was measured`];
    return value < kept * LEFT_LEAST ? [`${name}: ${value}, which is less than ${LEFT_LEAST} of ${kept}`] : [];
  });
}
