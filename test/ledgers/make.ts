/**
 * Makes the ledger that is kept for the version of the tables in force, once, when that version is new:
 * `node --import ./node/bootstrap/typescript.mjs test/ledgers/make.ts`. Its rows are those of nodes of drawn worlds,
 * and of one that has sealed, until every table that is kept has some. A ledger that is kept is never made again: it is
 * what that version wrote.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { LEDGER_FILE, openLedger } from "../../adapters/sqlite/ledger.ts";
import { LEDGER_VERSION } from "../../adapters/sqlite/schema.ts";
import { Resolutions } from "../../core/domains/governance/tables.ts";
import type { Reader } from "../../core/index.ts";
import { encodeCompact, tables } from "../../core/index.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import type { StoreRow } from "../../core/ports/store.ts";
import { scenarios } from "../../scenarios/index.ts";
import { openBackends } from "../../sim/backends.ts";
import type { MakeChecker } from "../../sim/checker.ts";
import { runScenario } from "../../sim/run.ts";
import { swarmScenario } from "../../sim/swarm/swarm-scenario.ts";
import { WORLD_START } from "../../sim/world.ts";
import { loneNode } from "../rpc/lone-node.ts";
import { tradeSendsFrom } from "../rpc/node-with-settlement.ts";
import { keptIn } from "./opened.ts";

const DAY_MS = 86_400_000n;
const kept = join(import.meta.dirname, `ledger-${LEDGER_VERSION}`);
if (existsSync(`${kept}.json`)) throw new Error(`${kept}.json is there: what a version wrote is not written again`);

const durable = tables.filter((table) => table.durable);
const rows = new Map<string, StoreRow>();
const missing = () => durable.filter(({ name }) => ![...rows.values()].some(({ table }) => table === name));

/** Takes all that a node keeps. */
function take(view: Reader): void {
  for (const table of durable)
    for (const key of view.keys(table)) {
      const record = view.get(table, key);
      if (record === undefined) continue;
      rows.set(`${table.name} ${key}`, { table: table.name, key, bytes: encodeCompact(table.record as never, record) });
    }
}

/** Watches for the first row of a table of which there is none yet. */
const look: MakeChecker = () => ({
  name: "look",
  onStep({ changes, view }) {
    const news = missing();
    if (changes.some(({ table, record }) => record !== undefined && news.some(({ name }) => name === table)))
      take(view);
  },
});

const NOW = WORLD_START + 600_000n;
const sold = (NOW - 61n * DAY_MS) as EpochMillis;
const sealing = loneNode(sold + 400_000n);
for (const { method, data } of tradeSendsFrom(sold)) sealing.call(method, { data });
sealing.now = NOW;
sealing.accept({ type: "timer.fired", timer: "sweep" });
take(sealing.view);
const played = [
  ...["governance-vote", "fresh-node-by-snapshot"].flatMap((name) => scenarios.find((one) => one.name === name) ?? []),
  ...[131n, 65n, 82n].map(swarmScenario),
];
for (const [place, scenario] of played.entries()) {
  const options = { seed: BigInt(place), ...(scenario.name === "swarm" ? {} : { chain: "model" as const }) };
  await runScenario({ ...scenario, safety: [...scenario.safety, look] }, options, openBackends());
  console.log(`${scenario.name}: ${rows.size} rows, none of ${missing().map(({ name }) => name)}`);
}

// The simulated chain has no governance program, so no world comes to a result.
const result = {
  ...{ offchain_id_hash: "00".repeat(32), proposer: "11111111111111111111111111111111", state: "Accepted" as const },
  ...{ votes_for: 3n, votes_against: 1n, voting_ends_at: sold },
};
rows.set("result", { table: Resolutions.name, key: "7", bytes: encodeCompact(Resolutions.record as never, result) });
if (missing().length > 0) throw new Error(`nothing of ${missing().map(({ name }) => name)}`);

const folder = mkdtempSync(join(tmpdir(), "ofs-kept-"));
const ledger = openLedger(folder);
if (!ledger.ok) throw new Error(ledger.error.reason);
await new Promise((done) => ledger.value.commit([...rows.values()], done));
await new Promise<void>((closed) => ledger.value.close(closed));
const made = await keptIn(folder, NOW);
writeFileSync(`${kept}.db.gz`, gzipSync(readFileSync(join(folder, LEDGER_FILE)), { level: 9 }));
writeFileSync(`${kept}.json`, `${JSON.stringify(made, null, 2)}\n`);
rmSync(folder, { recursive: true });
console.log(made);
