// Goal: what waits behind another answer on a connection that breaks is given up like the answer before it.
// Method: several requests at once over one real socket that is cut before it has taken the first answer.
import { mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import type { Socket } from "node:net";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { NEVER_MS, until } from "../until.ts";
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

test("who asks on without waiting for a refusal loses the connection; who waits, and who asks elsewhere, does not", async () => {
  const rate = { burst: 2, intervalMs: 1_000, clientsMax: 9 };
  const node = await fakeNode({ limits: { rate, refusalMs: NEVER_MS, requestMs: NEVER_MS }, clock: () => 0 });
  const asking = (): Socket => {
    const socket = connect(node.port.address.port, "127.0.0.1")
      .on("error", () => undefined)
      .resume();
    onTestFinished(() => void socket.destroy());
    return socket;
  };
  const call = "POST /rpc HTTP/1.1\r\nHost: n\r\nContent-Length: 2\r\n\r\n{}";
  const refused = () => node.port.counts().refused["call-rate"];
  const [hasty, patient] = [asking(), asking()];
  const gone = new Promise((resolve) => hasty.once("close", resolve));
  hasty.write(call.repeat(3));
  await until(() => refused() === 1);
  patient.write(call);
  await until(() => refused() === 2);
  expect(node.port.counts().connections).toBe(2);
  hasty.write(call.repeat(500));
  await gone;
  await until(() => node.port.counts().connections === 1);
  // Nothing of what came behind the one that ended it was looked at.
  expect([refused(), node.calls.length, patient.closed]).toEqual([3, 2, false]);
});
