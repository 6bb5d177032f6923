/**
 * Goal: the published vectors are those of this build, of every signed type, and each is taken by the runtime's own
 * Ed25519. `OFS_VECTORS=write` writes them when a change is meant.
 * Method: the file against what is computed; every signature verified without the product.
 */
import { createPublicKey, verify } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { methods } from "../../core/index.ts";
import { known } from "../../core/kernel/assert.ts";
import { fromBase58 } from "../../core/kernel/text.ts";
import { publishedVectors } from "./published.ts";

interface Published {
  readonly statements: readonly {
    readonly tag: string;
    readonly signer: string;
    readonly prefix: string;
    readonly renderings: readonly { readonly text: string; readonly tagged: string; readonly bare?: string }[];
  }[];
}

const file = new URL("../../vectors.json", import.meta.url);
if (process.env["OFS_VECTORS"] === "write") writeFileSync(file, publishedVectors());
const text = readFileSync(file, "utf8");
const { statements } = JSON.parse(text) as Published;

test("the file is what this build computes, and has every signed type of the methods", () => {
  expect(text).toBe(publishedVectors());
  const tags = new Set(statements.map(({ tag }) => tag));
  const signed = Object.values(methods).flatMap(({ mutation }) => mutation?.signed ?? []);
  expect(signed.filter(({ tag }) => !tags.has(tag)).map(({ tag }) => tag)).toEqual([]);
});

test.each(statements.map((each) => [each.tag, each] as const))("%s verifies in every rendering", (_, statement) => {
  const key = known(fromBase58(statement.signer), "a peer id").subarray(6);
  const spki = Buffer.concat([Buffer.from("302a300506032b6570032100", "hex"), key]);
  const publicKey = createPublicKey({ key: spki, format: "der", type: "spki" });
  const holds = (bytes: Uint8Array, signature: string) =>
    verify(null, bytes, publicKey, known(fromBase58(signature), "a signature"));
  for (const { text: json, tagged, bare } of statement.renderings) {
    const bytes = Buffer.from(json);
    expect(holds(Buffer.concat([Buffer.from(statement.prefix, "hex"), bytes]), tagged)).toBe(true);
    if (bare !== undefined) expect(holds(bytes, bare)).toBe(true);
  }
});
