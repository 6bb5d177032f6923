/**
 * A node as its operator runs it: the real command in a process of its own.
 */
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const LAUNCHER = fileURLToPath(new URL("../../node/bin/ofs-node.mjs", import.meta.url));

export interface NodeProcess {
  readonly rpc: string;
  readonly gossip: string;
  readonly pid: number;
  /** Ends it at once, as power loss would. */
  kill(): Promise<void>;
}

/** Starts a node and waits for its `ready` line. */
export function startNode(ledger: string, ...more: readonly string[]): Promise<NodeProcess> {
  const args = [LAUNCHER, "start", "--ledger", ledger, "--rpc-bind-address", "127.0.0.1:0", "--log", "error"];
  const child = spawn(process.execPath, [...args, "--gossip-bind-address", "/ip4/127.0.0.1/tcp/0", ...more]);
  return new Promise((resolve, reject) => {
    let said = "";
    let complained = "";
    child.stderr.on("data", (text) => (complained += String(text)));
    child.once("exit", (code) => reject(new Error(`the node ended with ${code}: ${complained}`)));
    child.stdout.on("data", (text) => {
      said += String(text);
      const [, rpc, gossip] = /^ready rpc=(\S+) gossip=([^,\s]+)\S* peer=\S+$/m.exec(said) ?? [];
      if (rpc !== undefined && gossip !== undefined)
        resolve({ rpc, gossip, pid: child.pid ?? 0, kill: () => ended(child) });
    });
  });
}

/** What a bad command line answers: exit code and what it said. */
export function runNode(
  ...args: readonly string[]
): Promise<{ readonly code: number | null; readonly err: string; readonly out: string }> {
  const child = spawn(process.execPath, [LAUNCHER, ...args]);
  let [out, err] = ["", ""];
  child.stdout.on("data", (text) => (out += String(text)));
  child.stderr.on("data", (text) => (err += String(text)));
  return new Promise((resolve) => child.once("exit", (code) => resolve({ code, out, err })));
}

/** One JSON-RPC call over HTTP. */
export async function call(
  rpc: string,
  method: string,
  params: unknown,
): Promise<{ readonly result?: unknown; readonly error?: unknown }> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const answer = await fetch(`${rpc}/rpc`, { method: "POST", headers: { "content-type": "application/json" }, body });
  return (await answer.json()) as { readonly result?: unknown; readonly error?: unknown };
}

function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.removeAllListeners("exit");
    child.once("exit", () => resolve());
    child.kill("SIGKILL");
  });
}
