/**
 * Mutants of statements: one left out, a check left out, an early end that does not end, a condition turned round
 * that holds no relation of its own.
 */
import type { Token } from "./c-source.ts";
import { closingOf } from "./c-source.ts";
import type { Edit, Rule } from "./rule.ts";

/** After these a statement begins. */
const BEFORE_STATEMENT = new Set([";", "{", "}", ")", "else"]);
const WORDS = /^(if|else|for|while|do|switch|case|default|return|continue|break|static|const|extern|typedef|struct)$/;
const TYPES = /^(u8|u16|u32|u64|i64|int|char|void|enum|[A-Z][a-z]\w*)$/;
const RELATION = /^(<|>|<=|>=|==|!=|&&|\|\||!)$/;

/** A call or an assignment that is left out. */
const leftOut: Rule = (tokens, index) => {
  const token = tokens[index] as Token;
  if (!begins(tokens, index) || WORDS.test(token.text) || TYPES.test(token.text)) return [];
  if (token.kind !== "name" && token.text !== "*") return [];
  const end = endOfStatement(tokens, index);
  const last = end === undefined ? undefined : tokens[end];
  if (end === undefined || last === undefined || end === index) return [];
  return [{ rule: "left out", start: token.start, end: last.end, replacement: ";" }];
};

/** `return`, `continue`, `break` that depend on a condition and no longer happen. */
const goesOn: Rule = (tokens, index) => {
  const token = tokens[index] as Token;
  if (!/^(return|continue|break)$/.test(token.text)) return [];
  const before = tokens[index - 1]?.text;
  if (before !== ")" && before !== "else") return [];
  const last = tokens[endOfStatement(tokens, index) ?? -1];
  return last === undefined ? [] : [{ rule: "goes on", start: token.start, end: last.end, replacement: ";" }];
};

/** A condition without a relation, turned round. */
const turned: Rule = (tokens, index) => {
  const token = tokens[index] as Token;
  if (token.text !== "if" && token.text !== "while") return [];
  const close = closingOf(tokens, index + 1);
  return negated(tokens, index + 2, close - 1);
};

const turnedChoice: Rule = (tokens, index) => {
  if (tokens[index]?.text !== "?") return [];
  let start = index;
  for (let depth = 0; start > 0; start -= 1) {
    const before = tokens[start - 1]?.text ?? "";
    if (before === ")" || before === "]") depth += 1;
    if (depth === 0 && /^(=|return|\(|\[|,|\{|;)$/.test(before)) break;
    if (before === "(" || before === "[") depth -= 1;
  }
  return negated(tokens, start, index - 1);
};

function negated(tokens: readonly Token[], first: number, last: number): readonly Edit[] {
  const part = tokens.slice(first, last + 1);
  if (part.some(({ kind, text }) => kind === "mark" && RELATION.test(text))) return [];
  const [start, end] = [part[0]?.start, part.at(-1)?.end];
  if (start === undefined || end === undefined) return [];
  const text = part.map((token) => token.text).join(" ");
  return [{ rule: "turned", start, end, replacement: `!(${text})` }];
}

/** Whether a statement begins here: after the end of another, or of the condition it depends on. */
function begins(tokens: readonly Token[], index: number): boolean {
  const before = tokens[index - 1];
  if (before === undefined || !BEFORE_STATEMENT.has(before.text)) return false;
  if (before.text === ";") return !isInBrackets(tokens, index - 1);
  return before.text !== ")" || closesCondition(tokens, index - 1);
}

/** Whether this stands in the head of a loop. */
function isInBrackets(tokens: readonly Token[], index: number): boolean {
  let depth = 0;
  for (let at = index; at >= 0; at -= 1) {
    const text = tokens[at]?.text;
    if (text === "{" || text === "}") return false;
    if (text === ")") depth += 1;
    if (text === "(" && depth === 0) return true;
    if (text === "(") depth -= 1;
  }
  return false;
}

function closesCondition(tokens: readonly Token[], close: number): boolean {
  for (let open = close - 1; open > 0; open -= 1) {
    if (tokens[open]?.text === "(" && closingOf(tokens, open) === close) {
      return /^(if|for|while)$/.test(tokens[open - 1]?.text ?? "");
    }
  }
  return false;
}

/** The semicolon that ends the statement; nothing when a block, a declaration or the end of a loop head comes first. */
function endOfStatement(tokens: readonly Token[], from: number): number | undefined {
  for (let index = from; index < tokens.length; index += 1) {
    const { text } = tokens[index] as Token;
    if (text === ";") return index;
    if (text === "(" || text === "[") index = closingOf(tokens, index);
    else if (/^[{}),\]]$/.test(text)) return undefined;
  }
  return undefined;
}

export const statementRules: readonly Rule[] = [leftOut, goesOn, turned, turnedChoice];
