/**
 * A history as one self-contained page: for each case and figure a small plot over runs, the newest value in words and
 * the readings as a table. No script, nothing fetched: its policy allows its own style and nothing else.
 * Source: Content Security Policy Level 3.
 */
import { createHash } from "node:crypto";
import { escaped, STYLE } from "../../node/sim/plain-page.ts";
import type { HistoryRun } from "./history.ts";
import type { History } from "./history-file.ts";
import { isBarFar, mainPlot, sharePlot } from "./history-plot.ts";
import { PAGE_STYLE } from "./history-style.ts";
import { verdict } from "./measure.ts";
import type { Reading, Series } from "./series.ts";
import { barSentence, barText, changeSentence, commitText, dayOf, numberText, seriesOf } from "./series.ts";

/** Readings in a table, the newest: a plot shows all of them. */
const ROWS_MAX = 50;
/** Lines that were skipped and are named. */
const NAMED_MAX = 20;

export function historyPage({ runs, damaged, older }: History): string {
  const all = seriesOf(runs);
  const style = `${STYLE}${PAGE_STYLE}`;
  const hash = createHash("sha256").update(style, "utf8").digest("base64");
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
  const cases = [...new Set(all.map((one) => one.case))];
  const newest = runs.at(-1);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="content-security-policy" content="${policy}">
<title>Benchmarks of ofs-node</title>
<style>${style}</style>
</head>
<body>
<header>
<h1>Benchmarks of ofs-node</h1>
${newest === undefined ? "<p>The history holds no run.</p>" : summary(runs, newest, all)}
${skippedOf(damaged, older)}
</header>
${cases.length > 1 ? contents(cases, all) : ""}
<main>
${cases
  .map((name) =>
    section(
      name,
      all.filter((one) => one.case === name),
    ),
  )
  .join("\n")}
</main>
<footer>Scales begin at zero. Runs stand at equal distances, oldest to the left; an upright line stands where the
processor or Node.js changed. A thousand hashes are SHA-256 of 64 bytes, counted in the same run.</footer>
</body>
</html>
`;
}

/** What was measured, and how the newest run came out. */
function summary(runs: readonly HistoryRun[], newest: HistoryRun, all: readonly Series[]): string {
  const [from, to] = [dayOf(runs[0] ?? newest), dayOf(newest)];
  const days = from === to ? to : `${from} to ${to}`;
  const spanned = `${countText(runs.length, "run")}, ${days}`;
  const judged = all.filter(({ newest: { run, bar } }) => run === newest && bar !== undefined);
  const missed = judged.filter(({ newest: reading }) => verdict(reading) === "missed");
  const verdictText =
    judged.length === 0
      ? "No figure of the newest run has a bar."
      : missed.length === 0
        ? `All ${judged.length} bars of the newest run are met.`
        : `${missed.length} of ${judged.length} bars of the newest run are missed.`;
  const hashes = numberText(newest.calibration.hashes);
  const facts = [commitText(newest), `Node.js ${newest.node}`, newest.cpuModel, `${hashes} hashes/s of CPU time`];
  return `<p class="verdict ${missed.length > 0 ? "missed" : "met"}">${verdictText}</p>
<p class="facts">${spanned}. The newest: ${facts.map(escaped).join(" · ")}${newest.quick ? " · quick" : ""}</p>`;
}

function skippedOf(damaged: History["damaged"], older: number): string {
  const named = damaged.slice(0, NAMED_MAX).map(({ line, reason }) => `line ${line}: ${reason}`);
  const rest = damaged.length - named.length;
  const lines = [
    ...named,
    ...(rest > 0 ? [`${countText(rest, "line")} more`] : []),
    ...(older > 0 ? [`${countText(older, "line")} before the newest, not read`] : []),
  ];
  if (lines.length === 0) return "";
  const all = countText(damaged.length + older, "line");
  return `<details class="skipped"><summary>Not drawn: ${all} of the history</summary>
<ul>${lines.map((line) => `<li>${escaped(line)}</li>`).join("\n")}</ul></details>`;
}

function contents(cases: readonly string[], all: readonly Series[]): string {
  const links = cases.map((name) => {
    const missed = all.filter((one) => one.case === name && verdict(one.newest) === "missed").length;
    const mark = missed === 0 ? "" : ` <span class="missed">${missed} missed</span>`;
    return `<a href="#${idOf(name)}">${escaped(name)}${mark}</a>`;
  });
  return `<nav aria-label="Cases">${links.join("")}</nav>`;
}

function section(name: string, series: readonly Series[]): string {
  return `<section id="${idOf(name)}"><h2>${escaped(name)}</h2>
<div class="plots">${series.map(card).join("\n")}</div></section>`;
}

/** Names come from a file: what stands in an address is made of letters that need no escape. */
function idOf(name: string): string {
  return `case-${encodeURIComponent(name).replaceAll("%", "_")}`;
}

function card(series: Series): string {
  const { name, unit, newest } = series;
  const judged = verdict(newest);
  const bar = barSentence(newest);
  const cpu = newest.cpu === undefined ? "" : ` <span class="aside">${numberText(newest.cpu)} by CPU time</span>`;
  const share = sharePlot(series);
  const sentences = [...(bar === undefined ? [] : [`<strong>${escaped(bar)}</strong>`]), changeSentence(series)];
  return `<figure class="${judged ?? "plain"}">
<figcaption>${escaped(name)}</figcaption>
<p class="newest"><span class="number">${numberText(newest.value)}</span> ${escaped(unit)}${cpu}</p>
<p class="sentences">${sentences.join(" ")}</p>
${legend(series)}
${mainPlot(series)}
${share === "" ? "" : `<p class="caption"><span class="key share"></span>for each thousand hashes of the machine</p>${share}`}
${tableOf(series)}
</figure>`;
}

/** What the lines are, where there is more than one. */
function legend({ readings, newest: { bar } }: Series): string {
  const hasCpu = readings.some(({ cpu }) => cpu !== undefined);
  const keys = [
    `<span class="key value"></span>${hasCpu ? "by the clock" : "value"}`,
    ...(hasCpu ? ['<span class="key cpu"></span>by CPU time'] : []),
    ...(bar === undefined || isBarFar(readings) ? [] : [`<span class="key bar"></span>bar ${escaped(barText(bar))}`]),
  ];
  return `<p class="caption">${keys.map((key) => `<span class="entry">${key}</span>`).join("")}</p>`;
}

/** The readings, newest first. */
function tableOf({ name, unit, readings }: Series): string {
  const shown = readings.slice(-ROWS_MAX).reverse();
  const has = {
    cpu: shown.some(({ cpu }) => cpu !== undefined),
    share: shown.some(({ share }) => share !== undefined),
  };
  const heads = [
    ...["run", "commit", unit === "" ? "value" : unit],
    ...[...(has.cpu ? ["by CPU time"] : []), ...(has.share ? ["a thousand hashes"] : []), "bar"],
  ];
  const number = (value: number | undefined) =>
    `<td class="number">${value === undefined ? "–" : numberText(value)}</td>`;
  const rows = shown.map((reading) => {
    const { run, value, cpu, share, bar } = reading;
    const cells = [number(value), ...(has.cpu ? [number(cpu)] : []), ...(has.share ? [number(share)] : [])];
    const time = `<time datetime="${run.date}">${minuteOf(run)}</time>`;
    const first = `<th scope="row">${time}</th><td>${commitText(run)}</td>`;
    return `<tr>${first}${cells.join("")}<td>${bar === undefined ? "–" : judgedBar(reading, barText(bar))}</td></tr>`;
  });
  const many =
    readings.length > ROWS_MAX
      ? `The newest ${ROWS_MAX} of ${numberText(readings.length)} readings`
      : countText(readings.length, "reading");
  const head = heads.map((title) => `<th scope="col">${escaped(title)}</th>`).join("");
  const label = escaped(`Readings of ${name}`);
  return `<details><summary>${many}</summary><div class="wide" tabindex="0" role="region" aria-label="${label}">
<table><thead><tr>${head}</tr></thead><tbody>${rows.join("\n")}</tbody></table></div></details>`;
}

function countText(count: number, thing: string): string {
  return `${numberText(count)} ${thing}${count === 1 ? "" : "s"}`;
}

function judgedBar(reading: Reading, text: string): string {
  const missed = verdict(reading) === "missed";
  return missed ? `<span class="missed">${escaped(text)} missed</span>` : `${escaped(text)} met`;
}

function minuteOf({ date }: HistoryRun): string {
  return `${date.slice(0, 10)} ${date.slice(11, 16)}`;
}
