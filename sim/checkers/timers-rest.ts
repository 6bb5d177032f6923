/**
 * A timer that comes again at once has a bounded part of something left to do, and gets on with it. What changes
 * nothing would do the same again at the same instant, for ever; what changes something without getting on is seen by
 * its number: no queue of a node has more slices. So a run in which a timer never rests comes to an end.
 * Source: CONVERGENCE B5; DESIGN "Work at once".
 */
import type { Effect, EpochMillis, TimerName } from "../../core/index.ts";
import type { CheckContext, Checker } from "../checker.ts";

/** Steps of one timer of one node within a second: slices of 64 that come to more than any bound of what waits. */
const STEPS_A_SECOND = 1_024;
const WITHIN_MS = 1_000;

/** Steps of a timer since a second began. */
interface Count {
  steps: number;
  since: number;
}

/** No timer comes again at once for ever. */
export function timersRest({ violate, keep, time }: CheckContext): Checker {
  const counts = keep(() => new Map<string, Count>());
  return {
    name: "timers-rest",
    onStep({ node, input, changes, effects }) {
      if (input.type !== "timer.fired") return;
      const { timer, now } = input;
      if (changes.length === 0 && effects.some((effect) => isAgain(effect, timer, now)))
        violate(`node ${node} changes nothing when the timer ${timer} comes, and lets it come again at once`);
      const place = `${node}/${timer}`;
      const count = counts.get(place);
      const goesOn = count !== undefined && time() - count.since < WITHIN_MS;
      const steps = goesOn ? count.steps + 1 : 1;
      counts.set(place, { steps, since: goesOn ? count.since : time() });
      if (steps > STEPS_A_SECOND)
        violate(`node ${node} lets the timer ${timer} come more than ${STEPS_A_SECOND} times a second`);
    },
  };
}

function isAgain(effect: Effect, timer: TimerName, now: EpochMillis): boolean {
  return effect.type === "timer.set" && effect.timer === timer && effect.at <= now;
}
