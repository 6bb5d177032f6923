/**
 * What a history says of each figure: its readings from run to run, what they are as a share of the machine, and the
 * newest of them in a sentence.
 */
import { isRate } from "./calibration.ts";
import type { HistoryFigure, HistoryRun } from "./history.ts";
import type { Bar } from "./measure.ts";
import { rounded, verdict } from "./measure.ts";

/** Readings that the newest is held against: the median of so many before it. */
const BEFORE = 5;

export interface Reading extends HistoryFigure {
  readonly run: HistoryRun;
  /** So many for each thousand hashes that the machine made beside it; of rates only. */
  readonly share?: number;
}

/** A figure through the runs that have it, oldest first. */
export interface Series {
  readonly case: string;
  readonly name: string;
  readonly unit: string;
  readonly readings: readonly Reading[];
  readonly newest: Reading;
}

/** Every figure of some runs, oldest run first; in the order of the newest run, then of those before it. */
export function seriesOf(runs: readonly HistoryRun[]): readonly Series[] {
  const found = new Map<string, Reading[]>();
  for (const run of [...runs].reverse()) {
    for (const figure of run.figures) {
      const key = JSON.stringify([figure.case, figure.name, figure.unit]);
      found.set(key, [...(found.get(key) ?? []), { ...figure, run, ...shareOf(figure, run) }]);
    }
  }
  return [...found.values()].map((readings) => {
    const newest = readings[0] as Reading;
    return { ...{ case: newest.case, name: newest.name, unit: newest.unit }, readings: readings.reverse(), newest };
  });
}

/** Rates by CPU time where there are such: what others do to the machine is in the calibration as little. */
function shareOf(figure: HistoryFigure, run: HistoryRun): Pick<Reading, "share"> {
  if (!isRate(figure)) return {};
  const { hashes } = figure.calibration ?? run.calibration;
  return { share: rounded((1_000 * (figure.cpu ?? figure.value)) / hashes) };
}

/** A bar in signs. */
export function barText(bar: Bar): string {
  return "most" in bar ? `≤ ${numberText(bar.most)}` : `≥ ${numberText(bar.least)}`;
}

/** Whether the newest reading is as good as its bar asks, in a sentence; nothing where no bar is asked. */
export function barSentence(reading: Reading): string | undefined {
  const { bar } = reading;
  if (bar === undefined) return undefined;
  return verdict(reading) === "ok" ? `Meets its bar, ${barText(bar)}.` : `Misses its bar, ${barText(bar)}.`;
}

/** How the newest reading stands to those before it. */
export function changeSentence({ readings, newest }: Series): string {
  const before = readings.slice(-1 - BEFORE, -1).map(judged);
  if (before.length === 0) return "The first reading.";
  const [now, usual] = [judged(newest), middleOf(before)];
  const of = before.length === 1 ? "the one before" : `the median of the ${before.length} before`;
  const byShare = newest.share === undefined ? "" : ", as a share of the machine";
  if (now === usual) return `The same as ${of}${byShare}.`;
  if (usual === 0) return `${numberText(usual)} is ${of}${byShare}.`;
  const percent = Math.abs((now / usual - 1) * 100);
  const amount = percent < 0.1 ? "Less than 0.1 %" : `${numberText(Number(percent.toPrecision(2)))} %`;
  return `${amount} ${now > usual ? "more" : "less"} than ${of}${byShare}.`;
}

/** The median, between the two in the middle where they are an even number. */
function middleOf(all: readonly number[]): number {
  const sorted = [...all].sort((a, b) => a - b);
  const at = (place: number) => sorted[place] ?? 0;
  const half = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? at(half) : (at(half - 1) + at(half)) / 2;
}

/** What of a reading is comparable between runs: its share of the machine, else by CPU time, else as it is. */
function judged({ share, cpu, value }: Reading): number {
  return share ?? cpu ?? value;
}

/** A number as people read it, the same everywhere. */
export function numberText(value: number): string {
  return value.toLocaleString("en-US", { maximumFractionDigits: 6 });
}

/** The day of a run, and a short name of its commit. */
export function dayOf({ date }: HistoryRun): string {
  return date.slice(0, 10);
}

export function commitText({ commit, changed }: HistoryRun): string {
  return commit === null ? "no commit" : `${commit.slice(0, 8)}${changed ? ", changed" : ""}`;
}
