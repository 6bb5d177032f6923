/**
 * Goal: whatever one endpoint puts into its answers, nothing of it escapes the adapter, and what the others say is told
 * (DESIGN L10; protocol 03 C9).
 * Method: three real servers over one chain. Of one of them every answer has a drawn value at a drawn place, over and
 * over, while an account, a transaction and a status are asked for.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { openTasks } from "../../adapters/chain/tasks.ts";
import type { JsonValue } from "../../sim/chain/server/json-text.ts";
import { forAllAsync } from "../property/for-all.ts";
import type { Members } from "./rpc-chain-world.ts";
import { happen, openRpcChainWorld, told, vault } from "./rpc-chain-world.ts";
import { settled } from "./scripted-endpoint.ts";

const odd: readonly JsonValue[] = [
  ...[1.5, -1, 1e300, 2 ** 53, 2 ** 64, null, "", "x", true, [], {}, [1.5], [""], { err: 1 }],
  ...["z".repeat(44), "z".repeat(300), "5".repeat(87), "1".repeat(20_000), ["", "base64"], ["!!", "base64"]],
];

interface Change {
  /** Which member to go into, level by level; where they end, or the value does, the odd one stands. */
  readonly path: readonly number[];
  readonly value: JsonValue;
}

const arbChange: fc.Arbitrary<Change> = fc.record({
  path: fc.array(fc.nat(11), { minLength: 0, maxLength: 6 }),
  value: fc.constantFrom(...odd),
});

function changed(told: JsonValue, { path: [next, ...path], value }: Change): JsonValue {
  if (next === undefined || told === null || typeof told !== "object") return value;
  const keys = Object.keys(told);
  const key = keys[next % Math.max(1, keys.length)];
  if (key === undefined) return value;
  const inner = changed((told as Members)[key] as JsonValue, { path, value });
  if (Array.isArray(told)) return told.map((each, at) => (String(at) === key ? inner : each) as JsonValue);
  return { ...(told as Members), [key]: inner };
}

/** What a task that ended by an error is told as. */
const ENDED = { type: "unavailable", reason: "reading the chain failed" };

test("one endpoint's odd answers end nothing, and what two others say is told", async () => {
  await forAllAsync(
    [fc.array(arbChange, { minLength: 1, maxLength: 40 }), fc.constantFrom("finalized", "confirmed")],
    async (changes, commitment) => {
      let answers = 0;
      const lie = (_: string, __: readonly unknown[], result: JsonValue) =>
        changed(result, changes[answers++ % changes.length] as Change);
      const world = await openRpcChainWorld(3, {}, { 2: { lie } });
      try {
        world.port.watch(vault, commitment);
        const signature = await happen(world);
        world.port.read(vault, 1n);
        world.port.check(signature);
        const isTold = (address: string | null) =>
          told(world, "transaction").some((each) => each.signature === signature && each.address === address);
        await world.until(() => isTold(vault) && isTold(null) && told(world, "account").length > 0);
        await world.until(() => told(world, "slot").length > 1);
        expect(world.seen).not.toContainEqual(ENDED);
        expect(told(world, "transaction").every((each) => each.signature === signature)).toBe(true);
        expect(told(world, "account").every(({ account }) => account !== null)).toBe(true);
        return changes.map(({ path, value }) => `${path.length < 3 ? "near the top" : "deep"}: ${typeof value}`);
      } finally {
        await world.end();
      }
    },
    {
      ...{ runs: 20, nightly: 200, sample: 20 },
      shares: { "near the top: number": 0.5, "deep: number": 0.5, "deep: string": 0.5, "deep: object": 0.5 },
    },
  );
});

test.each([
  ["a fraction", 1.5],
  ["less than none", -1],
  ["more than 64 bits", 1e300],
  ["the first number of 65 bits", 2 ** 64],
])("lamports that are %s are no answer", async (_, lamports) => {
  const lie = (method: string, __: readonly unknown[], result: JsonValue) => {
    if (method !== "getAccountInfo" && method !== "getMultipleAccounts") return result;
    const { context, value } = result as { readonly context: JsonValue; readonly value: JsonValue };
    const odd = (account: JsonValue) => (account === null ? null : { ...(account as Members), lamports });
    return { context, value: Array.isArray(value) ? value.map(odd) : odd(value as JsonValue) };
  };
  const world = await openRpcChainWorld(1, {}, { 0: { lie } });
  try {
    world.port.watch(vault);
    await happen(world);
    world.port.read(vault, 1n);
    await world.rest();
    expect(told(world, "account").filter(({ account }) => account !== null)).toEqual([]);
    expect(world.seen).not.toContainEqual(ENDED);
    expect(told(world, "transaction")).toHaveLength(1);
  } finally {
    await world.end();
  }
});

test("work that fails ends by itself, is told once, and is no longer waited for", async () => {
  const failures: unknown[] = [];
  const tasks = openTasks((error) => failures.push(error));
  const broken = new Error("broken");
  tasks.run(() => Promise.reject(broken));
  tasks.run(() => {
    throw broken;
  });
  await settled();
  expect(failures).toEqual([broken, broken]);
  expect(tasks.busy()).toBe(false);
});
