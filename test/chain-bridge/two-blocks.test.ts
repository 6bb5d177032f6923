/**
 * Goal: of two blocks of one slot a node without an endpoint takes the one that more origins announce, of as many the
 * lexically smaller, whatever came first and however often one says it; its own endpoint stands above them; and a fork
 * is counted for its operator (protocol 03 C9, C10, C11).
 * Method: one node that hears of slots; random announcements beside a count of their newest words.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { gaugesOf } from "../../core/index.ts";
import { toBase58 } from "../../core/kernel/text.ts";
import { T } from "../oracles/market.ts";
import { forAll } from "../property/for-all.ts";
import type { LoneNode } from "../rpc/lone-node.ts";
import { loneNode, person } from "../rpc/lone-node.ts";
import { announceSlot } from "../snapshots/slots.ts";

const SLOT = 412_000_000n;
const people = Array.from({ length: 6 }, (_, n) => person(0x61 + n));
const hashes = [1, 2, 3].map((n) => toBase58(new Uint8Array(32).fill(n))) as [string, string, string];
const [one, two] = hashes;

const shown = (node: LoneNode) => {
  const { slot, blockhash } = node.call("getChainStatus", {}) as { slot: number | null; blockhash: string | null };
  return [slot === null ? null : BigInt(slot) - SLOT, blockhash];
};
const forks = (node: LoneNode) => gaugesOf(node.view)["ofs_chain_forks"];

interface Announced {
  readonly by: number;
  readonly slot: bigint;
  readonly hash: string;
}

/** A node that heard of slots, a millisecond apart. */
function hearing(announcements: readonly Announced[], node = loneNode(T)): LoneNode {
  for (const { by, slot, hash } of announcements) {
    node.now += 1n;
    announceSlot(node, people[by] ?? person(1), SLOT + slot, node.now, hash);
  }
  return node;
}
const saying = (hash: string, ...origins: readonly number[]) => origins.map((by) => ({ by, slot: 0n, hash }));

test("the block that more origins announce is taken, though the other is smaller and came first", () => {
  expect(one < two).toBe(true);
  const node = hearing([...saying(one, 0, 1), ...saying(two, 2, 3, 4)]);
  expect(shown(node)).toEqual([0n, two]);
  expect((node.call("getLatestBlockhash", {}) as { blockhash: string }).blockhash).toBe(two);
});

test("of as many the smaller, in either order", () => {
  expect(shown(hearing([...saying(two, 0, 1), ...saying(one, 2, 3)]))).toEqual([0n, one]);
  expect(shown(hearing([...saying(one, 0, 1), ...saying(two, 2, 3)]))).toEqual([0n, one]);
});

test("who announces both blocks in turn counts once, for the newer", () => {
  const turns = [0, 0, 0, 0].flatMap((by) => [...saying(two, by), ...saying(one, by)]);
  expect(shown(hearing([...saying(two, 1, 2), ...turns]))).toEqual([0n, two]);
});

test("those of another slot count for nothing at the slot that is shown", () => {
  const above = { by: 5, slot: 1n, hash: one };
  const below = [3, 4].map((by) => ({ by, slot: -1n, hash: one }));
  expect(shown(hearing([above, ...below, ...saying(two, 0, 1), ...saying(one, 2)]))).toEqual([0n, two]);
});

test("what is no longer fresh counts no more", () => {
  const node = hearing(saying(two, 0, 1, 2));
  node.now += 50_000n;
  hearing(saying(one, 3, 4), node);
  expect(shown(node)).toEqual([0n, two]);
  node.now += 30_000n;
  expect(shown(node)).toEqual([0n, one]);
});

test("this node's own endpoint stands above all of them", () => {
  const node = loneNode(T, undefined, undefined, { chain: "RpcConnected" });
  node.accept({ type: "chain.observed", observation: { type: "slot", slot: SLOT, blockhash: one } });
  hearing(saying(two, 0, 1, 2), node);
  expect([shown(node), forks(node)]).toEqual([[0n, one], 1]);
});

test("a fork is counted while it is told of, each slot once", () => {
  const node = hearing([...saying(one, 0, 1), ...[2, 3].map((by) => ({ by, slot: 1n, hash: two }))]);
  expect(forks(node)).toBe(0);
  hearing([{ by: 4, slot: 1n, hash: one }, ...saying(two, 5)], node);
  expect(forks(node)).toBe(2);
  hearing(saying(one, 5), node);
  expect(forks(node)).toBe(1);
  node.now += 80_000n;
  expect(forks(node)).toBe(1);
  hearing([{ by: 0, slot: 200n, hash: one }], node);
  expect(forks(node)).toBe(0);
});

test("whatever is announced, slot and block are those of the origins' newest words", () => {
  const announcement = fc.record({
    by: fc.nat(people.length - 1),
    slot: fc.bigInt({ min: 0n, max: 2n }),
    hash: fc.constantFrom(...hashes),
  });
  forAll(
    [fc.array(announcement, { minLength: 1, maxLength: 16 })],
    (all) => {
      const node = hearing(all);
      const newest = [...new Map(all.map((each) => [each.by, each])).values()];
      const slots = newest.map(({ slot }) => slot).sort((a, b) => Number(b - a));
      const slot = slots[1] ?? slots[0];
      const there = newest.filter((each) => each.slot === slot).map(({ hash }) => hash);
      const counts = hashes.map((hash) => there.filter((each) => each === hash).length);
      // `hashes` stand in their order, so the first of the greatest is the smallest.
      expect(shown(node)).toEqual([slot, hashes[counts.indexOf(Math.max(...counts))]]);
      const forked = [0n, 1n, 2n].filter(
        (at) => new Set(newest.flatMap((e) => (e.slot === at ? [e.hash] : []))).size > 1,
      );
      expect(forks(node)).toBe(forked.length);
      const isTie = counts.filter((count) => count === Math.max(...counts)).length > 1;
      return [...(new Set(there).size > 1 ? ["a fork there"] : []), ...(isTie ? ["as many for both"] : [])];
    },
    { runs: 100, shares: { "a fork there": 0.2, "as many for both": 0.1 } },
  );
});
