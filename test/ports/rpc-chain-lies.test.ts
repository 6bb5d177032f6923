// Goal: no node believes one endpoint against the others, and somebody is told that they disagree.
// Method: real RPC servers over one chain; each test says which one lies about what, and what is told.
import { afterEach, describe, expect, test } from "vitest";
import { ALARM_EVERY_MS } from "../../adapters/chain/alarms.ts";
import { OUT_AFTER_MS } from "../../adapters/chain/endpoint.ts";
import { TRIES_MAX } from "../../adapters/chain/transaction-statuses.ts";
import { toBase58 } from "../../core/index.ts";
import type { JsonValue } from "../../sim/chain/server/json-text.ts";
import { at } from "../sim/chain/chain-world.ts";
import { until } from "../until.ts";
import type { Members, RpcChainWorld } from "./rpc-chain-world.ts";
import { happen, openRpcChainWorld, told, vault } from "./rpc-chain-world.ts";

/** How often an endpoint is asked for one transaction, at two levels each time, before it is given up. */
const DENIALS_OF_A_CHECK = 2 * TRIES_MAX;

let world: RpcChainWorld;

afterEach(() => world.end());

/** An endpoint that fails is waited for, until it failed for so long that it no longer has a voice. */
async function failingForLong(): Promise<void> {
  const before = told(world, "transaction").length;
  await world.rest();
  world.clock.now += OUT_AFTER_MS - 1;
  await world.rest();
  expect(told(world, "transaction")).toHaveLength(before);
  world.clock.now += 1;
}

describe("two endpoints", () => {
  test("what they contradict each other about is not told, and an alarm is; when they agree it is told", async () => {
    world = await openRpcChainWorld(2);
    const [liar] = world.servers;
    liar?.setConditions({
      lie: (method, _, result) =>
        method === "getTransaction" && result !== null
          ? { ...(result as Members), meta: { ...((result as Members).meta as Members), logMessages: ["invented"] } }
          : result,
    });
    world.port.watch(vault);
    await happen(world);
    await world.until(() => told(world, "disagreement").length > 0);
    await world.rest();
    expect(told(world, "transaction")).toEqual([]);
    expect(told(world, "disagreement")).toHaveLength(2);
    expect(told(world, "disagreement").every(({ about }) => about === "transaction")).toBe(true);
    world.clock.now += ALARM_EVERY_MS - 1;
    await world.rest();
    expect(told(world, "disagreement")).toHaveLength(2);
    world.clock.now += 1;
    await world.until(() => told(world, "disagreement").length === 4);
    await world.reopen();
    liar?.setConditions({});
    world.port.watch(vault);
    await world.until(() => told(world, "transaction").length > 0);
  });

  test("an account they tell differently is not told", async () => {
    world = await openRpcChainWorld(2);
    world.servers[0]?.setConditions({
      lie: (method, _, result) => (method === "getAccountInfo" ? { ...(result as Members), value: null } : result),
    });
    await happen(world);
    world.port.read(vault, 0n);
    await world.until(() => told(world, "disagreement").length >= 2);
    expect(told(world, "account")).toEqual([]);
    expect(told(world, "disagreement")[0]?.about).toBe("account");
    world.servers[0]?.setConditions({});
    await world.until(() => told(world, "account").length > 0);
    expect(told(world, "account")[0]?.account?.owner).toBe(at.profile.escrowProgram);
  });

  test("what one of them hides is found with the other", async () => {
    world = await openRpcChainWorld(2);
    world.servers[0]?.setConditions({
      lie: (method, _, result) => (method === "getSignaturesForAddress" ? [] : result),
    });
    world.port.watch(vault);
    await happen(world);
    await world.until(() => told(world, "transaction").length > 0);
    expect(told(world, "disagreement")).toEqual([]);
  });

  test("a slot that only one is at is not believed, nor a blockhash that only one knows", async () => {
    world = await openRpcChainWorld(2);
    world.servers[1]?.setConditions({
      lie: (method, _, result) =>
        method === "getLatestBlockhash" ? { ...(result as Members), context: { slot: 9_000_000 } } : result,
    });
    await world.until(() => told(world, "slot").length > 0 && told(world, "disagreement").length > 0);
    expect(told(world, "slot").every(({ slot }) => slot < 1_000n)).toBe(true);
    expect(told(world, "disagreement")[0]?.about).toBe("slot");
    await world.reopen();
    world.servers[1]?.setConditions({
      lie: (method, _, result) =>
        method === "getLatestBlockhash"
          ? { ...(result as Members), value: { blockhash: "1".repeat(32), lastValidBlockHeight: 1 } }
          : result,
    });
    const invented = () => told(world, "slot").some(({ blockhash }) => blockhash === "1".repeat(32));
    await world.until(() => told(world, "disagreement").some(({ about }) => about === "blockhash"));
    await world.rest();
    expect(invented()).toBe(false);
  });

  test("what was told while one failed is not told again when it is back", async () => {
    world = await openRpcChainWorld(2);
    world.servers[1]?.setConditions({ conduct: "fails" });
    world.port.watch(vault);
    await happen(world);
    await failingForLong();
    await world.until(() => told(world, "transaction").length === 1);
    world.servers[1]?.setConditions({});
    const listed = () => world.servers[1]?.asked.get("getSignaturesForAddress") ?? 0;
    const before = listed();
    await until(() => listed() > before);
    await happen(world);
    await world.until(() => told(world, "transaction").length >= 2);
    await world.rest();
    expect(told(world, "transaction").map(({ succeeded }) => succeeded)).toEqual([true, true]);
  });

  test("one that is so late that its blockhash is forgotten elsewhere is late, and no liar", async () => {
    world = await openRpcChainWorld(2);
    await world.pass(300);
    world.servers[1]?.setConditions({ lagSlots: 200n });
    await world.until(() => told(world, "disagreement").length > 0);
    await world.rest();
    expect(new Set(told(world, "disagreement").map(({ about }) => about))).toEqual(new Set(["slot"]));
  });

  test("one that is late is waited for, and not named", async () => {
    world = await openRpcChainWorld(2);
    await world.pass(100);
    world.servers[1]?.setConditions({ lagSlots: 60n });
    world.port.watch(vault);
    await happen(world);
    await world.rest();
    expect(told(world, "transaction")).toEqual([]);
    await world.pass(60);
    await world.until(() => told(world, "transaction").length > 0);
    expect(told(world, "disagreement")).toEqual([]);
  });

  test("while one holds a transaction and the other does not, it neither stands nor is absent", async () => {
    world = await openRpcChainWorld(2);
    const signature = await happen(world);
    world.servers[1]?.setConditions({ lie: (method, _, result) => (method === "getTransaction" ? null : result) });
    world.port.check(signature);
    await world.rest();
    expect(told(world, "transaction")).toEqual([]);
    expect(told(world, "absent")).toEqual([]);
    world.servers[1]?.setConditions({});
    world.port.check(signature);
    await world.until(() => told(world, "transaction").length > 0);
  });

  test("asked for again while its last look is under way, a transaction is looked up anew", async () => {
    world = await openRpcChainWorld(2);
    const signature = await happen(world);
    let denials = 0;
    world.servers[1]?.setConditions({
      lie: (method, _, result) => {
        if (method !== "getTransaction" || denials === DENIALS_OF_A_CHECK) return result;
        denials += 1;
        if (denials === DENIALS_OF_A_CHECK) world.port.check(signature);
        return null;
      },
    });
    world.port.check(signature);
    await world.until(() => told(world, "unavailable").length > 0);
    await world.rest();
    expect(told(world, "transaction").map((each) => each.signature)).toEqual([signature]);
  });

  test("one that keeps nothing that old has no voice; one that failed for long neither", async () => {
    world = await openRpcChainWorld(2);
    world.servers[1]?.setConditions({
      lie: (method, _, result) => {
        if (method === "getTransaction") return null;
        return method === "getFirstAvailableBlock" ? 1_000_000 : method === "getSignaturesForAddress" ? [] : result;
      },
    });
    world.port.watch(vault);
    await happen(world);
    await world.until(() => told(world, "transaction").length === 1);
    world.servers[1]?.setConditions({ conduct: "fails" });
    await happen(world);
    await failingForLong();
    await world.until(() => told(world, "transaction").length === 2);
    expect(told(world, "disagreement")).toEqual([]);
  });
});

describe("three endpoints", () => {
  test("a transaction that one invents is dropped, and it is named", async () => {
    world = await openRpcChainWorld(3);
    const real = await happen(world);
    const invented = `${real.slice(0, -4)}1111`;
    world.servers[2]?.setConditions({
      lie: (method, [asked], result) => {
        if (method === "getSignaturesForAddress")
          return [
            { signature: invented, slot: 41, err: null, memo: null, blockTime: null },
            ...(result as JsonValue[]),
          ];
        return method === "getTransaction" && asked === invented ? null : result;
      },
    });
    world.port.watch(vault);
    await world.until(() => told(world, "transaction").length > 0);
    await world.rest();
    expect(told(world, "transaction").map(({ signature }) => signature)).toEqual([real]);
  });

  test("however much one invents, what is real is told", async () => {
    world = await openRpcChainWorld(3);
    const flood = Array.from({ length: 40 }, (_, n) => toBase58(new Uint8Array(64).fill(n + 1)));
    world.servers[2]?.setConditions({
      lie: (method, _, result) =>
        method === "getSignaturesForAddress"
          ? flood.map((signature) => ({ signature, slot: 9_000_000, err: null, memo: null, blockTime: null }))
          : result,
    });
    world.port.watch(vault);
    await world.rest();
    const real = await happen(world);
    await world.until(() => told(world, "transaction").length > 0);
    expect(told(world, "transaction").map(({ signature }) => signature)).toEqual([real]);
  });

  test("bytes that nobody signed are no answer", async () => {
    world = await openRpcChainWorld(1);
    world.servers[0]?.setConditions({
      lie: (method, _, result) => {
        if (method !== "getTransaction" || result === null) return result;
        const told = result as { readonly transaction: { readonly message: Members } };
        const message = { ...told.transaction.message, recentBlockhash: "1".repeat(32) };
        return { ...(result as Members), transaction: { ...told.transaction, message } as JsonValue };
      },
    });
    world.port.watch(vault);
    await happen(world);
    await world.rest();
    expect(told(world, "transaction")).toEqual([]);
  });
});
