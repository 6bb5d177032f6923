/**
 * Mutants of single tokens: relations at their boundary and turned round, arithmetic, logic, and constants by one.
 */
import type { Token } from "./c-source.ts";
import type { Edit, Rule } from "./rule.ts";

/** What becomes of an operator that stands between two operands. */
const BINARY: Readonly<Record<string, readonly string[]>> = {
  "<": ["<=", ">="],
  "<=": ["<", ">"],
  ">": [">=", "<="],
  ">=": [">", "<"],
  "==": ["!="],
  "!=": ["=="],
  "&&": ["||"],
  "||": ["&&"],
  "+": ["-"],
  "-": ["+"],
  "*": ["/"],
  "/": ["*"],
  "%": ["/"],
  "<<": [">>"],
  ">>": ["<<"],
  "&": ["|"],
  "|": ["&"],
  "+=": ["-="],
  "-=": ["+="],
  "|=": ["&="],
  "<<=": [">>="],
};

/** Names after which `*` and `&` are no operators of two operands: types, and words of the language. */
const NO_OPERAND = /^(u8|u16|u32|u64|i64|int|char|void|const|return|case|else|sizeof|[A-Z][a-z]\w*)$/;

const ARRAY_TYPE = /^(u8|u16|u32|u64|i64|char|[A-Z][a-z]\w*)$/;

const binary: Rule = (tokens, index) => {
  const token = tokens[index] as Token;
  const replacements = token.kind === "mark" ? BINARY[token.text] : undefined;
  if (replacements === undefined || !endsOperand(tokens, index - 1)) return [];
  return replacements.map((replacement) => edit("operator", token, replacement));
};

/** Whether an operand ends with this token, so that an operator after it has two. */
function endsOperand(tokens: readonly Token[], index: number): boolean {
  const token = tokens[index];
  if (token === undefined) return false;
  if (token.kind === "name") return !NO_OPERAND.test(token.text);
  if (token.kind === "number") return true;
  if (token.text === ")") return !isCast(tokens, index);
  return token.text === "]";
}

/** Whether the bracket that closes here holds a type. */
function isCast(tokens: readonly Token[], close: number): boolean {
  const before = tokens[close - 1];
  const type = before?.text === "*" ? tokens[close - 2] : before;
  return type?.kind === "name" && NO_OPERAND.test(type.text);
}

const negation: Rule = (tokens, index) => {
  const token = tokens[index] as Token;
  return token.text === "!" ? [edit("negation", token, "")] : [];
};

const complement: Rule = (tokens, index) => {
  const token = tokens[index] as Token;
  return token.text === "~" ? [edit("complement", token, "")] : [];
};

/** A byte of a table of bytes: only the last of its line is tried, or tables would be most of all mutants. */
const TABLE_BYTE = /^0x[0-9a-f]{2}$/;

const constant: Rule = (tokens, index, { text: source }) => {
  const token = tokens[index] as Token;
  if (token.kind !== "number") return [];
  const inTable = TABLE_BYTE.test(token.text) && tokens[index + 1]?.text === ",";
  if (inTable && source[token.end + 1] !== "\n") return [];
  const [, digits = "", suffix = ""] = /^(0[xX][0-9a-fA-F]+|\d+)([uUlL]*)$/.exec(token.text) ?? [];
  const value = BigInt(digits);
  const write = (changed: bigint) => (digits.startsWith("0x") ? `0x${hex(changed, digits.length - 2)}` : `${changed}`);
  const up = isRoom(tokens, index) ? [] : [edit("constant", token, write(value + 1n) + suffix)];
  return value === 0n ? up : [...up, edit("constant", token, write(value - 1n) + suffix)];
};

/** The length of a declared array: room for one more that nobody looks at is no change. */
function isRoom(tokens: readonly Token[], index: number): boolean {
  const [type, open, close, next] = [-3, -1, 1, 2].map((step) => tokens[index + step]?.text ?? "");
  return ARRAY_TYPE.test(type ?? "") && open === "[" && close === "]" && /^[;=]$/.test(next ?? "");
}

function hex(value: bigint, digits: number): string {
  return value.toString(16).padStart(digits, "0");
}

function edit(rule: string, { start, end }: Token, replacement: string): Edit {
  return { rule, start, end, replacement };
}

export const operatorRules: readonly Rule[] = [binary, negation, complement, constant];
