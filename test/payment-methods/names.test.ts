/**
 * Goal: no merchant can call a method of his own so that it reads like one of the catalog, or hide something in its
 * name (protocol 02 I.3 rows 3 and 4).
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { catalog } from "../../core/domains/payment-methods/catalog.ts";
import { isUsableName, skeletonOf } from "../../core/domains/payment-methods/names.ts";
import { NAME_LENGTH_MAX } from "../../core/domains/payment-methods/schema.ts";
import { arbCharacter } from "../../sim/arbitraries/texts.ts";
import { forAll } from "../property/for-all.ts";

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
    for (const name of names) {
      for (const cased of [name, name.toUpperCase(), name.toLowerCase()]) {
        for (const mark of ["", "-", "."]) expect(isUsableName([...cased].join(mark)), name).toBe(false);
      }
    }
  });

  test("a skeleton is its own skeleton", () => {
    const lookalike = fc.constantFrom(..."ÀœßþЅ0134570Օ\uff30\uff21漢é-_. κ");
    const tricky = fc.array(lookalike, { maxLength: NAME_LENGTH_MAX }).map((letters) => letters.join(""));
    forAll(
      [fc.oneof(fc.string({ unit: arbCharacter(), maxLength: NAME_LENGTH_MAX }), tricky)],
      (name) => {
        const skeleton = skeletonOf(name);
        expect(skeletonOf(skeleton)).toBe(skeleton);
        return [
          skeleton === "" ? "no skeleton" : skeleton === name ? "its own" : "another",
          [...name].length > 10 ? "longer than ten" : "short",
          ...([...skeleton].length > [...name].length ? ["longer than the name"] : []),
        ];
      },
      {
        runs: 300,
        shares: { another: 0.3, "no skeleton": 0.01, "longer than ten": 0.5, "longer than the name": 0.05 },
      },
    );
  });
});
