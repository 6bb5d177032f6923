/**
 * Runs that were measured, one line of JSON each: when, of which commit, on what machine, and every figure. A line is
 * decoded strictly: what another program or half a write made of it is not drawn as if it had been measured.
 */
import type { Calibration, Figure } from "./measure.ts";

/** Of the format; a line of another is damaged to this reader. */
const VERSION = 1;

export interface HistoryFigure extends Pick<Figure, "name" | "value" | "unit" | "cpu" | "bar" | "calibration"> {
  readonly case: string;
}

export interface HistoryRun {
  readonly version: typeof VERSION;
  /** When it ended, in ISO 8601. */
  readonly date: string;
  /** In full; null where no repository tells. */
  readonly commit: string | null;
  /** Whether files were not as the commit has them. */
  readonly changed: boolean;
  /** Version of Node.js. */
  readonly node: string;
  readonly cpuModel: string;
  readonly quick: boolean;
  /** The best of all that was measured beside the figures. */
  readonly calibration: Calibration;
  readonly figures: readonly HistoryFigure[];
}

/** What was measured in one run. */
export interface Measured {
  readonly bench: string;
  readonly figure: Figure;
}

/** A run of now; what could not be measured is not in it, since JSON has no word for that. */
export function runOf(measured: readonly Measured[], terms: Omit<HistoryRun, "version" | "figures">): HistoryRun {
  const figures = measured.flatMap(({ bench, figure: { name, value, unit, cpu, bar, calibration } }) => {
    if (!Number.isFinite(value)) return [];
    const more = { ...(cpu !== undefined && Number.isFinite(cpu) && { cpu }), ...(bar && { bar }) };
    return [{ case: bench, name, value, unit, ...more, ...(calibration && { calibration }) }];
  });
  return { version: VERSION, ...terms, figures };
}

/** The line of a run, with its end. */
export function encodeRun(run: HistoryRun): string {
  return `${JSON.stringify(run)}\n`;
}

/** The run of a line, or what is wrong with it. */
export function decodeRun(line: string): HistoryRun | string {
  let read: unknown;
  try {
    read = JSON.parse(line);
  } catch {
    return "it is not JSON";
  }
  if (!isObject(read)) return "it is not an object";
  if (read.version !== VERSION) return `its version is not ${VERSION}`;
  const wrong = Object.entries(RUN).find(([name, holds]) => !holds(read[name]));
  if (wrong !== undefined) return `its ${wrong[0]} is missing or wrong`;
  for (const [place, figure] of (read.figures as readonly unknown[]).entries()) {
    const field = isObject(figure) ? Object.entries(FIGURE).find(([name, holds]) => !holds(figure[name])) : ["figure"];
    if (field !== undefined) return `the ${field[0]} of its figure ${place + 1} is missing or wrong`;
  }
  return read as unknown as HistoryRun;
}

type Holds = (value: unknown) => boolean;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isText: Holds = (value) => typeof value === "string" && value.length <= 1_000;
const isNumber: Holds = (value) => typeof value === "number";
const isFlag: Holds = (value) => typeof value === "boolean";
const isDate: Holds = (value) =>
  typeof value === "string" && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) && !Number.isNaN(Date.parse(value));
const isRate: Holds = (value) => typeof value === "number" && value > 0;
const isCalibration: Holds = (value) =>
  isObject(value) && isRate(value.hashes) && isRate(value.verifications) && isRate(value.loops);
const isBar: Holds = (value) => isObject(value) && (isNumber(value.most) || isNumber(value.least));
const orNothing =
  (holds: Holds): Holds =>
  (value) =>
    value === undefined || holds(value);

const RUN: Readonly<Record<string, Holds>> = {
  date: isDate,
  commit: (value) => value === null || (typeof value === "string" && /^[0-9a-f]{40,64}$/.test(value)),
  changed: isFlag,
  node: isText,
  cpuModel: isText,
  quick: isFlag,
  calibration: isCalibration,
  figures: (value) => Array.isArray(value),
};

const FIGURE: Readonly<Record<string, Holds>> = {
  ...{ case: isText, name: isText, unit: isText, value: isNumber },
  ...{ cpu: orNothing(isNumber), bar: orNothing(isBar), calibration: orNothing(isCalibration) },
};
