/**
 * Goal: no merchant can call a method of his own so that it reads like one of the catalog, or hide something in its
 * name (protocol 02 I.3 rows 3 and 4).
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { catalog } from "../../core/payment-methods/catalog.ts";
import { isUsableName, NAME_LENGTH_MAX, skeletonOf } from "../../core/payment-methods/names.ts";

describe("names", () => {
  test.each([
    "Chipper Cash",
    "x",
    "é",
    "n".repeat(NAME_LENGTH_MAX),
    "😀".repeat(NAME_LENGTH_MAX - 1) + "n",
    "M-Pesa of Nairobi",
    "漢字",
    "Κωνσταντίνος",
  ])("%s may be used", (name) => {
    expect(isUsableName(name)).toBe(true);
  });

  test.each([
    ["nothing", ""],
    ["one letter too many", "n".repeat(NAME_LENGTH_MAX + 1)],
    ["a space before", " name"],
    ["a space after", "name "],
    ["two spaces", "my  name"],
    ["a tab", "my\tname"],
    ["a line", "my\nname"],
    ["a no-break space", "my\u00a0name"],
    ["an ideographic space", "my\u3000name"],
    ["a control character", "my\u0085name"],
    ["a bidi override", "my\u202ename"],
    ["a bidi isolate", "my\u2066name"],
    ["a soft hyphen", "my\u00adname"],
    ["a zero-width space", "my\u200bname"],
    ["a byte-order mark", "my\ufeffname"],
    ["a blank braille cell", "my\u2800name"],
    ["a tag character", "my\u{e0041}name"],
    ["an interlinear mark", "my\ufff9name"],
    ["no letter at all", "--- !"],
    ["a name of the catalog", "M-PAiSA"],
    ["an alias in other letters", "SAFARICOM"],
    ["a catalog name with digits for letters", "P4ypa1"],
    ["a catalog name with Cyrillic letters", "\u0420\u0430ypal"],
    ["a catalog name in full width", "\uff30ay\uff30al"],
    ["a catalog name with other marks", "Z-e.l,l e"],
  ])("%s may not", (_, name) => {
    expect(isUsableName(name)).toBe(false);
  });

  test("every name and alias of the catalog is taken, in any case and with any marks between", () => {
    const names = catalog.flatMap(({ name, aliases }) => [name, ...aliases]);
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.boolean(), fc.constantFrom("", "-", "."), (name, upper, mark) => {
        const letters = [...(upper ? name.toUpperCase() : name)].join(mark);
        expect(isUsableName(letters)).toBe(false);
      }),
    );
  });

  test("a skeleton is its own skeleton", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (name) => {
        const skeleton = skeletonOf(name);
        expect(skeletonOf(skeleton)).toBe(skeleton);
      }),
    );
  });
});
