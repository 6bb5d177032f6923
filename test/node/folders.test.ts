/**
 * Goal: a folder that cannot be made is one line, and never keeps a node or a command busy for ever.
 * Method: folders of this machine, `/proc` among them, where nothing can be made and the system says so with ENOENT;
 * commands of this process, and its backup of a node.
 */
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, assert, expect, test } from "vitest";
import { folderProblem, makeFolder } from "../../adapters/folders/make-folder.ts";
import { keepFile } from "../../adapters/snapshots/directory.ts";
import { LEDGER_FILE, openLedger } from "../../adapters/sqlite/ledger.ts";
import { askForBackup } from "../../node/production/backup-request.ts";
import { checkCommand } from "../../node/production/ledger-commands.ts";
import { startNode } from "../../node/production/start-node.ts";
import { ASKED_BY_OPERATOR, Refusal } from "../../node/production/usage.ts";
import { ownPlace } from "../own-place.ts";
import { close } from "../ports/store-calls.ts";
import { answerOf } from "./node-process.ts";

const folder = mkdtempSync(join(tmpdir(), "ofs-folders-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Below a folder that exists, and yet the system says ENOENT. */
const NOWHERE = "/proc/ofs-nowhere";
/** Who may change no directory of the tests. */
const NOBODY = 65_534;
const QUIET = ["--rpc-bind-address", "127.0.0.1:0", "--gossip-bind-address", "/ip4/127.0.0.1/tcp/0"];

test("a folder is made level by level, or was there", () => {
  const deep = join(folder, "a", "b", "c");
  expect(folderProblem(deep)).toBeUndefined();
  expect(existsSync(join(folder, "a"))).toBe(false);
  expect(makeFolder(deep, 0o700)).toBe(join(folder, "a"));
  expect(statSync(join(folder, "a")).mode & 0o777).toBe(0o700);
  expect(makeFolder(deep)).toBeUndefined();
  expect(makeFolder("/")).toBeUndefined();
});

test("one that cannot be made is told, and what was made on the way to find out is gone", () => {
  const file = join(folder, "file");
  writeFileSync(file, "");
  for (const path of [file, join(file, "below"), NOWHERE, join(NOWHERE, "below")]) {
    expect(folderProblem(path)?.message).toMatch(/mkdir|stat/);
    expect(() => makeFolder(path)).toThrow(/mkdir|stat/);
  }
  expect(readdirSync(folder).filter((name) => name !== "a")).toEqual(["file"]);
});

test("ledgers, snapshots and backups that cannot be made are refused", async () => {
  expect(openLedger(NOWHERE)).toMatchObject({ ok: false, error: { reason: expect.stringContaining(NOWHERE) } });
  expect(await keepFile(NOWHERE, "id", new Uint8Array(1))).toMatchObject({ ok: false });
  const ledger = join(folder, "ledger");
  const opened = openLedger(ledger);
  if (!opened.ok) assert.fail(opened.error.reason);
  await close(opened.value);
  const commands = [
    ["start", "--ledger", NOWHERE, "--admin-bind-address", "off", ...QUIET],
    ["backup", "--ledger", ledger, "--out", NOWHERE],
    ["repair", "--ledger", ledger, "--out", NOWHERE],
  ];
  for (const args of commands) {
    const { code, err } = await answerOf(...args);
    expect([args[0], code, err.trimEnd().split("\n").length]).toEqual([args[0], 2, 1]);
    expect(err).toContain(NOWHERE);
  }
});

test("a running node refuses a backup that cannot be made, and runs on", async () => {
  const ledger = join(folder, "running");
  const started = await startNode({ ledger, admin: { host: "127.0.0.1", port: 0 } });
  if (!started.ok) assert.fail(started.error.reason);
  const { admin, close: stop } = started.value;
  try {
    const headers = { [ASKED_BY_OPERATOR]: "1" };
    const asked = await fetch(`${admin?.url}/backup`, { method: "POST", body: NOWHERE, headers });
    expect([asked.status, await asked.text()]).toEqual([409, expect.stringContaining(NOWHERE)]);
    expect((await fetch(`${admin?.url}/live`)).status).toBe(200);
    // The command looks at it first, and at what lies there.
    for (const [out, reason] of [
      [NOWHERE, "cannot be made"],
      [ledger, "holds a ledger already"],
    ] as const) {
      const { code, err } = await answerOf("backup", "--admin", admin?.url ?? "", "--out", out);
      expect([code, err.trimEnd().split("\n").length]).toEqual([2, 1]);
      expect(err).toContain(reason);
    }
    expect(existsSync(join(ledger, LEDGER_FILE))).toBe(true);
  } finally {
    await stop();
  }
});

test("a ledger whose directory this user cannot write is his mistake", async () => {
  const ledger = join(folder, "read-only");
  const opened = openLedger(ledger);
  if (!opened.ok) assert.fail(opened.error.reason);
  await close(opened.value);
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) chownSync(join(ledger, LEDGER_FILE), NOBODY, NOBODY);
  chmodSync(folder, 0o755);
  chmodSync(ledger, 0o555);
  if (isRoot) process.seteuid?.(NOBODY);
  try {
    await expect(checkCommand(ledger, { out: () => undefined, err: () => undefined })).rejects.toThrow(Refusal);
  } finally {
    if (isRoot) process.seteuid?.(0);
    chmodSync(ledger, 0o755);
  }
});

test("a node that never answers is waited for as long as was said, and then is one line", async () => {
  const place = ownPlace();
  const silent = createServer().listen(place);
  await new Promise((listening) => silent.once("listening", listening));
  try {
    const asked = askForBackup(`http://${place.host}:${place.port}`, join(folder, "late"), 50);
    await expect(asked).rejects.toThrow(/^the node made no backup within 0\.05 s[^\n]*$/);
  } finally {
    silent.closeAllConnections();
    silent.close();
  }
});

const nobody = ownPlace();
test.each([
  ["foo", 2, '--admin takes the URL of a node\'s admin address, such as http://127.0.0.1:7081, not "foo"'],
  ["127.0.0.1:7081", 2, "--admin takes the URL"],
  [`http://${nobody.host}:${nobody.port}`, 1, "does not answer"],
])("--admin %s is one line and exit code %i", async (admin, code, reason) => {
  const answer = await answerOf("backup", "--admin", admin, "--out", join(folder, "none"));
  expect([answer.code, answer.err.trimEnd().split("\n").length]).toEqual([code, 1]);
  expect(answer.err).toContain(reason);
});
