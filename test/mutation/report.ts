/**
 * What a mutation run shows: the score, and each mutant that no test noticed, with what stands there and what stood
 * there instead. The same as lines for a terminal and as one self-contained page.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Place } from "./draw.ts";

/** A mutant with its verdict, whatever tool made it. */
export interface Shown {
  readonly file: string;
  readonly start: Place;
  readonly end: Place;
  readonly mutator: string;
  readonly replacement: string;
  readonly verdict: "killed" | "survived" | "no coverage" | "time-out" | "error";
}

export interface Score {
  /** A test failed. */
  readonly killed: number;
  /** The tests never ended, which counts as noticed. */
  readonly timedOut: number;
  readonly survived: number;
  readonly unreached: number;
  /** Mutants that no verdict could be found for; they count neither way. */
  readonly errors: number;
  /** Percent; 100 when nothing could be judged. */
  readonly percent: number;
}

/** Longest text shown of what a mutant replaces. */
const SHOWN_LENGTH = 90;

export function scoreOf(mutants: readonly Shown[]): Score {
  const count = (verdict: Shown["verdict"]) => mutants.filter((mutant) => mutant.verdict === verdict).length;
  const [killed, timedOut] = [count("killed"), count("time-out")];
  const [survived, unreached] = [count("survived"), count("no coverage")];
  const judged = killed + timedOut + survived + unreached;
  return {
    killed,
    timedOut,
    survived,
    unreached,
    errors: count("error"),
    percent: judged === 0 ? 100 : (100 * (killed + timedOut)) / judged,
  };
}

/** One line: the score and what it is made of. */
export function scoreLine(mutants: readonly Shown[]): string {
  const { killed, timedOut, survived, unreached, errors, percent } = scoreOf(mutants);
  const apart = errors > 0 ? `, ${errors} without a verdict` : "";
  const counts = `${killed} killed, ${timedOut} timed out, ${survived} survived, ${unreached} not reached${apart}`;
  return `${percent.toFixed(1)} % of ${killed + timedOut + survived + unreached} mutants: ${counts}`;
}

/** Each mutant that no test noticed, grouped by file, in the order of their places. */
export function missedLines(mutants: readonly Shown[], root: string): readonly string[] {
  return [...byFile(missed(mutants))].flatMap(([file, found]) => {
    const source = linesOf(root, file);
    return ["", file, ...found.map((mutant) => `  ${lineOf(mutant, source)}`)];
  });
}

export function missed(mutants: readonly Shown[]): readonly Shown[] {
  const found = mutants.filter(({ verdict }) => verdict === "survived" || verdict === "no coverage");
  return found.toSorted((a, b) => (a.file === b.file ? a.start.line - b.start.line : a.file < b.file ? -1 : 1));
}

function lineOf(mutant: Shown, source: readonly string[]): string {
  const { start, mutator, replacement, verdict } = mutant;
  const place = `${mutant.file}:${start.line}:${start.column}`;
  return `${verdict.padEnd(11)} ${place} ${mutator}: ${short(originalOf(mutant, source))} → ${short(replacement)}`;
}

/** The text that a mutant replaces. */
export function originalOf({ start, end }: Shown, source: readonly string[]): string {
  const lines = source.slice(start.line - 1, end.line);
  const last = lines.length - 1;
  return lines
    .map((line, index) => line.slice(index === 0 ? start.column - 1 : 0, index === last ? end.column - 1 : undefined))
    .join("\n");
}

function short(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > SHOWN_LENGTH ? `${line.slice(0, SHOWN_LENGTH)}…` : line;
}

function linesOf(root: string, file: string): readonly string[] {
  return readFileSync(join(root, file), "utf8").split("\n");
}

function byFile(mutants: readonly Shown[]): ReadonlyMap<string, readonly Shown[]> {
  const files = new Map<string, Shown[]>();
  for (const mutant of mutants) files.set(mutant.file, [...(files.get(mutant.file) ?? []), mutant]);
  return files;
}

const STYLE = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { max-width: 80rem; margin: 2rem auto; padding: 0 1rem; }
  h1 { font-size: 1.5rem; margin-bottom: 0; }
  h2 { font-size: 1.1rem; margin-top: 2rem; overflow-wrap: anywhere; }
  .scroll { overflow-x: auto; }
  table { border-collapse: collapse; width: 100%; }
  th, td { text-align: left; vertical-align: top; padding: .25rem 1rem .25rem 0; border-bottom: 1px solid #8884; }
  td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
  code { font-size: .85rem; white-space: pre-wrap; overflow-wrap: anywhere; }
`;

/** The page: scores by file, then every mutant that no test noticed. */
export function mutationPage(title: string, mutants: readonly Shown[], root: string): string {
  const scores = [...byFile(mutants)]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([file, found]) => {
      const { killed, timedOut, survived, unreached, percent } = scoreOf(found);
      const numbers = [`${percent.toFixed(0)} %`, ...[killed, timedOut, survived, unreached].map(String)];
      return `<tr><td>${escaped(file)}${numbers.map((cell) => `<td class="number">${cell}`).join("")}`;
    });
  const details = [...byFile(missed(mutants))].map(([file, found]) => {
    const source = linesOf(root, file);
    const rows = found.map((mutant) => pageRow(mutant, originalOf(mutant, source)));
    return `<h2>${escaped(file)}</h2>\n${table(["Place", "Verdict", "Mutator", "Here", "Instead"], rows)}`;
  });
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
<h1>${escaped(title)}</h1>
<p>${escaped(scoreLine(mutants))}</p>
${table(["File", "Score", "Killed", "Timed out", "Survived", "Not reached"], scores, 1)}
${details.join("\n")}
</html>
`;
}

function pageRow({ start, verdict, mutator, replacement }: Shown, original: string): string {
  const texts = [original, replacement].map((text) => `<td><code>${escaped(text)}</code>`).join("");
  return `<tr><td class="number">${start.line}:${start.column}<td>${verdict}<td>${escaped(mutator)}${texts}`;
}

/** A table whose columns from `numbersFrom` on hold numbers. */
function table(heads: readonly string[], rows: readonly string[], numbersFrom = heads.length): string {
  const head = heads.map((text, at) => `<th scope="col"${at >= numbersFrom ? ' class="number"' : ""}>${text}`).join("");
  return `<div class="scroll"><table>\n<thead><tr>${head}</thead>\n<tbody>\n${rows.join("\n")}\n</tbody></table></div>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
