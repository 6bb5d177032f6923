/**
 * Goal: what an operator says about snapshots reaches the node as meant: where its files are, how often, whose it
 * trusts; what makes no sense ends with one line and exit code 2.
 * Method: the configuration as values; refusals in this process; a real one for a file over HTTP.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { SnapshotFlags } from "../../node/production/snapshots.ts";
import { snapshotConfiguration, snapshotPlanOf } from "../../node/production/snapshots.ts";
import { person } from "../rpc/lone-node.ts";
import type { NodeProcess } from "./node-process.ts";
import { answerOf, startNode } from "./node-process.ts";

const folder = mkdtempSync(join(tmpdir(), "ofs-snapshots-"));
let node: NodeProcess | undefined;

afterAll(async () => {
  await node?.kill();
  rmSync(folder, { recursive: true });
});

const usual = { ledger: "/l", snapshotIntervalSecs: "3600", snapshotSearchSecs: "30", snapshotProduction: true };
const bound = {
  rpc: { host: "0.0.0.0", port: 7080 },
  declared: ["/ip4/203.0.113.9/tcp/4001"],
  gossip: ["/ip4/127.0.0.1/tcp/4001/p2p/x", "/ip4/192.168.1.4/tcp/4001/p2p/x"],
};
const told = (flags: Partial<SnapshotFlags>, listing = {}, over = {}) =>
  snapshotConfiguration(snapshotPlanOf({ ...usual, ...flags }), listing, { ...bound, ...over });

describe("a node is told", () => {
  test("to make a file every hour and where it can be fetched, global addresses first", () => {
    expect(told({})).toEqual({
      listing: { snapshotUrls: ["http://203.0.113.9:7080", "http://192.168.1.4:7080"], producesSnapshots: true },
      snapshots: { anchors: [], searchEveryMs: 30_000, produceEveryMs: 3_600_000 },
    });
  });

  test("what the operator says instead, the public API's URL if nothing else", () => {
    const publicRpcUrl = "https://a.org/rpc";
    expect(told({ snapshotPublicUrl: "https://f.org/x/" }, { publicRpcUrl }).listing.snapshotUrls).toEqual([
      "https://f.org/x/",
    ]);
    for (const snapshotPublicUrl of ["http://h/snapshot", "http://h/snapshot/", "http://h/rpc"])
      expect(told({ snapshotPublicUrl }).listing.snapshotUrls).toEqual(["http://h"]);
    expect(told({}, { publicRpcUrl }).listing.snapshotUrls).toEqual(["https://a.org"]);
    expect(told({ snapshotIntervalSecs: "60" }).snapshots.produceEveryMs).toBe(60_000);
    expect(told({ snapshotSearchSecs: "2147483" }).snapshots.searchEveryMs).toBe(2_147_483_000);
    const anchors = [person(1).key];
    expect(told({ snapshotAnchor: anchors }).snapshots.anchors).toEqual(anchors);
  });

  test("to make none when told so, and none where only this machine could fetch them", () => {
    expect(told({ snapshotProduction: false })).toEqual({
      listing: {},
      snapshots: { anchors: [], searchEveryMs: 30_000 },
    });
    for (const host of ["127.0.0.1", "::1", "localhost"])
      expect(told({}, {}, { rpc: { host, port: 7080 } }).listing).toEqual({});
  });

  test("to keep files in the ledger unless told otherwise", () => {
    expect(snapshotPlanOf(usual).directory).toBe(join("/l", "snapshots"));
    expect(snapshotPlanOf({ ...usual, snapshotDir: "/s" }).directory).toBe("/s");
  });
});

test("files in the snapshot directory are served", async () => {
  const directory = join(folder, "files");
  node = await startNode(join(folder, "ledger"), "--snapshot-dir", directory, "--no-snapshot-production");
  const at = node.rpc.replace(/\/rpc$/, "");
  expect((await fetch(`${at}/snapshot/one`)).status).toBe(404);
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, "one.tar.gz"), "bytes");
  expect(await (await fetch(`${at}/snapshot/one`)).text()).toBe("bytes");
});

test.each([
  [["--snapshot-interval-secs", "0"], "--snapshot-interval-secs"],
  [["--snapshot-interval-secs", "1.5"], "--snapshot-interval-secs"],
  [["--snapshot-interval-secs", "9999999"], "--snapshot-interval-secs"],
  [["--snapshot-search-secs", "2147484"], "--snapshot-search-secs"],
  [["--solana-poll-secs", "x"], "--solana-poll-secs"],
  [["--snapshot-public-url", "ftp://a.org"], "--snapshot-public-url"],
  [["--snapshot-public-url", "https://a.test"], "--snapshot-public-url"],
  [["--snapshot-anchor", "somebody"], "--snapshot-anchor"],
])("%j is refused before anything is opened", async (args, reason) => {
  const { code, err } = await answerOf("start", "--ledger", join(folder, "never"), ...args);
  expect(code).toBe(2);
  expect(err).toContain(reason);
  expect(err.trimEnd().split("\n")).toHaveLength(1);
});
