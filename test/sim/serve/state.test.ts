// Goal: a network that was kept in a file goes on as if it had never stopped: the same requests get the same answers,
// byte for byte. What is no such file is refused in one line and stays as it is. Method: bytes of networks of both
// executors in which much is under way; the command in processes of its own.
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { ok } from "../../../core/index.ts";
import { packageVersion } from "../../../node/production/usage.ts";
import { commandLine } from "../../../node/sim/command-line.ts";
import { restoreNetwork } from "../../../sim/serve/network-state.ts";
import { replaySession } from "../../../sim/serve/replayed-session.ts";
import type { ReadyLine, ServedNetwork } from "../../../sim/serve/served-network.ts";
import { sessionOf } from "../../../sim/serve/session-file.ts";
import { toySurroundings } from "../toy-surroundings.ts";
import { advertise, controlOf, openTestServed, posted, USUAL, walletOf } from "./test-network.ts";

const COMMAND = join(import.meta.dirname, "../../../node/bin/ofs-sim.mjs");
const FLAGS = ["--port", "0", "--chain-port", "0", "--control-port", "0"];
const folder = mkdtempSync(join(tmpdir(), "ofs-state-"));
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A network in which much is under way. */
async function busy(network: ServedNetwork): Promise<void> {
  const control = controlOf(network);
  await control.call("sim_seedTrade", { state: "PaymentSubmitted" });
  const { id } = await control.call("sim_snapshot");
  await control.call("sim_addNode");
  await control.call("sim_removeNode", { node: 1 });
  await control.call("sim_setClockSkew", { node: 2, ahead: 1_500 });
  await control.call("sim_stallFinality", { stalled: true });
  await control.call("sim_faultOn", { fault: { kind: "delay", ms: 7_000 }, method: "getPeers", times: 5 });
  await posted(network.ready.nodes[0]!.rpc, "getPeers", {});
  await control.call("sim_partition", { groups: [[0], [2]] });
  await advertise(network, 0, "cut-off");
  await control.call("sim_crash", { node: 2 });
  await control.call("sim_dropSnapshot", { id });
}

/** Every answer of what is asked afterwards, and what it came to. */
async function answers(network: ServedNetwork): Promise<readonly string[]> {
  const { nodes, chain, control } = network.ready;
  const told: string[] = [];
  const ask = async (url: string, method: string, params: unknown = {}) => told.push(await posted(url, method, params));
  for (const method of [
    "sim_getStatus",
    "sim_getTime",
    "sim_getTrace",
    "sim_getEvents",
    "sim_getFaults",
    "sim_getSlots",
  ])
    await ask(control.rpc, method);
  await ask(nodes[0]!.rpc, "getPeers");
  await ask(nodes[0]!.rpc, "getAdvertisements");
  await ask(control.rpc, "sim_heal");
  await ask(control.rpc, "sim_restart", { node: 2 });
  told.pop();
  await ask(control.rpc, "sim_awaitConverged", { within: 600_000 });
  await ask(chain.rpc, "requestAirdrop", [walletOf(network, "alice").address, 5_000_000_000]);
  await ask(chain.rpc, "getSignaturesForAddress", [walletOf(network, "alice").address, { commitment: "processed" }]);
  await ask(control.rpc, "sim_reorg", { depth: 2 });
  await ask(control.rpc, "sim_seedTrade", { state: "Approved" });
  await ask(control.rpc, "sim_snapshot");
  await ask(control.rpc, "sim_getEvents", { limit: 1_000 });
  await ask(control.rpc, "sim_getTrace", { lines: 256 });
  await ask(control.rpc, "sim_exportRepro");
  return [...told, network.host.world().trace.head()];
}

describe("a network that was kept", () => {
  test.each(["model", "litesvm"] as const)("answers as one that never stopped, on %s", async (chain) => {
    const kept: { state?: Uint8Array } = {};
    const write = async (state: Uint8Array) => {
      kept.state = state;
      return ok({ file: "FILE", bytes: state.length });
    };
    const network = await openTestServed({ chain, write });
    await busy(network);
    const saved = await controlOf(network).call("sim_saveState");
    expect(saved).toEqual({ file: "FILE", bytes: BigInt(kept.state!.length) });
    const going = await answers(network);
    const restored = restoreNetwork(kept.state!, USUAL.version);
    if (!restored.ok) throw new Error(restored.error);
    const other = await openTestServed({ seed: 99n, nodes: 1, from: restored.value });
    expect(other.ready.nodes.map(({ node }) => node)).toEqual(network.host.nodes().map(({ index }) => index));
    expect(other.ready.wallets).toEqual(network.ready.wallets);
    expect(await answers(other)).toEqual(going);
    const session = sessionOf((await controlOf(other).call("sim_exportRepro")).text);
    expect(session.ok && (await replaySession(session.value, USUAL.scenarios)).differs).toBeUndefined();
    await controlOf(other).call("sim_reset");
    expect((await controlOf(other).call("sim_getNodes")).map(({ node }) => node)).toEqual([0, 1, 2]);
  });

  test("is not kept where there is no file for it", async () => {
    const network = await openTestServed();
    const call = controlOf(network).call("sim_saveState");
    await expect(call).rejects.toThrow("the network was started without --state FILE");
  });
});

/** Starts the command; answers its ready line and how to end it. */
async function started(...args: readonly string[]) {
  const child = spawn(process.execPath, [COMMAND, "serve", ...FLAGS, "--chain", "model", ...args]);
  children.push(child);
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const [out, err]: [Buffer[], Buffer[]] = [[], []];
  const line = await new Promise<string>((resolve, reject) => {
    child.stderr.on("data", (part: Buffer) => err.push(part));
    child.stdout.on("data", (part: Buffer) => {
      out.push(part);
      if (part.includes(10)) resolve(Buffer.concat(out).toString());
    });
    child.once("exit", () => reject(new Error(Buffer.concat(err).toString())));
  });
  const ready = JSON.parse(line) as ReadyLine;
  const stop = async (signal: "SIGTERM" | "SIGINT") => {
    child.kill(signal);
    return ended;
  };
  return { ready, stop };
}

test("the command begins it, keeps it when it is told to end, and goes on with it", async () => {
  const file = join(folder, "kept");
  const first = await started("--nodes", "2", "--time", "still", "--state", file);
  const { rpc } = first.ready.control;
  await posted(rpc, "sim_seedMarket", { advertisements: 2 });
  await posted(rpc, "sim_crash", { node: 1 });
  const status = await posted(rpc, "sim_getStatus", {});
  expect(existsSync(file)).toBe(false);
  expect(JSON.parse(await posted(rpc, "sim_saveState", {}))).toMatchObject({ result: { file } });
  const early = readFileSync(file);
  await posted(rpc, "sim_increaseTime", { ms: 1_000 });
  const time = await posted(rpc, "sim_getTime", {});
  expect(await first.stop("SIGTERM")).toBe(0);
  expect(readFileSync(file).equals(early)).toBe(false);
  expect(readdirSync(folder)).toEqual(["kept"]);
  const again = await started("--state", file);
  expect(await posted(again.ready.control.rpc, "sim_getTime", {})).toBe(time);
  expect(again.ready.nodes.map(({ peer }) => peer)).toEqual(first.ready.nodes.map(({ peer }) => peer));
  expect(again.ready.wallets).toEqual(first.ready.wallets);
  expect([again.ready.pace, again.ready.seed]).toEqual([0, "1"]);
  const after = JSON.parse(await posted(again.ready.control.rpc, "sim_getStatus", {}));
  expect(after.result.events).toBeGreaterThanOrEqual(JSON.parse(status).result.events);
  expect(JSON.parse(await posted(again.ready.control.rpc, "sim_getNodes", {})).result[1].up).toBe(false);
  expect(await again.stop("SIGINT")).toBe(0);
});

describe("is refused in one line, and left as it is", () => {
  const made = async (file: string) => {
    const network = await openTestServed({
      version: packageVersion(),
      write: async (state) => {
        writeFileSync(file, state);
        return ok({ file, bytes: state.length });
      },
    });
    await controlOf(network).call("sim_saveState");
    return readFileSync(file);
  };
  const refused = async (file: string, content: Uint8Array | string, ...args: readonly string[]) => {
    writeFileSync(file, content);
    const around = toySurroundings(false);
    expect(await commandLine(["serve", ...FLAGS, "--state", file, ...args], around)).toBe(2);
    expect(around.printed).toEqual([]);
    expect(readFileSync(file).equals(Buffer.from(content))).toBe(true);
    expect(readdirSync(folder).filter((name) => name.endsWith(".part"))).toEqual([]);
    return around.complained.join("").replaceAll(file, "FILE");
  };

  test("a file that is damaged, cut short, foreign, of another version or of another network", async () => {
    const file = join(folder, "state");
    const state = await made(file);
    const flipped = state.map((byte, at) => (at === state.length >> 1 ? byte ^ 1 : byte));
    expect(await refused(file, flipped)).toBe("FILE is damaged: its hash is another.\n");
    expect(await refused(file, state.subarray(0, -1))).toBe("FILE is damaged: its hash is another.\n");
    expect(await refused(file, "")).toBe("FILE is no state of a network of this version.\n");
    expect(await refused(file, '{"format":"ofs-session/1"}\n')).toBe(
      "FILE is no state of a network of this version.\n",
    );
    const older = Buffer.from(
      state.toString("latin1").replace(/^ofs-network\/1 .*\n/, "ofs-network/1 0.0.1-old\n"),
      "latin1",
    );
    expect(await refused(file, older)).toBe(`FILE was saved by version 0.0.1-old, and this is ${packageVersion()}.\n`);
    for (const [flag, has, asked] of [
      ["--seed", "3", "4"],
      ["--nodes", "3", "2"],
      ["--gossip-only", "1", "0"],
      ["--chain", "model", "litesvm"],
    ] as const)
      expect(await refused(file, state, flag, asked)).toBe(`FILE holds a network of ${flag} ${has}, not ${asked}.\n`);
  });

  test("what is no file, and a folder that is not there", async () => {
    const tell = async (file: string) => {
      const around = toySurroundings(false);
      expect(await commandLine(["serve", ...FLAGS, "--chain", "model", "--state", file], around)).toBe(2);
      return around.complained.join("").replaceAll(folder, "FOLDER");
    };
    mkdirSync(join(folder, "a-folder"));
    expect(await tell(join(folder, "a-folder"))).toMatch(/^FOLDER\/a-folder cannot be read: EISDIR.*\.\n$/);
    expect(await tell(join(folder, "nowhere", "state"))).toMatch(
      /^FOLDER\/nowhere\/state cannot be written: ENOENT.*\.\n$/,
    );
    expect(await tell("")).toBe("--state takes the name of a file.\n");
  });
});
