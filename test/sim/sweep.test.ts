// Goal: `ofs-sim sweep` runs every combination with every seed, comes to the same bytes each time, keeps what is done,
// and refuses in one line what it cannot do (DESIGN section 6). Method: the command line over toys, in this process and
// in processes; measures over steps that are made up; the page in a real browser.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { afterAll, assert, test } from "vitest";
import { commandLine } from "../../node/sim/command-line.ts";
import type { Surroundings } from "../../node/sim/surroundings.ts";
import { runOfNumber } from "../../node/sim/sweep-plan.ts";
import type { CheckContext, StepSeen } from "../../sim/checker.ts";
import { attacker, badEndpoint, crash, reorganization } from "../../sim/fault-plans.ts";
import { watchMeasures } from "../../sim/measures.ts";
import { quantilesOf } from "../../sim/quantiles.ts";
import { variedBy } from "../../sim/sweep-parameters.ts";
import { needsChromium } from "../requirements.ts";
import { toyScenarios, toySurroundings } from "./toy-surroundings.ts";

const folder = mkdtempSync(join(tmpdir(), "ofs-sweep-"));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string) => join(folder, name);
const small = ["toy-short", "--param", "latency=5,40", "--param", "nodes=3,4", "--seeds", "7..8"];

async function sweep(args: readonly string[], more: Partial<Surroundings> = {}) {
  const around = { ...toySurroundings(false), ...more };
  const code = await commandLine(["sweep", ...args, ...(args.includes("--workers") ? [] : ["--workers", "1"])], around);
  return { code, out: around.printed.join(""), err: around.complained.join("") };
}

test("the same sweep makes the same bytes, in one process and in two", async () => {
  const { code, out } = await sweep([...small, "--csv", at("one.csv")]);
  assert.equal(code, 0, out);
  assert.match(out, /\nOK sweep runs=8 of=8 broken=0 lost=0\n$/);
  assert.equal((await sweep([...small, "--csv", at("two.csv"), "--workers", "2"])).code, 0);
  const [head, ...lines] = readFileSync(at("one.csv"), "utf8").trimEnd().split("\n");
  assert.match(
    head ?? "",
    /^latency,nodes,seed,nodes_run,converge_ms,decided_ms,trades,events,.*,violations,trace_hash$/,
  );
  const begin = (line: string) => line.split(",").slice(0, 4).join(" ");
  const all = ["5 3 7 3", "5 3 8 3", "5 4 7 4", "5 4 8 4", "40 3 7 3", "40 3 8 3", "40 4 7 4", "40 4 8 4"];
  assert.deepEqual(lines.map(begin), all);
  assert.equal(readFileSync(at("two.csv"), "utf8"), readFileSync(at("one.csv"), "utf8"));
});

test("interrupted, it keeps what is done and says how to go on; the rest comes to the same bytes", async () => {
  await sweep([...small, "--csv", at("whole.csv")]);
  const whole = readFileSync(at("whole.csv"), "utf8");
  const stop = new AbortController();
  let looks = 0;
  const wallMs = () => {
    looks += 1;
    if (looks === 5) stop.abort();
    return looks;
  };
  const { code, out } = await sweep([...small, "--csv", at("part.csv")], { stop: stop.signal, wallMs });
  assert.equal(code, 130, out);
  assert.match(out, /\nSTOPPED sweep runs=[1-7] of=8 broken=0 lost=0\n$/);
  assert.include(out, `--csv ${at("part.csv")} --resume ${at("part.csv")} goes on\n`);
  const part = readFileSync(at("part.csv"), "utf8");
  assert.isTrue(whole.startsWith(part) && part.split("\n").length > 2 && part.length < whole.length, part);
  writeFileSync(at("part.csv"), `${part}40,3,7,3,`);
  assert.equal((await sweep([...small, "--csv", at("part.csv"), "--resume", at("part.csv")])).code, 0);
  assert.equal(readFileSync(at("part.csv"), "utf8"), whole);
});

test("what a file of figures has is not run again, where the code is the same", async () => {
  await sweep([...small, "--csv", at("kept.csv")]);
  const lines = readFileSync(at("kept.csv"), "utf8").split("\n");
  const changed = (lines[3] ?? "").replace(/^(([^,]*,){7})\d+/, "$1999999");
  writeFileSync(at("kept.csv"), `${[...lines.slice(0, 3), changed].join("\n")}\n`);
  assert.equal((await sweep([...small, "--csv", at("out.csv"), "--resume", at("kept.csv")])).code, 0);
  assert.include(readFileSync(at("out.csv"), "utf8"), ",999999,");
  writeFileSync(at("other.csv"), `${lines[0]}\n${(lines[1] ?? "").replace(/[0-9a-f]{64}$/, "0".repeat(64))}\n`);
  const other = await sweep([...small, "--csv", at("out.csv"), "--resume", at("other.csv")]);
  assert.deepEqual([other.code, other.out], [2, ""]);
  assert.match(other.err, /was made by other code, of another scenario or with other options\.\n$/);
  assert.include(readFileSync(at("out.csv"), "utf8"), ",999999,", "what was there stays");
});

test("figures of other code are put beside these, pair by pair", async () => {
  await sweep([...small, "--csv", at("now.csv")]);
  const [head = "", ...lines] = readFileSync(at("now.csv"), "utf8").trimEnd().split("\n");
  // The other code had one event more in each run of the first combination, and lacks the last run.
  const before = lines.slice(0, -1).map((line, place) => {
    const cells = line.split(",");
    if (place > 1) return line;
    return [...cells.slice(0, 7), Number(cells[7]) + 1, ...cells.slice(8, -1), "0".repeat(64)].join(",");
  });
  writeFileSync(at("before.csv"), `${[head, ...before].join("\n")}\n`);
  const args = [...small, "--csv", at("again.csv"), "--report", at("again.html"), "--compare", at("before.csv")];
  const { code, out } = await sweep(args);
  assert.equal(code, 0, out);
  assert.match(out, /\nlatency=5 nodes=3: events \S+ against \S+ \(-1; lower in 2, higher in 0 of 2\), 0 of 2 traces/);
  assert.include(out, "\nlatency=5 nodes=4: 2 of 2 traces are the same\n");
  assert.include(out, "\nlatency=40 nodes=4: 1 of 1 traces are the same\n");
  assert.include(out, ` --compare ${at("before.csv")}\n`);
  assert.include(readFileSync(at("again.html"), "utf8"), "(-1; 2 lower, 0 higher)");
  const told = JSON.parse((await sweep([...args, "--json"])).out) as {
    readonly compared: readonly { readonly values: object; readonly same: number; readonly pairs: number }[];
  };
  assert.deepEqual(
    told.compared.map(({ values, same, pairs }) => [values, same, pairs]),
    [
      [{ latency: "5", nodes: "3" }, 0, 2],
      [{ latency: "5", nodes: "4" }, 2, 2],
      [{ latency: "40", nodes: "3" }, 2, 2],
      [{ latency: "40", nodes: "4" }, 1, 1],
    ],
  );
});

test("a law that a run breaks ends with 1, and every other run is played", async () => {
  const { code, out } = await sweep([
    "toy-stuck",
    "--param",
    "nodes=2,3",
    "--seeds",
    "1",
    "--csv",
    at("s.csv"),
    "--json",
  ]);
  assert.equal(code, 1, out);
  const told = JSON.parse(out) as { readonly combinations: readonly { readonly broken: number }[] };
  assert.deepEqual(
    told.combinations.map(({ broken }) => broken),
    [1, 1],
  );
});

const refused: readonly (readonly [args: readonly string[], line: RegExp])[] = [
  [["--param", "lost=0.1"], /^There is no parameter "lost"\. One of: nodes, latency, loss/],
  [["--param", "loss=2"], /^loss takes share of the messages that are lost, 0 to 1.*, not "2"\.$/],
  [["--param", "loss=0.1,0.1"], /^loss has the value 0\.1 twice\.$/],
  [["--param", "loss=0,,1"], /^--param is written name=v1,v2/],
  [["--param", "loss=0", "--param", "loss=1"], /^--param loss is given twice/],
  [
    ["--param", "loss=0,1", "--seeds", "1..90000"],
    /^2 combinations with 90000 seeds are 180000 runs; 100000 at most\.$/,
  ],
  [[], /^sweep wants --param/],
  [["--param", "nodes=2"], /node 2/],
  [["--param", "forks=1"], /^With forks=1: toy-short runs without a chain, and forks is about one\.$/],
  [["--param", "lies=0,0.1"], /^With lies=0: toy-short runs without a chain, and lies is about one\.$/],
  [["--param", "confirmed=all"], /^confirmed takes how many nodes, the first ones, .*, not "all"\.$/],
  [["--param", "loss=0", "--csv", "/dev/null/x.csv"], /^\/dev\/null\/x\.csv cannot be written: /],
  [["--param", "loss=0", "--report", "/dev/null/x.html"], /^\/dev\/null\/x\.html cannot be written: /],
  [["--param", "loss=0", "--resume", "/none.csv"], /^\/none\.csv cannot be read: /],
  [["--param", "loss=0", "--resume", import.meta.filename], /is of another sweep/],
  [["--param", "loss=0", "--compare", "/none.csv"], /^\/none\.csv cannot be read: /],
  [["--param", "loss=0", "--compare", import.meta.filename], /is of another sweep/],
];

test.each(refused)("refuses %j in one line", async (args, line) => {
  const seeds = args.includes("--seeds") ? [] : ["--seeds", "1"];
  const csv = args.includes("--csv") ? [] : ["--csv", at("r.csv")];
  const { code, out, err } = await sweep(["toy-short", ...args, ...seeds, ...csv]);
  assert.deepEqual([code, out, err.split("\n").length], [2, "", 2], err);
  assert.match(err.trimEnd(), line);
});

test("runs are numbered by seed, then by the last parameter", () => {
  const params = [
    { name: "a", values: ["1", "2"] },
    { name: "b", values: ["x", "y", "z"] },
  ];
  const runs = Array.from({ length: 12 }, (_, number) => runOfNumber(number, params, { first: 5n, last: 6n }));
  const names = runs.map(({ values, seed }) => `${values.join("")}${seed}`);
  assert.deepEqual(names, "1x5 1x6 1y5 1y6 1z5 1z6 2x5 2x6 2y5 2y6 2z5 2z6".split(" "));
});

test("a parameter changes what it names and nothing else", () => {
  const [, scenario] = toyScenarios;
  const varied = (name: string, text: string) => {
    const change = variedBy(name, text);
    return change.ok ? change.value(scenario) : assert.fail(change.error);
  };
  assert.deepEqual(varied("loss", "0.05"), { ...scenario, conditions: { ...scenario.conditions, loss: 50_000 } });
  assert.equal(varied("duplication", "0.000001").conditions.duplication, 1);
  assert.deepEqual(varied("latency", "5..9").conditions.latency, { type: "uniform", least: 5, most: 9 });
  assert.equal(varied("nodes", "9").nodes, 9);
  assert.deepEqual(varied("faults", "none").faults, []);
  assert.deepEqual(varied("actions", "1").actions, scenario.actions.slice(0, 1));
  const [flood, span] = [{ kind: "link-flood" } as const, { from: 0, until: 1, times: 1 }];
  const attacked = variedBy("attackers", "1");
  const faults = [attacker("a", flood, span), crash(0, span), attacker("b", flood, span)];
  const kept = attacked.ok ? attacked.value({ ...scenario, faults }).faults : [];
  assert.deepEqual(kept, faults.slice(0, 2), "other faults stay");
  const spans = varied("crashes", "2").faults.map((fault) => ("node" in fault ? fault.node : undefined));
  assert.deepEqual(spans, [0, 1]);
});

test("a parameter about the chain adds what it names, at even distances or at each endpoint", () => {
  const [, short] = toyScenarios;
  const scenario = { ...short, gossipOnly: [1], lasts: 9_000 };
  const varied = (name: string, text: string) => {
    const change = variedBy(name, text);
    return change.ok ? change.value(scenario) : assert.fail(change.error);
  };
  const forks = [3_000, 6_000].map((at) => reorganization(at, 8, { late: 500_000 }));
  assert.deepEqual(varied("forks", "2"), { ...scenario, faults: forks });
  const lies = [0, 2].map((node) => badEndpoint(node, { lie: 200_000 }, { from: 0, until: 9_000 }));
  assert.deepEqual(varied("lies", "0.2"), { ...scenario, faults: lies }, "a node without an endpoint is told no lie");
  assert.deepEqual(varied("confirmed", "2"), { ...scenario, confirmed: [0, 1] });
  for (const name of ["forks", "lies", "confirmed"]) assert.deepEqual(varied(name, "0"), scenario);
});

test("quantiles lie between the nearest values", () => {
  assert.equal(quantilesOf([]), undefined);
  const ten = { count: 11, least: 0, p10: 1, p25: 2.5, median: 5, p75: 7.5, p90: 9, most: 10, spread: 5 };
  assert.deepEqual(quantilesOf([10, 0, 9, 1, 8, 2, 7, 3, 6, 4, 5]), ten);
  assert.deepEqual(quantilesOf([4, 2])?.median, 3);
});

interface Told {
  readonly time: number;
  readonly node: number;
  readonly root: string;
  readonly adds?: string;
  /** Rows of cases or settlements that the step writes. */
  readonly rows?: readonly (readonly [table: "disputes" | "settlements", key: string, record: object])[];
}

function measuredOf(steps: readonly Told[], nodes: number) {
  const watch = watchMeasures();
  let now = 0;
  const checker = watch.checker({ time: () => now } as CheckContext);
  for (const { time, node, root, adds, rows = [] } of steps) {
    now = time;
    const added = adds === undefined ? [] : [{ table: "statements", key: adds, record: {} }];
    const changes = [...added, ...rows.map(([table, key, record]) => ({ table, key, record }))];
    checker.onStep?.({ node, changes, roots: { statements: root } } as unknown as StepSeen);
  }
  const bytes = new Uint8Array(10);
  checker.onEffect?.({ node: 0, effect: { type: "message.send", bytes } } as never);
  checker.onEffect?.({ node: 0, effect: { type: "message.reply", bytes } } as never);
  return watch.measured(nodes);
}

test("the time to converge goes from the newest statement to when all nodes hold the same for good", () => {
  const start = [0, 1].map((node) => ({ time: 0, node, root: "" }));
  const first = { time: 10, node: 0, root: "a", adds: "a" };
  const nothing = { decided_ms: null, trades: 0, bytes: 20 };
  assert.deepEqual(measuredOf([...start, first], 2), { ...nothing, converge_ms: null, statements: 1 });
  assert.equal(measuredOf(start, 2).converge_ms, null, "there was no statement");
  const both = [...start, first, { time: 35, node: 1, root: "a", adds: "a" }];
  assert.deepEqual(measuredOf(both, 2), { ...nothing, converge_ms: 25, statements: 1 });
  assert.equal(measuredOf(both, 3).converge_ms, null, "a node never stepped");
  const more = [...both, { time: 50, node: 1, root: "ab", adds: "b" }, { time: 90, node: 0, root: "ab", adds: "b" }];
  assert.deepEqual(measuredOf(more, 2), { ...nothing, converge_ms: 40, statements: 2 });
});

test("the time to a decision goes from the case's first being held to the last node that comes to hold it", () => {
  const decides = (time: number, node: number, key: string, decided: boolean): Told => {
    return { time, node, root: "a", rows: [["disputes", key, { decided }]] };
  };
  const opened = [decides(10, 0, "one", false), decides(20, 1, "one", false), decides(30, 0, "two", false)];
  assert.equal(measuredOf(opened, 2).decided_ms, null, "nobody came to hold a decision");
  const first = [...opened, decides(100, 0, "one", true)];
  assert.equal(measuredOf(first, 2).decided_ms, 90);
  assert.equal(measuredOf([...first, decides(150, 0, "one", true)], 2).decided_ms, 90, "it held it before");
  const both = [...first, decides(160, 1, "one", true)];
  assert.equal(measuredOf(both, 2).decided_ms, 150);
  assert.equal(measuredOf([...both, decides(170, 0, "two", true)], 2).decided_ms, 150, "the longest of the run");
  const undone = [...both, decides(180, 0, "one", false), decides(200, 0, "one", true)];
  assert.equal(measuredOf(undone, 2).decided_ms, 190, "a fork took it back");
});

test("a trade is a settlement that some node came to hold as approved or released, once", () => {
  const is = (key: string, state: string, node = 0): Told => {
    return { time: 1, node, root: "a", rows: [["settlements", key, { state }]] };
  };
  const steps = [is("a", "Approved"), is("a", "Completed"), is("a", "Approved", 1), is("b", "Completed")];
  assert.equal(measuredOf([...steps, is("c", "PaymentSubmitted"), is("d", "Cancelled")], 2).trades, 2);
});

needsChromium("the page of a sweep", (executablePath) => {
  test("is good on a phone and a desk, in the light and in the dark, and asks for nothing", async () => {
    await sweep([...small, "--csv", at("p.csv"), "--report", at("p.html")]);
    const browser = await chromium.launch({ executablePath, args: ["--headless", "--no-sandbox", "--disable-gpu"] });
    try {
      for (const [width, colorScheme] of [
        [390, "light"],
        [1280, "dark"],
        [390, "dark"],
      ] as const) {
        const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
        const asked: string[] = [];
        page.on("request", (request) => asked.push(request.url()));
        page.on("console", (message) => asked.push(message.text()));
        const url = pathToFileURL(at("p.html")).href;
        await page.goto(url);
        assert.deepEqual(asked, [url]);
        const wide = await page.evaluate("document.documentElement.scrollWidth");
        assert.isAtMost(Number(wide), width);
        assert.equal(await page.locator("svg").count(), 4);
        assert.match((await page.locator("pre").textContent()) ?? "", /^ofs-sim sweep toy-short --param latency=5,40 /);
        const text = await page.evaluate("getComputedStyle(document.querySelector('h1')).color");
        assert.equal(text, colorScheme === "dark" ? "rgb(255, 255, 255)" : "rgb(0, 0, 0)");
        await page.close();
      }
    } finally {
      await browser.close();
    }
  });
});
