/**
 * How the tests run: every `*.test.ts` below `test/`, in processes, at most two at a time.
 * Native modules (bankrun, LiteSVM, libsql) are not safe in worker threads, hence processes. A test file has one of its
 * own, unless its folder stands among those below: starting one and loading the core takes most such files longer than
 * their tests do.
 * Not here: type checks, lint and arrows (node/bootstrap/checks.mjs).
 */
import { randomInt } from "node:crypto";
import type { ViteUserConfig } from "vitest/config";
import { defineConfig } from "vitest/config";

/** Node.js loads tests and product itself: what a runner puts around each import takes an eighth of a simulated world. */
const TYPESCRIPT = new URL("./node/bootstrap/typescript.mjs", import.meta.url).href;
await import(TYPESCRIPT);

/** A seed for random cases: fresh for every run unless the run is to be repeated. */
const seed = process.env.OFS_SEED ?? String(randomInt(2 ** 31));

/**
 * Milliseconds. Far above any honest test on a loaded machine: it ends what hangs, and judges nothing. It is the only
 * limit that a test has. At night one property may go on for as long as the night does.
 */
const HANGS_AFTER_MS = process.env.OFS_PROFILE === "nightly" ? 86_400_000 : 1_800_000;

/** The tests of folders below `test/`. */
const folders = (...names: readonly string[]) => names.map((name) => `test/${name}/**/*.test.ts`);

/**
 * Tests whose files share two processes, one after the other: what they test is pure or simulated, so no file leaves
 * anything to the next but code that is warm. Each part has processes of its own, which bounds what they come to hold.
 * Parts run in the order of their names, so short files come last and both processes end at about the same time.
 */
const SHARED = {
  convergence: folders("convergence", "laws"),
  markets: folders("attacks", "explore", "failures", "guided", "scenarios", "suites"),
  recordings: folders("sim/chain", "sim/serve", "sim/travel"),
  simulator: ["test/sim/*.test.ts"],
  "units of the core": folders(
    ...["chain-bridge", "document", "engine", "gossip", "kernel", "limits", "refusals", "rpc", "sealing", "vectors"],
  ),
  "units of domains": folders(
    ...["advertisements", "attachments", "content", "disputes", "fees", "governance", "identity", "notifications"],
    ...["oracles", "payment-methods", "providers", "reads", "reputation", "reservations", "reviews", "rewards", "risk"],
    ...["sessions", "settlements", "snapshots", "trade-channel", "trades", "volume", "wallet-proofs"],
  ),
};

/** What asks V8 how it lays out objects has to be the first to make some. */
const FIRST = ["test/engine/shapes.test.ts"];

const common: NonNullable<ViteUserConfig["test"]> = {
  pool: "forks",
  experimental: { viteModuleRunner: false, nodeLoader: false },
  maxWorkers: 2,
  // A larger nursery: an eighth of what tests take went into moving what was young. No verdict depends on it.
  execArgv: ["--max-semi-space-size=64", "--import", TYPESCRIPT],
  allowOnly: false,
  passWithNoTests: false,
  testTimeout: HANGS_AFTER_MS,
  hookTimeout: HANGS_AFTER_MS,
  teardownTimeout: 60_000,
  setupFiles: ["test/property/setup.ts"],
  env: { RUST_LOG: "off", OFS_SEED: seed },
};

const config = defineConfig({
  test: {
    ...common,
    globalSetup: ["test/property/seed.ts"],
    projects: [
      { test: { ...common, name: "alone", include: folders("**"), exclude: Object.values(SHARED).flat() } },
      { test: { ...common, name: "first", include: FIRST } },
      ...Object.entries(SHARED).map(([name, include]) => ({
        test: { ...common, name, isolate: false, include, exclude: FIRST },
      })),
    ],
  },
});

// biome-ignore lint/style/noDefaultExport: vitest reads its configuration from the default export
export default config;
