// Goal: what a world asks of its runtime comes to the same in a browser as in Node.js: one seed, one run, in both.
// Method: both modules side by side on random bytes, signatures, whole and broken, and plain values of every kind.
import fc from "fast-check";
import { assert, expect, test } from "vitest";
import { loadExecutor, loadLibp2pCarrier, loadRandomPayloads, loadRows } from "../../sim/portable-parts.ts";
import * as portable from "../../sim/portable-runtime.ts";
import * as runtime from "../../sim/runtime.ts";
import { forAll } from "../property/for-all.ts";

const bytes = fc.uint8Array({ maxLength: 300 });
const plain = fc.anything({ withBigInt: true, withTypedArray: true, withNullPrototype: false });

test("hashes of any parts are the same", () => {
  forAll(
    [fc.array(bytes, { maxLength: 4 })],
    (parts) => {
      assert.deepEqual([...portable.sha256(...parts)], [...runtime.sha256(...parts)]);
      return parts.length > 1 ? ["several parts"] : [];
    },
    { runs: 100, shares: { "several parts": 0.3 } },
  );
});

test("signatures are good in both or in neither", () => {
  const crypto = runtime.openCrypto();
  const secrets = fc.uint8Array({ minLength: 32, maxLength: 32 });
  forAll(
    [secrets, bytes, fc.nat(191)],
    (secret, message, broken) => {
      const both = Uint8Array.of(...crypto.publicKey(secret), ...crypto.sign(secret, message));
      if (broken < both.length) both[broken]! ^= 1;
      const [key, signature] = [both.subarray(0, 32), both.subarray(32)];
      const verdicts = [portable.isSigned(key, message, signature), runtime.isSigned(key, message, signature)];
      assert.deepEqual(verdicts, [broken >= both.length, broken >= both.length]);
      assert.deepEqual([...portable.openCrypto().sign(secret, message)], [...crypto.sign(secret, message)]);
      return [broken < both.length ? "broken" : "whole"];
    },
    { runs: 60, sample: 60, shares: { whole: 0.2, broken: 0.2 } },
  );
});

test("values are the same in both or in neither", () => {
  forAll(
    [plain, plain, fc.boolean()],
    (one, other, copied) => {
      const second = copied ? structuredClone(one) : other;
      const same = runtime.isSame(one, second);
      assert.equal(portable.isSame(one, second), same);
      return [same ? "same" : "others"];
    },
    { runs: 200, shares: { same: 0.2, others: 0.2 } },
  );
  for (const [one, other] of [
    [{ a: undefined }, {}],
    [new Map([["a", 1]]), new Map([["a", 2]])],
    [new Set([1]), new Set([2])],
    [[1], { 0: 1 }],
    [Uint8Array.of(1), Uint8Array.of(2)],
  ])
    assert.deepEqual([portable.isSame(one, other), runtime.isSame(one, other)], [false, false]);
});

test("a turn comes after what waits already, and parts that no browser has say so", async () => {
  const order: string[] = [];
  await Promise.all([
    portable.nextTurn().then(() => order.push("turn")),
    Promise.resolve().then(() => order.push("now")),
  ]);
  assert.deepEqual(order, ["now", "turn"]);
  await expect(loadExecutor("litesvm")).rejects.toThrow("there is no litesvm in a browser");
  await expect(loadLibp2pCarrier()).rejects.toThrow("no libp2p");
  await expect(loadRows("sqljs", 1)).rejects.toThrow("no sqljs");
  await expect(loadRandomPayloads()).rejects.toThrow("no fast-check");
});
