/**
 * What a sweep came to as one self-contained page: a plot for each figure and each combination of all parameters but
 * one, which goes from left to right; then the table. No script, nothing fetched. Source: DESIGN section 6.
 */
import type { Quantiles } from "../../sim/quantiles.ts";
import type { Scenario } from "../../sim/scenario.ts";
import { escaped, STYLE } from "./plain-page.ts";
import type { ComparedCombination } from "./sweep-compare.ts";
import { comparedTable } from "./sweep-compare.ts";
import type { Metric } from "./sweep-csv.ts";
import { metrics } from "./sweep-csv.ts";
import type { SweptParameter } from "./sweep-plan.ts";
import { pairsOf } from "./sweep-plan.ts";
import type { Point } from "./sweep-plot.ts";
import { plotSvg } from "./sweep-plot.ts";
import type { SeedRange } from "./usage.ts";

/** What the runs of one combination came to. */
export interface Combination {
  readonly values: readonly string[];
  readonly runs: number;
  /** Runs that broke a law. */
  readonly broken: number;
  readonly figures: Readonly<Partial<Record<Metric, Quantiles>>>;
}

/** What a sweep came to. */
export interface Swept {
  readonly scenario: Scenario;
  readonly params: readonly SweptParameter[];
  readonly seeds: SeedRange;
  readonly combinations: readonly Combination[];
  /** What makes it again. */
  readonly command: string;
  /** What other code made of the same runs, and the file that holds it. */
  readonly beside?: { readonly file: string; readonly combinations: readonly ComparedCombination[] };
}

const SWEEP_STYLE = `
  .plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(15rem, 1fr)); gap: .5rem 1rem; }
  figure { margin: 0; }
  figcaption { font-size: .85rem; font-weight: 600; }
  .plots svg { width: 100%; height: auto; max-width: 26rem; }
  svg .axis { stroke: #8888; }
  svg .band { fill: #2a78b8; opacity: .2; }
  svg .inner { fill: #2a78b8; opacity: .35; }
  svg .median { fill: none; stroke: #2a78b8; stroke-width: 2; }
  svg .dot { fill: #2a78b8; }
  svg .broken { fill: #d9402f; font-weight: 600; text-anchor: middle; }
  .wide { overflow-x: auto; font-size: .85rem; }
  .wide th, .wide td { padding-right: 1rem; white-space: nowrap; }
  pre { white-space: pre-wrap; overflow-wrap: anywhere; padding: .6rem; border: 1px solid #8886; border-radius: 4px; }
  @media (prefers-color-scheme: dark) {
    svg .band, svg .inner, svg .dot { fill: #6db3ea; }
    svg .median { stroke: #6db3ea; }
    svg .broken, .failed { fill: #ff7b6b; color: #ff7b6b; }
  }
`;

export function sweepPage(swept: Swept): string {
  const { scenario, seeds, combinations, command } = swept;
  const runs = combinations.reduce((count, one) => count + one.runs, 0);
  const broken = combinations.reduce((count, one) => count + one.broken, 0);
  const verdict =
    broken === 0 ? `No law was broken in ${runs} runs.` : `Laws were broken in ${broken} of ${runs} runs.`;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(scenario.name)}, a sweep</title>
<style>${STYLE}${SWEEP_STYLE}</style>
<h1>${escaped(scenario.name)}</h1>
<p>${escaped(scenario.description)}</p>
<p class="verdict${broken === 0 ? "" : " failed"}">${verdict}</p>
<p>Seeds ${seeds.first} to ${seeds.last}. The line is the median over the seeds, the strong band the middle half of the
runs, the light band all but the lowest and the highest tenth. Times are virtual.</p>
<pre><code>${escaped(command)}</code></pre>
${metrics.map((metric) => plotsOf(swept, metric)).join("\n")}
<h2>Figures</h2>
<p>Medians, with the lowest and the highest tenth left out in brackets, and the spread from quartile to quartile.</p>
<div class="wide">${tableOf(swept)}</div>
${besideOf(swept)}
</html>
`;
}

/** The figures of other code, where there are any. */
function besideOf({ params, beside }: Swept): string {
  if (beside === undefined) return "";
  return `<h2>Against ${escaped(beside.file)}</h2>
<p>Pairs of runs with the same values and seed. Medians of both, this code's first; in brackets the median of what the
pairs differ by, and in how many of them this code's figure is lower or higher.</p>
<div class="wide">${comparedTable(params, beside.combinations)}</div>`;
}

/** The parameter that goes from left to right: the one with the most values, of such the last. */
function acrossOf(params: readonly SweptParameter[]): number {
  const most = Math.max(...params.map(({ values }) => values.length));
  return params.findLastIndex(({ values }) => values.length === most);
}

/** The plots of one figure, all on one scale; none where it is nothing or zero in every run. */
function plotsOf({ params, combinations }: Swept, metric: (typeof metrics)[number]): string {
  const across = acrossOf(params);
  const panels = new Map<string, Combination[]>();
  for (const one of combinations) {
    const others = one.values.filter((_, place) => place !== across).join(",");
    panels.set(others, [...(panels.get(others) ?? []), one]);
  }
  const most = Math.max(0, ...combinations.map(({ figures }) => figures[metric.name]?.p90 ?? 0));
  if (combinations.every(({ figures }) => (figures[metric.name]?.most ?? 0) === 0)) return "";
  const parameter = params[across] as SweptParameter;
  const rest = params.filter((_, place) => place !== across);
  const figures = [...panels.values()].map((panel) => {
    const points: readonly Point[] = panel.map(({ values, figures, broken }) => {
      return { label: values[across] as string, quantiles: figures[metric.name], broken };
    });
    const others = (panel[0]?.values ?? []).filter((_, place) => place !== across);
    const title = rest.length === 0 ? metric.title : pairsOf(rest, others);
    const plot = plotSvg(points, { most, across: parameter.name, title: `${metric.title}, ${title}` });
    return `<figure><figcaption>${escaped(title)}</figcaption>${plot}</figure>`;
  });
  return `<h2>${metric.title}</h2><div class="plots">${figures.join("\n")}</div>`;
}

function tableOf({ params, combinations }: Swept): string {
  const shown = metrics.filter(({ name }) => name !== "violations");
  const heads = [...params.map(({ name }) => name), "runs", "broken", ...shown.map(({ title }) => title)];
  const rows = combinations.map(({ values, runs, broken, figures }) => {
    const cells = shown.map(({ name }) => {
      const found = figures[name];
      if (found === undefined) return "none";
      const missing = found.count === runs ? "" : `, of ${found.count} runs`;
      return `${found.median} (${found.p10} to ${found.p90}), ${found.spread}${missing}`;
    });
    const all = [...values, String(runs), String(broken), ...cells];
    return `<tr>${all.map((cell) => `<td class="number">${escaped(cell)}</td>`).join("")}</tr>`;
  });
  return `<table><tr>${heads.map((head) => `<th>${escaped(head)}</th>`).join("")}</tr>${rows.join("\n")}</table>`;
}
