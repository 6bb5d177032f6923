/**
 * A scenario that is given by the path of its file: `.json`, read as data, or a module (`.ts`, `.mjs`, `.js`) that
 * exports one. What cannot be read is refused in one line that names the file. Source: DESIGN section 5.
 */
import { readFile, stat } from "node:fs/promises";
import { extname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Scenario } from "../../sim/scenario.ts";
import { senseless } from "../../sim/scenario.ts";
import { scenarioOf } from "../../sim/scenario-data.ts";
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
  const { size } = await stat(file).catch((error: unknown) => refuse(file, error));
  if (size > SCENARIO_BYTES_MAX) throw new UsageError(`${file} is longer than ${SCENARIO_BYTES_MAX} bytes.`);
  const read = scenarioOf(await readFile(file, "utf8").catch((error: unknown) => refuse(file, error)));
  if (!read.ok) throw new UsageError(`${file}: ${read.error}.`);
  return read.value;
}

async function moduleIn(file: string): Promise<Scenario> {
  const loaded = (await import(pathToFileURL(resolve(file)).href).catch((error: unknown) =>
    refuse(file, error),
  )) as object;
  const [found, ...others] = Object.values(loaded).filter(isScenario);
  if (found === undefined || others.length > 0) {
    throw new UsageError(`${file} exports ${found === undefined ? "no scenario" : "several scenarios"}; one is run.`);
  }
  const problem = senseless(found);
  if (problem !== undefined) throw new UsageError(`${file}: ${problem}.`);
  return found;
}

function isScenario(value: unknown): value is Scenario {
  const { actions, faults, safety, liveness } = (value ?? {}) as Partial<Scenario>;
  return [actions, faults, safety, liveness?.checks].every(Array.isArray);
}

function refuse(file: string, error: unknown): never {
  const reason = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
  throw new UsageError(`${file} cannot be read: ${reason}.`);
}
