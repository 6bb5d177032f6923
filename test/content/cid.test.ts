/**
 * Goal: identifiers and their canonical text are the published ones, and nothing else passes for one.
 * Source: protocol 02 G.3, O.23.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fromHex, toHex } from "../../core/kernel/bytes.ts";
import { canonicalCid, cidOf, partsOfCid } from "../../core/kernel/cid.ts";
import { utf8 } from "../../core/kernel/text.ts";
import { arbCid } from "../../sim/arbitraries/texts.ts";
import { forAll } from "../property/for-all.ts";
import { crypto } from "../rpc/lone-node.ts";

const published: readonly (readonly [string, "raw" | "dag-pb", Uint8Array])[] = [
  ["bafkreibdmq27skp3wnycoyoqcei47etyaulerpsegivlkfvyhjkw7ufjva", "raw", utf8("openfiat ipfs probe 1785426891\n")],
  ["bafkreibqyjcrlslvz3uen3qjl6gaqyxu2tryyvqlb555rluyyszpg5zbqu", "raw", utf8("a second attachment")],
  ["bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku", "raw", new Uint8Array(0)],
  ["bafybeiczsscdsbs7ffqz55asqdf3smv6klcw3gofszvwlyarci47bgf354", "dag-pb", fromHex("0a020801") as Uint8Array],
];
const [[some]] = published as [(typeof published)[number]];

test.each(published)("%s", (cid, codec, bytes) => {
  const digest = crypto.sha256(bytes);
  expect(cidOf({ codec, digest })).toBe(cid);
  expect(partsOfCid(cid)).toEqual({ codec, digest });
});

test("every identifier is read, and written as it was", () => {
  forAll(
    [fc.constantFrom("raw" as const, "dag-pb" as const), fc.uint8Array({ minLength: 32, maxLength: 32 })],
    (codec, digest) => {
      const parts = partsOfCid(cidOf({ codec, digest }));
      expect([parts?.codec, toHex(parts?.digest ?? new Uint8Array(0))]).toEqual([codec, toHex(digest)]);
    },
    { runs: 200, classes: (codec) => [codec], shares: { raw: 0.4, "dag-pb": 0.4 } },
  );
});

test("any text that is read as an identifier has one canonical text, which says the same", () => {
  const letters = [..."abcxyz234567018AZ="];
  const spoiled = fc.tuple(arbCid(), fc.nat(58), fc.constantFrom(...letters)).map(([cid, at, letter]) => {
    return cid.slice(0, at) + letter + cid.slice(at + 1);
  });
  const ending = fc.tuple(arbCid(), fc.constantFrom(...letters)).map(([cid, last]) => cid.slice(0, -1) + last);
  const holds = (text: string) => {
    const canonical = canonicalCid(text);
    if (canonical === undefined) return ["refused"];
    expect(partsOfCid(canonical)).toEqual(partsOfCid(text));
    expect(canonicalCid(canonical)).toBe(canonical);
    expect(canonical.slice(0, -1)).toBe(text.slice(0, -1));
    return [canonical === text ? "canonical" : "another spelling"];
  };
  const shares = { refused: 0.1, canonical: 0.3, "another spelling": 0.05 };
  forAll([fc.oneof(arbCid(), spoiled, ending)], holds, { runs: 300, shares });
});

test("the four spellings of one block are one name", () => {
  const last = "abcdefghijklmnopqrstuvwxyz234567".indexOf(some.slice(-1));
  const spellings = [0, 1, 2, 3].map((spare) => some.slice(0, -1) + "abcdefghijklmnopqrstuvwxyz234567"[last + spare]);
  expect(new Set(spellings).size).toBe(4);
  expect(new Set(spellings.map(canonicalCid))).toEqual(new Set([some]));
});

describe("refused", () => {
  test.each([
    ["version 0", "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG"],
    ["upper case", some.toUpperCase()],
    ["another base", `z${some.slice(1)}`],
    ["a digit that is none", `${some.slice(0, -2)}1a`],
    ["one digit less", some.slice(0, -1)],
    ["a trailing digit", `${some}a`],
    ["padding", `${some.slice(0, -1)}=`],
    ["another codec", "bafireibdmq27skp3wnycoyoqcei47etyaulerpsegivlkfvyhjkw7ufjva"],
    ["nothing", ""],
    ["a surrogate pair", `${some.slice(0, -2)}\u{1f600}`],
  ])("%s", (_, cid) => {
    expect(partsOfCid(cid)).toBeUndefined();
    expect(canonicalCid(cid)).toBeUndefined();
  });
});
