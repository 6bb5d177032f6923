/**
 * Goal: what an operator says of a node is in the registry as soon as the node is ready; what nobody would list ends
 * with one line and exit code 2.
 * Method: a real process over HTTP; refusals in this one.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { NodeProcess } from "./node-process.ts";
import { answerOf, call, startNode } from "./node-process.ts";

const folder = mkdtempSync(join(tmpdir(), "ofs-node-"));
let node: NodeProcess | undefined;

afterAll(async () => {
  await node?.kill();
  rmSync(folder, { recursive: true });
});

test("a node with a public URL lists itself", async () => {
  node = await startNode(
    join(folder, "ledger"),
    "--public-rpc-url",
    "https://a.org/rpc",
    "--provider-name",
    "Nairobi One",
    "--retention",
    "365",
  );
  expect(await call(node.rpc, "getProviders", {})).toMatchObject({
    result: [
      {
        ...{ endpoints: ["https://a.org/rpc"], branding: { name: "Nairobi One" }, health: "Online" },
        capabilities: expect.arrayContaining(["retention:rolling 365d"]),
      },
      { endpoints: ["https://a.org"], service_type: { Infrastructure: "SnapshotProvider" }, health: "Online" },
    ],
  });
});

test.each([
  [["--public-rpc-url", "https://a.test"], "--public-rpc-url"],
  [["--public-rpc-url", "/ip4/1.2.3.4/tcp/7080"], "--public-rpc-url"],
  [["--payout-wallet", "wallet"], "--payout-wallet"],
  [["--provider-logo", "https://a.org/logo.png"], "--provider-name"],
])("%j is refused before anything is opened", async (args, reason) => {
  const { code, err } = await answerOf("start", "--ledger", join(folder, "never"), ...args);
  expect(code).toBe(2);
  expect(err).toContain(reason);
  expect(err.trimEnd().split("\n")).toHaveLength(1);
});
