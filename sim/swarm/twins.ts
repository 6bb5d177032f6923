/**
 * Whether a fault did anything: a world that is played once more without it, to the same events or to others. A fault
 * counts itself when it acts; only its twin shows that somebody noticed. Source: DESIGN section 5 "Faults", L12.
 */
import { injectedBy, without } from "../fault-kinds.ts";
import type { FaultPlan } from "../fault-plans.ts";
import type { FaultKind } from "../faults.ts";
import type { RunResult } from "../run.ts";
import { openRun } from "../run.ts";
import type { Scenario } from "../scenario.ts";
import type { Backends, RunOptions } from "../setup.ts";
import type { Checkpoint, Trace } from "../trace.ts";
import { openDice } from "./dice.ts";
import { NIGHT_LEAST_MS } from "./night.ts";

/** One fault of a scenario, by its place, and one of the kinds that it injects. */
export interface Suspect {
  readonly place: number;
  readonly kind: FaultKind;
}

/** One world in so many has a twin in `fuzz`. */
const TWIN_EVERY = 4;

/** Everything that may turn out to do nothing. Nobody is woken by a twin to be awake alone for a whole night. */
export function suspectsOf({ faults }: Pick<Scenario, "faults">): readonly Suspect[] {
  return faults.flatMap((fault, place) =>
    fault.kind === "code" || isNight(fault) ? [] : injectedBy(fault).map((kind) => ({ place, kind })),
  );
}

/** A night costs no events because all are down: a node without its part of one would tell of a month. */
function isNight(fault: FaultPlan): boolean {
  return fault.kind === "crash" && fault.until - fault.from >= NIGHT_LEAST_MS;
}

/** The scenario without one of its faults, or without the part of it that injects a kind. */
export function twinOf(scenario: Scenario, { place, kind }: Suspect): Scenario {
  const faults = scenario.faults.flatMap((fault, at) => (at === place ? (without(fault, kind) ?? []) : [fault]));
  // Else the twin would end sooner, or be blamed for a kind that nobody injects any more.
  return { ...scenario, faults, provesFaults: false };
}

/**
 * Whether a run without the suspect comes to other events than the run of the scenario did. It is played no further
 * than to the first checkpoint at which the two differ: a hash over all events before never comes to agree again.
 */
export async function bites(
  scenario: Scenario,
  suspect: Suspect,
  { eventsHash, checkpoints }: Pick<RunResult, "eventsHash" | "checkpoints">,
  options: RunOptions,
  backends: Backends,
): Promise<boolean> {
  const twin = await openRun(twinOf(scenario, suspect), options, backends);
  try {
    const ended = await twin.goOn(parting(twin.world.trace, checkpoints));
    return !ended || twin.result().eventsHash !== eventsHash;
  } finally {
    await twin.close();
  }
}

/** Asked after every event, whether a trace has a checkpoint that another has not. */
function parting(trace: Trace, others: readonly Checkpoint[]): () => boolean {
  let compared = 0;
  return () => {
    const own = trace.checkpoints();
    if (own.length === compared) return false;
    compared = own.length;
    return own[compared - 1]?.hash !== others[compared - 1]?.hash;
  };
}

/** Of every fourth world, one suspect. */
export function drawnSuspect(seed: bigint, scenario: Scenario): Suspect | undefined {
  const dice = openDice(seed, "twin");
  const suspects = suspectsOf(scenario);
  return suspects.length > 0 && dice.oneIn(TWIN_EVERY) ? dice.pick(suspects) : undefined;
}
