/**
 * Goal: what holds for every row of the method table: its result reads back as it was written, the document
 * describes what is written, unfit parameters are refused and change nothing, and no read changes a root.
 * Method: one generated test a method; values from the shapes, parameters as anybody could send them.
 */
import { Ajv } from "ajv";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { schemaOf } from "../../core/engine/json-schema.ts";
import { Pending, Statements } from "../../core/engine/statements/table.ts";
import { decodeJson, methods, parseJson } from "../../core/index.ts";
import type { Schema } from "../../core/kernel/schema.ts";
import { ANSWER } from "../../core/kernel/schema.ts";
import type { SignedType } from "../../core/kernel/signed.ts";
import { arbitraryOf } from "../../sim/arbitraries/of-schema.ts";
import { arbSigner } from "../../sim/arbitraries/people.ts";
import { arbPayload, memberRead } from "../../sim/arbitraries/signed.ts";
import { arbCharacter } from "../../sim/arbitraries/texts.ts";
import { forAll } from "../property/for-all.ts";
import { shapePlan } from "../property/shape-classes.ts";
import { loneNode, signedData } from "./lone-node.ts";

const T = 1_786_000_000_000n;
const ajv = new Ajv({ strict: false, validateFormats: false });

describe.each(Object.entries(methods))("%s", (name, row) => {
  test("its result reads back as it was written, and the document describes it", () => {
    const describes = ajv.compile(schemaOf(row.result));
    const holds = (value: unknown) => {
      const text = row.result.write(value, ANSWER);
      const parsed = parseJson(text);
      if (!parsed.ok) throw new Error(parsed.error);
      const decoded = decodeJson(row.result, parsed.value);
      if (!decoded.ok) throw new Error(`${decoded.error}: ${text}`);
      expect(row.result.write(decoded.value.value, ANSWER)).toBe(text);
      expect(describes(JSON.parse(text)), JSON.stringify(describes.errors)).toBe(true);
    };
    forAll([arbitraryOf(row.result)], holds, { runs: 30, ...shapePlan(row.result) });
  });

  test("says what it does and where that stands", () => {
    expect(row.doc).toMatch(/^[A-Z].*[.]$/s);
    expect(row.source).toMatch(/protocol 0[1-5]|OFS-\d{4}|ours/);
    expect(new Set(row.errors).size).toBe(row.errors.length);
  });

  test("takes any parameters without falling over; what is refused or only read changes no root", () => {
    const node = loneNode(T);
    const members = Object.keys(row.params.fields);
    const fit = arbitraryOf(row.params as Schema<object>).map((params) => row.params.write(params, ANSWER));
    forAll(
      [fc.oneof({ weight: 1, arbitrary: fit }, { weight: 2, arbitrary: arbParams(members) })],
      (params) => {
        const before = node.roots();
        const answer = JSON.parse(
          node.body(`{"jsonrpc":"2.0","id":1,"method":"${name}","params":${params}}`) ?? "null",
        );
        const body = answer as { readonly error?: { readonly code: number }; readonly result?: unknown };
        expect("error" in body !== "result" in body).toBe(true);
        if (body.error !== undefined) expect([-32602, -32000, -32700]).toContain(body.error.code);
        expect(node.roots()).toEqual(before);
        const parsed = parseJson(params);
        const isFit = parsed.ok && decodeJson(row.params, parsed.value).ok;
        return [isFit ? "fit" : "unfit", "error" in body ? `error ${body.error?.code}` : "a result"];
      },
      { runs: 30, sample: 60, shares: members.length > 0 ? { fit: 0.1, unfit: 0.1 } : { fit: 0.3 } },
    );
  });
});

const sends = Object.entries(methods).flatMap(([name, row]) => (row.mutation ? [[name, row.mutation] as const] : []));

test("a send that is really signed is taken, or refused as its row says, and what is refused changes no root", () => {
  forAll(
    [fc.oneof(...sends.map(([name, { signed }]) => fc.tuple(fc.constant(name), arbData(signed))))],
    ([name, data]) => {
      const node = loneNode(T);
      const before = node.roots();
      const text = node.body(JSON.stringify({ jsonrpc: "2.0", id: 1, method: name, params: { data } })) ?? "";
      const { error } = JSON.parse(text) as { readonly error?: { readonly data?: { readonly ofsErrorName: string } } };
      if (error === undefined) {
        expect(node.view.size(Statements) + node.view.size(Pending)).toBe(1);
        return [name, node.view.size(Pending) === 1 ? "taken, and waits for its parent" : "taken"];
      }
      expect(node.roots()).toEqual(before);
      const code = error.data?.ofsErrorName;
      if (code !== undefined) expect(methods[name]?.errors).toContain(code);
      return [name, `refused: ${code ?? "parameters"}`];
    },
    { runs: 300, sample: 300, shares: { taken: 0.05, ...Object.fromEntries(sends.map(([name]) => [name, 1 / 300])) } },
  );
});

/** The `data` of a send that somebody signed a moment ago, of one of these types. */
function arbData(types: readonly SignedType[]): fc.Arbitrary<string> {
  const payloads = types.map((type) =>
    arbSigner().chain((by) =>
      arbPayload(type, by).map((payload) => {
        const dated = { ...payload, [memberRead(payload, type.timeOf) ?? ""]: T };
        return signedData(type, dated, { secret: by.secretKey, key: by.publicKey, peer: by.peer });
      }),
    ),
  );
  return fc.oneof(...payloads);
}

/** JSON of parameters: none, of the wrong kind, or an object with the row's members and strange values. */
function arbParams(members: readonly string[]): fc.Arbitrary<string> {
  const value = fc.oneof(
    fc.string({ unit: arbCharacter() }),
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
