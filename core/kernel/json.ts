/**
 * JSON as received: the core's own tokenizer. Number tokens stay text, so 64-bit integers and float
 * spellings survive; duplicate members are remembered; lone surrogates, raw control characters, a
 * byte-order mark and nesting deeper than 128 are refused with their position.
 * Source: protocol 01 §2.2, §2.5; ours: the tokenizer itself (protocol libraries lose tokens or overflow).
 */

import type { Result } from "./result.ts";
import { err, ok } from "./result.ts";
import { isWellFormed } from "./text.ts";

/** Deepest nesting that is read. Source: protocol 01 §2.5. */
export const JSON_DEPTH_MAX = 128;

export type JsonNumber = { readonly type: "number"; readonly text: string };
export type JsonObject = {
  readonly type: "object";
  readonly members: ReadonlyMap<string, Json>;
  /** A name that stands twice, when there is one. */
  readonly duplicate: string | undefined;
};
/** A JSON value whose numbers are kept as they were written, so that no digit is lost. */
export type Json = null | boolean | string | JsonNumber | JsonObject | readonly Json[];

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

/** Reads one JSON document. Fails with the reason and its position. */
export function parseJson(text: string): Result<Json, string> {
  const parser = createParser(text);
  const value = parser.document();
  const problem = parser.problem();
  return problem === undefined ? ok(value) : err(problem);
}

/** Whether a value is an object of the tokenizer, and neither a number nor a list. */
export function isObject(value: Json): value is JsonObject {
  return typeof value === "object" && value !== null && "members" in value;
}

/** Whether a value is a number, which is kept as its text. */
export function isNumber(value: Json): value is JsonNumber {
  return typeof value === "object" && value !== null && "text" in value;
}

/** Whether a value is a list of the tokenizer. */
export function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function createParser(text: string) {
  let at = 0;
  let problem: string | undefined;
  const plainUnits = new RegExp(PLAIN);
  const numberToken = new RegExp(NUMBER);

  function fail(reason: string): null {
    if (problem === undefined) problem = `${reason} at position ${at}`;
    at = text.length;
    return null;
  }

  function skip(): void {
    for (;;) {
      const unit = text.charCodeAt(at);
      if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) return;
      at++;
    }
  }

  /** Where a match ends is asked, not what it is: that would be a list for each name and each value. */
  function plain(): string {
    const from = at;
    plainUnits.lastIndex = from;
    if (plainUnits.test(text)) at = plainUnits.lastIndex;
    return text.slice(from, at);
  }

  function digits(): string {
    const from = at;
    numberToken.lastIndex = from;
    if (numberToken.test(text)) at = numberToken.lastIndex;
    return text.slice(from, at);
  }

  function word(expected: string, value: null | boolean): Json {
    if (!text.startsWith(expected, at)) return fail("expected a value");
    at += expected.length;
    return value;
  }

  function unicodeEscape(): string {
    const digits = text.slice(at, at + 4);
    if (!/^[0-9a-fA-F]{4}$/.test(digits)) fail("bad unicode escape");
    else at += 4;
    return String.fromCharCode(Number.parseInt(digits, 16));
  }

  function string(): string {
    at++;
    let value = "";
    let escaped = false;
    for (;;) {
      value += plain();
      const next = text.charAt(at);
      if (next === '"') break;
      if (next !== "\\") return fail(next === "" ? "unterminated string" : "control character in string") ?? "";
      const kind = text.charAt(at + 1);
      at += 2;
      escaped = true;
      const unit = ESCAPES[kind];
      if (unit !== undefined) value += unit;
      else if (kind === "u") value += unicodeEscape();
      else return fail("bad escape") ?? "";
      if (problem !== undefined) return "";
    }
    if (escaped && !isWellFormed(value)) return fail("lone surrogate in string") ?? "";
    at++;
    return value;
  }

  function list(depth: number): Json {
    at++;
    const items: Json[] = [];
    skip();
    if (text.charAt(at) === "]") {
      at++;
      return items;
    }
    for (;;) {
      items.push(value(depth));
      skip();
      const next = text.charAt(at);
      at++;
      if (next === "]") return items;
      if (next !== ",") return fail("expected , or ]");
    }
  }

  function object(depth: number): Json {
    at++;
    const members = new Map<string, Json>();
    let duplicate: string | undefined;
    skip();
    if (text.charAt(at) === "}") {
      at++;
      return { type: "object", members, duplicate };
    }
    for (;;) {
      skip();
      if (text.charAt(at) !== '"') return fail("expected a member name");
      const name = string();
      skip();
      if (text.charAt(at) !== ":") return fail("expected :");
      at++;
      if (members.has(name)) duplicate = name;
      members.set(name, value(depth));
      skip();
      const next = text.charAt(at);
      at++;
      if (next === "}") return { type: "object", members, duplicate };
      if (next !== ",") return fail("expected , or }");
    }
  }

  function value(depth: number): Json {
    if (problem !== undefined) return null;
    skip();
    const first = text.charAt(at);
    if (first === "{" || first === "[") {
      if (depth >= JSON_DEPTH_MAX) return fail("nested too deeply");
      return first === "{" ? object(depth + 1) : list(depth + 1);
    }
    if (first === '"') return string();
    if (first === "t") return word("true", true);
    if (first === "f") return word("false", false);
    if (first === "n") return word("null", null);
    const token = digits();
    return token === "" ? fail("expected a value") : { type: "number", text: token };
  }

  return {
    document(): Json {
      const found = value(0);
      skip();
      if (problem === undefined && at < text.length) fail("text after the value");
      return found;
    },
    problem: (): string | undefined => problem,
  };
}
