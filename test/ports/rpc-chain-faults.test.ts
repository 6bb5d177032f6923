// Goal: endpoints that hang, babble, limit, cut the line or lose news cost a node time alone, and it never asks more.
// Method: real RPC servers with conditions of their own; each test says what one of them does and what is told.
import { afterEach, describe, expect, test } from "vitest";
import { BACK_OFF_MS_MAX, namesOf, openEndpoint } from "../../adapters/chain/endpoint.ts";
import { listeningUrl } from "../../adapters/chain/hints.ts";
import { endpointError } from "../../adapters/chain/probe.ts";
import { BLOCKHASH_MS } from "../../adapters/chain/submissions.ts";
import { openTasks } from "../../adapters/chain/tasks.ts";
import type { JsonValue } from "../../sim/chain/server/json-text.ts";
import { at } from "../sim/chain/chain-world.ts";
import { NEVER_MS, until } from "../until.ts";
import type { Members, RpcChainWorld } from "./rpc-chain-world.ts";
import { happen, openRpcChainWorld, told, vault, vaultWire } from "./rpc-chain-world.ts";

let world: RpcChainWorld;

afterEach(() => world.end());

/** The watched address was asked for and answered once. */
async function looked(): Promise<void> {
  const asked = () => world.servers[0]?.asked.get("getSignaturesForAddress") ?? 0;
  await until(() => asked() > 0);
}

describe("an endpoint that does not answer as asked", () => {
  test("what it lists and does not hold yet is asked again", async () => {
    let left = 8;
    const lie = (method: string, _: readonly unknown[], result: JsonValue) =>
      method === "getTransaction" && left-- > 0 ? null : result;
    world = await openRpcChainWorld(1, {}, { 0: { lie } });
    world.port.watch(vault);
    await happen(world);
    await world.until(() => told(world, "transaction").length > 0);
  });

  test("an account as of an earlier slot than was asked for is no answer, and no lie", async () => {
    world = await openRpcChainWorld(2);
    await happen(world);
    world.servers[0]?.setConditions({
      lie: (method, _, result) => (method === "getAccountInfo" ? { context: { slot: 1 }, value: null } : result),
    });
    world.port.read(vault, 5n);
    await world.rest();
    expect(told(world, "account")).toEqual([]);
    world.servers[0]?.setConditions({});
    await world.until(() => told(world, "account").length > 0);
    expect(told(world, "account")[0]?.account).not.toBeNull();
    expect(told(world, "disagreement")).toEqual([]);
  });

  test.each([
    ["fails", "HTTP 503"],
    ["cuts", "not reachable"],
    ["babbles", "not an answer"],
    ["limits", "too many requests"],
    ["hangs", "no answer in time"],
  ] as const)("%s: %s", async (conduct, reason) => {
    // The time-out is the subject of the last one alone: every other answer, or its end, comes by itself.
    world = await openRpcChainWorld(1, conduct === "hangs" ? { timeoutMs: 200 } : {}, { 0: { conduct } });
    await world.until(() => told(world, "unavailable").some((each) => each.reason === reason));
    expect(told(world, "slot")).toEqual([]);
  });

  test("an answer that is too large is none", async () => {
    const more = "x".repeat(2_000_000);
    world = await openRpcChainWorld(1, {}, { 0: { lie: (_, __, result) => ({ ...(result as Members), more }) } });
    await world.until(() => told(world, "unavailable").some((each) => each.reason === "not an answer"));
  });

  test("one that asks for fewer requests is not asked for as long as it says", async () => {
    world = await openRpcChainWorld(1, {}, { 0: { conduct: "limits", retryAfterSecs: 3_600 } });
    world.port.submit("signature", vaultWire(world));
    await world.until(
      () => told(world, "unavailable").filter((each) => each.reason === "resting after failures").length > 20,
    );
    const asked = () => [...(world.servers[0]?.asked.values() ?? [])].reduce((sum, count) => sum + count, 0);
    const before = asked();
    expect(before).toBeLessThanOrEqual(2);
    world.clock.now += BACK_OFF_MS_MAX;
    await world.until(() => asked() > before);
  });

  test("one that fails is left alone for ever longer, until it answers", async () => {
    world = await openRpcChainWorld(1, { pollMs: NEVER_MS });
    const [server] = world.servers;
    let now = 0;
    const endpoint = openEndpoint(server!.url, "name", { timeoutMs: NEVER_MS, now: () => now });
    const ask = async () => {
      const answered = await endpoint.ask((connection) => connection.getVersion());
      return answered.ok ? "answered" : answered.error.type;
    };
    server?.setConditions({ conduct: "fails" });
    const pauses: number[] = [];
    for (let n = 0; n < 10; n++) {
      expect(await ask()).toBe("failed");
      pauses.push(endpoint.restsFor());
      now += endpoint.restsFor() - 1;
      expect(await ask()).toBe("resting");
      now += 1;
    }
    expect(pauses).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
    server?.setConditions({});
    expect([await ask(), endpoint.restsFor()]).toEqual(["answered", 0]);
    server?.setConditions({ conduct: "fails" });
    expect([await ask(), endpoint.restsFor()]).toEqual(["failed", 500]);
    endpoint.close();
  });

  test("closing ends what hangs, and leaves no connection", async () => {
    world = await openRpcChainWorld(1, { program: at.profile.escrowProgram });
    await until(() => world.servers[0]?.listeners() === 1);
    world.servers[0]?.setConditions({ conduct: "hangs" });
    world.port.watch(vault);
    world.port.read(vault, 0n);
    world.port.submit("signature", vaultWire(world));
    await until(() => world.servers[0]?.asked.get("sendTransaction") === 1);
    const told = world.seen.length;
    await new Promise<void>((done) => world.port.close(done));
    await until(() => world.servers[0]?.lines() === 0);
    const asked = [...(world.servers[0]?.asked.values() ?? [])];
    world.port.watch(at.tradeEscrow(1n).address);
    world.port.read(vault, 0n);
    world.port.submit("again", vaultWire(world));
    await new Promise((resolve) => setImmediate(resolve));
    expect([...(world.servers[0]?.asked.values() ?? [])]).toEqual(asked);
    expect(world.seen).toHaveLength(told);
  });
});

test("tasks: closing waits for work, ends pauses, and takes nothing more", async () => {
  world = await openRpcChainWorld(1);
  const tasks = openTasks();
  const order: string[] = [];
  let finish: () => void = () => undefined;
  tasks.run(async () => {
    await tasks.pause(3_600_000);
    order.push("pause ended");
    await new Promise<void>((resolve) => (finish = resolve));
    order.push("work ended");
  });
  const closed = new Promise<void>((resolve) => {
    tasks.close(() => {
      order.push("closed");
      resolve();
    });
  });
  tasks.run(async () => void order.push("never"));
  await new Promise((resolve) => setImmediate(resolve));
  expect(order).toEqual(["pause ended"]);
  finish();
  await closed;
  expect(order).toEqual(["pause ended", "work ended", "closed"]);
});

describe("submitting", () => {
  test("goes to every endpoint, and one that takes it is enough", async () => {
    world = await openRpcChainWorld(3);
    world.servers[0]?.setConditions({ conduct: "fails" });
    world.servers[1]?.setConditions({ conduct: "hangs" });
    world.port.submit("signature", vaultWire(world));
    await world.until(() => told(world, "submitted").length > 0);
    expect(told(world, "refused")).toEqual([]);
    for (const { asked } of world.servers) expect(asked.get("sendTransaction")).toBeGreaterThan(0);
  });

  test("one signature is sent once in the life of its blockhash", async () => {
    world = await openRpcChainWorld(1);
    const wire = vaultWire(world);
    world.port.submit("signature", wire);
    world.port.submit("signature", wire);
    await world.until(() => told(world, "submitted").length === 1);
    world.port.submit("signature", wire);
    await world.until(() => told(world, "submitted").length === 2);
    world.clock.now += BLOCKHASH_MS - 1;
    world.port.submit("signature", wire);
    await world.until(() => told(world, "submitted").length === 3);
    expect(world.servers[0]?.asked.get("sendTransaction")).toBe(1);
    world.clock.now += 1;
    world.port.submit("signature", wire);
    await world.until(() => world.servers[0]?.asked.get("sendTransaction") === 2);
  });

  test("what nobody takes is given up when its blockhash is too old", async () => {
    world = await openRpcChainWorld(1);
    world.servers[0]?.setConditions({ conduct: "fails" });
    world.port.submit("signature", vaultWire(world));
    const asked = () => world.servers[0]?.asked.get("sendTransaction") ?? 0;
    await until(() => asked() > 2);
    expect(told(world, "refused")).toEqual([]);
    world.clock.now += BLOCKHASH_MS;
    await world.until(() => told(world, "refused").length === 1);
    expect(told(world, "refused")).toEqual([{ type: "refused", signature: "signature", reason: "HTTP 503" }]);
  });

  test("what fails on the way is tried again", async () => {
    world = await openRpcChainWorld(1);
    world.servers[0]?.setConditions({ conduct: "fails" });
    world.port.submit("signature", vaultWire(world));
    await until(() => world.servers[0]?.asked.get("sendTransaction") === 1);
    world.servers[0]?.setConditions({});
    await world.until(() => told(world, "submitted").length === 1);
  });
});

describe("news", () => {
  test("a watched address is asked as soon as its transaction is final, not at the next poll", async () => {
    world = await openRpcChainWorld(1, { program: at.profile.escrowProgram, pollMs: NEVER_MS });
    await until(() => world.servers[0]?.listeners() === 1);
    world.port.watch(vault);
    await looked();
    await happen(world);
    await world.until(() => told(world, "transaction").length > 0);
  });

  test("a lost line is taken up again", async () => {
    world = await openRpcChainWorld(1, { program: at.profile.escrowProgram, pollMs: NEVER_MS });
    await until(() => world.servers[0]?.listeners() === 1);
    world.servers[0]?.setConditions({ conduct: "cuts" });
    await world.pass(1);
    await until(() => world.servers[0]?.listeners() === 0);
    world.servers[0]?.setConditions({});
    await until(() => world.servers[0]?.listeners() === 1);
    world.port.watch(vault);
    await looked();
    await happen(world);
    await world.until(() => told(world, "transaction").length > 0);
  });
});

describe("before a node starts", () => {
  test("endpoints that cannot be used are named, without what their URL may hide", async () => {
    world = await openRpcChainWorld(1);
    const [server] = world.servers;
    const { url } = server!;
    expect(endpointError([url])).toBeUndefined();
    expect(endpointError([url, `${url}/`])).toBe("one endpoint is named twice");
    expect(endpointError(["ws://a.test"])).toContain("takes an http or https URL");
    expect(endpointError(Array.from({ length: 9 }, (_, n) => `http://a${n}.test`))).toBe("at most 8 endpoints");
    expect(endpointError([`${url}/?api-key=secret`])).toBeUndefined();
    expect(namesOf(["https://a.test/key", "https://a.test/other"])).toEqual(["a.test", "a.test (2)"]);
  });

  test.each([
    ["http://127.0.0.1:8899", "ws://127.0.0.1:8900/"],
    ["https://api.devnet.solana.com", "wss://api.devnet.solana.com/"],
    ["https://a.test/v2/key?x=1", "wss://a.test/v2/key?x=1"],
  ])("%s is listened to at %s", async (rpc, expected) => {
    world = await openRpcChainWorld(1);
    expect(listeningUrl(rpc)).toBe(expected);
  });
});
