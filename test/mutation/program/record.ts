/**
 * Runs the suites of killers.ts once on the program as it is, and keeps what they asked and heard.
 */
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { startVitest } from "vitest/node";

const root = resolve(import.meta.dirname, "..", "..", "..");
const FOLDER = join(root, "node_modules", ".cache", "ofs", "program-recordings");
/** Ends what hangs. */
const HANGS_AFTER_MS = 1_800_000;

/** The folder with the recordings of the suites whose hash this is; they are made when there are none. */
export async function recordingsOf(tests: string): Promise<string> {
  const folder = join(FOLDER, tests);
  if (!existsSync(folder)) await record(folder);
  return folder;
}

async function record(folder: string): Promise<void> {
  rmSync(FOLDER, { recursive: true, force: true });
  const unfinished = `${folder}.unfinished`;
  mkdirSync(unfinished, { recursive: true });
  const vitest = await startVitest("test", [], {
    root,
    config: false,
    watch: false,
    include: ["test/mutation/program/killers.ts"],
    pool: "forks",
    maxWorkers: 1,
    reporters: [{}],
    setupFiles: ["test/property/setup.ts"],
    testTimeout: HANGS_AFTER_MS,
    hookTimeout: HANGS_AFTER_MS,
    env: { RUST_LOG: "off", OFS_PROFILE: "quick", OFS_SEED: "1", OFS_RECORDINGS: unfinished },
  });
  const passed = vitest.state.getFiles().length === 1 && vitest.state.getCountOfFailedTests() === 0;
  await vitest.close();
  if (!passed) throw new Error("the suites fail on the program as it is; mutants are judged by suites that pass");
  renameSync(unfinished, folder);
}
