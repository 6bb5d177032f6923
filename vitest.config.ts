/**
 * How the tests run: every `*.test.ts` below `test/`, in processes of their own, at most two at a time.
 * Native modules (bankrun, LiteSVM, libsql) are not safe in worker threads, hence processes.
 * Not here: type checks, lint and arrows (node/bootstrap/checks.mjs).
 */
import { defineConfig } from "vitest/config";

const config = defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    pool: "forks",
    maxWorkers: 2,
    allowOnly: false,
    passWithNoTests: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 10_000,
    env: { RUST_LOG: "off" },
  },
});

// biome-ignore lint/style/noDefaultExport: vitest reads its configuration from the default export
export default config;
