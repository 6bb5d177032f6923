/**
 * What a sweep came to as CSV, a run a line: the columns are the parameters, the seed and what was measured. A line is
 * a function of its run alone, so the same sweep makes the same bytes. Source: DESIGN section 6.
 */
import type { Measures } from "../../sim/measures.ts";
import { tenths } from "../../sim/quantiles.ts";
import type { SweptParameter, SweptRun } from "./sweep-plan.ts";
import { UsageError } from "./usage.ts";

/** Largest file of figures that is read, in bytes: all runs of a sweep, a line each. Source: DESIGN L10. */
export const CSV_BYTES = 268_435_456;

/** What was measured of a run. */
export interface RunFigures extends Measures {
  readonly nodes: number;
  readonly events: number;
  readonly deliveries: number;
  readonly violations: number;
  readonly trace_hash: string;
}

/** The figures that plots and tables show, by their columns. */
export const metrics = [
  { name: "converge_ms", title: "Time to converge, virtual ms" },
  { name: "decided_ms", title: "Time to a decision, virtual ms" },
  { name: "trades", title: "Trades that came to their end" },
  { name: "events", title: "Events" },
  { name: "deliveries", title: "Messages delivered" },
  { name: "bytes_per_statement", title: "Bytes sent per statement and node" },
  { name: "violations", title: "Violations" },
] as const;
export type Metric = (typeof metrics)[number]["name"];

const TIMES = ["converge_ms", "decided_ms"] as const;
const COLUMNS = ["nodes_run", ...TIMES, "trades", "events", "deliveries", "bytes", "statements"] as const;
const LAST = ["bytes_per_statement", "violations", "trace_hash"] as const;

/** One figure of a run; nothing where the run has none. */
export function metricOf(figures: RunFigures, metric: Metric): number | null {
  if (metric !== "bytes_per_statement") return figures[metric];
  const { bytes, statements, nodes } = figures;
  return statements === 0 ? null : tenths(bytes / (statements * nodes));
}

/** The first line. */
export function csvHead(params: readonly SweptParameter[]): string {
  return `${[...params.map(({ name }) => name), "seed", ...COLUMNS, ...LAST].join(",")}\n`;
}

/** The line of a run. */
export function csvLine({ values, seed }: SweptRun, figures: RunFigures): string {
  const { nodes, trades, events, deliveries, bytes, statements, violations, trace_hash } = figures;
  const measured = [nodes, ...TIMES.map((time) => figures[time] ?? ""), trades, events, deliveries, bytes, statements];
  const perStatement = metricOf(figures, "bytes_per_statement") ?? "";
  return `${[...values, seed, ...measured, perStatement, violations, trace_hash].join(",")}\n`;
}

/** The name of a run among those of its sweep. */
export function runName({ values, seed }: SweptRun): string {
  return [...values, seed].join(",");
}

/**
 * The runs that a file holds, by their names. A last line that was cut off is none. Fails with a line that ends the
 * command where the file is of another sweep, or damaged.
 */
export function runsIn(
  file: string,
  content: string,
  params: readonly SweptParameter[],
): ReadonlyMap<string, RunFigures> {
  const [head = "", ...lines] = content.slice(0, content.lastIndexOf("\n") + 1).split("\n");
  if (`${head}\n` !== csvHead(params)) {
    throw new UsageError(`${file} is of another sweep: its columns are ${head.slice(0, 200)}.`);
  }
  const runs = new Map<string, RunFigures>();
  for (const [place, line] of lines.slice(0, -1).entries()) {
    const cells = line.split(",");
    const figures = figuresIn(cells.slice(params.length + 1));
    if (figures === undefined) throw new UsageError(`${file} is damaged in line ${place + 2}.`);
    runs.set(cells.slice(0, params.length + 1).join(","), figures);
  }
  return runs;
}

function figuresIn(cells: readonly string[]): RunFigures | undefined {
  const [, converges = "", decides = ""] = cells;
  const trace_hash = cells[10] ?? "";
  const whole = [0, 3, 4, 5, 6, 7, 9].map((place) => cells[place] ?? "");
  const times = [converges, decides];
  const isWhole =
    whole.every((cell) => /^[0-9]{1,15}$/.test(cell)) && times.every((one) => /^([0-9]{1,15})?$/.test(one));
  if (cells.length !== 11 || !isWhole || !/^[0-9a-f]{64}$/.test(trace_hash)) return undefined;
  const [converge_ms, decided_ms] = times.map((one) => (one === "" ? null : Number(one))) as [Time, Time];
  const [nodes, trades, events, deliveries, bytes, statements, violations] = whole.map(Number) as Seven;
  return { nodes, converge_ms, decided_ms, trades, events, deliveries, bytes, statements, violations, trace_hash };
}

type Time = number | null;
type Seven = [number, number, number, number, number, number, number];
