/**
 * Goal: whether a node lives and whether it is ready are told apart, each naming what fails; its metrics are there from
 * the start, on an address of their own; the address of clients shows the protocol's two counters and nothing else.
 * Method: nodes of this process, with chain endpoints of a few lines that fail; then tables of conditions.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, get } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, assert, expect, test } from "vitest";
import type { EndpointState } from "../../adapters/chain/rpc.ts";
import type { Condition } from "../../node/production/health.ts";
import { deadReason, readinessOf } from "../../node/production/health.ts";
import type { RunningNode, StartOptions } from "../../node/production/start-node.ts";
import { startNode } from "../../node/production/start-node.ts";
import { until } from "../until.ts";

const folder = mkdtempSync(join(tmpdir(), "ofs-admin-"));
const open: RunningNode[] = [];
afterAll(async () => {
  for (const node of open) await node.close();
  rmSync(folder, { recursive: true, force: true });
});

async function started(name: string, options: Omit<StartOptions, "ledger"> = {}): Promise<RunningNode> {
  const admin = { host: "127.0.0.1", port: 0 };
  const node = await startNode({ admin, ...options, ledger: join(folder, name) });
  if (!node.ok) assert.fail(node.error.reason);
  open.push(node.value);
  return node.value;
}

async function read(node: RunningNode, path: string): Promise<readonly [number, string]> {
  const response = await fetch(`${node.admin?.url}${path}`);
  return [response.status, await response.text()];
}

test("a node whose endpoints are down starts, lives, and says that it is not ready and why", async () => {
  const wrong = createServer((_request, response) => response.end("<html>not a chain</html>")).listen(0, "127.0.0.1");
  await new Promise((resolve) => wrong.once("listening", resolve));
  const { port } = wrong.address() as AddressInfo;
  const node = await started("down", { solanaRpcUrls: ["http://127.0.0.1:1", `http://127.0.0.1:${port}/?key=secret`] });
  const bothFail = async () => !(await read(node, "/debug/endpoints"))[1].includes('"failure":null');
  await until(bothFail, 20);
  expect(await read(node, "/live")).toEqual([200, "ok"]);
  const [status, body] = await read(node, "/ready");
  const checks = JSON.parse(body).checks as readonly { readonly name: string; readonly reason: string | null }[];
  expect([status, checks.filter(({ reason }) => reason !== null).map(({ name }) => name)]).toEqual([503, ["chain"]]);
  const reason = checks.find(({ name }) => name === "chain")?.reason;
  expect(reason).toBe(`no slot was told yet (127.0.0.1:1: not reachable; 127.0.0.1:${port}: not an answer)`);
  const [, metrics] = await read(node, "/metrics");
  expect(metrics).toContain('ofs_chain_endpoint_up{endpoint="127.0.0.1:1"} 0');
  expect(metrics).toContain('ofs_ready{check="chain"} 0');
  expect(`${body}${metrics}`).not.toContain("secret");
  // What clients see stays as the protocol has it.
  expect(await (await fetch(`${node.rpc.url}/health`)).text()).toBe("ok");
  wrong.close();
});

test("a gossip-only node is ready; its metrics are there before the first call, and none of them on the API", async () => {
  const node = await started("quiet");
  expect(await read(node, "/ready")).toMatchObject([200, expect.stringContaining('"ready":true')]);
  const [, metrics] = await read(node, "/metrics");
  for (const name of [
    ...["ofs_build_info", "ofs_statements 0", "ofs_pending_statements 0", "ofs_peers_connected 0", "ofs_ready"],
    ...[
      "ofs_commit_seconds_count",
      'ofs_commit_failures_total{code="full"} 0',
      "ofs_ledger_bytes",
      "ofs_log_lines_total",
    ],
    ...["ofs_disk_free_bytes", "ofs_dial_failures_total 0", 'ofs_api_refused_total{cause="call-rate"} 0', "ofs_slot"],
    ...["address", "subnet", "places"].map((cause) => `ofs_peer_refused_total{cause="${cause}"} 0`),
    ...['ofs_peer_connections{direction="inbound"} 0', "ofs_peer_evicted_total 0"],
    ...["ofs_api_calls_total 0", "ofs_api_errors_total 0", "ofs_api_connections", "ofs_slot_age_seconds"],
    ...["nodejs_eventloop_lag_seconds", "nodejs_heap_size_used_bytes", "process_open_fds", "ofs_snapshot_age_seconds"],
  ])
    expect(metrics).toContain(name);
  const page = async () => (await fetch(`${node.rpc.url}/metrics`)).text();
  expect(await page()).toBe("");
  await node.client().call("getHealth");
  expect((await page()).match(/^\w+ .*$/gm)).toEqual(["rpc_requests_total 1"]);
  expect((await read(node, "/metrics"))[1]).toContain("ofs_api_calls_total 1");
  const roots = JSON.parse((await read(node, "/debug/roots"))[1]);
  expect(Object.keys(roots)).toEqual(["statements", "facts", "state", "archive"]);
  expect(await read(node, "/rpc")).toMatchObject([404, expect.stringContaining("/ready")]);
});

/** What a request comes to that says it is for this host; none at all when it names nobody. */
function askedAs(node: RunningNode, path: string, host: string | undefined): Promise<number | undefined> {
  const headers = host === undefined ? {} : { host };
  return new Promise((resolve, reject) => {
    const url = `${node.admin?.url}${path}`;
    const request = get(url, { headers, setHost: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    request.on("error", reject);
  });
}

test("what the operator reads is read under an address or a name of this node's, and under no other", async () => {
  const admin = { host: "127.0.0.1", port: 0, names: ["Node.Internal"] };
  const node = await started("names", { admin });
  const own = ["127.0.0.1", "127.0.0.1:7081", "[::1]:7081", "10.0.0.7:7081", "203.0.113.5"];
  const names = ["localhost", "LOCALHOST:7081", "a.localhost", "node.internal", "node.INTERNAL:7081"];
  const others = ["rebound.test", "rebound.test:7081", "localhost.rebound.test", "notlocalhost", "internal", "[::1"];
  const near = ["127.0.0.1.rebound.test", "a.node.internal", "127.0.0.1:7081:1", "", "127.1", "0x7f.1"];
  for (const host of [...own, ...names]) expect([host, await askedAs(node, "/live", host)]).toEqual([host, 200]);
  for (const host of [...others, ...near]) {
    for (const path of ["/live", "/ready", "/metrics", "/debug/roots", "/debug/endpoints", "/nowhere"])
      expect([host, path, await askedAs(node, path, host)]).toEqual([host, path, 403]);
  }
  expect(await askedAs(node, "/metrics", undefined)).toBe(400);
});

test("a node that listens under a name is read under it", async () => {
  const node = await started("named", { admin: { host: "localhost", port: 0 } });
  expect(await askedAs(node, "/live", "localhost")).toBe(200);
  expect(await askedAs(node, "/live", "other.test")).toBe(403);
});

test("a new node that knows whom to ask says that it is new, and not that it was away", async () => {
  const entrypoints = ["/ip4/127.0.0.1/tcp/1/p2p/12D3KooWK99VoVxNE7XzyBwXEzW7xhK7Gpv85r9F3V3fyKSUKPH5"];
  const [status, body] = await read(await started("new", { entrypoints }), "/ready");
  const sets = JSON.parse(body).checks.find(({ name }: { readonly name: string }) => name === "sets");
  const reason = "is new: seals nothing before a snapshot or 2 peers, of which 0 were compared";
  expect([status, sets]).toEqual([503, { name: "sets", ok: false, reason }]);
});

const well: Condition = {
  ...{ now: 1_000_000, loaded: true, committingSince: undefined, commitFailure: undefined, endpoints: undefined },
  ...{ slotAt: undefined, entrypoints: 0, peers: 0, rulesLacked: { peers: 0, sinceMs: undefined } },
  absence: { away: false, peers: 0, isNew: false },
};
const endpoint = (failure: string | null): EndpointState => ({
  ...{ name: "a.test", failure, slot: 1n, lag: 0n, disagreements: 0 },
});

test.each<[string, Partial<Condition>, readonly string[]]>([
  ["nothing is amiss", {}, []],
  ["the ledger is not loaded", { loaded: false }, ["ledger: the ledger is not loaded"]],
  ["the disk is full", { commitFailure: "full" }, ["disk: the last commit failed: full"]],
  ["no slot yet", { endpoints: [endpoint(null)] }, ["chain: no slot was told yet"]],
  ["a young slot", { endpoints: [endpoint("no answer in time")], slotAt: 925_000 }, []],
  [
    "an old slot",
    { endpoints: [endpoint("no answer in time")], slotAt: 924_999 },
    ["chain: no new slot for 75 s (a.test: no answer in time)"],
  ],
  ["no entrypoint answers", { entrypoints: 2 }, ["peers: none of 2 entrypoints is connected"]],
  ["an entrypoint answers", { entrypoints: 2, peers: 1 }, []],
  ["rules that are to come", { rulesLacked: { peers: 3, sinceMs: -1 } }, []],
  [
    "rules that came",
    { rulesLacked: { peers: 3, sinceMs: 90_000 } },
    ["rules: left behind: 3 peers have new rules since 90 s that this software lacks"],
  ],
  ["away, and nobody is known", { absence: { away: true, peers: 0, isNew: false } }, []],
  [
    "away until it compared with one peer more",
    { absence: { away: true, peers: 1, isNew: false }, entrypoints: 1, peers: 3 },
    ["sets: was away for more than 7 days: seals nothing before a snapshot or 2 peers, of which 1 were compared"],
  ],
  [
    "new, until it compared with one peer more",
    { absence: { away: true, peers: 1, isNew: true }, entrypoints: 1, peers: 3 },
    ["sets: is new: seals nothing before a snapshot or 2 peers, of which 1 were compared"],
  ],
])("ready or not: %s", (_name, changed, reasons) => {
  const checks = readinessOf({ ...well, ...changed });
  expect(checks.flatMap(({ name, ok, reason }) => (ok ? [] : [`${name}: ${reason}`]))).toEqual(reasons);
});

test("a node whose disk never answers a commit is dead, and no other is", () => {
  expect(deadReason(well)).toBeUndefined();
  expect(deadReason({ ...well, loaded: false, commitFailure: "full" })).toBeUndefined();
  expect(deadReason({ ...well, committingSince: 880_001 })).toBeUndefined();
  expect(deadReason({ ...well, committingSince: 880_000 })).toBe("the disk has not answered a commit for 120 s");
});
