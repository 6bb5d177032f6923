// Goal: what is drawn depends on seed, name and number alone, is spread evenly, and never changes between versions.
// Method: published vectors of the mixing, golden vectors of ours, counts against what chance allows (fixed seeds, so
// a count that passes once always passes), and the shift property.
import fc from "fast-check";
import { assert, describe, test } from "vitest";
import type { Words } from "../../sim/random.ts";
import {
  below,
  between,
  bytes,
  chance,
  draw,
  openStream,
  pick,
  shuffled,
  threefry,
  u32,
  u64,
} from "../../sim/random.ts";
import { forAll } from "../property/for-all.ts";

const hex = (words: Words): string => words.map((word) => word.toString(16).padStart(8, "0")).join(" ");

describe("draws by name", () => {
  test("the mixing has the values its authors published", () => {
    const ones = 0xffff_ffff;
    const rows: readonly (readonly [Words, Words, string])[] = [
      [[0, 0, 0, 0], [0, 0, 0, 0], "9c6ca96a e17eae66 fc10ecd4 5256a7d8"],
      [[ones, ones, ones, ones], [ones, ones, ones, ones], "2a881696 57012287 f6c7446e a16a6732"],
      [
        [0xa4093822, 0x299f31d0, 0x082efa98, 0xec4e6c89],
        [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344],
        "59cd1dbb b8879579 86b5d00c ac8b6d84",
      ],
    ];
    for (const [key, counter, expected] of rows) assert.equal(hex(threefry(key, counter)), expected);
  });

  test("golden vectors: a seed means the same run in every version", () => {
    assert.equal(hex(draw(0n, "", 0)), GOLDEN.empty);
    assert.equal(hex(draw(1n, "link/0>1", 0)), GOLDEN.link);
    assert.equal(hex(draw(1n, "link/0>1", 2 ** 32 + 5)), GOLDEN.far);
    assert.equal(hex(draw(0xffff_ffff_ffff_ffffn, "actor/alice/via", 7)), GOLDEN.actor);
    assert.equal(u64(openStream(3n, "x"), 1).toString(16), GOLDEN.u64);
    assert.equal(Buffer.from(bytes(openStream(3n, "wallet/alice"), 0, 20)).toString("hex"), GOLDEN.bytes);
  });

  test("a decision that is not taken shifts no other, and a new stream shifts none", () => {
    forAll(
      [fc.bigInt(0n, 2n ** 64n - 1n), fc.string({ maxLength: 40 }), fc.uniqueArray(fc.nat(1000), { maxLength: 30 })],
      (seed, name, numbers) => {
        const all = numbers.map((n) => u32(openStream(seed, name), n));
        const odd = numbers
          .filter((_, place) => place % 2 === 1)
          .map((n) => {
            u32(openStream(seed, `${name}!`), n);
            return u32(openStream(seed, name), n);
          });
        assert.deepEqual(
          odd,
          all.filter((_, place) => place % 2 === 1),
        );
      },
      {
        runs: 100,
        classes: (seed, name, numbers) => [
          ...(numbers.length > 10 ? ["many numbers"] : []),
          ...(name.length > 16 ? ["a long name"] : []),
          ...(name === "" ? ["no name"] : []),
          ...(seed >= 2n ** 32n ? ["a seed above 32 bits"] : []),
        ],
        shares: { "many numbers": 0.4, "a long name": 0.3, "no name": 0.01, "a seed above 32 bits": 0.5 },
      },
    );
  });

  test("names, seeds and numbers that differ a little give draws that differ a lot", () => {
    const seen = new Set<string>();
    let count = 0;
    for (const seed of [0n, 1n, 2n ** 32n, 2n ** 63n]) {
      for (const name of [
        "",
        "a",
        "b",
        "aa",
        "link/1>2",
        "link/2>1",
        "link/12>1",
        "link/1>21",
        "12345678",
        "123456789",
      ]) {
        for (const n of [0, 1, 2, 2 ** 31, 2 ** 32, 2 ** 32 + 1]) {
          seen.add(hex(draw(seed, name, n)));
          count += 1;
        }
      }
    }
    assert.equal(seen.size, count);
  });

  test("every bit is set half of the time", () => {
    const stream = openStream(7n, "bits");
    const counts = new Array<number>(32).fill(0);
    const draws = 20_000;
    for (let n = 0; n < draws; n++) {
      const word = u32(stream, n);
      for (let bit = 0; bit < 32; bit++) counts[bit] = (counts[bit] ?? 0) + ((word >>> bit) & 1);
    }
    for (const count of counts) assert.ok(Math.abs(count - draws / 2) < 5 * Math.sqrt(draws / 4), `${count}`);
  });

  test("numbers below a limit are equally likely, also just above a power of two", () => {
    for (const limit of [2, 3, 7, 10, 48]) {
      const counts = new Array<number>(limit).fill(0);
      const stream = openStream(11n, `below ${limit}`);
      const draws = limit * 2_000;
      for (let n = 0; n < draws; n++) {
        const value = below(stream, n, limit);
        counts[value] = (counts[value] ?? 0) + 1;
      }
      const deviation = counts.reduce((sum, count) => sum + (count - 2_000) ** 2 / 2_000, 0);
      assert.ok(deviation < limit - 1 + 5 * Math.sqrt(2 * limit), `chi-squared of ${limit} is ${deviation}`);
    }
  });

  test("a limit that does not divide 2^32 favours nobody", () => {
    // Without rejection the lower half of 3 × 2^30 would come up twice as often as the upper.
    const limit = 3 * 2 ** 30;
    const stream = openStream(5n, "wide");
    let low = 0;
    for (let n = 0; n < 10_000; n++) if (below(stream, n, limit) < 2 ** 30) low += 1;
    assert.ok(Math.abs(low - 3_333) < 250, `${low} of 10000 in the lowest third`);
  });

  test("wide limits stay inside, and reach the top", () => {
    const stream = openStream(5n, "wider");
    let top = 0;
    for (let n = 0; n < 2_000; n++) {
      const value = below(stream, n, 2 ** 53);
      assert.ok(Number.isSafeInteger(value) && value >= 0);
      if (value > 2 ** 52) top += 1;
    }
    assert.ok(Math.abs(top - 1_000) < 120, `${top}`);
    assert.throws(() => below(stream, 0, 0), RangeError);
    assert.throws(() => below(stream, 0, 2 ** 54), RangeError);
  });

  test("between, chance, pick and shuffle do what they say", () => {
    const stream = openStream(9n, "rest");
    const seen = new Set<number>();
    let happened = 0;
    for (let n = 0; n < 4_000; n++) {
      seen.add(between(stream, n, -2, 2));
      if (chance(stream, n, 250_000)) happened += 1;
    }
    assert.deepEqual(
      [...seen].sort((a, b) => a - b),
      [-2, -1, 0, 1, 2],
    );
    assert.ok(Math.abs(happened - 1_000) < 150, `${happened}`);
    assert.equal(chance(stream, 0, 0), false);
    assert.equal(chance(stream, 0, 1_000_000), true);
    assert.ok(["a", "b"].includes(pick(stream, 1, ["a", "b"])));
    const orders = new Set(Array.from({ length: 200 }, (_, n) => shuffled(stream, n, [1, 2, 3]).join("")));
    assert.equal(orders.size, 6);
  });
});

const GOLDEN = {
  empty: "3cc6e3d1 e06edde1 cbb03034 bc2201e6",
  link: "34522d48 b16a36ca 8697ba45 f7a202e4",
  far: "53b501e9 5861d889 f4dda3bf 92683226",
  actor: "2bd1d3a0 4792d983 1df2e9f6 ae51e797",
  u64: "644c2ddc3d021450",
  bytes: "1c070a0c9728dc555f55dcc248b0ce932ddaf3a3",
};
