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

const crypto = openNativeCrypto();
/** Identities of four digits and a tail: many share long prefixes. */
const arbId = fc.tuple(fc.constantFrom("00", "0f", "a0"), fc.integer({ min: 0, max: 99 })).map(([head, tail]) => {
  return `${head}${tail % 3}${tail.toString(16).padStart(61, "0")}`;
});
const arbOrder = fc.array(fc.record({ id: arbId, remove: fc.boolean() }), { maxLength: 200 });
const prefixes = ["", "0", "00", "000", "0f1", "a", "a0", "b", "0".repeat(60)];

function treeOf(ids: Iterable<string>) {
  const tree = createIdentityTree(crypto);
  for (const id of ids) tree.add(id);
  return tree;
}

test("history leaves no trace", () => {
  fc.assert(
    fc.property(arbOrder, (orders) => {
      const tree = createIdentityTree(crypto);
      const set = new Set<string>();
      for (const { id, remove } of orders) {
        if (remove) {
          tree.remove(id);
          set.delete(id);
        } else {
          tree.add(id);
          set.add(id);
        }
      }
      const fresh = treeOf([...set].reverse());
      for (const prefix of prefixes) {
        const below = [...set].filter((id) => id.startsWith(prefix)).sort(compareText);
        expect(tree.count(prefix)).toBe(below.length);
        expect(tree.below(prefix, 1_000)).toEqual(below);
        expect(tree.below(prefix, 3)).toEqual(below.slice(0, 3));
        expect(toHex(tree.digest(prefix))).toBe(toHex(fresh.digest(prefix)));
        expect(toHex(tree.digest(prefix))).toBe(toHex(treeOf(below).digest(prefix)));
      }
    }),
    { numRuns: 200 },
  );
});

test("one identity more or less changes every digest above it, and no other", () => {
  fc.assert(
    fc.property(fc.uniqueArray(arbId, { minLength: 1, maxLength: LISTED_MAX * 6 }), fc.nat(), (ids, pick) => {
      const left = ids[pick % ids.length] ?? "";
      const [all, fewer] = [treeOf(ids), treeOf(ids.filter((id) => id !== left))];
      for (const prefix of prefixes) {
        const same = toHex(all.digest(prefix)) === toHex(fewer.digest(prefix));
        expect(same).toBe(!left.startsWith(prefix));
      }
    }),
    { numRuns: 200 },
  );
});
