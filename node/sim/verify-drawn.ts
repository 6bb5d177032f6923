/**
 * `ofs-sim verify --drawn`: small worlds that seeds draw, each played twice: here in order, and in fresh processes with
 * another time zone, locale and engine flags backwards, so that what one world leaves in a process shows as well. Many
 * share a process, for starting one takes as long as ten of them. Source: DESIGN L1.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { smallScenario } from "../../sim/guided/small-world.ts";
import { scenarioText } from "../../sim/scenario-data.ts";
import type { RunChoices } from "./run-command.ts";
import type { Surroundings } from "./surroundings.ts";
import type { SeedRange } from "./usage.ts";
import { UsageError } from "./usage.ts";
import type { VerifyChoices } from "./verify-command.ts";
import { compare, runHere, spawned, timelessReport, toldStopped, twinFlags } from "./verify-command.ts";

/** Worlds of one fresh process. */
const WORLDS_A_PROCESS = 200n;

type WorldChoices = Pick<RunChoices, "chain" | "store" | "parity">;

/** Answers the exit code: 1 when any world had two ends, else 130 for an interruption, or 0. */
export async function verifyDrawn(choices: VerifyChoices, around: Surroundings): Promise<number> {
  const { seeds, scenario, nodes, held } = choices;
  if (scenario !== undefined) throw new UsageError("--drawn and --scenario exclude each other.");
  if (nodes !== undefined || held > 0) throw new UsageError("--drawn takes neither --nodes nor --held.");
  let differing = 0;
  for (let first = seeds.first; first <= seeds.last; first += WORLDS_A_PROCESS) {
    const runs = first - seeds.first;
    if (around.stop.aborted) return toldStopped({ from: first, seeds, runs, differing }, around);
    const end = first + WORLDS_A_PROCESS - 1n;
    const part = { first, last: end < seeds.last ? end : seeds.last };
    const [there, here] = await Promise.all([endsThere(part, choices, around), endsHere(part, choices, around)]);
    const apart = differingSeeds(part, here, there);
    for (const seed of apart) around.out(`${await differenceOf(seed, choices, around)}\n`);
    if (apart.length === 0) around.out(`same  drawn worlds seeds=${part.first}..${part.last}\n`);
    differing += apart.length;
  }
  const verdict = differing === 0 ? "OK" : "FAILED";
  const runs = seeds.last - seeds.first + 1n;
  around.out(`${verdict} verify drawn seeds=${seeds.first}..${seeds.last} runs=${runs} differing=${differing}\n`);
  return differing === 0 ? 0 : 1;
}

/** The hidden command that the fresh process runs: the ends of drawn worlds, a line each, the last one first. */
export async function endsCommand(range: SeedRange, choices: WorldChoices, around: Surroundings): Promise<number> {
  for (let seed = range.last; seed >= range.first; seed--) around.out(`${await endOf(seed, choices, around)}\n`);
  return 0;
}

async function endsHere(range: SeedRange, choices: WorldChoices, around: Surroundings): Promise<readonly string[]> {
  const ends: string[] = [];
  for (let seed = range.first; seed <= range.last; seed++) ends.push(await endOf(seed, choices, around));
  return ends;
}

async function endsThere(range: SeedRange, choices: WorldChoices, around: Surroundings): Promise<readonly string[]> {
  const { chain, store, parity } = choices;
  const command = ["ends", "--seeds", `${range.first}..${range.last}`, "--store", store];
  if (chain !== undefined) command.push("--chain", chain);
  if (parity !== undefined) command.push("--parity", parity);
  const out = await spawned(command, twinFlags(range.first / WORLDS_A_PROCESS), around);
  return out.trimEnd().split("\n").reverse();
}

/** Everything that a world came to, but how long it took. */
async function endOf(seed: bigint, choices: WorldChoices, around: Surroundings): Promise<string> {
  return timelessReport((await runHere(smallScenario(seed), { ...choices, seed }, undefined, around)).report);
}

function differingSeeds({ first }: SeedRange, here: readonly string[], there: readonly string[]): readonly bigint[] {
  return here.flatMap((end, place) => (end === there[place] ? [] : [first + BigInt(place)]));
}

/** The world once more, by itself: the first event in which it differs. */
async function differenceOf(seed: bigint, choices: VerifyChoices, around: Surroundings): Promise<string> {
  const scenario = smallScenario(seed);
  const text = scenarioText(scenario);
  if (!text.ok) throw new Error(`bug: a drawn world is not data: ${text.error}`);
  const folder = await mkdtemp(join(tmpdir(), "ofs-drawn-"));
  try {
    const file = join(folder, `${seed}.json`);
    await writeFile(file, text.value);
    const { differs, line } = await compare(scenario, seed, { ...choices, scenario: file }, around);
    return differs ? line : `DIFFERS  ${scenario.name} seed=${seed}: not by itself, only after other worlds`;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
