/**
 * The report of a run as one self-contained page: figures, story, faults, violations. No script, nothing fetched.
 */

import type { Ending } from "../../sim/endings.ts";
import type { RunResult } from "../../sim/run.ts";
import type { Scenario } from "../../sim/scenario.ts";
import { clockText } from "../../sim/scenario.ts";
import { diagramSvg } from "./diagram-svg.ts";

/** The look of pages about runs. */
export const STYLE = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
  h1 { font-size: 1.5rem; margin-bottom: 0; }
  h2 { font-size: 1.1rem; margin-top: 2rem; }
  table { border-collapse: collapse; }
  th, td { text-align: left; padding: .2rem 1.5rem .2rem 0; border-bottom: 1px solid #8884; vertical-align: top; }
  td.number { text-align: right; font-variant-numeric: tabular-nums; }
  code, li { overflow-wrap: anywhere; }
  li { white-space: pre-wrap; }
  ol { list-style: none; padding: 0; font-family: ui-monospace, monospace; font-size: .9rem; }
  .verdict { font-weight: 600; }
  .failed { color: #c0392b; }
  .diagram { overflow-x: auto; }
  .legend { font-size: .85rem; margin: .2rem 0; }
  .legend span { margin-right: .9rem; white-space: nowrap; }
  .legend i { display: inline-block; width: .8rem; height: .8rem; border-radius: 2px; margin-right: .3rem; }
  svg { font-size: 11px; fill: currentColor; }
  svg .head { font-weight: 600; font-size: 14px; text-anchor: middle; }
  svg .middle { text-anchor: middle; }
  svg .end { text-anchor: end; }
  svg .strong { font-weight: 600; }
  svg .what { font-weight: 600; text-anchor: end; }
  svg .cut { fill: #c0392b; font-weight: 600; text-anchor: end; }
  svg .grid { stroke: #8882; }
  svg .chain { stroke: currentColor; stroke-width: 2; }
  svg .idle { stroke: #8886; }
  svg .gap { stroke: Canvas; stroke-width: 7; }
  svg .crash { fill: #c0392b; font-weight: 600; font-size: 14px; text-anchor: middle; }
  svg .observation { stroke: #1e8e3e; stroke-dasharray: 2 4; opacity: .7; }
`;

export function reportPage(scenario: Scenario, { report, story, ending, diagram }: RunResult): string {
  const failed = report.violations.length > 0;
  const figures: readonly (readonly [string, string])[] = [
    ["Seed", String(report.seed)],
    ["Nodes", String(report.nodes)],
    ["Chain", report.chain],
    ["Events", String(report.events)],
    ["Messages delivered", String(report.deliveries)],
    ["Simulated time", clockText(report.simulated_ms)],
    ["Real time", `${(report.wall_ms / 1000).toFixed(1)} s`],
    ["Trace", report.trace_hash],
    ["State", report.state_root],
    ["Source", scenario.source],
  ];
  const rows = figures.map(([name, value]) => `<tr><th>${name}</th><td><code>${escaped(value)}</code></td></tr>`);
  const faults = report.faults.map(({ kind, injected, effective }) => {
    return `<tr><td>${kind}</td><td class="number">${injected}</td><td class="number">${effective}</td></tr>`;
  });
  const violations = report.violations.map(({ check, message, time, event }) => {
    return `<li>${clockText(time)} event ${event} <strong>${escaped(check)}</strong>: ${escaped(message)}</li>`;
  });
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(scenario.name)}, seed ${report.seed}</title>
<style>${STYLE}</style>
<h1>${escaped(scenario.name)}</h1>
<p>${escaped(scenario.description)}</p>
<p class="verdict${failed ? " failed" : ""}">${failed ? "Violations were found." : "Everything held."}</p>
<table>${rows.join("")}</table>
${section("Violations", violations.length === 0 ? "" : `<ol>${violations.join("")}</ol>`)}
${section("In the end", endingTable(ending))}
${section("How the dispute spread", diagram === undefined ? "" : diagramBox(diagramSvg(diagram)))}
${section("Story", story.length === 0 ? "" : `<ol>${story.map((line) => `<li>${escaped(line)}</li>`).join("")}</ol>`)}
${section("Faults", faults.length === 0 ? "" : faultTable(faults))}
</html>
`;
}

function diagramBox(svg: string): string {
  return svg === "" ? "" : `<div class="diagram">${svg}</div>`;
}

function endingTable({ columns, rows }: Ending): string {
  const cells = (tag: string, row: readonly string[]) => {
    return `<tr>${row.map((cell) => `<${tag}>${escaped(cell)}</${tag}>`).join("")}</tr>`;
  };
  return `<table>${cells("th", columns)}${rows.map((row) => cells("td", row)).join("")}</table>`;
}

function faultTable(rows: readonly string[]): string {
  return `<table><tr><th>Kind</th><th>Injected</th><th>Effective</th></tr>${rows.join("")}</table>`;
}

function section(title: string, body: string): string {
  return body === "" ? "" : `<h2>${title}</h2>${body}`;
}

/** A text as it stands in HTML, also in an attribute. */
export function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
