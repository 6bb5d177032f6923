/**
 * A scenario that is given by the path of its file: `.json`, read as data, or a module (`.ts`, `.mjs`, `.js`) that
 * exports one. What cannot be read is refused in one line that names the file. Source: DESIGN section 5.
 */
import { stat } from "node:fs/promises";
import { extname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Scenario } from "../../sim/scenario.ts";
import { senseless } from "../../sim/scenario.ts";
import { scenarioOf } from "../../sim/scenario-data.ts";
import { checkFile, readText, unreadable } from "./bounded-file.ts";
import { UsageError } from "./usage.ts";

/** Largest file that is read, in bytes. Source: DESIGN "Simulated world". */
export const SCENARIO_BYTES_MAX = 16_777_216;
const MODULES = [".ts", ".mts", ".mjs", ".js"];

/** Whether what was given is a path and no scenario's name. */
export function isPath(given: string): boolean {
  return /[/\\.]/.test(given);
}

/** Reads a scenario from a file. Fails with a line that ends the command. */
export async function scenarioIn(file: string): Promise<Scenario> {
  if (extname(file) === ".json") return await dataIn(file);
  if (MODULES.includes(extname(file))) return await moduleIn(file);
  throw new UsageError(`${file} is no scenario: a file ends in .json, ${MODULES.join(", ")}.`);
}

async function dataIn(file: string): Promise<Scenario> {
  const read = scenarioOf(await readText(file, SCENARIO_BYTES_MAX));
  if (!read.ok) throw new UsageError(`${file}: ${read.error}.`);
  return read.value;
}

async function moduleIn(file: string): Promise<Scenario> {
  const found = await stat(file).catch((error: unknown) => refuse(file, error));
  checkFile(file, found, SCENARIO_BYTES_MAX);
  const loaded = (await import(pathToFileURL(resolve(file)).href).catch((error: unknown) =>
    refuse(file, error instanceof Error ? new Error(problemOf(file, error)) : error),
  )) as object;
  const [scenario, ...others] = Object.values(loaded).filter(isScenario);
  if (scenario === undefined || others.length > 0) {
    throw new UsageError(
      `${file} exports ${scenario === undefined ? "no scenario" : "several scenarios"}; one is run.`,
    );
  }
  const problem = senseless(scenario);
  if (problem !== undefined) throw new UsageError(`${file}: ${problem}.`);
  return scenario;
}

function isScenario(value: unknown): value is Scenario {
  const { actions, faults, safety, liveness } = (value ?? {}) as Partial<Scenario>;
  return [actions, faults, safety, liveness?.checks].every(Array.isArray);
}

/** Why a module does not load, and where, if anybody tells: who translates it in the message, others in the stack. */
function problemOf(file: string, { message, stack = "", ...error }: Error & { readonly code?: string }): string {
  const translating = /^(.+):(\d+):(\d+): ERROR: (.+)$/m.exec(message);
  if (translating !== null) {
    const [, path, line, column, why] = translating;
    return `${path}:${line}:${Number(column) + 1}: ${why}`;
  }
  if (error.code === "ERR_UNKNOWN_FILE_EXTENSION") return "TypeScript wants Node.js 22.18 or later";
  const [first = ""] = message.split("\n");
  const path = resolve(file);
  const names = [path, pathToFileURL(path).href].map((name) => `${name}:`);
  const place = names.flatMap((name) => /^\d+(:\d+)?/.exec(stack.split(name)[1] ?? "")?.[0] ?? [])[0];
  return place === undefined ? first : `${file}:${place}: ${first}`;
}

function refuse(file: string, error: unknown): never {
  throw unreadable(file, error);
}
