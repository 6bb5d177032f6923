/**
 * Goal: alert rules and dashboard look at metrics that a node really has.
 * Method: every metric they name is looked for on the page of a node with a chain endpoint.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, assert, expect, test } from "vitest";
import { startNode } from "../../node/production/start-node.ts";

const folder = mkdtempSync(join(tmpdir(), "ofs-operations-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const METRIC = /\b(?:ofs|nodejs|process)_[a-z0-9_]+\b/g;

/** What a text asks Prometheus for. */
function named(text: string): readonly string[] {
  return [...new Set(text.match(METRIC))];
}

test("whatever alerts and panels ask for is on the page", async () => {
  const node = await startNode({
    ledger: join(folder, "ledger"),
    admin: { host: "127.0.0.1", port: 0 },
    solanaRpcUrls: ["http://127.0.0.1:1"],
  });
  if (!node.ok) assert.fail(node.error.reason);
  const page = await (await fetch(`${node.value.admin?.url}/metrics`)).text();
  await node.value.close();
  const shown = new Set(named(page));
  for (const file of ["alerts.yml", "dashboard.json"]) {
    const asked = named(readFileSync(new URL(`../../node/operations/${file}`, import.meta.url), "utf8"));
    expect(asked.length).toBeGreaterThan(9);
    expect(asked.filter((name) => !shown.has(name))).toEqual([]);
  }
  expect(named("increase(ofs_nothing_total[5m]) > 0")).toEqual(["ofs_nothing_total"]);
});
