/** One small plot as SVG: a figure's median as a line and its quantiles as bands, over the values of a parameter. */
import type { Quantiles } from "../../sim/quantiles.ts";
import { escaped } from "./plain-page.ts";

/** What runs with one value came to; no quantiles where none of them has the figure. */
export interface Point {
  readonly label: string;
  readonly quantiles: Quantiles | undefined;
  /** Runs that broke a law. */
  readonly broken: number;
}

export interface PlotTerms {
  /** The top of the scale, which begins at 0. */
  readonly most: number;
  /** The name of what goes from left to right. */
  readonly across: string;
  /** For who cannot see it. */
  readonly title: string;
}

/** Places in the plot's own pixels. */
const [WIDTH, HEIGHT] = [300, 190];
const [LEFT, RIGHT, TOP, BOTTOM] = [58, 12, 14, 40];
/** Lines of the scale. */
const STEPS = 4;
/** Labels that fit beside each other. */
const LABELS = 8;

export function plotSvg(points: readonly Point[], { most, across, title }: PlotTerms): string {
  const top = niceTop(most);
  const x = (place: number) => LEFT + ((place + 0.5) * (WIDTH - LEFT - RIGHT)) / points.length;
  const y = (value: number) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - Math.min(value, top) / top);
  const parts = [
    ...scale(top, y),
    ...runsOf(points).flatMap((run) => curve(run, x, y)),
    ...labels(points, x),
    `<text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 6}" class="middle">${escaped(across)}</text>`,
  ];
  return `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escaped(title)}">${parts.join("")}</svg>`;
}

interface Placed {
  readonly place: number;
  readonly quantiles: Quantiles;
}

/** Points that have figures, as far as they stand beside each other. */
function runsOf(points: readonly Point[]): readonly (readonly Placed[])[] {
  const runs: Placed[][] = [[]];
  for (const [place, { quantiles }] of points.entries()) {
    if (quantiles === undefined) runs.push([]);
    else runs.at(-1)?.push({ place, quantiles });
  }
  return runs.filter((run) => run.length > 0);
}

function curve(run: readonly Placed[], x: (place: number) => number, y: (value: number) => number): readonly string[] {
  const at = (part: keyof Quantiles) => run.map(({ place, quantiles }) => `${px(x(place))},${px(y(quantiles[part]))}`);
  const band = (low: keyof Quantiles, high: keyof Quantiles, name: string) => {
    return `<polygon points="${[...at(high), ...at(low).reverse()].join(" ")}" class="${name}"/>`;
  };
  const dots = run.map(({ place, quantiles: { p10, median, p90 } }) => {
    const [across, low, high] = [px(x(place)), px(y(p10)), px(y(p90))];
    const whisker = `<line x1="${across}" y1="${low}" x2="${across}" y2="${high}" class="axis"/>`;
    return `${whisker}<circle cx="${across}" cy="${px(y(median))}" r="3" class="dot"/>`;
  });
  const bands = [band("p10", "p90", "band"), band("p25", "p75", "inner")];
  return [...bands, `<polyline points="${at("median").join(" ")}" class="median"/>`, ...dots];
}

function scale(top: number, y: (value: number) => number): readonly string[] {
  return Array.from({ length: STEPS + 1 }, (_, step) => {
    const value = (top * step) / STEPS;
    const line = `x1="${LEFT}" y1="${px(y(value))}" x2="${WIDTH - RIGHT}" y2="${px(y(value))}"`;
    const label = `<text x="${LEFT - 6}" y="${px(y(value) + 4)}" class="end">${shortened(value)}</text>`;
    return `<line ${line} class="${step === 0 ? "axis" : "grid"}"/>${label}`;
  });
}

/** Values below the plot, as many as fit, and above it how many runs broke a law. */
function labels(points: readonly Point[], x: (place: number) => number): readonly string[] {
  const every = Math.ceil(points.length / LABELS);
  return points.flatMap(({ label, broken }, place) => {
    const name = `<text x="${px(x(place))}" y="${HEIGHT - BOTTOM + 15}" class="middle">${escaped(label)}</text>`;
    const mark = `<text x="${px(x(place))}" y="10" class="broken">✕${broken}</text>`;
    return [...(place % every === 0 ? [name] : []), ...(broken > 0 ? [mark] : [])];
  });
}

/** The least 1, 2, 4, 6 or 8 with zeros behind it that is no less. */
function niceTop(most: number): number {
  for (let power = 1; ; power *= 10)
    for (const digit of [1, 2, 4, 6, 8]) if (digit * power >= most) return digit * power;
}

function shortened(value: number): string {
  if (value >= 1_000_000) return `${value / 1_000_000}M`;
  return value >= 10_000 ? `${value / 1_000}k` : String(value);
}

function px(value: number): string {
  return value.toFixed(1);
}
