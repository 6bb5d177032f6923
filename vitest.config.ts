/**
 * How the tests run: every `*.test.ts` below `test/`, in processes of their own, at most two at a time.
 * Native modules (bankrun, LiteSVM, libsql) are not safe in worker threads, hence processes.
 * Not here: type checks, lint and arrows (node/bootstrap/checks.mjs).
 */
import { randomInt } from "node:crypto";
import { defineConfig } from "vitest/config";

/** A seed for random cases: fresh for every run unless the run is to be repeated. */
const seed = process.env.OFS_SEED ?? String(randomInt(2 ** 31));

/**
 * Milliseconds. Far above any honest test on a loaded machine: it ends what hangs, and judges nothing. It is the only
 * limit that a test has. At night one property may go on for as long as the night does.
 */
const HANGS_AFTER_MS = process.env.OFS_PROFILE === "nightly" ? 86_400_000 : 1_800_000;

const config = defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    pool: "forks",
    maxWorkers: 2,
    // A larger nursery: an eighth of what tests take went into moving what was young. No verdict depends on it.
    execArgv: ["--max-semi-space-size=64"],
    allowOnly: false,
    passWithNoTests: false,
    testTimeout: HANGS_AFTER_MS,
    hookTimeout: HANGS_AFTER_MS,
    teardownTimeout: 60_000,
    setupFiles: ["test/property/setup.ts"],
    globalSetup: ["test/property/seed.ts"],
    env: { RUST_LOG: "off", OFS_SEED: seed },
  },
});

// biome-ignore lint/style/noDefaultExport: vitest reads its configuration from the default export
export default config;
