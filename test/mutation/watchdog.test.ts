// Goal: a process of tests that hangs is ended and says so; one that works as long as it may is left alone.
// Method: processes of their own that loop, wait for ever, or end in time.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { TYPESCRIPT } from "../typescript.ts";

const NEVER_MS = 3_600_000;
const module = pathToFileURL(join(import.meta.dirname, "watchdog.ts")).href;

/** Runs a body under the watchdog; what the watchdog wrote and how the process ended. */
async function watched(body: string, limits: { readonly workMs: number; readonly idleMs: number }) {
  const marker = join(mkdtempSync(join(tmpdir(), "ofs-watchdog-")), "hung");
  const given = JSON.stringify({ ...limits, marker });
  const code = `const { watch } = await import(${JSON.stringify(module)}); watch(${given}); ${body}`;
  const child = spawn(process.execPath, [...TYPESCRIPT, "--input-type=module", "-e", code], { stdio: "ignore" });
  const ended = await new Promise((resolve) => child.on("exit", (status, signal) => resolve(signal ?? status)));
  return [ended, existsSync(marker) ? readFileSync(marker, "utf8") : ""];
}

test.each([
  ["a loop", "for (;;);", { workMs: 100, idleMs: NEVER_MS }, ["SIGKILL", "works on and on"]],
  ["a wait", "setInterval(() => undefined, 3_600_000);", { workMs: NEVER_MS, idleMs: 600 }, ["SIGKILL", "waits"]],
  ["an end in time", "", { workMs: NEVER_MS, idleMs: NEVER_MS }, [0, ""]],
])("%s", async (_, body, limits, expected) => {
  expect(await watched(body, limits)).toEqual(expected);
});
