/**
 * A sweep beside the figures that other code made of the same runs: pairs of runs with the same values and seed, so
 * that what seeds do to a figure does not show as a difference. Source: DESIGN section 6.
 */
import { quantilesOf, tenths } from "../../sim/quantiles.ts";
import { readText } from "./bounded-file.ts";
import { escaped } from "./plain-page.ts";
import type { Metric, RunFigures } from "./sweep-csv.ts";
import { CSV_BYTES, metricOf, metrics, runName, runsIn } from "./sweep-csv.ts";
import type { SweptParameter } from "./sweep-plan.ts";
import { pairsOf, runOfNumber } from "./sweep-plan.ts";
import type { SeedRange } from "./usage.ts";
import { UsageError } from "./usage.ts";

/** One figure of one combination, over the pairs in which both runs have it. */
export interface Difference {
  readonly metric: Metric;
  readonly pairs: number;
  readonly ours: number;
  readonly theirs: number;
  /** The median of what the pairs differ by, ours less theirs. */
  readonly difference: number;
  /** Pairs in which ours is lower, and higher. */
  readonly lower: number;
  readonly higher: number;
}

/** One combination. */
export interface ComparedCombination {
  readonly values: readonly string[];
  readonly pairs: number;
  /** Pairs that came to the same trace. */
  readonly same: number;
  readonly differences: readonly Difference[];
}

/** What is compared: the runs of a sweep by their numbers. */
export interface ComparedRuns {
  readonly params: readonly SweptParameter[];
  readonly seeds: SeedRange;
  readonly runs: number;
  readonly combinations: number;
}

/** The figures of a file by the numbers of runs. Fails with a line that ends the command where it has none of them. */
export async function figuresOfOthers(file: string, swept: ComparedRuns): Promise<ReadonlyMap<number, RunFigures>> {
  const content = await readText(file, CSV_BYTES);
  const known = runsIn(file, content, swept.params);
  const figures = new Map<number, RunFigures>();
  for (let number = 0; number < swept.runs; number++) {
    const found = known.get(runName(runOfNumber(number, swept.params, swept.seeds)));
    if (found !== undefined) figures.set(number, found);
  }
  if (figures.size === 0) throw new UsageError(`${file} has no run with these values and seeds.`);
  return figures;
}

/** Every combination, ours beside theirs. */
export function compared(
  swept: ComparedRuns,
  ours: ReadonlyMap<number, RunFigures>,
  theirs: ReadonlyMap<number, RunFigures>,
): readonly ComparedCombination[] {
  const each = swept.runs / swept.combinations;
  return Array.from({ length: swept.combinations }, (_, place) => {
    const pairs = Array.from({ length: each }, (_, n) => {
      return [ours.get(place * each + n), theirs.get(place * each + n)] as const;
    }).filter((pair): pair is Pair => pair[0] !== undefined && pair[1] !== undefined);
    return {
      values: runOfNumber(place * each, swept.params, swept.seeds).values,
      pairs: pairs.length,
      same: pairs.filter(([a, b]) => a.trace_hash === b.trace_hash).length,
      differences: metrics.flatMap(({ name }) => differenceOf(name, pairs) ?? []),
    };
  });
}

type Pair = readonly [RunFigures, RunFigures];

function differenceOf(metric: Metric, all: readonly Pair[]): Difference | undefined {
  const pairs = all.flatMap(([a, b]) => {
    const [one, other] = [metricOf(a, metric), metricOf(b, metric)];
    return one === null || other === null ? [] : [[one, other] as const];
  });
  const median = (of: (pair: readonly [number, number]) => number) => quantilesOf(pairs.map(of))?.median;
  const [ours, theirs, difference] = [median(([a]) => a), median(([, b]) => b), median(([a, b]) => tenths(a - b))];
  if (ours === undefined || theirs === undefined || difference === undefined) return undefined;
  const count = (holds: (pair: readonly [number, number]) => boolean) => pairs.filter(holds).length;
  return {
    ...{ metric, pairs: pairs.length, ours, theirs, difference },
    ...{ lower: count(([a, b]) => a < b), higher: count(([a, b]) => a > b) },
  };
}

/** A combination as people read it: what differs, ours before theirs. */
export function comparedLine(params: readonly SweptParameter[], one: ComparedCombination): string {
  const told = one.differences
    .filter(({ lower, higher }) => lower + higher > 0)
    .map(({ metric, ours, theirs, difference, lower, higher, pairs }) => {
      const counts = `lower in ${lower}, higher in ${higher} of ${pairs}`;
      return `${metric} ${ours} against ${theirs} (${signed(difference)}; ${counts})`;
    });
  const traces = `${one.same} of ${one.pairs} traces are the same`;
  return `${pairsOf(params, one.values)}: ${[...told, traces].join(", ")}`;
}

/** The table of a page. */
export function comparedTable(params: readonly SweptParameter[], all: readonly ComparedCombination[]): string {
  const shown = metrics.filter(({ name }) =>
    all.some(({ differences }) => differences.some((one) => one.metric === name)),
  );
  const heads = [...params.map(({ name }) => name), "pairs", "same trace", ...shown.map(({ title }) => title)];
  const rows = all.map(({ values, pairs, same, differences }) => {
    const cells = shown.map(({ name }) => {
      const found = differences.find(({ metric }) => metric === name);
      if (found === undefined) return "none";
      const { ours, theirs, difference, lower, higher } = found;
      return `${ours} against ${theirs} (${signed(difference)}; ${lower} lower, ${higher} higher)`;
    });
    const all = [...values, String(pairs), String(same), ...cells];
    return `<tr>${all.map((cell) => `<td class="number">${escaped(cell)}</td>`).join("")}</tr>`;
  });
  return `<table><tr>${heads.map((head) => `<th>${escaped(head)}</th>`).join("")}</tr>${rows.join("\n")}</table>`;
}

function signed(value: number): string {
  return value > 0 ? `+${value}` : String(value);
}
