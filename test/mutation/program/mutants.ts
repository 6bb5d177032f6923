/**
 * Every small wrong change of a C source, by rule: relations, arithmetic, constants, logic, statements left out,
 * refusals exchanged, rights dropped, arguments swapped. A mutant is one edit at one place.
 */
import { createHash } from "node:crypto";
import type { CSource } from "./c-source.ts";
import { lineOf } from "./c-source.ts";
import { callRules, signaturesOf } from "./call-rules.ts";
import { operatorRules } from "./operator-rules.ts";
import type { Edit, Rule, Signatures } from "./rule.ts";
import { statementRules } from "./statement-rules.ts";

export interface Mutant extends Edit {
  readonly file: string;
  readonly line: number;
  /** What is changed into what, on one line; a number tells apart equal changes of a line. */
  readonly change: string;
  /** File, line and change. */
  readonly id: string;
  /** File, code of the line and change: what stays when lines or comments come and go. */
  readonly draw: string;
}

const rules: readonly Rule[] = [...operatorRules, ...statementRules, ...callRules];

/** All mutants of the sources of one unit, in the order of their places. */
export function mutantsOf(sources: readonly CSource[]): readonly Mutant[] {
  const signatures = signaturesOf(sources);
  return sources.flatMap((source) => mutantsIn(source, signatures));
}

function mutantsIn(source: CSource, signatures: Signatures): readonly Mutant[] {
  const { tokens } = source;
  const edits = tokens.flatMap((_, index) => rules.flatMap((rule) => rule(tokens, index, source, signatures)));
  const [onLine, inFile] = [numbering(), numbering()];
  const codes = codeOfLines(source);
  return edits.map((edit) => {
    const line = lineOf(source.text, edit.start);
    const text = `${oneLine(source.text.slice(edit.start, edit.end))} -> ${oneLine(edit.replacement) || "nothing"}`;
    const change = onLine(`${line} `, text);
    const prefix = `${source.file} ${codes.get(line)} `;
    const draw = prefix + inFile(prefix, text);
    return { ...edit, file: source.file, line, change, id: `${source.file}:${line} ${change}`, draw };
  });
}

/** Numbers equal texts from the second on; a prefix tells texts apart that are not shown. */
function numbering(): (prefix: string, text: string) => string {
  const seen = new Map<string, number>();
  return (prefix, text) => {
    const count = (seen.get(prefix + text) ?? 0) + 1;
    seen.set(prefix + text, count);
    return count === 1 ? text : `${text} (${count})`;
  };
}

/** The code that begins on each line, without its comments. */
function codeOfLines({ text, tokens }: CSource): ReadonlyMap<number, string> {
  const codes = new Map<number, string>();
  for (const token of tokens) {
    const line = lineOf(text, token.start);
    codes.set(line, `${codes.get(line) ?? ""} ${token.text}`);
  }
  return codes;
}

/** The source with the mutant's edit. */
export function mutated(source: CSource, { start, end, replacement }: Edit): string {
  return source.text.slice(0, start) + replacement + source.text.slice(end);
}

/** The mutants in an order that a seed draws; another mutant, line or comment more or less moves no other. */
export function drawn(mutants: readonly Mutant[], seed: number): readonly Mutant[] {
  const ranked = mutants.map((mutant) => ({ mutant, rank: rankOf(`${seed} ${mutant.draw}`) }));
  return ranked.sort((a, b) => (a.rank < b.rank ? -1 : 1)).map(({ mutant }) => mutant);
}

function rankOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
