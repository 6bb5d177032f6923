// Goal: a production node opens inside any process, answers a typed client, meets its peers, and closes whole.
// Method: real ledgers, libp2p and HTTP in this process; what stands in its way leaves nothing open.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, assert, expect, test } from "vitest";
import { openLedger } from "../../adapters/sqlite/ledger.ts";
import { PAGE_ROWS_MAX } from "../../adapters/store/row-store.ts";
import type { RunningNode, StartOptions } from "../../node/production/start-node.ts";
import { startNode } from "../../node/production/start-node.ts";
import { close, commit, list, put } from "../ports/store-calls.ts";
import { until } from "../until.ts";

const folder = mkdtempSync(join(tmpdir(), "ofs-start-node-"));
const open: RunningNode[] = [];
afterAll(async () => {
  for (const node of open) await node.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Of rows, so many that a node which loads them all takes up further facts in between. */
const PAGES = 20;

async function started(name: string, options: Omit<StartOptions, "ledger"> = {}): Promise<RunningNode> {
  const node = await startNode({ ...options, ledger: join(folder, name) });
  if (!node.ok) assert.fail(node.error.reason);
  open.push(node.value);
  return node.value;
}

test("two nodes of one process meet, answer their clients, and close more than once", async () => {
  const first = await started("first");
  const second = await started("second", { entrypoints: first.gossip });
  expect(await first.client().call("getHealth")).toBe("ok");
  const met = async () => (await first.client().call("getPeers")).peers.some((peer) => peer.peer_id === second.peer);
  await until(met, 20);
  await second.close();
  await second.close();
  await expect(fetch(second.rpc.url)).rejects.toThrow("fetch failed");
  // The key is in the ledger, so the node comes back as itself.
  expect((await started("second")).peer).toBe(second.peer);
});

test.each([
  [
    "a port that is taken",
    (taken: RunningNode): Omit<StartOptions, "ledger"> => ({ rpc: taken.rpc }),
    "the port is in use",
  ],
  ["an address that is none", () => ({ gossip: ["/ip4/nowhere"] }), "nowhere"],
  ["an identity that is not there", () => ({ identity: join(folder, "none.json") }), "none.json"],
  ["an endpoint that is no URL", () => ({ solanaRpcUrls: ["nowhere"] }), "--solana-rpc-url"],
])("%s is refused in one line, and nothing stays open", async (name, options, reason) => {
  const taken = await started(`beside ${name}`);
  const ledger = join(folder, name);
  const refused = await startNode({ ...options(taken), ledger });
  assert.isFalse(refused.ok);
  if (!refused.ok) expect(refused.error.reason).toContain(reason);
  const after = await startNode({ ledger });
  if (!after.ok) assert.fail(after.error.reason);
  await after.value.close();
});

test("one that is told to end while it loads does not load on, and says nothing of it", async () => {
  const ledger = join(folder, "told");
  const opened = openLedger(ledger);
  if (!opened.ok) assert.fail(opened.error.reason);
  const rows = Array.from({ length: PAGES * PAGE_ROWS_MAX }, (_, n) => put("cellar", `k${n}`, "01"));
  expect(await commit(opened.value, rows)).toEqual({ ok: true, value: null });
  await close(opened.value);
  const lines: string[] = [];
  const told = Promise.resolve("a signal");
  const log = ({ event }: { readonly event: string }) => void lines.push(event);
  const ended = await startNode({ ledger, told, log });
  expect(ended).toEqual({ ok: false, error: { code: "told", reason: "a signal" } });
  expect(lines).toEqual([]);
  // Nothing of it is held any more, and all of it is there.
  const again = openLedger(ledger);
  if (!again.ok) assert.fail(again.error.reason);
  expect((await list(again.value)).length).toBe(rows.length);
  await close(again.value);
});

test("one that is told to end before it began with its checkpoint keeps that for the next start", async () => {
  const ledger = join(folder, "packed");
  const packed = await startNode({ ledger });
  if (!packed.ok) assert.fail(packed.error.reason);
  await packed.value.close();
  // What came since has to be taken in.
  const opened = openLedger(ledger);
  if (!opened.ok) assert.fail(opened.error.reason);
  await commit(opened.value, [put("cellar", "since", "01")]);
  await close(opened.value);
  const lines: string[] = [];
  const log = ({ event }: { readonly event: string }) => void lines.push(event);
  const ended = await startNode({ ledger, told: Promise.resolve("a signal"), log });
  expect([ended.ok, lines]).toEqual([false, []]);
  const again = await startNode({ ledger, log });
  if (!again.ok) assert.fail(again.error.reason);
  expect(lines).toContain("begun with a checkpoint");
  await again.value.close();
});
