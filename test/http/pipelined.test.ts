// Goal: what waits behind another answer on a connection that breaks is given up like the answer before it.
// Method: several requests at once over one real socket that is cut before it has taken the first answer.
import { mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { until } from "../until.ts";
import type { FakeNode } from "./fake-node.ts";
import { fakeNode } from "./fake-node.ts";

const ASK = "GET /snapshot/large HTTP/1.1\r\nHost: n\r\n\r\n";
const AT_ONCE = 4;

/** A node with one snapshot, larger than what the system takes of it for a client that does not read. */
async function serving(): Promise<{ readonly node: FakeNode; readonly folder: string }> {
  const folder = mkdtempSync(join(tmpdir(), "pipelined-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "large.tar.gz"), Buffer.alloc(16 * 1024 * 1024));
  return { folder, node: await fakeNode({ snapshotDirectory: folder, limits: { clientDownloadsMax: AT_ONCE } }) };
}

/** Asks as often as is allowed at once, and goes when the first answer has begun and all files are open. */
async function askAndGo(node: FakeNode, open: () => number | undefined): Promise<void> {
  const socket = connect(node.port.address.port, "127.0.0.1").on("error", () => undefined);
  const begun = new Promise((resolve) => socket.once("readable", resolve));
  socket.write(ASK.repeat(AT_ONCE));
  await begun;
  await until(() => (open() ?? AT_ONCE) === AT_ONCE);
  socket.destroy();
  await until(() => node.port.counts().connections === 0);
}

/** How many files of a folder this process has open; undefined where the system does not tell. */
function openFiles(folder: string): number | undefined {
  if (process.platform !== "linux") return undefined;
  return readdirSync("/proc/self/fd").filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(folder);
    } catch {
      return false;
    }
  }).length;
}

test("a client that left before its downloads has them all again", async () => {
  const { node, folder } = await serving();
  const open = () => openFiles(folder);
  await askAndGo(node, open);
  const { port } = node.port.address;
  const statuses = Array.from({ length: AT_ONCE }, async () => {
    return new Promise((resolve, reject) => {
      const call = get({ host: "127.0.0.1", port, path: "/snapshot/large", agent: false }, (response) => {
        resolve(response.statusCode);
        onTestFinished(() => void response.destroy());
      });
      call.on("error", reject);
    });
  });
  expect(await Promise.all(statuses)).toEqual([200, 200, 200, 200]);
});

test("no file stays open behind an answer that nobody took", async () => {
  const { node, folder } = await serving();
  await askAndGo(node, () => openFiles(folder));
  await until(() => (openFiles(folder) ?? 0) === 0);
});

test("answers behind one another come in order, and a connection serves on after them", async () => {
  const { node } = await serving();
  const socket = connect(node.port.address.port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  let told = "";
  socket.on("data", (bytes) => (told += String(bytes)));
  const ends = (): readonly string[] => told.match(/\r\n\r\n(?:ok|not found)/g) ?? [];
  const [health, nowhere] = ["/health", "/nowhere"].map((path) => `GET ${path} HTTP/1.1\r\nHost: n\r\n\r\n`);
  socket.write(`${health}${nowhere}${health}`);
  await until(() => ends().length === 3);
  socket.write(`${nowhere}${health}`);
  await until(() => ends().length === 5);
  expect(ends().map((end) => end.trim())).toEqual(["ok", "not found", "ok", "not found", "ok"]);
});
