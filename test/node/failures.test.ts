/**
 * Goal: a ledger that does not load ends the process with code 1 and one line that names file, table, row and what to
 * do; what cannot be used as it was given ends with code 2 before anything is written.
 * Method: real processes over damaged ledgers; refusals in this process.
 */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { LEDGER_FILE, openLedger } from "../../adapters/sqlite/ledger.ts";
import { close, commit, put } from "../ports/store-calls.ts";
import { answerOf, runNode } from "./node-process.ts";

const folder = mkdtempSync(join(tmpdir(), "ofs-failures-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const QUIET = [
  "--rpc-bind-address",
  "127.0.0.1:0",
  "--gossip-bind-address",
  "/ip4/127.0.0.1/tcp/0",
  "--admin-bind-address",
  "off",
];

/** A ledger with one row, some of whose bytes were then replaced. */
async function damagedLedger(name: string, damage: (bytes: Buffer) => void): Promise<string> {
  const ledger = join(folder, name);
  const opened = openLedger(ledger);
  if (!opened.ok) throw new Error(opened.error.reason);
  await commit(opened.value, [put("cellar", "needle", "deadbeefdeadbeef")]);
  await close(opened.value);
  const path = join(ledger, LEDGER_FILE);
  const bytes = readFileSync(path);
  damage(bytes);
  writeFileSync(path, bytes);
  return ledger;
}

test.each([
  [
    "a byte of a row",
    (bytes: Buffer) => void bytes.writeUInt8(0, bytes.indexOf(Buffer.from("deadbeefdeadbeef", "hex"))),
  ],
  [
    "a key that is no text any more",
    (bytes: Buffer) => {
      for (let at = bytes.indexOf("needle"); at >= 0; at = bytes.indexOf("needle", at)) bytes[at + 2] = 0xff;
    },
  ],
])("%s changed: one line, exit code 1", async (name, damage) => {
  const ledger = await damagedLedger(name, damage);
  const { code, err, out } = await runNode("start", "--ledger", ledger, ...QUIET, "--log", "error");
  const lines = err.trimEnd().split("\n");
  expect([code, out]).toEqual([1, ""]);
  const line = lines.at(-1) ?? "";
  for (const part of [join(ledger, LEDGER_FILE), "table cellar", "row", "backup", "ofs-node repair"])
    expect(line).toContain(part);
});

test("what cannot be used is one line and exit code 2, and nothing is written", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => taken.once("listening", resolve));
  const { port } = taken.address() as { readonly port: number };
  const exposed = join(folder, "exposed.json");
  await answerOf("keygen", exposed);
  chmodSync(exposed, 0o666);
  const file = join(folder, "file");
  writeFileSync(file, "");
  const ledger = join(folder, "never");
  const cases: readonly (readonly [readonly string[], string])[] = [
    [["--rpc-bind-address", `127.0.0.1:${port}`], "the port is in use"],
    [["--rpc-bind-address", "192.0.2.1:7080"], "this machine has no such address"],
    [["--gossip-bind-address", `/ip4/127.0.0.1/tcp/${port}`], "--gossip-bind-address"],
    [["--identity", exposed], `chmod 600 ${exposed}`],
    [["--identity", join(folder, "none.json")], "does not exist"],
    [["--record", "/proc/x"], "--record /proc/x cannot be written"],
    [["--record", join(folder, "none", "x")], "is no directory that this user can write"],
    [["--record", folder], `--record ${folder} is no file`],
    [["--snapshot-dir", "/proc/x"], "--snapshot-dir /proc/x cannot be made"],
    [["--snapshot-dir", file], "is no directory"],
  ];
  for (const [args, reason] of cases) {
    const { code, err } = await answerOf("start", "--ledger", ledger, ...QUIET, ...args);
    expect([code, err.trimEnd().split("\n").length, existsSync(ledger)]).toEqual([2, 1, false]);
    expect(err).toContain(reason);
  }
  const below = await answerOf("start", "--ledger", join(file, "ledger"), ...QUIET);
  expect([below.code, below.err.trimEnd().split("\n").length]).toEqual([2, 1]);
  const onFile = await answerOf("start", "--ledger", file, ...QUIET);
  expect([onFile.code, onFile.err]).toEqual([2, `--ledger ${file}: ${file} is no directory; name another.\n`]);
  expect(readdirSync(folder).filter((name) => !/^(?:exposed|file|a )/.test(name))).toEqual([]);
  taken.close();
});

test("a ledger of another program is one line and exit code 2", async () => {
  const ledger = join(folder, "foreign");
  mkdirSync(ledger);
  writeFileSync(
    join(ledger, LEDGER_FILE),
    "a file of somebody else, longer than the header of a database is".repeat(3),
  );
  const { code, err } = await answerOf("start", "--ledger", ledger, ...QUIET);
  expect([code, err.trimEnd().split("\n").length]).toEqual([2, 1]);
  expect(err).toContain("is not a ledger of this program");
});
