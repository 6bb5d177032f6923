// Goal: `ofs-sim serve` prints one line that a program can read, refuses what it cannot do in one line, and ends in
// good order when it is told to. Method: a real process for the line and the end; the command line for refusals.
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, assert, describe, test } from "vitest";
import { WebSocket } from "ws";
import { commandLine } from "../../../node/sim/command-line.ts";
import type { ReadyLine } from "../../../sim/serve/served-network.ts";
import { toySurroundings } from "../toy-surroundings.ts";
import { posted } from "./test-network.ts";

const COMMAND = join(import.meta.dirname, "../../../node/bin/ofs-sim.mjs");
const FREE = ["--port", "0", "--chain-port", "0", "--control-port", "0", "--chain", "model"];

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

async function refused(...args: readonly string[]): Promise<string> {
  const around = toySurroundings(false);
  assert.equal(await commandLine(["serve", ...args], around), 2);
  assert.deepEqual(around.printed, []);
  return around.complained.join("");
}

test("says in one line of JSON where everything is, and ends with 0 when it is told to", async () => {
  const child = spawn(process.execPath, [COMMAND, "serve", "--nodes", "2", "--time", "still", ...FREE]);
  children.push(child);
  const [out, err]: [Buffer[], Buffer[]] = [[], []];
  child.stderr.on("data", (part: Buffer) => err.push(part));
  const first = new Promise<void>((resolve) => {
    child.stdout.on("data", (part: Buffer) => {
      out.push(part);
      if (part.includes(10)) resolve();
    });
  });
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  await Promise.race([first, ended]);
  const text = Buffer.concat(out).toString();
  assert.match(text, /^\{"ready":"serve".*\}\n$/, Buffer.concat(err).toString());
  const ready = JSON.parse(text) as ReadyLine;
  assert.deepInclude(JSON.parse(await posted(ready.nodes[1]!.rpc, "getHealth", {})) as object, { result: "ok" });
  const open = new WebSocket(ready.nodes[0]!.ws);
  await new Promise((resolve) => open.once("open", resolve));
  child.kill("SIGINT");
  assert.equal(await ended, 0);
  assert.include(Buffer.concat(err).toString(), `curl -s ${ready.nodes[0]!.rpc}`);
});

describe("is refused in one line", () => {
  test.each([
    [["--nodes", "0"], /^--nodes takes a whole number from 1 to 200, not "0"\.\n$/],
    [["--nodes", "2", "--gossip-only", "3"], /^--gossip-only 3 is more than --nodes 2\.\n$/],
    [["--port", "65534"], /^--port 65534 leaves no ports for 5 nodes\.\n$/],
    [["--port", "x"], /^--port takes a port, 0 to 65535, not "x"\.\n$/],
    [["--time", "backwards"], /^--time is wall, still, or a whole number from 1 to 1000, not "backwards"\.\n$/],
    [["--chain", "bankrun"], /^--chain is one of litesvm, model, not "bankrun"\.\n$/],
    [["--open-network", "--time", "still"], /^--open-network goes with --time wall: [^\n]+\.\n$/],
    [["--gossip-port", "4101"], /^--gossip-port goes with --open-network\.\n$/],
    [["--open-network", "--gossip-port", "65534"], /^--gossip-port 65534 leaves no ports for 5 nodes\.\n$/],
    [["--token", "short"], /^--token takes 16 to 256 characters of ASCII without spaces\.\n$/],
    [["--host", "0.0.0.0", ...FREE], /^--host 0\.0\.0\.0 needs --token: [^\n]+\.\n$/],
    [
      ["--host", "203.0.113.9", "--token", "a-token-that-is-long", ...FREE],
      /^cannot listen on 203\.0\.113\.9:0: this machine has no such address\.\n$/,
    ],
  ] as const)("%j", async (args, line) => {
    assert.match(await refused(...args), line);
  });

  test("a port that is taken", async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => void taken.listen(0, "127.0.0.1", resolve));
    const { port } = taken.address() as { readonly port: number };
    const line = await refused("--nodes", "1", ...FREE, "--port", String(port));
    assert.equal(line, `cannot listen on 127.0.0.1:${port}: the port is in use.\n`);
    await new Promise((resolve) => taken.close(resolve));
  });
});
