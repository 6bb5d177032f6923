/**
 * Goal: a file is the depth-first concatenation of its leaves, or it is none, by the same rule on every node.
 * Method: graphs put through the real ingress, read as a client reads; random bytes as nodes.
 * Source: protocol 02 G.3, G.6, G.7.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { linksOfNode } from "../../core/domains/content/blocks/dag-pb.ts";
import type { Cid } from "../../core/kernel/cid.ts";
import { canonicalCid } from "../../core/kernel/cid.ts";
import { fromBase64, toBase64, utf8 } from "../../core/kernel/text.ts";
import { arbCid } from "../../sim/arbitraries/texts.ts";
import { forAll } from "../property/for-all.ts";
import type { LoneNode } from "../rpc/lone-node.ts";
import { loneNode, parityNode } from "../rpc/lone-node.ts";
import { cidOf, put, T } from "../rpc/node-with-settlement.ts";
import { dagNode, member } from "./dag.ts";

const leaf = (node: LoneNode, text: string): Cid => {
  put(node, utf8(text));
  return cidOf(utf8(text));
};
const join = (node: LoneNode, links: readonly Cid[], type?: number | null): Cid => {
  const block = dagNode(links, type);
  expect(put(node, block, "dag-pb")).toMatchObject({ stored: expect.any(Boolean) });
  return cidOf(block, "dag-pb");
};
const file = (node: LoneNode, cid: Cid) => {
  const answer = node.call("getContentFile", { cid });
  if (typeof answer === "number") return answer;
  const { content } = answer as { readonly content: string | null };
  return content === null ? null : new TextDecoder().decode(fromBase64(content));
};

describe("a file", () => {
  test("is its raw block, or the leaves of a tree in order, the same leaf twice as well", () => {
    const node = loneNode(T);
    const [a, b, c] = ["a", "bb", "ccc"].map((text) => leaf(node, text)) as [Cid, Cid, Cid];
    expect(file(node, a)).toBe("a");
    expect(file(node, join(node, [a, b, a]))).toBe("abba");
    expect(file(node, join(node, [join(node, [a, b]), c, join(node, [join(node, [b])], null)]))).toBe("abbcccbb");
    expect(file(node, leaf(node, ""))).toBe("");
  });

  test("is nothing while a block is lacking, or where a node has no leaves", () => {
    const node = loneNode(T);
    const a = leaf(node, "a");
    expect(file(node, cidOf(utf8("nobody has this")))).toBeNull();
    expect(file(node, join(node, [a, cidOf(utf8("later"))]))).toBeNull();
    expect(file(node, join(node, [a, join(node, [])]))).toBeNull();
    leaf(node, "later");
    expect(file(node, join(node, [a, cidOf(utf8("later"))]))).toBe("alater");
  });

  test("that is broken is refused: a directory, a foreign link, bytes that are no node", () => {
    for (const [node, refusal] of [
      [loneNode(T), 3],
      [parityNode(T), -32_602],
    ] as const) {
      const a = leaf(node, "a");
      expect(file(node, join(node, [a], 1))).toBe(refusal);
      const foreign = member(2, member(1, Uint8Array.of(0x12, 0x20, ...new Uint8Array(32))));
      put(node, foreign, "dag-pb");
      expect(file(node, cidOf(foreign, "dag-pb"))).toBe(refusal);
      put(node, utf8("no node"), "dag-pb");
      expect(file(node, join(node, [a, cidOf(utf8("no node"), "dag-pb")]))).toBe(refusal);
    }
  });

  test("has at most 512 blocks and 10 MiB, and a node at most 1024 links", () => {
    const node = loneNode(T);
    const a = leaf(node, "a");
    const many = (count: number) => Array.from({ length: count }, () => a);
    expect(file(node, join(node, many(511)))).toBe("a".repeat(511));
    expect(file(node, join(node, many(512)))).toBe(3);
    const whole = new Uint8Array(262_144).fill(97);
    put(node, whole);
    const blocks = Array.from({ length: 40 }, () => cidOf(whole));
    expect((file(node, join(node, blocks)) as string).length).toBe(10_485_760);
    expect(file(node, join(node, [...blocks, a]))).toBe(3);
    expect(linksOfNode(dagNode(many(1_024)))?.length).toBe(1_024);
    expect(linksOfNode(dagNode(many(1_025)))).toBeUndefined();
  });

  test("doubling trees end at the bound: a small upload costs no more than 512 looks", () => {
    const node = loneNode(T);
    let cid = leaf(node, "a");
    for (let depth = 0; depth < 40; depth++) cid = join(node, [cid, cid]);
    expect(file(node, cid)).toBe(3);
  });
});

test("a batch of large files is answered as far as is bearable, the rest is to be asked for again", () => {
  const node = loneNode(T);
  const whole = new Uint8Array(262_144);
  put(node, whole);
  const cid = join(
    node,
    Array.from({ length: 40 }, () => cidOf(whole)),
  );
  const ask = { jsonrpc: "2.0", id: 7, method: "getContentFile", params: { cid } };
  const text = node.body(JSON.stringify(Array.from({ length: 100 }, () => ask))) ?? "";
  expect(text.length).toBeLessThan(64_000_000);
  const answers = JSON.parse(text) as { readonly id: number; readonly error?: { readonly data: unknown } }[];
  expect(answers.length).toBe(100);
  expect(answers.filter((answer) => answer.error === undefined).length).toBe(3);
  expect(answers.at(-1)).toMatchObject({ id: 7, error: { data: { ofsErrorCode: 9 } } });
});

test("a node's links are the ones it was made of, in order, unless it is something else than a file", () => {
  const type = fc.constantFrom(null, 0, 1, 2, 3, 4, 5, 6);
  forAll(
    [fc.array(arbCid(), { maxLength: 40 }), type],
    (links, type) => {
      const isOther = links.length > 0 && type !== null && [1, 3, 4, 5].includes(type);
      expect(linksOfNode(dagNode(links as Cid[], type))).toEqual(isOther ? undefined : links);
    },
    {
      runs: 300,
      classes: (links, type) => [
        links.length === 0 ? "no links" : links.length > 10 ? "many links" : "a few links",
        new Set(links).size < links.length ? "one link twice" : "different links",
        `type ${type}`,
      ],
      shares: {
        ...{ "no links": 0.01, "a few links": 0.1, "many links": 0.3 },
        ...Object.fromEntries([null, 0, 1, 2, 3, 4, 5, 6].map((each) => [`type ${each}`, 0.05])),
      },
    },
  );
});

test("no bytes are too strange to be a node or none, and what is read is made of identifiers", () => {
  const bytes = fc.uint8Array({ maxLength: 120 });
  const node = fc.array(arbCid(), { maxLength: 3 }).map((links) => dagNode(links as Cid[]));
  const spoiled = fc.tuple(node, fc.nat(), fc.nat(255)).map(([block, at, byte]) => {
    return block.map((each, place) => (place === at % block.length ? byte : each));
  });
  const cut = fc.tuple(node, fc.nat()).map(([block, at]) => block.subarray(0, at % block.length));
  const wrapped = bytes.map((inner) => member(2, inner));
  const twice = bytes.map((inner) => member(2, member(1, inner)));
  const holds = (block: Uint8Array) => {
    const links = linksOfNode(block);
    if (links === undefined) return ["no node"];
    for (const link of links) expect(canonicalCid(link)).toBe(link);
    return [links.length > 0 ? "links" : "no links"];
  };
  const shares = { "no node": 0.3, "no links": 0.02, links: 0.05 };
  forAll([fc.oneof(bytes, wrapped, twice, spoiled, spoiled, cut)], holds, { runs: 2_000, shares });
  expect(toBase64(dagNode([], 1))).toBe("CgIIAQ==");
});
