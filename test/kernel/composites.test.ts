/**
 * Goal: structures are read as tolerantly and refused as exactly as protocol 01 §2.2 and §2.5 say.
 * Method: one small schema and a table of documents; names that every JavaScript object inherits count as unknown.
 */
import { expect, test } from "vitest";
import { PriceQuote, PricingModel } from "../../core/domains/trade/advertisements/schema.ts";
import { parseJson } from "../../core/kernel/json.ts";
import type { Schema } from "../../core/kernel/schema.ts";
import { ANSWER, decodeJson, TRANSCRIPT } from "../../core/kernel/schema.ts";
import {
  extend,
  list,
  option,
  pair,
  reveal,
  struct,
  variants,
  writeJson,
} from "../../core/kernel/schema-composites.ts";
import { bool, enumeration, f64, i32, small, u8, u64 } from "../../core/kernel/schema-scalars.ts";
import { Amount, Text } from "../../core/kernel/values.ts";

const Outer = struct("Outer", { name: Text, amount: Amount, side: enumeration("Sell", "Buy"), note: option(Text) });

function read<T>(schema: Schema<T>, text: string) {
  const parsed = parseJson(text);
  if (!parsed.ok) throw new Error(parsed.error);
  const decoded = decodeJson(schema, parsed.value);
  return decoded.ok ? decoded.value.value : `refused: ${decoded.error}`;
}

const value = { name: "a", amount: { base_units: 5n, decimals: 2 }, side: "Buy", note: null };

test.each([
  ["any order, absent option", '{"side":"Buy","amount":{"decimals":2,"base_units":5},"name":"a"}'],
  [
    "unknown members",
    '{"x":1,"name":"a","amount":{"base_units":5,"decimals":2,"__proto__":9},"side":"Buy","note":null}',
  ],
  ["by position", '["a",[5,2],"Buy",null]'],
  ["a name as an object", '{"name":"a","amount":[5,2],"side":{"Buy":null}}'],
])("%s", (_, text) => {
  expect(read(Outer, text)).toStrictEqual(value);
});

test.each([
  ['{"name":"a","amount":[5,2]}', "missing field `side`"],
  ['{"name":"a","amount":{"base_units":5},"side":"Buy"}', "missing field `decimals`"],
  ['{"name":"a","name":"a","amount":[5,2],"side":"Buy"}', "duplicate field `name`"],
  [
    '{"name":"a","amount":{"decimals":2,"base_units":5,"decimals":2},"side":"Buy"}',
    "amount: duplicate field `decimals`",
  ],
  ['{"name":null,"amount":[5,2],"side":"Buy"}', "name: expected a string"],
  ['{"name":["a"],"amount":[5,2],"side":"Buy"}', "name: expected a string"],
  ['{"name":"a","amount":[5,2,3],"side":"Buy"}', "amount: expected Amount, an object"],
  ['{"name":"a","amount":[5],"side":"Buy"}', "amount: expected Amount, an object"],
  ['{"name":"a","amount":[5,2],"side":"buy"}', "side: expected one of Sell, Buy"],
  ['{"name":"a","amount":[5,2],"side":{"Buy":1}}', "side: expected one of Sell, Buy"],
  ['{"name":"a","amount":[5,2],"side":{"Buy":null,"Buy":null}}', "side: expected one of Sell, Buy"],
  ['["a",[5,2],"Buy"]', "expected Outer, an object"],
  ["null", "expected Outer, an object"],
])("%s is refused", (text, reason) => {
  expect(read(Outer, text)).toBe(`refused: ${reason}`);
});

test.each(["5.0", "1e3", "-0", '"5"', "true", "null", "18446744073709551616", "[5]", "00"])(
  "u64 refuses %s",
  (text) => {
    const parsed = parseJson(text);
    if (parsed.ok) expect(decodeJson(u64, parsed.value).ok).toBe(false);
  },
);

test("edges of integers and floats in JSON", () => {
  expect(read(u64, "18446744073709551615")).toBe(18_446_744_073_709_551_615n);
  expect([read(u8, "255"), read(i32, "-2147483648"), read(i32, "2147483647")]).toEqual([
    255, -2_147_483_648, 2_147_483_647,
  ]);
  for (const text of ["256", "-1", "1.0"]) expect(read(u8, text)).toMatch(/^refused/);
  for (const text of ["-2147483649", "2147483648", "-0", "1.0"]) expect(read(i32, text)).toMatch(/^refused/);
  for (const text of ["2", "6"]) expect(read(small(8, { least: 3, most: 5 }), text)).toMatch(/^refused/);
  expect([read(f64, "130"), read(f64, "-0"), read(f64, "1e-400")]).toEqual([130, -0, 0]);
  for (const text of ["1e400", '"1"', "null", "[1]"]) expect(read(f64, text)).toMatch(/^refused/);
  for (const text of ["0", '"true"', "null"]) expect(read(bool, text)).toMatch(/^refused/);
});

test("variants take one known name, and names that objects inherit are not known", () => {
  const Either = variants({ A: u8, B: Text });
  expect(read(Either, '{"B":"x"}')).toEqual({ B: "x" });
  const inherited = ["constructor", "toString", "hasOwnProperty", "__proto__", "valueOf"];
  for (const name of [...inherited, "a", ""]) {
    expect(read(Either, `{"${name}":1}`), name).toMatch(/^refused/);
    expect(read(PricingModel, `{"${name}":{"price":[1,2]}}`), name).toMatch(/^refused/);
    expect(read(PriceQuote, `{"kind":"${name}"}`), name).toMatch(/^refused/);
    expect(read(Outer, `{"name":"a","amount":[5,2],"side":"${name}"}`), name).toMatch(/^refused/);
    expect(read(Outer, `{"name":"a","amount":[5,2],"side":{"${name}":null}}`), name).toMatch(/^refused/);
  }
  for (const text of ['{"A":1,"B":"x"}', '{"A":1,"A":1}', "{}", '"A"', "[1]", "null"]) {
    expect(read(Either, text), text).toMatch(/^refused/);
  }
});

test("pairs take two, lists any number", () => {
  expect(read(pair(u8, Text), '[1,"a"]')).toEqual([1, "a"]);
  for (const text of ["[1]", '[1,"a",2]', "{}", '["a",1]'])
    expect(read(pair(u8, Text), text), text).toMatch(/^refused/);
  expect(read(list(u8), "[]")).toEqual([]);
  expect(read(list(u8), "[1,256]")).toMatch(/^refused/);
});

test("signed bytes keep declared order, answers sort by bytes of the name, at every depth", () => {
  const Named = struct("Named", { z: u8, 'é"': Amount, Z: u8, "\uffff": u8, "\u{10000}": u8 });
  const record = { z: 1, 'é"': { decimals: 2, base_units: 5n }, Z: 3, "\uffff": 4, "\u{10000}": 5 } as never;
  expect(writeJson(Named, record, TRANSCRIPT)).toBe(
    '{"z":1,"é\\"":{"base_units":5,"decimals":2},"Z":3,"\uffff":4,"\u{10000}":5}',
  );
  expect(writeJson(Named, record, ANSWER)).toBe(
    '{"Z":3,"z":1,"é\\"":{"base_units":5,"decimals":2},"\uffff":4,"\u{10000}":5}',
  );
});

test("a view shows what it names, and an extension has the members of both", () => {
  const Public = reveal("Public", Outer, "name", "note");
  expect(Public.of(value as never)).toStrictEqual({ name: "a", note: null });
  expect(Object.keys(Public.fields)).toEqual(["name", "note"]);
  expect(Object.keys(extend("More", Public, { extra: u8 }).fields)).toEqual(["name", "note", "extra"]);
});
