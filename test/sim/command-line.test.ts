// Goal: `ofs-sim` prints what its users and CI rely on, refuses bad usage in one line, and exits as it says.
// Method: the command line over toys, in this process; `verify` starts real ones.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, assert, describe, test } from "vitest";
import { commandLine } from "../../node/sim/command-line.ts";
import { checkPackages } from "../../node/sim/missing-packages.ts";
import { readText } from "../tidy/source.ts";
import { toySurroundings } from "./toy-surroundings.ts";

async function run(...args: readonly string[]) {
  const around = toySurroundings(false);
  const code = await commandLine(args, around);
  return { code, out: around.printed.join(""), err: around.complained.join("") };
}

describe("ofs-sim list and help", () => {
  test("lists one scenario a line", async () => {
    const { code, out } = await run("list");
    assert.equal(code, 0);
    assert.deepEqual(
      out
        .trimEnd()
        .split("\n")
        .map((line) => line.split(" ")[0]),
      ["toy-forking", "toy-short", "toy-stuck", "toy-trouble"],
    );
    assert.match(out, /^toy-short {4}Three toys say two words\.$/m);
  });

  test("helps, without the commands that are for itself alone", async () => {
    const { code, out } = await run("--help");
    assert.equal(code, 0);
    for (const word of ["list", "run", "verify"]) assert.include(out, word);
    assert.notInclude(out, "trace");
    assert.include((await run("run", "--help")).out, "--seed");
  });

  test.each(["--version", "-V"])("%s tells the version of the package", async (flag) => {
    const { version } = JSON.parse(readText("package.json")) as { readonly version: string };
    assert.deepEqual(await run(flag), { code: 0, out: `${version}\n`, err: "" });
  });
});

describe("a package that only simulations use", () => {
  test.each([
    ["bankrun", "memory", "solana-bankrun"],
    ["litesvm", "sqljs", "litesvm"],
    ["model", "sqljs", "sql.js"],
    ["model", "memory", undefined],
    ["none", "memory", undefined],
  ] as const)("a run on %s with %s stores asks for %s before it starts", (chain, store, needed) => {
    const toTry = () =>
      checkPackages({ chain: chain === "none" ? "none" : "bankrun", faults: [] }, { chain, store }, () => false);
    if (needed === undefined) assert.doesNotThrow(toTry);
    else assert.throws(toTry, `Simulating needs ${needed}, which is not installed.`);
    assert.doesNotThrow(() => checkPackages({ chain, faults: [] }, { chain, store }));
  });

  test.each([
    ["Cannot find package 'fast-check' imported from /x/sim/actions/publish.js", true],
    ["Cannot find package 'fastify' imported from /x/adapters/http/server.js", false],
    ["Cannot find module '/x/sim/gone.js' imported from /x/sim/world.js", false],
  ])("%s: is told in one line with what to install: %s", async (message, told) => {
    const error = Object.assign(new Error(message), { code: "ERR_MODULE_NOT_FOUND" });
    const around = { ...toySurroundings(false), scenarios: () => Promise.reject(error) };
    const ended = await commandLine(["run", "toy-short"], around).catch((thrown: unknown) => thrown);
    if (!told) return assert.equal(ended, error);
    assert.equal(ended, 2);
    const line = around.complained.join("");
    assert.match(line, /^Simulating needs fast-check, which is not installed\. To have all that it needs: npm i .*\n$/);
    for (const peer of ["fast-check@^4", "litesvm@1", "solana-bankrun@^0.4", "sql.js@^1"]) assert.include(line, peer);
    assert.equal(line.trimEnd().split("\n").length, 1);
  });
});

describe("ofs-sim run", () => {
  test("tells the story and closes with the line of the contract", async () => {
    const { code, out, err } = await run("run", "toy-short", "--seed", "7");
    assert.equal(code, 0);
    assert.equal(err, "");
    assert.match(out, /00:01\.\d{3} {2}ann said hello/);
    const last = out.trimEnd().split("\n").at(-1) ?? "";
    const parts = ["seed=7", "nodes=3", "events=\\d+", "simulated=[\\d.]+s", "wall=[\\d.]+s"];
    assert.match(last, new RegExp(`^OK toy-short ${parts.join(" ")} trace=[0-9a-f]{64} state=[0-9a-f]{64}$`));
  });

  test("prints one object with --json, with the members of the contract", async () => {
    const { code, out } = await run("run", "toy-short", "--seed", "18446744073709551615", "--json");
    assert.equal(code, 0);
    assert.equal(out.trimEnd().split("\n").length, 1);
    assert.include(out, '"seed":18446744073709551615,');
    const names =
      "scenario seed nodes chain events deliveries simulated_ms wall_ms events_per_second trace_hash state_root faults violations";
    assert.equal(Object.keys(JSON.parse(out) as object).join(" "), names);
  });

  test("says the same for the same seed, and something else for another", async () => {
    const hash = async (seed: string) =>
      (JSON.parse((await run("run", "toy-short", "--seed", seed, "--json")).out) as { trace_hash: string }).trace_hash;
    assert.equal(await hash("5"), await hash("5"));
    assert.notEqual(await hash("5"), await hash("6"));
  });

  test("exits 1 on a violation, says how to see it again, and does not say OK", async () => {
    const { code, out } = await run("run", "toy-stuck", "--seed", "3", "--nodes", "4");
    assert.equal(code, 1);
    assert.match(
      out,
      /^violation of actions at 00:0\d\.\d{3} \(event \d+\): ann: wait \(1\): ann: getTexts did not come true/m,
    );
    assert.include(out, "again: ofs-sim run toy-stuck --seed 3 --nodes 4\n");
    assert.match(out.trimEnd().split("\n").at(-1) ?? "", /^FAILED toy-stuck seed=3/);
    const json = JSON.parse((await run("run", "toy-stuck", "--json")).out) as { violations: unknown[] };
    assert.equal(json.violations.length, 1);
  });

  const folder = mkdtempSync(join(tmpdir(), "ofs-sim-"));
  afterEach(() => rmSync(join(folder, "report.html"), { force: true }));

  // What it shows in a browser: test/sim/travel.
  test("writes a page in one file, with the recording in it and none beside it", async () => {
    const file = join(folder, "report.html");
    assert.equal((await run("run", "toy-short", "--report", file)).code, 0);
    const page = readFileSync(file, "utf8");
    assert.match(page, /<title>[^<]*toy-short/);
    assert.match(page, /content="default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+';/);
    assert.notMatch(page, /<(?:script|img|link|iframe)[^>]* (?:src|href)="(?!data:)/);
    assert.deepEqual(readdirSync(folder), ["report.html"]);
  });
});

describe("bad usage", () => {
  const rows: readonly (readonly [string, readonly string[], RegExp])[] = [
    [
      "nothing",
      [],
      /^Say what to do\. One of: list, schema, run, resume, at, why, replay, verify, fuzz, sweep, worker, explore, shrink, serve\./,
    ],
    [
      "unknown command",
      ["publish"],
      /^Unknown command 'publish'\. One of: list, schema, run, resume, at, why, replay, verify, fuzz, sweep, worker, explore, shrink, serve\.$/,
    ],
    [
      "unknown scenario",
      ["run", "toy"],
      /^Unknown scenario "toy"\. One of: toy-forking, toy-short, toy-stuck, toy-trouble\.$/,
    ],
    [
      "mistyped command",
      ["rnu", "toy-short"],
      /^Unknown command 'rnu'\. Did you mean run\? One of: list, schema, .*, serve\.$/,
    ],
    [
      "mistyped option",
      ["run", "toy-short", "--sede", "1"],
      /^Unknown option '--sede'\. Did you mean --seed\? One of: .*--seed.*--json.*\.$/,
    ],
    ["unknown option", ["run", "toy-short", "--ledger", "x"], /^Unknown option '--ledger'\. One of: .*--seed.*--json/],
    ["option where there are none", ["list", "--json"], /^Unknown option '--json'\. list takes none\.$/],
    ["option before a command", ["--seed", "1"], /^Unknown option '--seed'\.$/],
    ["no scenario", ["run"], /^Missing required argument 'name'\.$/],
    ["too many", ["run", "toy-short", "x"], /^Too many arguments for 'run'\. Expected 1 argument but got 2\.$/],
    [
      "seed that is no number",
      ["run", "toy-short", "--seed", "0x1"],
      /^A seed is a whole number from 0 to 18446744073709551615, not "0x1"\.$/,
    ],
    ["seed too large", ["run", "toy-short", "--seed", "18446744073709551616"], /^A seed is a whole number/],
    ["negative seed", ["run", "toy-short", "--seed=-1"], /^A seed is a whole number/],
    ["seed missing", ["run", "toy-short", "--seed"], /^Option '--seed <number>' argument missing\.$/],
    ["nodes", ["run", "toy-short", "--nodes", "0"], /^--nodes takes a whole number from 1 to 100000, not "0"\.$/],
    ["too few nodes", ["run", "toy-trouble", "--nodes", "2"], /^toy-trouble needs at least 6 nodes, not 2\.$/],
    ["chain", ["run", "toy-short", "--chain", "eth"], /^--chain is one of bankrun, litesvm, model, not "eth"\.$/],
    [
      "chain that cannot fork",
      ["run", "toy-forking", "--chain", "bankrun"],
      /^toy-forking forks the chain, which bankrun cannot: use --chain litesvm or model\.$/,
    ],
    [
      "the same of any scenario that verify would reach",
      ["verify", "--seeds", "1", "--chain", "bankrun"],
      /^toy-forking forks the chain, which bankrun cannot/,
    ],
    ["store", ["run", "toy-short", "--store", "tape"], /^--store is one of memory, sqljs, sqlite, not "tape"\.$/],
    ["network", ["run", "toy-short", "--network", "x"], /^--network is one of simulated, libp2p-memory, not "x"\.$/],
    ["report", ["run", "toy-short", "--report", "/dev/null/x.html"], /^\/dev\/null\/x\.html cannot be written: /],
    [
      "report where nothing can be made",
      ["run", "toy-short", "--report", "/proc/none/x.html"],
      /^\/proc\/none\/x\.html cannot be written: /,
    ],
    ["seeds", ["verify", "--seeds", "a"], /^Seeds are given as A\.\.B, for example 1\.\.20, not "a"\.$/],
    ["seeds backwards", ["verify", "--seeds", "3..1"], /^Seeds 3\.\.1 are none/],
    ["neither seeds nor minutes", ["fuzz"], /^fuzz wants --seeds A\.\.B, or --minutes M to go on from seed 1/],
    ["no worker", ["fuzz", "--workers", "0"], /^--workers takes a whole number from 1 to 256, not "0"\.$/],
    ["minutes", ["fuzz", "--minutes", "1.5"], /^--minutes takes a whole number from 1 to 10080, not "1\.5"\.$/],
    ["tries", ["shrink", "x", "--tries", "-"], /^--tries takes a whole number from 1 to 100000, not "-"\.$/],
    ["nothing to shrink", ["shrink", "/dev/null/none"], /^\/dev\/null\/none cannot be read: /],
    [
      "where a hold is without what is kept",
      ["run", "toy-short", "--hold-at", "3"],
      /^--hold-at wants --hold: where the run is kept\.$/,
    ],
    [
      "a key for what no node recorded",
      ["replay", "package.json", "--identity", "key.json"],
      /^--identity is for what a node recorded, and package\.json is no such file\.$/,
    ],
    [
      "processes of a search that has one",
      ["fuzz", "--seeds", "1", "--guided", "--workers", "3"],
      /^fuzz --guided runs here, to its end: it takes no --workers\.$/,
    ],
    [
      "an end that the same does not know",
      ["fuzz", "--seeds", "1", "--guided", "--stop-at-first"],
      /^fuzz --guided runs here, to its end: it takes no --stop-at-first\.$/,
    ],
    [
      "a queue for the same",
      ["fuzz", "--seeds", "1", "--guided", "--queue", "redis://x"],
      /^fuzz --guided runs here, to its end: it takes no --queue\.$/,
    ],
    ...(
      [
        ["fuzz", "--seeds", "1"],
        ["sweep", "toy-short", "--param", "nodes=3", "--seeds", "1"],
        ["explore", "--all"],
      ] as const
    ).map(
      (args) =>
        [
          `processes of ${args[0]} where a queue has workers`,
          [...args, "--queue", "redis://x", "--workers", "3"],
          /^--queue hands runs to every `worker`, which have their own --workers\.$/,
        ] as const,
    ),
    [
      "processes for one scope",
      ["explore", "panel", "--workers", "3"],
      /^a scope is walked in this process: only --all takes --workers\.$/,
    ],
    ["seeds missing", ["verify"], /^Required option '--seeds <range>' not specified\.$/],
  ];
  for (const [name, args, expected] of rows) {
    test(name, async () => {
      const { code, out, err } = await run(...args);
      assert.equal(code, 2);
      assert.equal(out, "");
      assert.match(err.trimEnd(), expected);
      assert.equal(err.trimEnd().split("\n").length, 1);
    });
  }
});

describe("ofs-sim explore --list", () => {
  test.each([[[]], [["--all"]], [["panel"]]])("with %s besides lists, and walks nothing", async (besides) => {
    const { code, out } = await run("explore", "--list", ...besides);
    assert.equal(code, 0);
    assert.match(out, /^panel {2,}\S/m);
    assert.notMatch(out, /states/);
  });
});

describe("ofs-sim verify", () => {
  test("finds one trace for each seed, here and in a process with another zone, locale and engine", async () => {
    const around = toySurroundings(false);
    const code = await commandLine(["verify", "--seeds", "3..4", "--scenario", "toy-trouble"], around);
    const lines = around.printed.join("").trimEnd().split("\n");
    assert.equal(code, 0, lines.join("\n"));
    assert.match(lines[0] ?? "", /^same {2}toy-trouble seed=3 trace=[0-9a-f]{64}$/);
    assert.equal(lines.at(-1), "OK verify seeds=3..4 runs=2 differing=0");
  });

  test("ends after the seed that is running where somebody wants that, and says how to go on", async () => {
    const stop = new AbortController();
    const around = { ...toySurroundings(false), stop: stop.signal };
    const out = (text: string) => {
      around.printed.push(text);
      stop.abort();
    };
    const code = await commandLine(["verify", "--seeds", "3..9", "--scenario", "toy-trouble"], { ...around, out });
    const lines = around.printed.join("").trimEnd().split("\n");
    assert.equal(code, 130, lines.join("\n"));
    assert.deepEqual(lines.slice(1), ["interrupted; verify --seeds 4..9 goes on", "STOPPED verify runs=1 differing=0"]);
  });

  test("names the first event in which two processes differ", async () => {
    process.env.TOY_UNSTEADY = "1";
    const around = toySurroundings(true);
    const code = await commandLine(["verify", "--seeds", "1", "--scenario", "toy-short"], around);
    delete process.env.TOY_UNSTEADY;
    const [line = ""] = around.printed;
    assert.equal(code, 1);
    assert.match(
      line,
      /^DIFFERS {2}toy-short seed=1 trace=.* first at event \d+, \d+ ms: here node 0 rpc\.called.*getTexts.*"clock.*; there node 0/,
    );
  });
});

describe("ofs-sim run --record, at and why", () => {
  const folder = mkdtempSync(join(tmpdir(), "ofs-record-"));
  const file = join(folder, "run.recording");
  afterAll(() => rmSync(folder, { recursive: true }));

  test("a recording is written and looked into; what it has not is refused in one line", async () => {
    const plain = await run("run", "toy-short", "--json");
    const kept = await run("run", "toy-short", "--json", "--record", file);
    const traceOf = ({ out }: { readonly out: string }) => (JSON.parse(out) as { trace_hash: string }).trace_hash;
    assert.equal(traceOf(kept), traceOf(plain));
    const { events } = JSON.parse(kept.out) as { readonly events: number };
    const at = await run("at", file, String(events));
    assert.equal(at.code, 0);
    assert.match(at.out, /^event \d+ at 00:\d\d.\d{3}, node \d: .+\n(node \d {2}up {2}\d+ rows\n){3}$/);
    const told = JSON.parse((await run("at", file, "1", "--json")).out) as { event: number; nodes: unknown[] };
    assert.equal(told.event, 1);
    assert.lengthOf(told.nodes, 3);
    const why = ["--table", "texts", "--key", "k"];
    for (const [args, line] of [
      [["at", file, "999999"], /holds events 1 to \d+; there is no event 999999\.$/],
      [["at", file, "x"], /^An event is a whole number, not "x"\.$/],
      [["at", file, "1", "--node", "9"], /holds nodes 0 to 2; there is no node 9\.$/],
      [["at", file, "1", "--table", "none"], /holds no table none\. One of: /],
      [["at", join(folder, "none"), "1"], /cannot be read: ENOENT/],
      [["at", folder, "1"], /is a folder\.$/],
      [["why", file, "1", "--node", "9", ...why], /there is no node 9\.$/],
      [["why", file, "1", ...why], /Required option '--node <number>' not specified/],
      [["run", "toy-short", "--record", folder], /cannot be written: EISDIR/],
      [["run", "toy-short", "--record", file, "--hold", file, "--hold-at", "3"], /^--record keeps whole runs/],
    ] as const) {
      const { code, err } = await run(...args);
      assert.equal(code, 2, args.join(" "));
      assert.match(err.trimEnd(), line);
      assert.notInclude(err.trimEnd(), "\n");
    }
  });
});
