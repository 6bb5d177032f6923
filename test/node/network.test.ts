/**
 * Goal: a node is of devnet, or of the network that a file tells; a ledger is of one network, and so are its copies;
 * what is no network, and no retention, is one line and exit code 2 before anything is written.
 * Method: nodes of this process, and commands over their ledgers. Source: DESIGN section 7 #25; protocol 02 G.7.
 */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, assert, expect, test } from "vitest";
import { devnetNetwork } from "../../core/index.ts";
import { networkNamed } from "../../node/production/network.ts";
import type { RunningNode, StartOptions } from "../../node/production/start-node.ts";
import { startNode } from "../../node/production/start-node.ts";
import { answerOf } from "./node-process.ts";

const folder = mkdtempSync(join(tmpdir(), "ofs-network-"));
const never = join(folder, "never");
const open: RunningNode[] = [];
afterAll(async () => {
  for (const node of open) await node.close();
  rmSync(folder, { recursive: true, force: true });
});

const SHELLS = { mint: "So11111111111111111111111111111111111111112", symbol: "SHELL", decimals: 2 };
const PEARLS = { mint: "2bHPi5hA4zrmPAfrvLmEexg3KJjpTjNkUcxWnzUPeRRU", symbol: "PEARL", decimals: 6 };
const { escrowProgram, stakingProgram } = devnetNetwork;
const beach = { name: "beach", escrowProgram: stakingProgram, stakingProgram: escrowProgram, mints: [SHELLS] };

function file(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

async function started(options: StartOptions): Promise<RunningNode> {
  const node = await startNode({ ...options, admin: { host: "127.0.0.1", port: 0 } });
  if (!node.ok) assert.fail(node.error.reason);
  open.push(node.value);
  return node.value;
}

async function refusalOf(options: StartOptions): Promise<string> {
  const node = await startNode(options);
  if (!node.ok) return node.error.reason;
  await node.value.close();
  return "";
}

test("a node is of the network that its file tells, and so are its ledger and copies of it", async () => {
  const ledger = join(folder, "ledger");
  const network = networkNamed(file("beach.json", { ...beach, commitment: "confirmed" }));
  expect(network.commitment).toBe("confirmed");
  const node = await started({ ledger, network });
  expect((await node.client().call("getReferenceData")).mints).toEqual([SHELLS]);
  expect(await (await fetch(`${node.admin?.url}/metrics`)).text()).toMatch(/ofs_build_info\{.*network="beach"/);
  await node.close();

  const copy = join(folder, "copy");
  expect((await answerOf("backup", "--ledger", ledger, "--out", copy)).code).toBe(0);
  for (const held of [ledger, copy]) {
    expect(await refusalOf({ ledger: held })).toMatch(/is of the network beach, not of devnet/);
    const other = networkNamed(file("other.json", { ...beach, stakingProgram: PEARLS.mint }));
    expect(await refusalOf({ ledger: held, network: other })).toContain("beach with other programs");
    const command = await answerOf("check", "--ledger", held);
    expect([command.code, command.err]).toEqual([0, ""]);
  }
  // What the network calls a mint may change.
  const named = networkNamed(file("named.json", { ...beach, mints: [SHELLS, PEARLS] }));
  const again = await started({ ledger, network: named });
  expect((await again.client().call("getReferenceData")).mints).toEqual([SHELLS, PEARLS]);
});

test("a ledger without a word about it is devnet's", async () => {
  const ledger = join(folder, "devnet");
  await (await started({ ledger })).close();
  expect(existsSync(join(ledger, "network.json"))).toBe(false);
  const network = networkNamed(file("beach.json", beach));
  expect(await refusalOf({ ledger, network })).toMatch(/is of the network devnet, not of beach/);
  expect(await refusalOf({ ledger, network: networkNamed("devnet") })).toBe("");
  writeFileSync(join(ledger, "network.json"), "{");
  expect(await refusalOf({ ledger })).toContain("network.json cannot be read");
});

test.each<[string, unknown, string]>([
  ["no file", undefined, "ENOENT"],
  ["no JSON", "{", "cannot be read"],
  ["a list", [], "holds no network"],
  ["a member that is none", { ...beach, mint: 1 }, '"mint"'],
  ["a name of ours", { ...beach, name: "devnet" }, "neither devnet nor mainnet"],
  ["a name that is none", { ...beach, name: "Be ach" }, "name is"],
  ["a program that is no address", { ...beach, escrowProgram: "x" }, "escrowProgram"],
  ["no program", { ...beach, stakingProgram: undefined }, "stakingProgram"],
  ["no mints", { ...beach, mints: undefined }, "mints is"],
  ["a mint twice", { ...beach, mints: [SHELLS, { ...SHELLS, symbol: "OTHER" }] }, "each mint once"],
  ["a mint without decimals", { ...beach, pricedOnly: [{ mint: SHELLS.mint, symbol: "S" }] }, "pricedOnly is"],
  ["decimals that no mint has", { ...beach, mints: [{ ...SHELLS, decimals: 256 }] }, "0 to 255"],
  ["too many mints", { ...beach, mints: Array.from({ length: 257 }, () => SHELLS) }, "mints is"],
  ["a commitment that is none", { ...beach, commitment: "processed" }, "commitment is"],
  ["a file that is too large", `${" ".repeat(1_048_577)}{}`, "larger than 1 MiB"],
])("a network with %s is one line and exit code 2", async (_name, content, named) => {
  const path = content === undefined ? join(folder, "none.json") : file("bad.json", content);
  const { code, err } = await answerOf("start", "--ledger", never, "--network", path);
  expect([code, err.trimEnd().split("\n").length, existsSync(never)]).toEqual([2, 1, false]);
  expect(err).toContain(named);
  expect(err).toContain("--network");
});

test.each([
  [["--network", "mainnet"], "--network mainnet"],
  [["--retention", "29"], "--retention"],
  [["--retention", "for ever"], "--retention"],
  [["--retention", "100000"], "--retention"],
  [["--checkpoint-every", "0"], "--checkpoint-every"],
  [["--checkpoint-every", "1e9"], "--checkpoint-every"],
])("%j is one line and exit code 2", async (args, named) => {
  const { code, err } = await answerOf("start", "--ledger", never, ...args);
  expect([code, err.trimEnd().split("\n").length, existsSync(never)]).toEqual([2, 1, false]);
  expect(err).toContain(named);
});

test("an archival node says so in the registry", async () => {
  const listing = { publicRpcUrl: "https://a.org/rpc" };
  const node = await started({ ledger: join(folder, "archival"), listing, retentionDays: "archival" });
  const [listed] = await node.client().call("getProviders", {});
  expect(listed?.capabilities).toContain("retention:archival (everything)");
});
