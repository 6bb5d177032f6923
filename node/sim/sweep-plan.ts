/**
 * The runs of a sweep: every combination of the values of its parameters, with every seed. A run has a number, so that
 * whoever has the same parameters and seeds knows which it is. Source: DESIGN section 6.
 */
import type { Scenario } from "../../sim/scenario.ts";
import { senseless } from "../../sim/scenario.ts";
import { unfitChain } from "../../sim/setup.ts";
import { isOfChain, variedBy } from "../../sim/sweep-parameters.ts";
import type { RunChoices } from "./run-command.ts";
import { checkFit } from "./run-command.ts";
import type { SeedRange } from "./usage.ts";
import { SWEEP_RUNS_MAX, UsageError } from "./usage.ts";

/** A parameter and the values that it takes, as they were written. */
export interface SweptParameter {
  readonly name: string;
  readonly values: readonly string[];
}

/** One run of a sweep: the values of the parameters in their order, and the seed. */
export interface SweptRun {
  readonly values: readonly string[];
  readonly seed: bigint;
}

/** Reads `name=v1,v2`. Fails with a line that ends the command. */
export function sweptParameterOf(text: string): SweptParameter {
  const [, name = "", list = ""] = /^([^=]+)=(.+)$/.exec(text) ?? [];
  const values = list.split(",");
  if (name === "" || values.includes("")) {
    throw new UsageError(`--param is written name=v1,v2, for example loss=0,0.05, not "${text}".`);
  }
  for (const value of values) {
    const varied = variedBy(name, value);
    if (!varied.ok) throw new UsageError(`${varied.error}.`);
  }
  const twice = values.find((value, place) => values.indexOf(value) !== place);
  if (twice !== undefined) throw new UsageError(`${name} has the value ${twice} twice.`);
  return { name, values };
}

/** How many combinations there are, and how many runs. Fails with a line that ends the command. */
export function sizeOf(params: readonly SweptParameter[], { first, last }: SeedRange) {
  const names = params.map(({ name }) => name);
  const twice = names.find((name, place) => names.indexOf(name) !== place);
  if (twice !== undefined) throw new UsageError(`--param ${twice} is given twice; one takes all its values.`);
  const combinations = params.reduce((count, { values }) => count * values.length, 1);
  const seeds = Number(last - first) + 1;
  const runs = combinations * seeds;
  if (runs > SWEEP_RUNS_MAX) {
    throw new UsageError(
      `${combinations} combinations with ${seeds} seeds are ${runs} runs; ${SWEEP_RUNS_MAX} at most.`,
    );
  }
  return { combinations, seeds, runs };
}

/** The run of a number: seeds follow each other, then the values of the last parameter, then those before it. */
export function runOfNumber(number: number, params: readonly SweptParameter[], { first, last }: SeedRange): SweptRun {
  const seeds = Number(last - first) + 1;
  let rest = Math.floor(number / seeds);
  const values = params.map(() => "");
  for (const [place, { values: all }] of [...params.entries()].reverse()) {
    values[place] = all[rest % all.length] as string;
    rest = Math.floor(rest / all.length);
  }
  return { values, seed: first + BigInt(number % seeds) };
}

/** The scenario of a combination. Fails with a line that ends the command where it makes no sense. */
export function variedScenario(
  scenario: Scenario,
  params: readonly SweptParameter[],
  values: readonly string[],
  chain: RunChoices["chain"],
): Scenario {
  let varied = scenario;
  // Nodes first: what else is varied may look at them.
  const order = [...params.entries()].sort(([, a], [, b]) => Number(b.name === "nodes") - Number(a.name === "nodes"));
  for (const [place, { name }] of order) {
    const change = variedBy(name, values[place] as string);
    if (change.ok) varied = change.value(varied);
  }
  checkFit(varied, { nodes: varied.nodes, ...(chain !== undefined && { chain }) });
  const problem = senseless(varied) ?? unfitChain(varied, chain) ?? chainless(varied, params, chain);
  if (problem === undefined) return varied;
  throw new UsageError(`With ${pairsOf(params, values)}: ${problem}.`);
}

/** Why a parameter about the chain has nothing to vary. */
function chainless(scenario: Scenario, params: readonly SweptParameter[], chain: RunChoices["chain"]) {
  const about = params.find(({ name }) => isOfChain(name));
  if (about === undefined || (chain ?? scenario.chain) !== "none") return undefined;
  return `${scenario.name} runs without a chain, and ${about.name} is about one`;
}

/** The values of a combination as people read them. */
export function pairsOf(params: readonly SweptParameter[], values: readonly string[]): string {
  return params.map(({ name }, place) => `${name}=${values[place]}`).join(" ");
}
