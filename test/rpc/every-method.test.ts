/**
 * Goal: what holds for every row of the method table: its result reads back as it was written, the document
 * describes what is written, unfit parameters are refused and change nothing, and no read changes a root.
 * Method: one generated test a method; values from the shapes, parameters as anybody could send them.
 */
import { Ajv } from "ajv";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeJson, methods, parseJson } from "../../core/index.ts";
import { ANSWER } from "../../core/kernel/schema.ts";
import { schemaOf } from "../../core/openrpc.ts";
import { arbitraryOf } from "../../sim/arbitraries/of-schema.ts";
import { loneNode } from "./lone-node.ts";

const T = 1_786_000_000_000n;
const ajv = new Ajv({ strict: false, validateFormats: false });

describe.each(Object.entries(methods))("%s", (name, row) => {
  test("its result reads back as it was written, and the document describes it", () => {
    const describes = ajv.compile(schemaOf(row.result));
    fc.assert(
      fc.property(arbitraryOf(row.result), (value) => {
        const text = row.result.write(value, ANSWER);
        const parsed = parseJson(text);
        if (!parsed.ok) throw new Error(parsed.error);
        const decoded = decodeJson(row.result, parsed.value);
        if (!decoded.ok) throw new Error(`${decoded.error}: ${text}`);
        expect(row.result.write(decoded.value.value, ANSWER)).toBe(text);
        expect(describes(JSON.parse(text)), JSON.stringify(describes.errors)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  test("says what it does and where that stands", () => {
    expect(row.doc).toMatch(/^[A-Z].*[.]$/s);
    expect(row.source).toMatch(/protocol 0[1-5]|OFS-\d{4}|ours/);
    expect(new Set(row.errors).size).toBe(row.errors.length);
  });

  test("takes any parameters without falling over; what is refused or only read changes no root", () => {
    const node = loneNode(T);
    fc.assert(
      fc.property(arbParams(Object.keys(row.params.fields)), (params) => {
        const before = node.roots();
        const answer = JSON.parse(
          node.body(`{"jsonrpc":"2.0","id":1,"method":"${name}","params":${params}}`) ?? "null",
        );
        const said = answer as { readonly error?: { readonly code: number }; readonly result?: unknown };
        expect("error" in said !== "result" in said).toBe(true);
        if (said.error !== undefined) expect([-32602, -32000, -32700]).toContain(said.error.code);
        expect(node.roots()).toEqual(before);
      }),
      { numRuns: 60 },
    );
  });
});

/** JSON of parameters: none, of the wrong kind, or an object with the row's members and strange values. */
function arbParams(members: readonly string[]): fc.Arbitrary<string> {
  const value = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.base64String(),
    fc.integer(),
    fc.jsonValue(),
    fc.constant("12D3Koo"),
  );
  const record = fc.dictionary(fc.constantFrom("id", "wallet", ...members), value, { maxKeys: members.length + 1 });
  return fc.oneof(
    { weight: 1, arbitrary: fc.constantFrom("null", "[]", "7", '"x"', "{}") },
    { weight: 4, arbitrary: record.map((params) => JSON.stringify(params)) },
  );
}
