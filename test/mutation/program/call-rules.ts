/**
 * Mutants of calls: a refusal that is not handed on, another refusal, a right nobody asks for, a success that is a
 * refusal, and arguments of one type swapped.
 */
import type { CSource, Token } from "./c-source.ts";
import { closingOf, partsOf } from "./c-source.ts";
import type { Edit, Rule, Signatures } from "./rule.ts";

/** `TRY(step)` that takes the step and goes on whatever it says. */
const ignored: Rule = (tokens, index) => {
  const token = tokens[index] as Token;
  if (token.text !== "TRY" || tokens[index + 1]?.text !== "(" || tokens[index - 1]?.text === "#define") return [];
  return [{ rule: "ignored", start: token.start, end: token.end, replacement: "(void)" }];
};

/** `REQUIRE(condition, error)` with another error. */
const otherRefusal: Rule = (tokens, index) => {
  if (tokens[index]?.text !== "REQUIRE" || tokens[index - 1]?.text === "#define") return [];
  const close = closingOf(tokens, index + 1);
  const error = partsOf(tokens, index + 1, close).at(-1);
  const [first, last] = [tokens[error?.[0] ?? -1], tokens[error?.[1] ?? -1]];
  if (first === undefined || last === undefined) return [];
  const replacement = first.text === "UNAUTHORIZED" ? "INVALID_ACCOUNT" : "UNAUTHORIZED";
  return [{ rule: "other refusal", start: first.start, end: last.end, replacement }];
};

const refusedSuccess: Rule = (tokens, index) => {
  const token = tokens[index] as Token;
  if (token.text !== "SUCCESS" || tokens[index - 1]?.text !== "return") return [];
  return [{ rule: "refused success", start: token.start, end: token.end, replacement: "INVALID_ACCOUNT" }];
};

/** Rights of `expect_accounts`: each letter that asks for something asks for nothing. */
const right: Rule = (tokens, index) => {
  const token = tokens[index] as Token;
  const asks = token.kind === "text" && tokens[index - 4]?.text === "expect_accounts";
  if (!asks) return [];
  return [...token.text].flatMap((letter, at): readonly Edit[] => {
    if (letter === '"' || letter === "r") return [];
    const lower = letter === "b" ? ["w", "s"] : ["r"];
    return lower.map((replacement) => ({
      rule: "right",
      start: token.start,
      end: token.end,
      replacement: token.text.slice(0, at) + replacement + token.text.slice(at + 1),
    }));
  });
};

/** Neighbouring arguments whose parameters have one type. A comparison for equality has no order. */
const swappedArguments: Rule = (tokens, index, source, signatures) => {
  const name = tokens[index] as Token;
  const types = name.kind === "name" ? signatures.get(name.text) : undefined;
  if (types === undefined || name.text.endsWith("_equal") || tokens[index + 1]?.text !== "(") return [];
  if (isDefinition(tokens, index)) return [];
  const parts = partsOf(tokens, index + 1, closingOf(tokens, index + 1));
  return parts.flatMap((part, place): readonly Edit[] => {
    const next = parts[place + 1];
    if (next === undefined || types[place] !== types[place + 1]) return [];
    const [a, b] = [textOf(source, tokens, part), textOf(source, tokens, next)];
    const [from, to] = [tokens[part[0]], tokens[next[1]]];
    if (a === b || from === undefined || to === undefined) return [];
    return [{ rule: "swapped", start: from.start, end: to.end, replacement: `${b}, ${a}` }];
  });
};

function textOf({ text }: CSource, tokens: readonly Token[], [first, last]: readonly [number, number]): string {
  return text.slice(tokens[first]?.start, tokens[last]?.end);
}

function isDefinition(tokens: readonly Token[], index: number): boolean {
  const before = tokens[index - 1];
  return before?.text === "*" || (before?.kind === "name" && !/^(return|else|#define)$/.test(before.text));
}

/** Types of the parameters of every function of the sources, by its name. */
export function signaturesOf(sources: readonly CSource[]): Signatures {
  const found = new Map<string, readonly string[]>();
  for (const { tokens } of sources) {
    for (const [index, token] of tokens.entries()) {
      if (token.kind !== "name" || tokens[index + 1]?.text !== "(" || !isDefinition(tokens, index)) continue;
      const parts = partsOf(tokens, index + 1, closingOf(tokens, index + 1));
      const types = parts.map(([first, last]) => typeOf(tokens.slice(first, last + 1)));
      found.set(token.text, types);
    }
  }
  return found;
}

/** A parameter without its name and without `const`. */
function typeOf(parameter: readonly Token[]): string {
  const words = parameter.filter(({ text }) => text !== "const").map(({ text }) => text);
  const bracket = words.indexOf("[");
  const [array, rest] = bracket < 0 ? ["", words] : ["*", words.slice(0, bracket)];
  return rest.slice(0, -1).join(" ") + array;
}

export const callRules: readonly Rule[] = [ignored, otherRefusal, refusedSuccess, right, swappedArguments];
