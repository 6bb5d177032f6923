/**
 * One page of results: what failed, what every unit tried last, and the nights before. Self-contained, no script.
 */
import type { NightlyRecord, UnitResult } from "./record.ts";

const STYLE = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { max-width: 64rem; margin: 2rem auto; padding: 0 1rem; }
  h1 { font-size: 1.5rem; margin-bottom: 0; }
  h2 { font-size: 1.1rem; margin-top: 2rem; }
  .scroll { overflow-x: auto; }
  table { border-collapse: collapse; width: 100%; }
  th, td { text-align: left; padding: .25rem 1rem .25rem 0; border-bottom: 1px solid #8884; }
  td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
  td.name { overflow-wrap: anywhere; }
  .failed { color: #c0392b; font-weight: 600; }
  .held { color: #1e8e3e; }
`;

export function nightlyPage({ newest, nights }: NightlyRecord): string {
  const results = Object.values(newest);
  const failed = results.filter(({ passed }) => !passed);
  const last = nights.at(-1);
  const groups = [...new Set(results.map(({ group }) => group))];
  const history = [...nights].reverse().map((night) =>
    row([
      [clock(night.began), "name"],
      [`${night.minutes.toFixed(0)}`, "number"],
      [`${night.rounds}`, "number"],
      [`${night.units}`, "number"],
      [`${night.cases}`, "number"],
      [`${night.failed}`, night.failed > 0 ? "number failed" : "number"],
    ]),
  );
  const all = results.length;
  const verdict = failed.length > 0 ? `${failed.length} of ${all} units failed.` : `All ${all} units held.`;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Nightly results</title>
<style>${STYLE}</style>
<h1>Nightly results</h1>
<p>${last === undefined ? "No night has ended yet." : `Last night began ${clock(last.began)} UTC.`}</p>
<p class="${failed.length > 0 ? "failed" : "held"}">${verdict}</p>
${failed.length > 0 ? section("Failed", unitTable(failed)) : ""}
${groups.map((group) => section(headline(group), unitTable(results.filter(isOf(group))))).join("\n")}
${section("Nights", table(["Began (UTC)", "Minutes", "Rounds", "Units", "Cases", "Failed"], history))}
</html>
`;
}

/** An ISO instant without its seconds. */
function clock(instant: string): string {
  return instant.replace("T", " ").slice(0, 16);
}

function isOf(group: string): (result: UnitResult) => boolean {
  return (result) => result.group === group;
}

function unitTable(results: readonly UnitResult[]): string {
  const rows = [...results]
    .sort((a, b) => (a.unit < b.unit ? -1 : 1))
    .map(({ unit, passed, cases, seconds, seed, lastLine, log }) =>
      row([
        [unit, "name"],
        [passed ? "held" : "failed", passed ? "held" : "failed"],
        [`${cases}`, "number"],
        [seconds.toFixed(0), "number"],
        [seed, "number"],
        [lastLine, "name"],
        [log, "name"],
      ]),
    );
  return table(["Unit", "Result", "Cases", "Seconds", "Seed", "Said last", "Log"], rows);
}

function table(heads: readonly string[], rows: readonly string[]): string {
  const numbers = new Set(["Minutes", "Rounds", "Units", "Cases", "Failed", "Seconds", "Seed"]);
  const head = heads.map((name) => `<th${numbers.has(name) ? ' class="number"' : ""}>${escaped(name)}</th>`);
  return `<div class="scroll"><table><tr>${head.join("")}</tr>${rows.join("")}</table></div>`;
}

function row(cells: readonly (readonly [string, string])[]): string {
  return `<tr>${cells.map(([text, kind]) => `<td class="${kind}">${escaped(text)}</td>`).join("")}</tr>`;
}

function section(title: string, body: string): string {
  return `<h2>${escaped(title)}</h2>\n${body}`;
}

function headline(group: string): string {
  return `${group.charAt(0).toUpperCase()}${group.slice(1)}`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
