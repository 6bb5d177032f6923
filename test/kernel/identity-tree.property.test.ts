/**
 * Goal: a prefix's digest, count and content are functions of the set alone, and different sets differ.
 * Method: random additions and removals against a plain set, with identities that crowd under one prefix.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { openNativeCrypto } from "../../adapters/crypto/native.ts";
import { toHex } from "../../core/kernel/bytes.ts";
import { createIdentityTree, LISTED_MAX } from "../../core/kernel/identity-tree.ts";
import { compareText } from "../../core/kernel/text.ts";
import { forAll, samples } from "../property/for-all.ts";

const crypto = openNativeCrypto();
/** Identities that crowd below a few prefixes: some share three digits, some all but the last two. */
const arbId = fc.tuple(fc.constantFrom("00", "00", "00", "0f", "a0", "b"), fc.nat(199)).map(([head, tail]) => {
  const middle = head === "b" ? "7" : `${tail % 3}`;
  return `${head}${middle}${tail.toString(16).padStart(64 - head.length - 1, "0")}`;
});
const arbStep = fc.record({ id: arbId, remove: fc.constantFrom(false, false, false, true) });
/** Much is added, then much of it is removed again. */
const arbOrder = fc
  .tuple(fc.array(arbStep, { maxLength: 300 }), fc.array(fc.nat(299), { maxLength: 200 }))
  .map(([steps, gone]) => {
    const removals = gone.flatMap((at) => steps.slice(at, at + 1)).map(({ id }) => ({ id, remove: true }));
    return [...steps, ...removals];
  });
const prefixes = ["", "0", "00", "000", "001", "0f1", "a", "a0", "b", "b7", "c", "c0", "0".repeat(60)];

function treeOf(ids: Iterable<string>) {
  const tree = createIdentityTree(crypto);
  for (const id of ids) tree.add(id);
  return tree;
}

/** The digest of identities that share so many digits, as peers compare it: a list, or digests of sixteen branches. */
function digestBelow(ids: readonly string[], digits: number): Uint8Array {
  if (ids.length === 0) return new Uint8Array(32);
  if (ids.length <= 16) {
    return crypto.sha256(
      Buffer.concat([Buffer.of(0), ...[...ids].sort(compareText).map((id) => Buffer.from(id, "hex"))]),
    );
  }
  const branches = [..."0123456789abcdef"].map((digit) => {
    const below = ids.filter((id) => id.charAt(digits) === digit);
    return digestBelow(below, digits + 1);
  });
  return crypto.sha256(Buffer.concat([Buffer.of(1), ...branches]));
}

/** What a set makes of a tree: how deep it branches, and how near a list is to branching. */
function shapesOf(ids: ReadonlySet<string>): readonly string[] {
  const below = (prefix: string) => [...ids].filter((id) => id.startsWith(prefix)).length;
  const counts = prefixes.map(below);
  return [
    ...(below("") > LISTED_MAX ? ["branched"] : ["listed"]),
    ...(below("000") > LISTED_MAX ? ["branched below three digits"] : []),
    ...(counts.includes(LISTED_MAX) ? ["a list is full"] : []),
    ...(counts.includes(LISTED_MAX + 1) ? ["one more than a list takes"] : []),
  ];
}

test("history leaves no trace", () => {
  forAll(
    [arbOrder],
    (orders) => {
      const tree = createIdentityTree(crypto);
      const set = new Set<string>();
      let most = 0;
      let shrank = false;
      for (const { id, remove } of orders) {
        if (remove) {
          tree.remove(id);
          set.delete(id);
        } else {
          tree.add(id);
          set.add(id);
        }
        shrank ||= most > LISTED_MAX && set.size === LISTED_MAX;
        most = Math.max(most, set.size);
      }
      const fresh = treeOf([...set].reverse());
      for (const prefix of prefixes) {
        const below = [...set].filter((id) => id.startsWith(prefix)).sort(compareText);
        expect(tree.count(prefix)).toBe(below.length);
        expect(tree.below(prefix, 1_000)).toEqual(below);
        expect(tree.below(prefix, 3)).toEqual(below.slice(0, 3));
        expect(toHex(tree.digest(prefix))).toBe(toHex(fresh.digest(prefix)));
        expect(toHex(tree.digest(prefix))).toBe(toHex(treeOf(below).digest(prefix)));
        expect(toHex(tree.digest(prefix))).toBe(toHex(digestBelow(below, prefix.length)));
      }
      return [...shapesOf(set), ...(shrank ? ["listed again after it branched"] : [])];
    },
    {
      runs: 100,
      sample: 100,
      shares: {
        ...{ listed: 0.02, branched: 0.6, "branched below three digits": 0.1, "a list is full": 0.05 },
        ...{ "one more than a list takes": 0.05, "listed again after it branched": 0.02 },
      },
    },
  );
});

test("removing all but a few leaves what a fresh tree of the few is, at every count", () => {
  const ids = samples(fc.uniqueArray(arbId, { minLength: 120, maxLength: 120 }), 1)[0] ?? [];
  const tree = treeOf(ids);
  for (const [at, id] of ids.entries()) {
    tree.remove(id);
    tree.remove(id);
    const left = ids.slice(at + 1);
    expect(tree.count("")).toBe(left.length);
    expect(toHex(tree.digest("")), `${left.length} left`).toBe(toHex(treeOf(left).digest("")));
  }
  expect([tree.below("", 9), toHex(tree.digest(""))]).toEqual([[], "00".repeat(32)]);
});

test("what has not changed is not hashed again", () => {
  let hashed = 0;
  const counting = {
    ...crypto,
    sha256(bytes: Uint8Array) {
      hashed += 1;
      return crypto.sha256(bytes);
    },
  };
  const tree = createIdentityTree(counting);
  for (const id of samples(fc.uniqueArray(arbId, { minLength: 200, maxLength: 200 }), 1)[0] ?? []) tree.add(id);
  const hashes = (act: () => void) => {
    hashed = 0;
    act();
    tree.digest("");
    return hashed;
  };
  expect(hashes(() => {})).toBeGreaterThan(10);
  expect(hashes(() => {})).toBe(0);
  const id = "1".repeat(64);
  expect([hashes(() => tree.add(id)), hashes(() => tree.add(id)), hashes(() => tree.remove(id))]).toEqual([2, 0, 1]);
});

test("one identity more or less changes every digest above it, and no other", () => {
  forAll(
    [fc.uniqueArray(arbId, { minLength: 1, maxLength: LISTED_MAX * 12 }), fc.nat()],
    (ids, pick) => {
      const left = ids[pick % ids.length] ?? "";
      const [all, fewer] = [treeOf(ids), treeOf(ids.filter((id) => id !== left))];
      for (const prefix of prefixes) {
        const same = toHex(all.digest(prefix)) === toHex(fewer.digest(prefix));
        expect(same).toBe(!left.startsWith(prefix));
      }
    },
    {
      runs: 100,
      classes: (ids) => shapesOf(new Set(ids)),
      shares: { listed: 0.03, branched: 0.6, "branched below three digits": 0.1, "one more than a list takes": 0.02 },
    },
  );
});
