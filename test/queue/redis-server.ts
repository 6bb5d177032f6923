/**
 * A real Redis at a place of its own on this machine, with its file in a folder of its own; ended by its process id.
 */
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { ownPlace } from "../own-place.ts";

export interface RedisServer {
  readonly url: string;
  /** Ends it as a machine that loses power would, but that what it wrote is written. */
  kill(): Promise<void>;
  /** Starts it again with what its file holds. */
  start(): Promise<void>;
  remove(): Promise<void>;
}

/** Starts one; resolves when it takes connections. */
export async function openRedisServer(command: string, more: readonly string[] = []): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), "ofs-redis-"));
  const { host, port } = ownPlace();
  const where = ["--bind", host, "--port", String(port), "--dir", folder];
  const kept = ["--appendonly", "yes", "--appendfsync", "everysec", "--save", ""];
  let child: ChildProcess | undefined;
  const server: RedisServer = {
    url: `redis://${host}:${port}`,
    async start() {
      const started = spawn(command, [...where, ...kept, ...more]);
      child = started;
      const lines: string[] = [];
      await new Promise<void>((resolve, reject) => {
        createInterface({ input: started.stdout }).on("line", (line) => {
          lines.push(line);
          if (line.includes("Ready to accept connections")) resolve();
        });
        started.on("close", (code) => reject(new Error(`redis-server ended with ${code}:\n${lines.join("\n")}`)));
      });
    },
    async kill() {
      const ended = child;
      child = undefined;
      if (ended === undefined || ended.exitCode !== null) return;
      const closed = new Promise((resolve) => ended.on("close", resolve));
      ended.kill("SIGKILL");
      await closed;
    },
    async remove() {
      await server.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await server.start();
  return server;
}
