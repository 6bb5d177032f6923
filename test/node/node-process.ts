/**
 * A node as its operator runs it: the real command in a process of its own.
 */
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { commandLine } from "../../node/production/command-line.ts";
import { misdescribedBody } from "../document/described.ts";
import { until } from "../until.ts";

const LAUNCHER = fileURLToPath(new URL("../../node/bin/ofs-node.mjs", import.meta.url));

export interface NodeProcess {
  readonly rpc: string;
  readonly gossip: string;
  readonly admin: string;
  readonly pid: number;
  /** Ends it at once, as power loss would. */
  kill(): Promise<void>;
  /** Tells it to end, as its operator would. */
  stop(): Promise<void>;
}

/** What a runtime is given to run a node on free ports of loopback. */
export function argumentsOf(ledger: string, ...more: readonly string[]): readonly string[] {
  const args = [LAUNCHER, "start", "--ledger", ledger, "--rpc-bind-address", "127.0.0.1:0", "--log", "error"];
  const binds = ["--gossip-bind-address", "/ip4/127.0.0.1/tcp/0", "--admin-bind-address", "127.0.0.1:0"];
  return [...args, ...binds, ...more];
}

/** Starts a node and waits for its `ready` line. */
export function startNode(ledger: string, ...more: readonly string[]): Promise<NodeProcess> {
  const child = spawn(process.execPath, argumentsOf(ledger, ...more));
  return new Promise((resolve, reject) => {
    let output = "";
    let complained = "";
    child.stderr.on("data", (text) => (complained += String(text)));
    child.once("close", (code) => reject(new Error(`the node ended with ${code}: ${complained}`)));
    child.stdout.on("data", (text) => {
      output += String(text);
      const ready = /^ready rpc=(\S+) gossip=([^,\s]+)\S* admin=(\S+) peer=\S+$/m.exec(output);
      const [, rpc, gossip, admin] = ready ?? [];
      if (rpc !== undefined && gossip !== undefined && admin !== undefined)
        resolve({
          rpc,
          gossip,
          admin,
          pid: child.pid ?? 0,
          ...{ kill: () => ended(child), stop: () => ended(child, "SIGTERM") },
        });
    });
  });
}

/** Between two questions to a node, which answers one call in half a second for as long as one likes (01 §10.4). */
const ASK_EVERY_MS = 500;

/** What a node answers to a call, once it is what is awaited. */
export async function untilAnswered<T>(
  node: NodeProcess,
  method: string,
  params: unknown,
  wanted: (result: T) => boolean,
): Promise<T> {
  let result: T | null | undefined;
  await until(async () => {
    result = (await call(node.rpc, method, params)).result as T | null | undefined;
    return result !== undefined && result !== null && wanted(result);
  }, ASK_EVERY_MS);
  return result as T;
}

/** Waits until the node's metrics say so. */
export async function untilMeasured(node: NodeProcess, line: RegExp): Promise<void> {
  await until(async () => line.test(await (await fetch(`${node.admin}/metrics`)).text()), ASK_EVERY_MS);
}

/** What a command line answers, in this process: for those that end before anything is opened. */
export async function answerOf(
  ...args: readonly string[]
): Promise<{ readonly code: number; readonly err: string; readonly out: string }> {
  let [out, err] = ["", ""];
  const terminal = { out: (text: string) => (out += text), err: (text: string) => (err += text) };
  return { code: await commandLine(args, terminal), err, out };
}

/** What a bad command line answers: exit code and what it said. */
export function runNode(
  ...args: readonly string[]
): Promise<{ readonly code: number | null; readonly err: string; readonly out: string }> {
  const child = spawn(process.execPath, [LAUNCHER, ...args]);
  let [out, err] = ["", ""];
  child.stdout.on("data", (text) => (out += String(text)));
  child.stderr.on("data", (text) => (err += String(text)));
  // Not at its exit: what it said may still be on its way.
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, out, err })));
}

/** One JSON-RPC call over HTTP; the answer is what the document says of the method. */
export async function call(
  rpc: string,
  method: string,
  params: unknown,
): Promise<{ readonly result?: unknown; readonly error?: unknown }> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const answer = await fetch(`${rpc}/rpc`, { method: "POST", headers: { "content-type": "application/json" }, body });
  const text = await answer.text();
  const wrong = misdescribedBody(body, text);
  if (wrong !== "") throw new Error(`the document does not say what this answers: ${wrong}`);
  return JSON.parse(text) as { readonly result?: unknown; readonly error?: unknown };
}

function ended(child: ChildProcess, signal: "SIGKILL" | "SIGTERM" = "SIGKILL"): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.removeAllListeners("close");
    child.once("close", () => resolve());
    child.kill(signal);
  });
}
