/**
 * Goal: a setting comes from the command line, then a variable, then a file, then its default, and `config
 * --print` tells
 * which; a bad one is one line and exit code 2; a running node takes up what it can on SIGHUP, and ends on SIGTERM.
 * Method: commands of this process over files; one real process that is signalled.
 */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, expect, test, vi } from "vitest";
import { commandLine } from "../../node/production/command-line.ts";
import { openLog } from "../../node/production/logs.ts";
import { until } from "../until.ts";
import { answerOf, startNode } from "./node-process.ts";

const folder = mkdtempSync(join(tmpdir(), "ofs-settings-"));
const ledger = join(folder, "never");
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(() => vi.unstubAllEnvs());

/** Vector A of protocol 01 §1.2. */
const PEER = "12D3KooWK99VoVxNE7XzyBwXEzW7xhK7Gpv85r9F3V3fyKSUKPH5";

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

test.each([
  ["a.toml", 'rate-limit = "1/1"\nmax-connections = 9\nlog = "warn"\nentrypoint = []\nsnapshot-production = false\n'],
  ["a.json", '{"rate-limit":"1/1","max-connections":9,"log":"warn","entrypoint":[],"snapshot-production":false}'],
])("the command line, a variable, %s and the default", async (name, text) => {
  const path = file(name, text);
  vi.stubEnv("OFS_LOG", "debug");
  vi.stubEnv("OFS_RATE_LIMIT", "2/2");
  vi.stubEnv("OFS_TRUSTED_PROXY", "10.0.0.1, 10.0.0.2");
  vi.stubEnv("OFS_ALLOW_PRIVATE_GATEWAYS", "true");
  const { code, err, out } = await answerOf(
    "config",
    "--print",
    "--config",
    path,
    "--ledger",
    ledger,
    "--rate-limit",
    "3/3",
  );
  expect([code, err, existsSync(ledger)]).toEqual([0, "", false]);
  const lines = out.split("\n");
  expect(lines).toEqual(
    expect.arrayContaining([
      'rate-limit = "3/3" # command line',
      'log = "debug" # OFS_LOG',
      'trusted-proxy = ["10.0.0.1","10.0.0.2"] # OFS_TRUSTED_PROXY',
      "allow-private-gateways = true # OFS_ALLOW_PRIVATE_GATEWAYS",
      `max-connections = "9" # ${path}`,
      `snapshot-production = false # ${path}`,
      'rpc-bind-address = "0.0.0.0:7080" # default',
      "# identity is not set",
      `# config = ${JSON.stringify(path)} # command line`,
    ]),
  );
  // What is printed is a file that would do the same.
  const again = file("again.toml", out);
  vi.unstubAllEnvs();
  const same = await answerOf("config", "--print", "--config", again);
  const values = (text: string) => text.match(/^(?!config)[\w-]+ = .*(?= # )/gm);
  expect(values(same.out)).toEqual(values(out));
});

test.each<[string, string, Record<string, string>, string]>([
  ["a key that is none", 'leger = "x"', {}, 'there is no setting "leger"; did you mean "ledger"?'],
  ["a key that is like none", 'colour = "x"', {}, '"colour"; ofs-node start --help lists them'],
  ["a switch that is turned off by its flag", "no-snapshot-production = true", {}, "snapshot-production = false"],
  ["a flag with its dashes", '"--log" = "warn"', {}, 'did you mean "log"?'],
  ["a switch that is a text", 'allow-private-gateways = "yes"', {}, "allow-private-gateways"],
  ["a list that is a text", 'entrypoint = "x"', {}, "entrypoint"],
  ["an entrypoint of clients", 'entrypoint = ["http://127.0.0.1:7080"]', {}, "not the RPC address of clients"],
  ["an entrypoint's RPC port", 'entrypoint = ["127.0.0.1:7080"]', {}, "has the port of that"],
  ["an entrypoint of nobody", 'entrypoint = ["/ip4/127.0.0.1/tcp/4001"]', {}, "ends in /p2p/12D3Koo"],
  [
    "half a peer's id",
    'entrypoint = ["12D3KooWK99VoVxNE7XzyBwXEzW7xhK7Gpv85r9F3V3fyKSUKPH"]',
    {},
    "id of a peer that was met",
  ],
  ["an entrypoint that is no address", `entrypoint = ["/ip4/127.0.0.999/tcp/1/p2p/${PEER}"]`, {}, "not a multiaddr"],
  [
    "an entrypoint over QUIC by name",
    `entrypoint = ["/dns4/node.example.org/udp/1/quic-v1/p2p/${PEER}"]`,
    {},
    "expected /ip4/HOST/tcp",
  ],
  ["an entrypoint's odd peer", 'entrypoint = ["/ip4/127.0.0.1/tcp/4001/p2p/16Uiu2"]', {}, "--entrypoint"],
  ["a text that is a table", "log = { a = 1 }", {}, "log in"],
  ["no TOML", 'log = "warn"\n = 1', {}, "(line 2, column 2)"],
  ["a switch in a variable", "", { OFS_ALLOW_PRIVATE_GATEWAYS: "yes" }, "OFS_ALLOW_PRIVATE_GATEWAYS"],
  ["a value that no flag takes either", 'rate-limit = "fast"', {}, "--rate-limit"],
  ["a value of a variable", "", { OFS_MAX_CONNECTIONS: "many" }, "--max-connections"],
  ["a filter that is none", 'log = "loud"', {}, "--log"],
  ["a mistyped variable", "", { OFS_RATE_LIMT: "1/1" }, "did you mean OFS_RATE_LIMIT?"],
  ["letters of a variable in each other's place", "", { OFS_RETNETION: "40" }, "did you mean OFS_RETENTION?"],
  ["a switch that is turned off by name", "", { OFS_NO_SNAPSHOT_PRODUCTION: "1" }, "OFS_SNAPSHOT_PRODUCTION=false"],
])("%s is one line and exit code 2", async (_name, text, variables, named) => {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  for (const command of ["start", "config"]) {
    const { code, err } = await answerOf(command, "--ledger", ledger, "--config", file("bad.toml", text));
    expect([code, err.trimEnd().split("\n").length, existsSync(ledger)]).toEqual([2, 1, false]);
    expect(err).toContain(named);
  }
});

test.each([
  ...["ledger", "network", "identity", "rpc-bind-address", "admin-bind-address", "snapshot-dir", "record"],
  ...["public-rpc-url", "snapshot-public-url", "payout-wallet", "parity", "log", "retention"],
])("an empty --%s is one line and exit code 2, from a flag and from a file", async (name) => {
  for (const text of ["", " "]) {
    const path = file("empty.toml", `${name} = "${text}"\n`);
    const others = name === "ledger" ? [] : ["--ledger", ledger];
    for (const args of [
      [`--${name}`, text],
      ["--config", path],
    ]) {
      const { code, err } = await answerOf("start", ...others, ...args);
      expect([code, err]).toEqual([2, `--${name} is empty: give it a value, or leave it out.\n`]);
    }
  }
  expect(existsSync(ledger)).toBe(false);
});

test("no address of a list is empty", async () => {
  for (const flag of [
    "--gossip-bind-address",
    "--external-addr",
    "--entrypoint",
    "--solana-rpc-url",
    "--trusted-proxy",
  ]) {
    const { code, err } = await answerOf("config", "--ledger", ledger, flag, "");
    expect([code, err]).toEqual([2, `${flag} is empty: give it a value, or leave it out.\n`]);
  }
});

test.each([
  ["{", "line 1, column 2"],
  ['{\n  "log": warn}', "line 2, column 10"],
  ['{\r\n  "log": "warn",\r\n}', "line 3, column 1"],
  ["", "line 1, column 1"],
])("JSON that is none is told by line and column: %j", async (text, where) => {
  const { code, err } = await answerOf("config", "--ledger", ledger, "--config", file("bad.json", text));
  expect([code, err.trimEnd().split("\n").length]).toEqual([2, 1]);
  expect(err).toContain(`(${where})`);
  const network = await answerOf("config", "--ledger", ledger, "--network", file("network.json", text));
  expect([network.code, network.err.trimEnd().split("\n").length]).toEqual([2, 1]);
  expect(network.err).toContain(`(${where})`);
});

const gossipBind = "--gossip-bind-address";
test.each([
  [gossipBind, "/foo", "not a multiaddr"],
  [gossipBind, "0.0.0.0:4001", "not a multiaddr"],
  [gossipBind, "/dns4/node.example.org/tcp/4001", "not an address to listen on"],
  ["--external-addr", "203.0.113.7:4001", "not a multiaddr"],
  ["--external-addr", "/ip4/0.0.0.0/tcp/4001", "a wildcard reaches nobody"],
  ["--external-addr", "/ip4/203.0.113.7/udp/4001", "not an address that peers can dial"],
])("%s %s is one line before anything is written", async (flag, text, reason) => {
  for (const command of ["start", "config"]) {
    const { code, err } = await answerOf(command, "--ledger", ledger, flag, text);
    expect([code, err.trimEnd().split("\n").length, existsSync(ledger)]).toEqual([2, 1, false]);
    expect(err).toContain(`${flag} ${text}: ${reason}`);
  }
});

test("an announced address that names another node is refused before a key is drawn, and with a key", async () => {
  const args = ["--external-addr", `/ip4/203.0.113.7/tcp/4001/p2p/${PEER}`, "--admin-bind-address", "off"];
  const binds = ["--rpc-bind-address", "127.0.0.1:0", "--gossip-bind-address", "/ip4/127.0.0.1/tcp/0"];
  const identity = join(folder, "announcing.json");
  await answerOf("keygen", identity);
  for (const more of [[], ["--identity", identity]]) {
    const { code, err } = await answerOf("start", "--ledger", ledger, ...args, ...binds, ...more);
    expect([code, err.trimEnd().split("\n").length, existsSync(ledger)]).toEqual([2, 1, false]);
    expect(err).toMatch(/^--external-addr \S+: announces another peer/);
  }
  expect((await answerOf("config", "--ledger", ledger, ...args)).code).toBe(0);
});

const entrypoints = [`/dns4/node.example.org/tcp/4001/p2p/${PEER}`, `/ip4/127.0.0.1/udp/4001/quic-v1/p2p/${PEER}`];
test.each([PEER, ...entrypoints])("%s is an entrypoint", async (entrypoint) => {
  const { code, out } = await answerOf("config", "--print", "--ledger", ledger, "--entrypoint", entrypoint);
  expect([code, out.includes(entrypoint)]).toEqual([0, true]);
});

test("a file that is not there is one line and exit code 2", async () => {
  const { code, err } = await answerOf("start", "--ledger", ledger, "--config", join(folder, "none.toml"));
  expect([code, err.trimEnd().split("\n").length]).toEqual([2, 1]);
  expect(err).toContain("none.toml");
});

test("lines have levels by name and are filtered by module, for people or for machines", () => {
  const lines: string[] = [];
  const log = openLog("warn,chain=debug", "text", (line) => lines.push(line));
  const about = (module: "chain" | "core", level: "debug" | "warn") =>
    log.write({ module, level, event: "a thing happened", fields: { plain: "word", spaced: "two words", n: 1n } });
  for (const module of ["chain", "core"] as const) for (const level of ["debug", "warn"] as const) about(module, level);
  expect(lines.map((line) => line.replace(/^\S+ /, ""))).toEqual([
    'DEBUG chain: a thing happened plain=word spaced="two words" n="1"\n',
    'WARN  chain: a thing happened plain=word spaced="two words" n="1"\n',
    'WARN  core: a thing happened plain=word spaced="two words" n="1"\n',
  ]);
  log.filter("error");
  about("core", "warn");
  expect(lines).toHaveLength(3);
  const machine: string[] = [];
  openLog("info", "json", (line) => machine.push(line)).write({
    ...{ module: "node", level: "warn", event: "a thing happened", fields: { plain: "word" } },
  });
  expect(JSON.parse(machine[0] ?? "")).toEqual({
    ...{ level: "warn", module: "node", plain: "word", msg: "a thing happened" },
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
  });
});

test("a variable that is like none is named, and ignored", async () => {
  vi.stubEnv("OFS_SOMETHING_ELSE", "1");
  // What the shell did not set says nothing; the other belongs to workers of the simulator.
  vi.stubEnv("OFS_RATE_LIMT", "");
  vi.stubEnv("OFS_QUEUE", "redis://127.0.0.1");
  const { code, err, out } = await answerOf("config", "--print", "--ledger", ledger);
  expect([code, err]).toEqual([0, ""]);
  expect(out).toContain("# OFS_SOMETHING_ELSE is no variable of this node\n");
  expect(out).not.toMatch(/OFS_RATE_LIMT|OFS_QUEUE/);
  // The node tells itself to end as it says that it is ready.
  let log = "";
  const terminal = { out: () => process.emit("SIGINT", "SIGINT"), err: (text: string) => (log += text) };
  const binds = ["--rpc-bind-address", "127.0.0.1:0", "--gossip-bind-address", "/ip4/127.0.0.1/tcp/0"];
  const args = ["start", "--ledger", join(folder, "ignoring"), "--admin-bind-address", "off", ...binds];
  expect(await commandLine(args, terminal)).toBe(0);
  expect(log).toMatch(/ WARN {2}node: variables ignored variables=[\w,]*OFS_SOMETHING_ELSE/);
});

test("SIGHUP takes up another rate limit, and SIGTERM ends the node", async () => {
  const path = file("live.toml", 'rate-limit = "off"\n');
  const node = await startNode(join(folder, "ledger"), "--config", path);
  try {
    const ask = async () => (await fetch(`${node.rpc}/rpc`, { method: "POST", body: "{}" })).status;
    for (let n = 0; n < 5; n += 1) expect(await ask()).toBe(200);
    writeFileSync(path, 'rate-limit = "1/0.001"\n');
    process.kill(node.pid, "SIGHUP");
    await until(async () => (await ask()) === 429, 20);
    writeFileSync(path, "nonsense");
    process.kill(node.pid, "SIGHUP");
    expect(await ask()).toBe(429);
    process.kill(node.pid, "SIGTERM");
    await until(
      async () =>
        ask().then(
          () => false,
          () => true,
        ),
      20,
    );
  } finally {
    await node.kill();
  }
});
