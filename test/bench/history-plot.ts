/**
 * Small plots of one figure over runs, as SVG: a line by value and one by CPU time with the bar, and its share of the
 * machine below. Runs stand at equal distances; a line parts two between which the machine or its Node.js changed.
 */
import { escaped } from "../../node/sim/plain-page.ts";
import type { Reading, Series } from "./series.ts";
import { barText, commitText, dayOf, numberText } from "./series.ts";

/** Places in the plot's own pixels. */
const WIDTH = 340;
const [LEFT, RIGHT] = [50, 12];
/** More readings than this are a line without dots. */
const DOTS_MAX = 60;
/** A bar that is so many times above the greatest value is told and not drawn: all else would lie flat below it. */
const BAR_TIMES_MAX = 2.5;
/** Lines of the scale above its lowest. */
const STEPS = 2;

interface Frame {
  readonly height: number;
  readonly top: number;
  readonly bottom: number;
}

const MAIN: Frame = { height: 148, top: 14, bottom: 22 };
const STRIP: Frame = { height: 62, top: 8, bottom: 8 };

type Across = (place: number) => number;
type Up = (value: number) => number;

/** The figure itself. */
export function mainPlot({ readings, name }: Series): string {
  const x = acrossOf(readings.length);
  const values = valuesOf(readings);
  const bars = barsOf(readings);
  const far = isBarFar(readings);
  const { y, grid } = scaleOf(far ? values : [...values, ...bars], MAIN);
  const lineOfBars = far
    ? []
    : linesOf(readings, x, y, ({ bar }) => bar && ("most" in bar ? bar.most : bar.least), "bar");
  const bar = readings.at(-1)?.bar;
  const parts = [
    ...grid,
    ...partings(readings, x, MAIN),
    ...lineOfBars,
    ...(far && bar !== undefined ? [farBar(barText(bar))] : []),
    ...linesOf(readings, x, y, ({ cpu }) => cpu, "cpu"),
    ...linesOf(readings, x, y, ({ value }) => value, "value"),
    ...dots(readings, x, y, ({ cpu }) => cpu, "cpu"),
    ...dots(readings, x, y, ({ value }) => value, "value"),
    ...days(readings, x),
  ];
  return svg(MAIN, `${name}: ${described(readings, ({ value }) => value)}`, parts);
}

/** Whether the bars are so far above all values that they are told and not drawn. */
export function isBarFar(readings: readonly Reading[]): boolean {
  return Math.max(...barsOf(readings)) > BAR_TIMES_MAX * Math.max(...valuesOf(readings));
}

function valuesOf(readings: readonly Reading[]): readonly number[] {
  return readings.flatMap(({ value, cpu }) => (cpu === undefined ? [value] : [value, cpu]));
}

function barsOf(readings: readonly Reading[]): readonly number[] {
  return readings.flatMap(({ bar }) => (bar === undefined ? [] : ["most" in bar ? bar.most : bar.least]));
}

/** Its share of the machine; nothing where it is no rate. */
export function sharePlot({ readings, name }: Series): string {
  const shares = readings.flatMap(({ share }) => (share === undefined ? [] : [share]));
  if (shares.length === 0) return "";
  const x = acrossOf(readings.length);
  const { y, grid } = scaleOf(shares, STRIP, 1);
  const share = (reading: Reading) => reading.share;
  const lines = [...linesOf(readings, x, y, share, "share"), ...dots(readings, x, y, share, "share")];
  const title = `${name}, for each thousand hashes of the machine: ${described(readings, share)}`;
  return svg(STRIP, title, [...grid, ...partings(readings, x, STRIP), ...lines]);
}

type Of = (reading: Reading) => number | undefined;

/** What the plot shows, for who cannot see it. */
function described(readings: readonly Reading[], of: Of): string {
  const all = readings.flatMap((reading) => of(reading) ?? []);
  const [least, most, last] = [Math.min(...all), Math.max(...all), all.at(-1) ?? 0].map(numberText);
  return all.length === 1
    ? `one reading, ${last}`
    : `${all.length} readings from ${least} to ${most}, the last ${last}`;
}

function svg({ height }: Frame, title: string, parts: readonly string[]): string {
  return `<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escaped(title)}">${parts.join("")}</svg>`;
}

/** One reading stands in the middle, more from edge to edge. */
function acrossOf(count: number): Across {
  const width = WIDTH - LEFT - RIGHT;
  return (place) => (count === 1 ? LEFT + width / 2 : LEFT + 4 + ((width - 8) * place) / (count - 1));
}

/** From zero, or from the least where that is below it, to a round number. */
function scaleOf(
  values: readonly number[],
  frame: Frame,
  steps = STEPS,
): { readonly y: Up; readonly grid: readonly string[] } {
  const most = roundUp(Math.max(0, ...values));
  const least = -roundUp(Math.max(0, ...values.map((value) => -value)));
  const span = most - least || 1;
  const y: Up = (value) => frame.top + (frame.height - frame.top - frame.bottom) * (1 - (value - least) / span);
  const grid = Array.from({ length: steps + 1 }, (_, step) => {
    const value = least + (span * step) / steps;
    const line = `x1="${LEFT}" y1="${px(y(value))}" x2="${WIDTH - RIGHT}" y2="${px(y(value))}"`;
    const label = `<text x="${LEFT - 7}" y="${px(y(value) + 3.5)}" class="end">${shortened(value)}</text>`;
    return `<line ${line} class="${step === 0 ? "axis" : "grid"}"/>${label}`;
  });
  return { y, grid };
}

/** A line as far as readings beside each other have it. */
function linesOf(readings: readonly Reading[], x: Across, y: Up, of: Of, name: string): readonly string[] {
  const stretches: string[][] = [[]];
  for (const [place, reading] of readings.entries()) {
    const value = of(reading);
    if (value === undefined) stretches.push([]);
    else stretches.at(-1)?.push(`${px(x(place))},${px(y(value))}`);
  }
  return stretches
    .filter((stretch) => stretch.length > (name === "bar" && readings.length === 1 ? 0 : 1))
    .map((stretch) => {
      const points =
        stretch.length > 1 ? stretch : [LEFT, WIDTH - RIGHT].map((at) => `${at},${stretch[0]?.split(",")[1]}`);
      return `<polyline points="${points.join(" ")}" class="line ${name}"/>`;
    });
}

/** A dot for each reading, each with its texts, or for the newest alone where they are too many. */
function dots(readings: readonly Reading[], x: Across, y: Up, of: Of, name: string): readonly string[] {
  return readings.flatMap((reading, place) => {
    const value = of(reading);
    const isNewest = place === readings.length - 1;
    if (value === undefined || (readings.length > DOTS_MAX && !isNewest)) return [];
    const title = `${dayOf(reading.run)}, ${commitText(reading.run)}: ${numberText(value)}`;
    const at = `cx="${px(x(place))}" cy="${px(y(value))}" r="${isNewest ? 4 : 2.2}"`;
    return [`<circle ${at} class="dot ${name}"><title>${escaped(title)}</title></circle>`];
  });
}

/** Where figures before and after were made by other machines, or other versions of Node.js. */
function partings(readings: readonly Reading[], x: Across, { height, top, bottom }: Frame): readonly string[] {
  return readings.flatMap(({ run }, place) => {
    const before = readings[place - 1]?.run;
    if (before === undefined || (before.cpuModel === run.cpuModel && before.node === run.node)) return [];
    const at = px((x(place - 1) + x(place)) / 2);
    const title = `From here on: ${run.cpuModel}, Node.js ${run.node}`;
    const line = `x1="${at}" y1="${top - 4}" x2="${at}" y2="${height - bottom}"`;
    return [`<line ${line} class="parting"><title>${escaped(title)}</title></line>`];
  });
}

/** A bar beyond the scale. */
function farBar(text: string): string {
  return `<text x="${WIDTH - RIGHT}" y="10" class="end far">bar ${escaped(text)}, far above</text>`;
}

/** The first day and the last below the plot. */
function days(readings: readonly Reading[], x: Across): readonly string[] {
  const y = MAIN.height - 6;
  const [first, last] = [readings[0], readings.at(-1)];
  if (first === undefined || last === undefined) return [];
  const single = dayOf(first.run) === dayOf(last.run);
  if (single)
    return [`<text x="${px((x(0) + x(readings.length - 1)) / 2)}" y="${y}" class="middle">${dayOf(last.run)}</text>`];
  const from = `<text x="${LEFT}" y="${y}">${dayOf(first.run)}</text>`;
  return [from, `<text x="${WIDTH - RIGHT}" y="${y}" class="end">${dayOf(last.run)}</text>`];
}

/** The least of 1, 1.5, 2, 3, 4, 5, 6, 8 with a power of ten that is no less; 0 of 0. */
function roundUp(value: number): number {
  if (value === 0) return 0;
  const power = 10 ** Math.floor(Math.log10(value));
  const digit = [1, 1.5, 2, 3, 4, 5, 6, 8, 10].find((one) => one * power >= value * 0.999_999) ?? 10;
  return Number((digit * power).toPrecision(6));
}

function shortened(value: number): string {
  const size = Math.abs(value);
  if (size >= 1_000_000) return `${Number((value / 1_000_000).toPrecision(3))}M`;
  return size >= 10_000 ? `${Number((value / 1_000).toPrecision(3))}k` : numberText(Number(value.toPrecision(4)));
}

function px(value: number): string {
  return value.toFixed(1);
}
