/**
 * Surroundings for the commands of `ofs-sim`: toys, and what they printed.
 */
import { join } from "node:path";
import type { Surroundings } from "../../node/sim/surroundings.ts";
import { reorganization } from "../../sim/fault-plans.ts";
import type { Scenario } from "../../sim/scenario.ts";
import { defineScenario, seconds } from "../../sim/scenario.ts";
import { wallMs } from "../../sim/wall-clock.ts";
import { post, toyBackends, toyTrouble } from "./toy-world.ts";

const short: Scenario = defineScenario({
  name: "toy-short",
  description: "Three toys say two words.",
  source: "ours",
  nodes: 3,
  actions: [post("ann", "hello", seconds(1), 0), post("bob", "there", seconds(2), 2)],
});

/** Nobody ever says what the second person waits for. */
const stuck: Scenario = defineScenario({
  name: "toy-stuck",
  description: "A person waits for what never comes.",
  source: "ours",
  nodes: 2,
  actions: [
    {
      kind: "code",
      name: "wait",
      actor: "ann",
      at: 0,
      *run(person) {
        yield* person.poll("getTexts", {}, () => undefined, seconds(5));
      },
    },
  ],
});

/** Only refused: toys have no chain to fork. */
const forking: Scenario = defineScenario({
  name: "toy-forking",
  description: "The chain of toys is forked.",
  source: "ours",
  nodes: 1,
  chain: "bankrun",
  faults: [reorganization(seconds(1), 2)],
});

export const toyScenarios = [forking, short, stuck, toyTrouble] as const;

/** `unsteady` toys answer with their process id, which a twin has another of. */
export function toySurroundings(unsteady = process.env.TOY_UNSTEADY === "1"): Surroundings & {
  readonly printed: string[];
  readonly complained: string[];
} {
  const [printed, complained]: [string[], string[]] = [[], []];
  return {
    printed,
    complained,
    out: (text) => printed.push(text),
    err: (text) => complained.push(text),
    overwrite: undefined,
    wallMs,
    scenarios: async () => toyScenarios,
    backends: async () => toyBackends(unsteady ? { wallClock: () => process.pid } : {}),
    launcher: join(import.meta.dirname, "toy-cli.mjs"),
    stop: new AbortController().signal,
    inputEnds: () => Promise.resolve(),
  };
}
