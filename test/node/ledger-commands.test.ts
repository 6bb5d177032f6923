/**
 * Goal: a ledger is copied while its node runs, and the copy is a ledger with the same roots; one is checked, exported,
 * and what can be read of a damaged one is kept, with each lost row named.
 * Method: a node of this process that holds statements; commands on copies of its ledger; bytes replaced in one.
 */
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, assert, expect, test } from "vitest";
import { LEDGER_FILE, openLedger } from "../../adapters/sqlite/ledger.ts";
import { PaymentMethodDefine } from "../../core/domains/payment-methods/schema.ts";
import type { RunningNode } from "../../node/production/start-node.ts";
import { startNode } from "../../node/production/start-node.ts";
import { close, commit, list, put } from "../ports/store-calls.ts";
import { person, signedData } from "../rpc/lone-node.ts";
import { answerOf, startNode as startElsewhere } from "./node-process.ts";

const folder = mkdtempSync(join(tmpdir(), "ofs-ledgers-"));
const open: RunningNode[] = [];
afterAll(async () => {
  for (const node of open) await node.close();
  rmSync(folder, { recursive: true, force: true });
});

async function running(ledger: string): Promise<RunningNode> {
  const node = await startNode({ ledger, admin: { host: "127.0.0.1", port: 0 } });
  if (!node.ok) assert.fail(node.error.reason);
  open.push(node.value);
  return node.value;
}

test("a running node's ledger is copied whole; the copy has its roots, its key, and starts", async () => {
  const ledger = join(folder, "ledger");
  const node = await running(ledger);
  const merchant = person(7);
  for (const name of ["Stall", "Kiosk", "Shop"]) {
    const definition = { merchant: merchant.peer, merchant_public_key: merchant.key, name, category: "Cash" };
    const data = signedData(PaymentMethodDefine, definition as never, merchant);
    await node.client().call("sendPaymentMethodDefine", { data } as never);
  }
  const held = await answerOf("check", "--ledger", ledger);
  expect([held.code, held.err.trimEnd().split("\n").length]).toEqual([2, 1]);
  expect(held.err).toContain("backup --admin");

  const copy = join(folder, "copy");
  const made = await answerOf("backup", "--admin", node.admin?.url ?? "", "--out", copy);
  expect([made.code, made.err]).toEqual([0, ""]);
  const roots = JSON.parse(await (await fetch(`${node.admin?.url}/debug/roots`)).text());
  expect(made.out).toContain(`statements=${roots.statements} facts=${roots.facts} state=${roots.state}`);
  expect(statSync(join(copy, LEDGER_FILE)).mode & 0o777).toBe(0o600);
  // Neither twice into one directory, nor for a page in somebody's browser.
  const again = await answerOf("backup", "--admin", node.admin?.url ?? "", "--out", copy);
  expect([again.code, again.err]).toEqual([2, expect.stringContaining("holds a ledger already")]);
  const page = await fetch(`${node.admin?.url}/backup`, { method: "POST", body: join(folder, "stolen") });
  expect([page.status, existsSync(join(folder, "stolen"))]).toEqual([403, false]);

  await node.close();
  const checked = await answerOf("check", "--ledger", ledger);
  expect([checked.code, checked.out]).toEqual([0, expect.stringMatching(/^ok rows=[1-9]/)]);
  const cold = await answerOf("backup", "--ledger", ledger, "--out", join(folder, "cold"));
  expect(cold.out).toContain(`state=${roots.state}`);
  const restored = await running(copy);
  expect(restored.peer).toBe(node.peer);
  expect(JSON.parse(await (await fetch(`${restored.admin?.url}/debug/roots`)).text())).toEqual(roots);
});

test("of a ledger whose log is damaged the commits before are kept, it stays as it is, and the frame is named", async () => {
  const [lived, ledger, out] = [join(folder, "lived"), join(folder, "cut"), join(folder, "uncut")];
  const opened = openLedger(lived);
  if (!opened.ok) assert.fail(opened.error.reason);
  for (let n = 0; n < 4; n++) await commit(opened.value, [put("cellar", `k${n}`, "ab")]);
  const held = await answerOf("repair", "--ledger", lived, "--out", out);
  expect([held.code, held.err, existsSync(out)]).toEqual([2, expect.stringContaining("backup --admin"), false]);
  // As a process that was killed leaves it.
  cpSync(lived, ledger, { recursive: true });
  await close(opened.value);
  const log = join(ledger, `${LEDGER_FILE}-wal`);
  const bytes = readFileSync(log);
  bytes.writeUInt8((bytes.at(100) ?? 0) ^ 1, 100);
  writeFileSync(log, bytes);
  const before = [readFileSync(join(ledger, LEDGER_FILE)), bytes];

  const repaired = await answerOf("repair", "--ledger", ledger, "--out", out);
  expect([repaired.code, repaired.out]).toEqual([0, `${out} kept=0 lost=1\n`]);
  expect(repaired.err).toBe(`lost: frame 1 of ${log} has changed, and commits after it would be lost\n`);
  expect([readFileSync(join(ledger, LEDGER_FILE)), readFileSync(log)]).toEqual(before);
  expect(readdirSync(ledger).sort()).toEqual([LEDGER_FILE, `${LEDGER_FILE}-wal`]);
  expect(readdirSync(out)).toEqual([LEDGER_FILE]);
  const still = await answerOf("check", "--ledger", ledger);
  expect([still.code, still.err]).toEqual([1, expect.stringContaining("frame 1 of")]);
});

test("a backup that was put beside the log of the killed node is not mixed with it, and repair keeps the backup", async () => {
  const [lived, ledger, out] = ["outlived", "mixed", "unmixed"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const opened = openLedger(lived);
  if (!opened.ok) assert.fail(opened.error.reason);
  await commit(opened.value, [put("cellar", "kept", "ab")]);
  const backup = join(folder, "backup.db");
  await opened.copyTo(backup);
  await commit(opened.value, [put("cellar", "after", "ab")]);
  cpSync(lived, ledger, { recursive: true });
  await close(opened.value);
  cpSync(backup, join(ledger, LEDGER_FILE));
  const log = join(ledger, `${LEDGER_FILE}-wal`);

  const refused = await answerOf("check", "--ledger", ledger);
  expect([refused.code, refused.err.trimEnd().split("\n").length]).toEqual([1, 1]);
  expect(refused.err).toContain(`${log} is of another file`);
  const repaired = await answerOf("repair", "--ledger", ledger, "--out", out);
  expect([repaired.code, repaired.out]).toEqual([0, `${out} kept=1 lost=1\n`]);
  expect(repaired.err).toBe(`lost: ${log} is of another file, and was left out\n`);
  expect(readFileSync(join(ledger, LEDGER_FILE)).equals(readFileSync(backup))).toBe(true);
  rmSync(log);
  const checked = await answerOf("check", "--ledger", ledger);
  expect([checked.code, checked.out]).toEqual([0, expect.stringMatching(/^ok rows=1 /)]);
});

test("a ledger that another process holds is not repaired, and is left as it is", async () => {
  const ledger = join(folder, "elsewhere");
  const node = await startElsewhere(ledger);
  const files = readdirSync(ledger).sort();
  const refused = await answerOf("repair", "--ledger", ledger, "--out", join(folder, "nowhere"));
  expect([refused.code, refused.err]).toEqual([2, expect.stringContaining("in use by another process")]);
  expect([existsSync(join(folder, "nowhere")), readdirSync(ledger).sort()]).toEqual([false, files]);
  await node.stop();
  const repaired = await answerOf("repair", "--ledger", ledger, "--out", join(folder, "nowhere"));
  expect([repaired.code, repaired.err]).toEqual([0, ""]);
});

test("of a damaged ledger everything else is kept, and what is lost is named", async () => {
  const ledger = join(folder, "damaged");
  const opened = openLedger(ledger);
  if (!opened.ok) assert.fail(opened.error.reason);
  const rows = Array.from({ length: 50 }, (_, n) =>
    put("cellar", `k${n}`.padEnd(4, "."), `deadbeef${`${n}`.padStart(2, "0")}`),
  );
  await commit(opened.value, rows);
  await close(opened.value);
  const bytes = readFileSync(join(ledger, LEDGER_FILE));
  bytes.writeUInt8(0, bytes.indexOf(Buffer.from("deadbeef17", "hex")));
  writeFileSync(join(ledger, LEDGER_FILE), bytes);

  for (const args of [["check"], ["export", "--out", join(folder, "none.jsonl")]]) {
    const { code, err } = await answerOf(...args, "--ledger", ledger);
    expect([code, err]).toEqual([1, expect.stringContaining('table cellar, row "k17."')]);
  }
  const out = join(folder, "repaired");
  const before = readFileSync(join(ledger, LEDGER_FILE));
  const repaired = await answerOf("repair", "--ledger", ledger, "--out", out);
  expect([repaired.code, repaired.out]).toEqual([0, `${out} kept=49 lost=1\n`]);
  expect(repaired.err).toMatch(/^lost: place \d+: table cellar, row "k17\." does not match its checksum\n$/);
  expect(readFileSync(join(ledger, LEDGER_FILE)).equals(before)).toBe(true);
  const again = openLedger(out);
  if (!again.ok) assert.fail(again.error.reason);
  const kept = (await list(again.value)).map(([, key]) => key);
  await close(again.value);
  expect(kept).toEqual(
    rows
      .map(({ key }) => key)
      .filter((key) => key !== "k17.")
      .sort((a, b) => (a < b ? -1 : 1)),
  );
  const file = join(folder, "rows.jsonl");
  const exported = await answerOf("export", "--ledger", out, "--out", file);
  expect([exported.code, exported.out]).toEqual([0, `${file} rows=49\n`]);
  const [first] = readFileSync(file, "utf8").split("\n");
  expect(JSON.parse(first ?? "")).toEqual({
    table: "cellar",
    key: "k0..",
    bytes: Buffer.from("deadbeef00", "hex").toString("base64"),
  });
});

test.each([
  [["check"], "--ledger <dir> is needed"],
  [["check", "--ledger", join(folder, "nothing")], "holds no ledger"],
  [["repair", "--ledger", join(folder, "nothing"), "--out", join(folder, "new")], "holds no ledger"],
  [["backup", "--ledger", join(folder, "nothing"), "--out", join(folder, "new")], "holds no ledger"],
  [["export", "--ledger", join(folder, "nothing")], "--out"],
  [["backup", "--admin", "http://127.0.0.1:1", "--out", ""], "--out is empty"],
])("%j is one line and exit code 2, and nothing is made", async (args, reason) => {
  const { code, err } = await answerOf(...args);
  expect([code, err.trimEnd().split("\n").length]).toEqual([2, 1]);
  expect(err).toContain(reason);
  expect([existsSync(join(folder, "nothing")), existsSync(join(folder, "new"))]).toEqual([false, false]);
});
