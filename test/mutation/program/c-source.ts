/**
 * C as far as mutation needs it: tokens with their places, comments and include lines set apart.
 * The program has no preprocessor conditions and no line-joined literals, and none are expected here.
 */

export type TokenKind = "name" | "number" | "text" | "mark";

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  /** Offset of the first character, and of the one after the last. */
  readonly start: number;
  readonly end: number;
}

export interface CSource {
  /** The file's name in its folder. */
  readonly file: string;
  readonly text: string;
  readonly tokens: readonly Token[];
  readonly comments: readonly Token[];
}

const BLANK = /\s+|\\\n/y;
const COMMENT = /\/\*[\s\S]*?\*\/|\/\/[^\n]*/y;
const INCLUDE = /#include[^\n]*/y;
const KINDS: readonly (readonly [TokenKind, RegExp])[] = [
  ["name", /#?[A-Za-z_]\w*/y],
  ["number", /0[xX][0-9a-fA-F]+[uUlL]*|\d+[uUlL]*/y],
  ["text", /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/y],
  ["mark", /<<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|##|[-+*/%&|^~!<>=?:;,.(){}[\]]/y],
];

/** Splits a source into tokens. Fails on a character that C does not have. */
export function readSource(file: string, text: string): CSource {
  const tokens: Token[] = [];
  const comments: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const comment = match(COMMENT, text, at);
    if (comment !== undefined) comments.push({ kind: "text", text: comment, start: at, end: at + comment.length });
    const skipped = comment ?? match(BLANK, text, at) ?? match(INCLUDE, text, at);
    if (skipped !== undefined) {
      at += skipped.length;
      continue;
    }
    const token = tokenAt(text, at);
    if (token === undefined) throw new Error(`${file}:${lineOf(text, at)}: no C here: ${text.slice(at, at + 20)}`);
    tokens.push(token);
    at = token.end;
  }
  return { file, text, tokens, comments };
}

function tokenAt(text: string, start: number): Token | undefined {
  for (const [kind, pattern] of KINDS) {
    const found = match(pattern, text, start);
    if (found !== undefined) return { kind, text: found, start, end: start + found.length };
  }
  return undefined;
}

function match(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

/** The line of an offset, from 1. */
export function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

const OPENING: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

/** The index of the token that closes the one at `open`. */
export function closingOf(tokens: readonly Token[], open: number): number {
  let depth = 0;
  for (let index = open; index < tokens.length; index += 1) {
    const { kind, text } = tokens[index] as Token;
    if (kind !== "mark") continue;
    if (OPENING[text] !== undefined) depth += 1;
    if (text === ")" || text === "]" || text === "}") depth -= 1;
    if (depth === 0) return index;
  }
  throw new Error("a bracket that nothing closes");
}

/** First and last token of each part between the brackets at `open` and `close`, parted by commas. */
export function partsOf(tokens: readonly Token[], open: number, close: number): readonly (readonly [number, number])[] {
  const parts: (readonly [number, number])[] = [];
  let start = open + 1;
  for (let index = open + 1; index <= close; index += 1) {
    const text = tokens[index]?.text ?? "";
    if (index === close || text === ",") {
      if (index > start) parts.push([start, index - 1]);
      start = index + 1;
    } else if (OPENING[text] !== undefined && tokens[index]?.kind === "mark") index = closingOf(tokens, index);
  }
  return parts;
}
