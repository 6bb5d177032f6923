/**
 * Goal: a real Prometheus takes the alert rules, each fires for what it is about and not for what is next to it, and
 * every panel of the dashboard is a question that it answers.
 * Method: promtool's unit tests of rules, with a row for every rule of the file; a Prometheus process that scrapes a
 * node of this process.
 */
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, assert, expect, test } from "vitest";
import { startNode } from "../../node/production/start-node.ts";
import { ownPlace } from "../own-place.ts";
import { needsPrometheus } from "../requirements.ts";
import { until } from "../until.ts";

const operations = new URL("../../node/operations/", import.meta.url);
const alerts = new URL("alerts.yml", operations).pathname;
const folder = mkdtempSync(join(tmpdir(), "ofs-prometheus-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Row {
  readonly alert: string;
  /** Series, each a value a minute, for which it fires, and the same for which it does not. */
  readonly fires: Readonly<Record<string, string>>;
  readonly quiet: Readonly<Record<string, string>>;
  /** Others for which it does not. */
  readonly quietToo?: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly summary: string;
  /** Minutes that it waits. */
  readonly waits: number;
}

/** A rule about one gauge. */
function gauge(alert: string, name: string, values: readonly [string, string], told: Omit<Told, "waits">, waits = 0) {
  const series = `${name}${shown({ instance: "n", ...told.given })}`;
  const [fires, quiet] = values.map((value) => ({ [series]: value }));
  const labels = { instance: "n", severity: told.severity, ...told.given };
  return { alert, fires, quiet, labels, summary: told.summary, waits } as Row;
}

interface Told {
  readonly severity: "page" | "ticket";
  readonly given?: Readonly<Record<string, string>>;
  readonly summary: string;
}

const constant = (value: number) => `${value}x60`;
/** A counter that stands still but for one step after ten minutes. */
const STEP = "0x9 1x50";
const GIB = 1_073_741_824;
const slow = (rest: string) => ({
  'ofs_commit_seconds_bucket{instance="n",le="0.25"}': "0+98x60",
  'ofs_commit_seconds_bucket{instance="n",le="1"}': rest,
  'ofs_commit_seconds_bucket{instance="n",le="+Inf"}': rest,
});
/** So many of the connected peers say that the node lacks rules. */
const lacked = (peers: number, connected: number) => ({
  'ofs_peers_with_rules_lacked{instance="n"}': constant(peers),
  'ofs_peers_connected{instance="n"}': constant(connected),
});

const rows: readonly Row[] = [
  gauge(
    ...(["OfsNodeDown", "up", [constant(0), constant(1)]] as const),
    { severity: "page", given: { job: "ofs-node" }, summary: "n does not answer at its admin address" },
    2,
  ),
  gauge(
    ...(["OfsNodeNotReady", "ofs_ready", [constant(0), constant(1)]] as const),
    { severity: "page", given: { check: "disk" }, summary: "n: disk is not well; /ready names why" },
    5,
  ),
  gauge(
    ...(["OfsSlotOld", "ofs_slot_age_seconds", [constant(76), constant(75)]] as const),
    { severity: "page", summary: "n has seen no new slot for 76 s" },
    1,
  ),
  gauge(
    ...(["OfsEndpointDown", "ofs_chain_endpoint_up", [constant(0), constant(1)]] as const),
    { severity: "ticket", given: { endpoint: "a.org" }, summary: "n: chain endpoint a.org fails" },
    10,
  ),
  gauge("OfsEndpointDisagrees", "ofs_chain_endpoint_disagreements_total", [STEP, constant(3)], {
    ...{ severity: "ticket", given: { endpoint: "a.org" }, summary: "n: chain endpoint a.org contradicts the others" },
  }),
  gauge("OfsCommitFails", "ofs_commit_failures_total", ["0+1x60", constant(3)], {
    ...{ severity: "page", given: { code: "full" }, summary: "n: commits fail (full)" },
  }),
  {
    ...{ alert: "OfsCommitSlow", fires: slow("0+100x60"), quiet: slow("0+98x60"), waits: 10 },
    labels: { instance: "n", severity: "ticket" },
    summary: "n: one commit of a hundred takes 0.625 s",
  },
  gauge(
    ...(["OfsDiskNearlyFull", "ofs_disk_free_bytes", [constant(GIB - 1), constant(GIB)]] as const),
    { severity: "page", summary: "n: less than 1 GiB is free where the ledger lies" },
    5,
  ),
  gauge(
    ...(["OfsEventLoopLags", "nodejs_eventloop_lag_p99_seconds", [constant(0.75), constant(0.5)]] as const),
    { severity: "ticket", summary: "n: the node is busy for 0.75 s at a time" },
    10,
  ),
  gauge("OfsIdentityInUseElsewhere", "ofs_identity_in_use_elsewhere", [constant(1), constant(0)], {
    ...{ severity: "page", summary: "n: another node uses this node's key" },
  }),
  {
    ...{ alert: "OfsRulesLacked", fires: lacked(2, 3), quiet: lacked(2, 4), waits: 10 },
    quietToo: lacked(1, 1),
    labels: { instance: "n", severity: "ticket" },
    summary: "n: most peers have rules, or will, that this software lacks: update it",
  },
  gauge(
    ...(["OfsClientsRefused", "ofs_api_refused_total", ["0+660x60", "0+600x60"]] as const),
    { severity: "ticket", given: { cause: "call-rate" }, summary: "n: clients are refused for call-rate" },
    10,
  ),
];

function shown(labels: Readonly<Record<string, string>>): string {
  return `{${Object.entries(labels).map(([name, value]) => `${name}="${value}"`)}}`;
}

/** When rules that wait have waited, in minutes. */
const LATE = 45;

function caseOf({ alert, labels, summary }: Row, values: Readonly<Record<string, string>>, fires: boolean, at: number) {
  const expected = { exp_labels: labels, exp_annotations: { summary } };
  return {
    interval: "1m",
    input_series: Object.entries(values).map(([series, each]) => ({ series, values: each })),
    alert_rule_test: [{ eval_time: `${at}m`, alertname: alert, exp_alerts: fires ? [expected] : [] }],
  };
}

/** What promtool complains of. */
function unitTests(promtool: string, name: string, tests: readonly unknown[]): string {
  const path = join(folder, `${name}.json`);
  writeFileSync(path, JSON.stringify({ rule_files: [alerts], evaluation_interval: "1m", tests }));
  const { status, stdout, stderr } = spawnSync(promtool, ["test", "rules", path], { encoding: "utf8" });
  return status === 0 ? "" : `${stdout}${stderr}`;
}

/** Writes what a Prometheus does that asks one address once a second; answers where that stands. */
function scraping(target: string): string {
  const config = join(folder, "prometheus.json");
  const scraped = { job_name: "ofs-node", static_configs: [{ targets: [target] }] };
  const every = { scrape_interval: "1s", evaluation_interval: "1s" };
  writeFileSync(config, JSON.stringify({ global: every, rule_files: [alerts], scrape_configs: [scraped] }));
  return config;
}

needsPrometheus("alerts and dashboard before a real Prometheus", (promtool) => {
  test("every rule has a row", () => {
    const named = readFileSync(alerts, "utf8").match(/(?<=alert: )\w+/g);
    expect(rows.map(({ alert }) => alert)).toEqual(named);
  });

  test("each rule fires for what it is about, not for what is next to it, and not before it has waited", () => {
    const waiting = rows.filter(({ waits }) => waits > 0);
    const cases = [
      ...rows.map((row) => caseOf(row, row.fires, true, LATE)),
      ...rows.map((row) => caseOf(row, row.quiet, false, LATE)),
      ...rows.flatMap((row) => (row.quietToo === undefined ? [] : [caseOf(row, row.quietToo, false, LATE)])),
      ...waiting.map((row) => caseOf(row, row.fires, false, row.waits - 1)),
    ];
    expect(unitTests(promtool, "rules", cases)).toBe("");
  });

  test("a rule that does not fire is found out", () => {
    const [row] = rows;
    if (row !== undefined)
      expect(unitTests(promtool, "wrong", [caseOf(row, row.quiet, true, LATE)])).toContain("FAILED");
  });

  test("a node is scraped, its rules are well, and panels are answered", async () => {
    const node = await startNode({ ledger: join(folder, "ledger"), admin: { host: "127.0.0.1", port: 0 } });
    if (!node.ok) assert.fail(node.error.reason);
    const config = scraping(`${node.value.admin?.host}:${node.value.admin?.port}`);
    const { host, port } = ownPlace();
    const args = [`--config.file=${config}`, `--storage.tsdb.path=${join(folder, "data")}`];
    const prometheus = spawn(promtool.replace(/promtool$/, "prometheus"), [
      ...args,
      `--web.listen-address=${host}:${port}`,
    ]);
    const ended = new Promise((done) => prometheus.once("close", done));
    try {
      const ask = async (path: string) => {
        const answer = await fetch(`http://${host}:${port}/api/v1/${path}`).catch(() => undefined);
        return answer?.ok === true ? ((await answer.json()) as Answer) : undefined;
      };
      const results = async (expr: string) => (await ask(`query?query=${encodeURIComponent(expr)}`))?.data?.result;
      await until(async () => ((await results('up{job="ofs-node"} == 1'))?.length ?? 0) > 0, 200);
      const rulesOf = async () => (await ask("rules"))?.data?.groups?.flatMap((group) => group.rules) ?? [];
      await until(async () => {
        const all = await rulesOf();
        return all.length > 0 && all.every(({ health }) => health !== "unknown");
      }, 200);
      expect((await rulesOf()).filter(({ health }) => health !== "ok")).toEqual([]);
      const panels = expressions(JSON.parse(readFileSync(new URL("dashboard.json", operations), "utf8")));
      expect(panels.length).toBeGreaterThan(9);
      for (const expr of panels) expect(await results(expr.replaceAll("$node", ".*")), expr).toBeInstanceOf(Array);
      expect(await results('ofs_build_info{network="devnet"}')).toHaveLength(1);
    } finally {
      prometheus.kill();
      await ended;
      await node.value.close();
    }
  });
});

interface Answer {
  readonly data?: {
    readonly result?: readonly unknown[];
    readonly groups?: readonly {
      readonly rules: readonly { readonly health: string; readonly lastError?: string }[];
    }[];
  };
}

/** Every `expr` of a dashboard. */
function expressions(value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    name === "expr" && typeof member === "string" ? [member] : expressions(member),
  );
}
