/**
 * A seed as a job, and what came of it as plain data: the choices as they are written on a command line, and the
 * scenario by its name for a process beside this one, or whole for another machine. Source: DESIGN section 8.
 */
import type { Scenario } from "../../sim/scenario.ts";
import { scenarioOf, scenarioText } from "../../sim/scenario-data.ts";
import type { Job } from "../queue/job.ts";
import { SCENARIO_LENGTH_MAX } from "../queue/job.ts";
import { scenarioNamed } from "./run-command.ts";
import type { SeedChoices, SeedResult } from "./seed-run.ts";
import { runSeed } from "./seed-run.ts";
import type { Surroundings } from "./surroundings.ts";
import { sweptParameterOf } from "./sweep-plan.ts";
import { seedRangeOf, UsageError } from "./usage.ts";

/** The kind of these jobs. */
export const SEED_KIND = "seed";

/** Choices as they go over a wire. */
interface WrittenOptions extends Pick<SeedChoices, "scenario" | "chain" | "store" | "parity"> {
  readonly param?: readonly string[];
  readonly sweptSeeds?: string;
}

/** The scenario of many seeds, as all their jobs carry it; nothing for worlds that seeds draw. */
export async function sentScenario({ scenario }: SeedChoices, around: Surroundings): Promise<string | undefined> {
  if (scenario === undefined) return undefined;
  const written = scenarioText(await scenarioNamed(scenario, around));
  if (!written.ok) throw new UsageError(`${scenario} cannot be sent to other machines: ${written.error}.`);
  if (written.value.length <= SCENARIO_LENGTH_MAX) return written.value;
  throw new UsageError(
    `${scenario} is too long to be sent to other machines: ${SCENARIO_LENGTH_MAX} characters at most.`,
  );
}

/** The job of a seed: with a scenario's text, or else by the name among the choices. */
export function seedJob(seed: bigint, choices: SeedChoices, text?: string): Job {
  const { scenario, chain, store, parity, param, sweptSeeds } = choices;
  const options: WrittenOptions = {
    ...(text === undefined && scenario !== undefined && { scenario }),
    ...(chain !== undefined && { chain }),
    ...(parity !== undefined && { parity }),
    ...(param !== undefined && { param: param.map(({ name, values }) => `${name}=${values.join(",")}`) }),
    ...(sweptSeeds !== undefined && { sweptSeeds: `${sweptSeeds.first}..${sweptSeeds.last}` }),
    store,
  };
  return {
    kind: SEED_KIND,
    name: seed.toString(),
    options: { ...options },
    ...(text !== undefined && { scenario: text }),
  };
}

/** What came of a seed, as it goes over a wire. */
interface WrittenResult extends Omit<SeedResult, "seed"> {
  readonly seed: string;
}

/** Runs the job of a seed. */
export async function runSeedJob({ name, scenario, options }: Job, around: Surroundings): Promise<WrittenResult> {
  const { param, sweptSeeds, ...others } = options as unknown as WrittenOptions;
  const choices: SeedChoices = {
    ...others,
    ...(param !== undefined && { param: param.map(sweptParameterOf) }),
    ...(sweptSeeds !== undefined && { sweptSeeds: seedRangeOf(sweptSeeds) }),
    ...(scenario !== undefined && { given: givenScenario(scenario) }),
  };
  const { seed, report, reached, twin, figures } = await runSeed(BigInt(name), choices, around);
  const { events, violations } = report;
  return {
    ...{ seed: seed.toString(), report: { events, violations }, reached },
    ...(twin !== undefined && { twin }),
    ...(figures !== undefined && { figures }),
  };
}

/** What came of the job of a seed. */
export function seedResult(result: unknown): SeedResult {
  const { seed, ...others } = result as WrittenResult;
  return { ...others, seed: BigInt(seed) };
}

function givenScenario(text: string): Scenario {
  const read = scenarioOf(text);
  if (!read.ok) throw new UsageError(`The scenario that was sent is none: ${read.error}.`);
  return read.value;
}
