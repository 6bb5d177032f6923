/**
 * Goal: an operator bounds clients and names proxies; what is no bound and no proxy is one line and exit code 2.
 * Method: a node of this process behind a trusted proxy; refusals before anything is opened.
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, assert, expect, test } from "vitest";
import { DEFAULT_LIMITS } from "../../adapters/http/limits.ts";
import { apiPlanOf } from "../../node/production/api-flags.ts";
import { startNode } from "../../node/production/start-node.ts";
import { answerOf } from "./node-process.ts";

const folder = mkdtempSync(join(tmpdir(), "ofs-api-flags-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** As the command line has them unless said. */
const FLAGS = { rateLimit: "120/2", asideRate: "240/4", connectionRate: "240/4", maxConnections: "4096" };

test("the defaults are those of the server", () => {
  expect(DEFAULT_LIMITS).toMatchObject(apiPlanOf(FLAGS).limits);
});

test("behind a trusted proxy each user has an allowance as the operator set it", async () => {
  const flags = { ...FLAGS, trustedProxy: ["127.0.0.0/8"], rateLimit: "2/0.001", maxConnections: "7" };
  const node = await startNode({ ledger: join(folder, "ledger"), api: apiPlanOf(flags) });
  if (!node.ok) assert.fail(node.error.reason);
  const statusFor = async (user: string): Promise<number> => {
    const headers = { "x-forwarded-for": user };
    const body = '{"jsonrpc":"2.0","id":1,"method":"getHealth"}';
    return (await fetch(`${node.value.rpc.url}/rpc`, { method: "POST", headers, body })).status;
  };
  const statuses = [];
  for (const user of ["1.1.1.1", "1.1.1.1", "1.1.1.1", "2.2.2.2"]) statuses.push(await statusFor(user));
  await node.value.close();
  expect(statuses).toEqual([200, 200, 429, 200]);
});

test.each([
  ["120/2", { burst: 120, intervalMs: 500 }],
  ["1/0.5", { burst: 1, intervalMs: 2_000 }],
  ["off", null],
])("the rate limit %s", (text, rate) => {
  const { limits } = apiPlanOf({ ...FLAGS, rateLimit: text, asideRate: text, connectionRate: text });
  for (const each of [limits.rate, limits.asides, limits.newConnections])
    if (rate === null) expect(each).toBeNull();
    else expect(each).toMatchObject(rate);
});

test.each([
  ["--trusted-proxy", "proxy.example"],
  ["--trusted-proxy", "10.0.0.0/33"],
  ["--rate-limit", "fast"],
  ["--rate-limit", "0/2"],
  ["--rate-limit", "120/0"],
  ["--rate-limit", "120"],
  ["--aside-rate", "many"],
  ["--connection-rate", "240"],
  ["--connection-rate", "240/0"],
  ["--max-connections", "0"],
  ["--max-connections", "many"],
  ["--admin-name", "http://node.internal"],
  ["--admin-name", "node.internal:7081"],
  ["--max-local-peers", "0"],
  ["--max-local-peers", "257"],
])("%s %s is refused with its name, and nothing is written", async (flag, value) => {
  const ledger = join(folder, "never");
  const { code, err } = await answerOf("start", "--ledger", ledger, flag, value);
  expect([code, existsSync(ledger)]).toEqual([2, false]);
  expect(err).toContain(flag);
  expect(err).toContain(`"${value}"`);
  expect(err.trimEnd().split("\n")).toHaveLength(1);
});
