// Goal: every method of control does to the network what its document says, and what it cannot do it refuses with a
// code of its own range while the network stays up. Method: its own typed client over HTTP, and what nodes show after.
import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { ControlRefusal } from "../../../sim/serve/control/caller.ts";
import type { ControlName } from "../../../sim/serve/control/client.ts";
import { openControlClient } from "../../../sim/serve/control/client.ts";
import { answerControl } from "../../../sim/serve/control/dispatch.ts";
import { controlErrors } from "../../../sim/serve/control/errors.ts";
import type { Controlled } from "../../../sim/serve/control/method.ts";
import { controlMethods } from "../../../sim/serve/control/table.ts";
import type { ServedNetwork } from "../../../sim/serve/served-network.ts";
import { openServedNetwork } from "../../../sim/serve/served-network.ts";
import { walletOfSecret } from "../../../sim/wallet.ts";
import { readText } from "../../tidy/source.ts";
import { advertise, clientOf, controlOf, openTestServed, passes, posted, USUAL, walletOf } from "./test-network.ts";

/** The name or the code of the refusal that a call ends with. */
async function refusalOf(call: Promise<unknown>): Promise<string | number> {
  const refusal = await call.then(
    () => "no refusal",
    (error: unknown) => error,
  );
  if (!(refusal instanceof ControlRefusal)) throw refusal;
  if (refusal.reason !== undefined) expect(refusal.code).toBe(controlErrors[refusal.reason].code);
  return refusal.reason ?? refusal.code;
}

describe("time", () => {
  test("steps, stands at an instant, and never goes back", async () => {
    const network = await openTestServed();
    const control = controlOf(network);
    const { now, factor } = await control.call("sim_getTime");
    expect(factor).toBeNull();
    expect((await control.call("sim_increaseTime", { ms: 90_000 })).now).toBe(now + 90_000n);
    expect((await control.call("sim_setNextTime", { time: now + 100_000n })).now).toBe(now + 100_000n);
    expect(await refusalOf(control.call("sim_setNextTime", { time: now }))).toBe("TIME_IS_PAST");
    expect(await refusalOf(control.call("sim_increaseTime", { ms: 400 * 86_400_000 }))).toBe("TOO_MANY");
    expect((await control.call("sim_resume", { factor: 5 })).factor).toBe(5);
    expect((await control.call("sim_pause")).factor).toBeNull();
    const stands = await control.call("sim_getTime");
    expect(await control.call("sim_getTime")).toEqual(stands);
  });
});

describe("the chain", () => {
  test("makes and skips slots, forks above what is final, and stalls", async () => {
    const network = await openTestServed();
    const control = controlOf(network);
    const before = await control.call("sim_getSlots");
    const mined = await control.call("sim_mineSlots", { slots: 40 });
    expect(mined.current).toBe(before.current + 40n);
    const skipped = await control.call("sim_skipSlots", { slots: 3 });
    expect(skipped.current).toBe(mined.current + 3n);
    expect(skipped.processed).toBe(mined.processed);
    await control.call("sim_reorg", { depth: 5 });
    const open = Number(skipped.current - skipped.finalized);
    expect(await refusalOf(control.call("sim_reorg", { depth: open + 1 }))).toBe("REORG_TOO_DEEP");
    const { finalized } = await control.call("sim_stallFinality", { stalled: true });
    expect((await control.call("sim_mineSlots", { slots: 60 })).finalized).toBe(finalized);
    await control.call("sim_stallFinality", { stalled: false });
    expect((await control.call("sim_mineSlots", { slots: 40 })).finalized).toBeGreaterThan(finalized);
  });

  test("has accounts written past every program", async () => {
    const network = await openTestServed();
    const control = controlOf(network);
    const { address } = walletOf(network, "somebody new");
    expect(await control.call("sim_getRecord", { address })).toBeNull();
    await control.call("sim_setBalance", { address, lamports: 123_456_789_012_345n });
    const balance = JSON.parse(
      await posted(network.ready.chain.rpc, "getBalance", [address, { commitment: "processed" }]),
    );
    expect(balance.result.value).toBe(123_456_789_012_345);
    const account = { lamports: 5n, owner: network.ready.programs.escrow, data: "AQID", executable: false };
    expect(await control.call("sim_setRecord", { address, account })).toEqual(account);
    expect(await control.call("sim_setRecord", { address, account: null })).toBeNull();
    expect(await refusalOf(control.call("sim_setBalance", { address: "no address", lamports: 1n }))).toBe(-32_602);
  });
});

describe("the laws of a served network", () => {
  test("are broken by nothing that control writes past every program", async () => {
    const network = await openTestServed();
    const control = controlOf(network);
    const brokenAfterAWhile = async () => {
      await control.call("sim_increaseTime", { ms: 90_000 });
      return (await control.call("sim_getStatus")).violations;
    };
    expect(await brokenAfterAWhile()).toEqual([]);
    const { address } = walletOf(network, "somebody new");
    await control.call("sim_setBalance", { address, lamports: 123_456_789_012_345n });
    expect(await brokenAfterAWhile()).toEqual([]);
    await control.call("sim_setBalance", { address, lamports: 5n });
    await control.call("sim_reorg", { depth: 3 });
    expect(await brokenAfterAWhile()).toEqual([]);
  });
});

describe("nodes and links", () => {
  test("are cut and healed: what one side takes the other learns after", async () => {
    const network = await openTestServed();
    const control = controlOf(network);
    await control.call("sim_partition", { groups: [[0], [1, 2]] });
    const { advertisement } = await seeded(network);
    expect(await clientOf(network, 2).call("getAdvertisement", { id: advertisement })).toBeNull();
    expect(await refusalOf(control.call("sim_awaitConverged", { within: 5_000 }))).toBe("NOT_IN_TIME");
    await control.call("sim_heal");
    await control.call("sim_awaitConverged", { within: 300_000 });
    expect((await clientOf(network, 2).call("getAdvertisement", { id: advertisement }))?.id).toBe(advertisement);
    expect(await refusalOf(control.call("sim_partition", { groups: [[0], [7]] }))).toBe("UNKNOWN_NODE");
  });

  test("are slow and lossy as told", async () => {
    const network = await openTestServed();
    const control = controlOf(network);
    await control.call("sim_setLatency", { least: 20_000 });
    const { advertisement } = await seeded(network);
    await passes(network, 5_000);
    expect(await clientOf(network, 1).call("getAdvertisement", { id: advertisement })).toBeNull();
    await control.call("sim_heal");
    await control.call("sim_awaitConverged", { within: 300_000 });
    await control.call("sim_setLoss", { millionths: 1_000_000 });
    const lost = await seeded(network);
    await passes(network, 20_000);
    expect(await clientOf(network, 1).call("getAdvertisement", { id: lost.advertisement })).toBeNull();
  });

  test("crash, refuse while they are down, and start again with what they had", async () => {
    const network = await openTestServed();
    const control = controlOf(network);
    await control.call("sim_seedMarket", { advertisements: 2 });
    const held = (await control.call("sim_getNodes"))[1]!;
    expect(await control.call("sim_crash", { node: 1, power: true })).toMatchObject({ up: false, ready: false });
    await expect(fetch(`${held.url}/health`)).rejects.toThrow();
    expect(await refusalOf(control.call("sim_crash", { node: 1 }))).toBe("NODE_IS_DOWN");
    const again = await control.call("sim_restart", { node: 1 });
    expect(again).toMatchObject({ up: true, ready: true, url: held.url, state_root: held.state_root });
    expect(await (await fetch(`${held.url}/health`)).text()).toBe("ok");
    expect(await refusalOf(control.call("sim_restart", { node: 1 }))).toBe("NODE_IS_UP");
    expect(await refusalOf(control.call("sim_crash", { node: 3 }))).toBe("UNKNOWN_NODE");
  });

  test("have clocks that can be wrong: a node behind refuses what is dated now", async () => {
    const network = await openTestServed();
    const control = controlOf(network);
    await control.call("sim_setClockSkew", { node: 0, behind: 3_600_000 });
    expect(await refusalOf(control.call("sim_seedMarket", { advertisements: 1, providers: 0 }))).toBe("SCRIPT_FAILED");
    await control.call("sim_setClockSkew", { node: 0 });
    expect((await control.call("sim_seedMarket", { advertisements: 1 })).advertisements).toHaveLength(1);
  });
});

/** An offer that node 0 takes, told to nobody else yet. */
async function seeded(network: ServedNetwork): Promise<{ readonly advertisement: string }> {
  const advertisement = `offer-${network.host.world().loop.now()}`;
  await advertise(network, 0, advertisement);
  return { advertisement };
}

describe("states to come back to", () => {
  test("hold everything, any number of them, nested, each as often as wanted", async () => {
    const network = await openTestServed();
    const control = controlOf(network);
    const roots = async () => (await control.call("sim_getNodes")).map(({ state_root, up }) => [state_root, up]);
    const [empty, first] = [await roots(), (await control.call("sim_snapshot")).id];
    const market = await control.call("sim_seedMarket", { advertisements: 2 });
    await control.call("sim_crash", { node: 2 });
    const [full, second] = [await roots(), (await control.call("sim_snapshot")).id];
    for (let times = 0; times < 2; times += 1) {
      await control.call("sim_revert", { id: first });
      expect(await roots()).toEqual(empty);
      expect(await (await fetch(`${network.ready.nodes[2]!.url}/health`)).text()).toBe("ok");
      expect(await control.call("sim_seedMarket", { advertisements: 2 })).toEqual(market);
      await control.call("sim_revert", { id: second });
      expect(await roots()).toEqual(full);
      await expect(fetch(`${network.ready.nodes[2]!.url}/health`)).rejects.toThrow();
    }
    await control.call("sim_dropSnapshot", { id: second });
    expect(await refusalOf(control.call("sim_revert", { id: second }))).toBe("UNKNOWN_SNAPSHOT");
    await control.call("sim_reset");
    expect(await roots()).toEqual(empty);
    expect(await refusalOf(control.call("sim_revert", { id: first }))).toBe("UNKNOWN_SNAPSHOT");
  });

  test("leave nothing behind: no state, listener, part of a world, planned event or row of the session", async () => {
    const network = await openTestServed();
    const control = controlOf(network);
    const { host } = network;
    const registered: string[] = [];
    for (const name of ["onPublished", "onSettled", "onReplaced"] as const) {
      const on = host[name] as (listener: never) => unknown;
      Object.assign(host, { [name]: (listener: never) => registered.push(name) && on(listener) });
    }
    const kept = async () => ({
      snapshots: (await control.call("sim_getStatus")).snapshots,
      recipients: [...host.world().recipients.keys()],
      parts: [...host.world().loop.held("copy").parts.keys()],
      planned: host.world().loop.pending(),
      rows: host.live().session.rows().length,
    });
    const before = await kept();
    for (let times = 0; times < 20; times += 1) {
      const { id } = await control.call("sim_snapshot");
      await control.call("sim_seedMarket", { advertisements: 1, providers: 0 });
      await control.call("sim_revert", { id });
      await control.call("sim_dropSnapshot", { id });
    }
    expect(await kept()).toEqual(before);
    expect(registered).toEqual([]);
  });

  test.each(["model", "litesvm"] as const)("take the chain on %s along", async (chain) => {
    const network = await openTestServed({ chain });
    const control = controlOf(network);
    const { address } = walletOf(network, "alice");
    const { id } = await control.call("sim_snapshot");
    const before = await control.call("sim_getRecord", { address });
    await posted(network.ready.chain.rpc, "requestAirdrop", [address, 1_000_000_000]);
    expect((await control.call("sim_getRecord", { address }))?.lamports).toBe(before!.lamports + 1_000_000_000n);
    await control.call("sim_revert", { id });
    expect(await control.call("sim_getRecord", { address })).toEqual(before);
  });
});

describe("people", () => {
  test("sign as themselves", async () => {
    const network = await openTestServed();
    const control = controlOf(network);
    const message = Buffer.from("what alice says").toString("base64");
    const signed = await control.call("sim_signAs", { wallet: "alice", message });
    const { crypto } = network.host.world();
    const listed = await control.call("sim_getWallet", { name: "alice" });
    const alice = walletOfSecret(crypto, "alice", Uint8Array.from(listed.keyfile.slice(0, 32)));
    expect(signed.wallet).toBe(alice.address);
    expect(Buffer.from(signed.base64, "base64")).toEqual(Buffer.from(alice.sign(Buffer.from("what alice says"))));
    expect(await control.call("sim_getWallets")).toEqual(network.ready.wallets);
  });

  test("bring a trade to the states that clients wait for, and every node shows it", async () => {
    const network = await openTestServed();
    const control = controlOf(network);
    for (const state of ["AwaitingPayment", "PaymentSubmitted", "Approved", "Completed"] as const) {
      const trade = await control.call("sim_seedTrade", { state });
      for (const node of [0, 1]) {
        const shown = await clientOf(network, node).call("getSettlement", { id: trade.settlement });
        expect([node, shown?.state]).toEqual([node, state]);
      }
    }
    const reserved = await control.call("sim_seedTrade", { state: "ReservationCancelled" });
    const shown = await clientOf(network, 1).call("getReservation", { id: reserved.reservation });
    expect(shown?.state).toBe("Cancelled");
  });

  test.each(["model", "litesvm"] as const)("quarrel, and the chain on %s decides", async (chain) => {
    const network = await openTestServed({ chain });
    const control = controlOf(network);
    const { dispute } = await control.call("sim_seedTrade", { state: "Resolved" });
    const shown = await clientOf(network, 0).call("getDispute", { id: dispute! });
    expect(shown).toMatchObject({ status: "Resolved", resolution: "BuyerWins" });
    expect((await control.call("sim_getStatus")).violations).toEqual([]);
  });
});

describe("what is awaited", () => {
  test("comes, as soon as the network tells it", async () => {
    const network = await openTestServed();
    const control = controlOf(network);
    const awaited = control.call("sim_awaitEvent", { node: 2, method: "AdvertisementCreated" });
    const { advertisement } = await seeded(network);
    expect(await awaited).toMatchObject({ node: 2, source: "gossip" });
    expect((await awaited).message).toContain(advertisement);
    expect(await refusalOf(control.call("sim_awaitEvent", { within: 1_000, method: "Never" }))).toBe("NOT_IN_TIME");
  });
});

describe("the control port", () => {
  const errorOf = (text: string) => (JSON.parse(text) as { readonly error: { readonly code: number } }).error.code;
  const raw = async (url: string, body: string) => (await fetch(url, { method: "POST", body })).text();

  test("refuses what is malformed with standard codes, and stays up", async () => {
    const network = await openTestServed();
    const { rpc } = network.ready.control;
    expect(errorOf(await raw(rpc, "{"))).toBe(-32_700);
    expect(errorOf(await raw(rpc, "[]"))).toBe(-32_600);
    expect(errorOf(await raw(rpc, '{"jsonrpc":"2.0","method":"sim_getTime"}'))).toBe(-32_600);
    expect(errorOf(await posted(rpc, "sim_fly", {}))).toBe(-32_601);
    expect(errorOf(await posted(rpc, "sim_increaseTime", {}))).toBe(-32_602);
    expect(errorOf(await posted(rpc, "sim_increaseTime", { ms: -1 }))).toBe(-32_602);
    expect(errorOf(await posted(rpc, "sim_increaseTime", { ms: 1, more: 2 }))).toBe(-32_602);
    const one = '{"jsonrpc":"2.0","id":7,"method":"sim_getTime"}';
    expect(JSON.parse(await raw(rpc, `[${one},${one}]`))).toHaveLength(2);
    expect((await controlOf(network).call("sim_getStatus")).nodes).toBe(3);
  });

  test("tells a defect to who called, also one that shows only as the answer is written", async () => {
    const answered = async (epoch: () => unknown) => {
      const host = { world: () => ({ loop: { epoch } }), exclusive: (work: () => unknown) => work() };
      const network = { host, pace: { factor: () => 0 } } as unknown as Controlled;
      return JSON.parse(await answerControl(network, '{"jsonrpc":"2.0","id":1,"method":"sim_getTime"}'));
    };
    const failing = () => {
      throw new Error("no clock");
    };
    expect((await answered(failing)).error).toMatchObject({ code: -33_010, message: "no clock" });
    expect((await answered(() => undefined)).error).toMatchObject({ code: -33_010 });
  });

  test("describes itself: every method, and answers that fit", async () => {
    const network = await openTestServed();
    const { url, rpc, docs } = network.ready.control;
    const document = (await (await fetch(`${url}/openrpc.json`)).json()) as {
      readonly methods: readonly { readonly name: string; readonly result: { readonly schema: object } }[];
    };
    expect(document.methods.map(({ name }) => name)).toEqual(Object.keys(controlMethods));
    expect((await fetch(docs)).headers.get("content-type")).toBe("text/html; charset=utf-8");
    const ajv = new Ajv({ strict: false, formats: { uint64: true } });
    const reads: readonly ControlName[] = [
      "sim_getTime",
      "sim_getSlots",
      "sim_getNodes",
      "sim_getStatus",
      "sim_getWallets",
      "sim_getTopology",
      "sim_getEvents",
      "sim_getBlocks",
    ];
    for (const name of reads) {
      const { result } = JSON.parse(await posted(rpc, name, {})) as { readonly result: unknown };
      const schema = document.methods.find((method) => method.name === name)!.result.schema;
      expect([name, ajv.validate(schema, result), ajv.errors]).toEqual([name, true, null]);
    }
  });

  test("gives every refusal a code of its own range, which the guide explains", () => {
    const guide = readText("sim/serve/README.md");
    for (const [name, { code }] of Object.entries(controlErrors)) expect(guide).toContain(`| ${code} | \`${name}\` |`);
    for (const name of Object.keys(controlMethods)) expect(guide).toContain(`\`${name}\``);
    const codes = Object.values(controlErrors).map(({ code }) => code);
    expect(new Set(codes).size).toBe(codes.length);
    for (const code of codes) expect(code <= -33_000 && code > -33_100).toBe(true);
  });

  test("tells whoever follows it what every node tells", async () => {
    const network = await openTestServed();
    const socket = new WebSocket(network.ready.control.ws);
    await new Promise((resolve) => socket.once("open", resolve));
    const first = new Promise<string>((resolve) => socket.once("message", (data) => resolve(String(data))));
    const { advertisement } = await seeded(network);
    expect(JSON.parse(await first)).toEqual({
      ...{ node: 0, source: "own" },
      message: { method: "sendAdvertisementCreate", result: advertisement },
    });
    socket.terminate();
  });

  test("wants a token that it was given, and elsewhere than on loopback one at all", async () => {
    const token = "a token of some length";
    const network = await openTestServed({ token });
    const { rpc } = network.ready.control;
    expect((await fetch(rpc, { method: "POST", body: "{}" })).status).toBe(401);
    expect((await openControlClient({ url: rpc, token }).call("sim_getStatus")).nodes).toBe(3);
    const open = await openServedNetwork({ ...USUAL, host: "0.0.0.0" });
    expect(open).toEqual({ ok: false, error: "control on 0.0.0.0 needs a token" });
  });
});
