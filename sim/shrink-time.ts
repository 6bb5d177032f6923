/**
 * Scenarios in which the same things happen sooner after each other. Source: DESIGN section 5 "Failure".
 */
import type { Action } from "./action-kinds.ts";
import { spanOf } from "./fault-kinds.ts";
import type { FaultPlan } from "./fault-plans.ts";
import type { Scenario } from "./scenario.ts";

/** Every instant at which something begins or ends, from the start on, each once and in order. */
export function instantsOf({ actions, faults }: Scenario): readonly number[] {
  const ends = faults.flatMap((fault) => {
    const { from, until } = spanOf(fault);
    return [from, until];
  });
  return [...new Set([0, ...actions.map(({ at }) => at), ...ends])].sort((a, b) => a - b);
}

/** The scenario with another instant in the place of each; what it lasts after the last one stays as long. */
export function retimed(scenario: Scenario, to: ReadonlyMap<number, number>): Scenario {
  const moved = (time: number) => to.get(time) ?? time;
  const last = instantsOf(scenario).at(-1) ?? 0;
  return {
    ...scenario,
    lasts: scenario.lasts - last + moved(last),
    actions: scenario.actions.map((action): Action => ({ ...action, at: moved(action.at) })),
    faults: scenario.faults.map((fault): FaultPlan => {
      // When code does what it does is its own affair.
      if (fault.kind === "code") return fault;
      if ("at" in fault) return { ...fault, at: moved(fault.at) };
      return { ...fault, from: moved(fault.from), until: moved(fault.until) };
    }),
  };
}

/** So long at most between any two instants; between two that are named by their place, if one is. */
export function closer(scenario: Scenario, gapMs: number, place?: number): Scenario {
  const instants = instantsOf(scenario);
  const to = new Map<number, number>();
  let saved = 0;
  for (const [at, instant] of instants.entries()) {
    const gap = instant - (instants[at - 1] ?? 0);
    if (place === undefined || place === at) saved += Math.max(0, gap - gapMs);
    to.set(instant, instant - saved);
  }
  return retimed(scenario, to);
}
