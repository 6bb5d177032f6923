/**
 * `ofs-node/testing` as CommonJS has it: bundled into one file that imports nothing but Node's own modules, because
 * runners such as jest load no ES modules. The network runs in a process of its own, `ofs-sim serve`, and ends with
 * this one. Source: DESIGN section 6 "serve".
 */
import type { ChildProcessByStdio } from "node:child_process";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import type { ControlClient } from "../../sim/serve/control/client.ts";
import { openDocumentedClient } from "../../sim/serve/control/documented-client.ts";
import type { ReadyLine } from "../../sim/serve/served-network.ts";
import type { NetworkOptions, TestNetwork } from "./test-network.ts";
import { networkOf, usual } from "./test-network.ts";

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** The command beside the sources, or where the package has it. */
const LAUNCHERS = ["../bin/ofs-sim.mjs", "../../../node/bin/ofs-sim.mjs"];
/** Characters of its complaints that are kept, the last ones. */
const COMPLAINT = 4_096;
const NEWLINE = 10;

/** Starts a network in a process of its own, on free ports of loopback. Fails with what that process complains of. */
export async function startNetwork(options: NetworkOptions = {}): Promise<TestNetwork> {
  const child = spawn(process.execPath, [launcher(), ...argumentsOf(options)], { stdio: ["pipe", "pipe", "pipe"] });
  const ended = new Promise<void>((resolve) => void child.once("close", () => resolve()));
  const ready = await readyLine(child);
  release(child);
  return networkOf(ready, clientOf(ready), () => {
    child.ref();
    child.stdin.end();
    return ended;
  });
}

/** The network behind the line that `ofs-sim serve` printed when it was ready; `token` where control wants one. */
export function connectNetwork(ready: ReadyLine, token?: string): TestNetwork {
  return networkOf(ready, clientOf(ready, token), () => Promise.resolve());
}

function clientOf({ control: { rpc: url } }: ReadyLine, token?: string): ControlClient {
  return openDocumentedClient({ url, ...(token !== undefined && { token }) });
}

function launcher(): string {
  const paths = LAUNCHERS.map((path) => fileURLToPath(new URL(path, import.meta.url)));
  return paths.find((path) => existsSync(path)) ?? "";
}

function argumentsOf(options: NetworkOptions): readonly string[] {
  const { nodes, gossipOnly, seed, chain, time } = usual(options);
  const given = { nodes, "gossip-only": gossipOnly, seed, chain, time, port: 0, "chain-port": 0, "control-port": 0 };
  const pairs = Object.entries(given).flatMap(([name, value]) => [`--${name}`, String(value)]);
  return ["serve", ...pairs, "--until-input-ends"];
}

/** The first line that it prints; or the error of a process that ended before. */
function readyLine(child: Child): Promise<ReadyLine> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let complaint = "";
    child.stderr.on("data", (part: Buffer) => {
      complaint = (complaint + part.toString()).slice(-COMPLAINT);
    });
    child.stdout.on("data", (part: Buffer) => {
      parts.push(part);
      if (part.includes(NEWLINE)) resolve(JSON.parse(Buffer.concat(parts).toString()) as ReadyLine);
    });
    child.once("error", reject);
    child.once("close", (code) => reject(new Error(complaint.trim() || `ofs-sim serve ended with ${code}`)));
  });
}

/** Whoever forgets to close the network is not held by it: its process ends when this one has. */
function release(child: Child): void {
  for (const stream of [child.stdin, child.stdout, child.stderr]) (stream as { unref?: () => void }).unref?.();
  child.unref();
}
