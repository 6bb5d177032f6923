/**
 * Goal: a list is counted as a reader of JSON would count it, up to one more than asked, without being read.
 * Method: JavaScript's own writer makes the lists; then texts that are none, or end early.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { countElements } from "../../core/kernel/json-elements.ts";
import { forAll } from "../property/for-all.ts";

test("of any list it tells the length, or one more than was asked for", () => {
  forAll(
    [fc.array(fc.jsonValue(), { maxLength: 12 }), fc.integer({ min: 0, max: 12 }), fc.constantFrom("", " ", "\n\t")],
    (list, most, space) => {
      const text = `${space}${JSON.stringify(list, null, space)}${space}`;
      expect(countElements(text, most)).toBe(Math.min(list.length, most + 1));
      return [list.length > most ? "more than asked" : "all", list.length === 0 ? "empty" : "some"];
    },
    { runs: 200, shares: { "more than asked": 0.2, all: 0.2, empty: 0.02, some: 0.5 } },
  );
});

test.each([
  ["", undefined],
  ["{}", undefined],
  ['"[1,2]"', undefined],
  ["[", undefined],
  ["[1,2", undefined],
  ['["]', undefined],
  ['["\\"]', undefined],
  ["[]", 0],
  ["[ ]", 0],
  ["[,,]", 3],
  ['["a,\\"]","b\\\\",[1,{"c":[2,3]}]]', 3],
  ["[[1,2],3] trailing", 2],
])("%j has %s", (text, elements) => {
  expect(countElements(text, 100)).toBe(elements);
});

test("a list of very many is looked at no further than asked, and a long string is one element", () => {
  expect(countElements(`[${"1,".repeat(50)}nonsense`, 20)).toBe(21);
  expect(countElements(`["${"\\\\".repeat(500_000)}"]`, 20)).toBe(1);
});
