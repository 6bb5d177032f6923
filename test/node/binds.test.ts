/**
 * Goal: addresses that cannot be listened on, or not together, are one line that names their flags, before anything is
 * written.
 * Method: places of this process; nodes that are asked for two services at one of them.
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, assert, expect, test } from "vitest";
import type { AdminOptions } from "../../node/production/admin.ts";
import { openAdmin } from "../../node/production/admin.ts";
import { bindsProblem } from "../../node/production/binds.ts";
import { ownPlace } from "../own-place.ts";
import { answerOf } from "./node-process.ts";

const folder = mkdtempSync(join(tmpdir(), "ofs-binds-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const { host } = ownPlace();
/** At every address of this machine no other process of the tests has this one: theirs are above 20,000. */
const port = 10_000 + (process.pid % 9_000);
const [rpc, admin, gossip] = ["--rpc-bind-address", "--admin-bind-address", "--gossip-bind-address"];

test.each([
  [
    [rpc, `${host}:${port}`],
    [admin, `${host}:${port}`],
  ],
  [
    [rpc, `0.0.0.0:${port}`],
    [admin, `${host}:${port}`],
  ],
  [
    [admin, `${host}:${port}`],
    [gossip, `/ip4/0.0.0.0/tcp/${port}`],
  ],
])("%j and %j are refused together", async (first, second) => {
  const ledger = join(folder, "never");
  const others = [
    [rpc, `${host}:0`],
    [admin, "off"],
    [gossip, `/ip4/${host}/tcp/0`],
  ];
  const args = [...others, first, second].flat() as readonly string[];
  const { code, err } = await answerOf("start", "--ledger", ledger, ...args);
  expect([code, err.trimEnd().split("\n").length, existsSync(ledger)]).toEqual([2, 1, false]);
  for (const part of [first[0], second[0], `${port}`, "cannot both be listened on"]) expect(err).toContain(part);
});

test("what another program has is named alone, and ports that do not meet are free", async () => {
  const taken = ownPlace();
  const server = createServer().listen(taken);
  await new Promise((listening) => server.once("listening", listening));
  const elsewhere = { flag: "--a", host, port: taken.port };
  const problem = await bindsProblem([
    { ...elsewhere, host: "127.0.0.1" },
    { flag: "--b", ...taken },
  ]);
  expect(problem).toBe(
    `--b ${taken.host}:${taken.port}: the port is in use; stop what listens there, or choose another.`,
  );
  const free = { flag: "--c", ...ownPlace() };
  expect(await bindsProblem([free, { ...free, datagrams: true }, { ...free, port: 0 }, { ...free, port: 0 }])).toBe(
    undefined,
  );
  const udp = { ...free, datagrams: true };
  expect(await bindsProblem([udp, udp])).toContain("cannot both be listened on");
  server.close();
});

/** A machine may have no IPv6 at all. */
const hasIpv6 = Object.values(networkInterfaces()).some((each) => each?.some(({ family }) => family === "IPv6"));
test.skipIf(!hasIpv6)("wildcards of gossip leave each other room", async () => {
  const common = { flag: gossip ?? "", port };
  const four = { ...common, host: "0.0.0.0" };
  const six = { ...common, host: "::", ipv6Only: true };
  expect(await bindsProblem([four, six])).toBeUndefined();
  expect(
    await bindsProblem([
      { ...four, datagrams: true },
      { ...six, datagrams: true },
    ]),
  ).toBeUndefined();
});

test("an admin address that was taken meanwhile is one line", async () => {
  const place = ownPlace();
  const server = createServer().listen(place);
  await new Promise((listening) => server.once("listening", listening));
  const opened = await openAdmin({ ...place, names: [] } as unknown as AdminOptions);
  server.close();
  if (opened.ok) assert.fail("it listens");
  expect(opened.error).toMatch(/^--admin-bind-address \S+: the port is in use[^\n]*$/);
});
