/**
 * Goal: the tokenizer takes RFC 8259 and nothing else, keeps number tokens, remembers duplicates, names positions.
 * Method: tables of documents, then JavaScript's own reader and writer as the oracle, then nasty input.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Json } from "../../core/kernel/json.ts";
import { isList, isNumber, isObject, JSON_DEPTH_MAX, parseJson } from "../../core/kernel/json.ts";
import { arbCharacter } from "../../sim/arbitraries/texts.ts";
import { forAll } from "../property/for-all.ts";

/** What `JSON.parse` would have given. */
function plain(node: Json): unknown {
  if (isNumber(node)) return Number(node.text);
  if (isList(node)) return node.map(plain);
  if (!isObject(node)) return node;
  const members = [...node.members].map(([name, value]) => [name, plain(value)]);
  return Object.fromEntries(members as [string, unknown][]);
}

const numbers = [
  "0",
  "-0",
  "1",
  "-1",
  "10.5",
  "1e3",
  "1E+3",
  "1e-3",
  "0.0",
  "18446744073709551616",
  `1${"0".repeat(400)}`,
  "1e400",
];

test.each(numbers)("number %s keeps its token", (text) => {
  expect(parseJson(text)).toEqual({ ok: true, value: { type: "number", text } });
  expect(parseJson(`[${text}]`)).toEqual({ ok: true, value: [{ type: "number", text }] });
});

test.each([
  ["null", null],
  [" true\t\r\n", true],
  ["false", false],
  ['""', ""],
  ['"\\"\\\\\\/\\b\\f\\n\\r\\t"', '"\\/\b\f\n\r\t'],
  ['"\\u0041\\u00e9\\uD83D\\uDE00"', "Aé😀"],
  ['"\u007f\u2028\u2029\ufeff😀"', "\u007f\u2028\u2029\ufeff😀"],
  ["[]", []],
  ["[ ]", []],
  ["[[],{}]", [[], {}]],
  ["{ }", {}],
  ['{ "a" : [ null , "b" ] }', { a: [null, "b"] }],
  ['{"":{"__proto__":null}}', { "": { ["__proto__"]: null } }],
])("%j is read", (text, expected) => {
  const parsed = parseJson(text);
  expect(parsed.ok && plain(parsed.value)).toEqual(expected);
});

const refused: readonly (readonly [string, string])[] = [
  ["", "expected a value at position 0"],
  ["   ", "expected a value at position 3"],
  ["\ufeff1", "expected a value at position 0"],
  ["nul", "expected a value at position 0"],
  ["nulll", "text after the value at position 4"],
  ["True", "expected a value at position 0"],
  ["NaN", "expected a value at position 0"],
  ["-Infinity", "expected a value at position 0"],
  ["undefined", "expected a value at position 0"],
  ["-", "expected a value at position 0"],
  ["+1", "expected a value at position 0"],
  [".5", "expected a value at position 0"],
  ["01", "text after the value at position 1"],
  ["1.", "text after the value at position 1"],
  ["1e", "text after the value at position 1"],
  ["0x10", "text after the value at position 1"],
  ["1 2", "text after the value at position 2"],
  ["[1,]", "expected a value at position 3"],
  ["[,1]", "expected a value at position 1"],
  ["[1 2]", "expected , or ] at position 4"],
  ["[1", "expected , or ] at position 3"],
  ["]", "expected a value at position 0"],
  ["{", "expected a member name at position 1"],
  ['{"a"}', "expected : at position 4"],
  ['{"a":}', "expected a value at position 5"],
  ['{"a":1,}', "expected a member name at position 7"],
  ['{"a":1 "b":2}', "expected , or } at position 8"],
  ["{a:1}", "expected a member name at position 1"],
  ["{'a':1}", "expected a member name at position 1"],
  ['"a', "unterminated string at position 2"],
  ['"a\nb"', "control character in string at position 2"],
  ['"\u0000"', "control character in string at position 1"],
  ['"\\x"', "bad escape at position 3"],
  ['"\\', "bad escape at position 3"],
  ['"\\u12"', "bad unicode escape at position 3"],
  ['"\\u+123"', "bad unicode escape at position 3"],
  ['"\\ud83d"', "lone surrogate in string at position 7"],
  ['"\\ude00"', "lone surrogate in string at position 7"],
  ['"\\ude00\\ud83d"', "lone surrogate in string at position 13"],
  ['{"\\ud83d":1}', "lone surrogate in string at position 8"],
  ["'a'", "expected a value at position 0"],
  ["// c\n1", "expected a value at position 0"],
  ["\u00a01", "expected a value at position 0"],
  ["[1]\u0000", "text after the value at position 3"],
];

test.each(refused)("%j is refused", (text, problem) => {
  expect(parseJson(text)).toEqual({ ok: false, error: problem });
});

test("a name that stands twice is remembered, and the last one counts", () => {
  const parsed = parseJson('{"a":1,"b":{"c":1,"\\u0063":2},"a":3}');
  const outer = parsed.ok && isObject(parsed.value) ? parsed.value : undefined;
  expect(outer?.duplicate).toBe("a");
  expect(outer?.members.get("a")).toEqual({ type: "number", text: "3" });
  const inner = outer?.members.get("b") ?? null;
  expect(isObject(inner) && inner.duplicate).toBe("c");
  expect(parseJson('{"a":1,"A":1}')).toMatchObject({ ok: true, value: { duplicate: undefined } });
});

describe("depth", () => {
  const nested = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth);
  test("128 is read, 129 is refused, whatever nests", () => {
    expect(parseJson(nested("[", "]", JSON_DEPTH_MAX)).ok).toBe(true);
    expect(parseJson(nested("[", "]", JSON_DEPTH_MAX + 1))).toEqual({
      ok: false,
      error: `nested too deeply at position ${JSON_DEPTH_MAX}`,
    });
    const objects = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
    expect(parseJson(objects(JSON_DEPTH_MAX)).ok).toBe(true);
    expect(parseJson(objects(JSON_DEPTH_MAX + 1)).ok).toBe(false);
    expect(parseJson(`[${`${nested("[", "]", JSON_DEPTH_MAX - 1)},`.repeat(9)}1]`).ok, "siblings add no depth").toBe(
      true,
    );
  });
  test("a hundred thousand brackets do not end the program", () => {
    for (const text of ["[", "{", '{"a":[', "[{"]) expect(parseJson(text.repeat(100_000)).ok).toBe(false);
  });
});

/** How deep lists and objects stand in each other. */
function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

test("what JavaScript writes is read back the same", () => {
  const values = fc.jsonValue({ maxDepth: 5, stringUnit: "binary" });
  forAll(
    [values, fc.constantFrom(undefined, 1, "\t")],
    (value, space) => {
      const text = JSON.stringify(value, undefined, space);
      const parsed = parseJson(text);
      expect(parsed.ok && plain(parsed.value)).toEqual(JSON.parse(text));
    },
    {
      runs: 300,
      classes: (value) => {
        const text = JSON.stringify(value);
        return [
          depthOf(value) > 2 ? "three deep" : depthOf(value) > 0 ? "nested" : "a scalar",
          ...(/[\ud800-\udbff]/.test(text) ? ["beyond sixteen bits"] : []),
          ...(text.includes("\\") ? ["with escapes"] : []),
          ...(/\d[.e]/.test(text) ? ["with a number that is no integer"] : []),
        ];
      },
      shares: {
        ...{ "three deep": 0.1, nested: 0.1, "a scalar": 0.1, "beyond sixteen bits": 0.2, "with escapes": 0.05 },
        "with a number that is no integer": 0.1,
      },
    },
  );
});

test("any text is read as JavaScript reads it, or refused with a position inside it", () => {
  const structure = ["{", "}", "[", "]", ",", ":", '"', "\\", "\\u", " ", "\n"];
  const pieces = [...structure, "d83d", "0", "-", ".", "e", "1", "true", "null", "a", "é"];
  const spoiled = fc.tuple(fc.json(), fc.nat(), fc.constantFrom("", ...pieces)).map(([text, at, piece]) => {
    const place = at % (text.length + 1);
    return text.slice(0, place) + piece + text.slice(place + 1);
  });
  const arb = fc.oneof(
    { weight: 1, arbitrary: fc.string({ unit: arbCharacter(), maxLength: 40 }) },
    { weight: 1, arbitrary: fc.array(fc.constantFrom(...pieces), { maxLength: 14 }).map((parts) => parts.join("")) },
    { weight: 4, arbitrary: spoiled },
  );
  const holds = (text: string) => {
    const parsed = parseJson(text);
    if (parsed.ok) {
      expect(plain(parsed.value)).toEqual(JSON.parse(text));
      return ["read"];
    }
    const [, reason = "", position] = /^(.*) at position (\d+)$/.exec(parsed.error) ?? [];
    expect(Number(position)).toBeGreaterThanOrEqual(0);
    expect(Number(position)).toBeLessThanOrEqual(text.length + 2);
    if (reason !== "lone surrogate in string") expect(() => JSON.parse(text)).toThrow();
    return ["refused", reason];
  };
  const reasons = ["expected a value", "expected a member name", "unterminated string", "text after the value"];
  const commas = ["expected , or ]", "expected , or }"];
  const shares = Object.fromEntries([...reasons, ...commas].map((reason) => [reason, 0.005]));
  forAll([arb], holds, { runs: 1_000, sample: 600, shares: { read: 0.1, refused: 0.3, ...shares } });
});

/** A text that counts how often the tokenizer looks at it. */
function looksAt(document: string): number {
  let looks = 0;
  const counting = {
    length: document.length,
    charCodeAt(at: number) {
      looks++;
      return document.charCodeAt(at);
    },
    charAt(at: number) {
      looks++;
      return document.charAt(at);
    },
    startsWith(expected: string, at: number) {
      looks++;
      return document.startsWith(expected, at);
    },
    slice(from: number, to: number) {
      looks += to - from;
      return document.slice(from, to);
    },
    toString: () => document,
  };
  parseJson(counting as unknown as string);
  return looks;
}

test.each([
  ["escapes", (n: number) => `"${"\\n".repeat(n)}"`],
  ["unicode escapes without an end", (n: number) => `"${"\\u0061".repeat(n)}`],
  ["surrogate pairs", (n: number) => `["${"\\ud83d\\ude00".repeat(n)}"]`],
  ["white space", (n: number) => `${" ".repeat(n)}1`],
  ["commas", (n: number) => `[${"0,".repeat(n)}`],
  ["one name again and again", (n: number) => `{${'"a":0,'.repeat(n)}"a":0}`],
  ["faults at every level", (n: number) => "[".repeat(Math.min(n, 128)) + '"\\'.repeat(n)],
])("%s: twice the text is at most twice the work", (_, nasty) => {
  const [once, twice] = [looksAt(nasty(2_000)), looksAt(nasty(4_000))];
  expect(once).toBeGreaterThan(0);
  expect(twice).toBeLessThanOrEqual(2 * once + 10);
});
