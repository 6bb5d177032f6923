/**
 * What npm cannot bring: clang for the on-chain program, Chromium for the page tests, Prometheus for the alert rules,
 * Redis for the queue. A suite that needs one is wrapped in `needsClang`, `needsChromium`, `needsPrometheus` or
 * `needsRedis` and is handed the command's path. Where the command is missing the suite is left out, and the run says
 * so in one line; in CI (`CI=true`) it fails instead.
 */
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, test } from "vitest";

interface Requirement {
  readonly name: string;
  /** Names under which the command may be installed, best first. */
  readonly commands: readonly string[];
  /** Names the command for those who have it elsewhere. */
  readonly variable: string;
  readonly install: string;
}

const clang: Requirement = {
  name: "clang-19",
  commands: ["clang-19"],
  variable: "OFS_CLANG",
  install: "apt-get install clang-19",
};

const chromium: Requirement = {
  name: "Chromium",
  commands: ["chromium", "chromium-browser", "google-chrome"],
  variable: "OFS_CHROMIUM",
  install: "apt-get install chromium",
};

const prometheus: Requirement = {
  name: "Prometheus",
  commands: ["promtool"],
  variable: "OFS_PROMTOOL",
  install: "apt-get install prometheus",
};

const redis: Requirement = {
  name: "Redis",
  commands: ["redis-server"],
  variable: "OFS_REDIS_SERVER",
  install: "apt-get install redis-server",
};

type Suite = (commandPath: string) => void;

/** A suite that compiles the on-chain program. */
export function needsClang(name: string, suite: Suite): void {
  suiteNeeding(clang, name, suite, process.env);
}

/** A suite that opens pages in a browser. */
export function needsChromium(name: string, suite: Suite): void {
  suiteNeeding(chromium, name, suite, process.env);
}

/** A suite that asks Prometheus about rules; handed promtool, beside which Prometheus lies. */
export function needsPrometheus(name: string, suite: Suite): void {
  suiteNeeding(prometheus, name, suite, process.env);
}

/** A suite that hands jobs out through a Redis of its own. */
export function needsRedis(name: string, suite: Suite): void {
  suiteNeeding(redis, name, suite, process.env);
}

function suiteNeeding(requirement: Requirement, name: string, suite: Suite, env: NodeJS.ProcessEnv): void {
  const path = findCommand(requirement, env);
  if (path !== undefined) {
    describe(name, () => suite(path));
    return;
  }
  const reason = `[needs ${requirement.name}: ${requirement.install}]`;
  if (isCi(env)) {
    test(`${name} ${reason}`, () => {
      throw new Error(`${requirement.name} is not installed; in CI nothing is left out`);
    });
    return;
  }
  describe.skip(`${name} ${reason}`, () => suite(""));
}

/** Where a required command is, or nothing when it is not installed. */
export function findCommand(requirement: Requirement, env: NodeJS.ProcessEnv): string | undefined {
  const named = env[requirement.variable];
  if (named !== undefined) return isExecutable(named) ? named : undefined;
  const folders = (env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  return requirement.commands.flatMap((command) => folders.map((folder) => join(folder, command))).find(isExecutable);
}

/** Whether this run may leave nothing out. */
export function isCi(env: NodeJS.ProcessEnv): boolean {
  return env.CI !== undefined && env.CI !== "" && env.CI !== "false" && env.CI !== "0";
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
