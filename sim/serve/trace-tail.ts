/**
 * The last steps of a served network, as the lines that a trace has of them: text is made when somebody asks. It
 * watches steps and takes no part in them. Source: DESIGN section 5 "Trace", section 6 "serve"; L10.
 */
import type { MakeChecker, StepSeen } from "../checker.ts";
import { describeStep } from "../step-text.ts";

/** Steps that are kept, the newest. Source: DESIGN L10. */
export const STEPS_KEPT = 256;

/** A step as it was seen, and when, in milliseconds since the first day of worlds. */
export interface TracedStep extends Pick<StepSeen, "node" | "input" | "effects" | "roots" | "rootsBefore"> {
  readonly at: number;
}

/** One step as a line. */
export interface TraceLine {
  readonly at: number;
  readonly node: number;
  readonly text: string;
}

/** The last steps of one world. */
export interface TraceTail {
  readonly watch: MakeChecker;
  /** So many of the last lines, oldest first. */
  lines(most: number): readonly TraceLine[];
  /** What it keeps, for a world that goes on from here. */
  held(): readonly TracedStep[];
}

/** Watches a world that is made, or that goes on from where another stood. */
export function openTraceTail(from: readonly TracedStep[] = []): TraceTail {
  const steps = [...from];
  return {
    watch: ({ time }) => ({
      name: "trace-tail",
      onStep({ node, input, effects, roots, rootsBefore }) {
        steps.push({ at: time(), node, input, effects, roots, rootsBefore });
        if (steps.length >= 2 * STEPS_KEPT) steps.splice(0, steps.length - STEPS_KEPT);
      },
    }),
    lines: (most) =>
      steps.slice(-Math.min(most, STEPS_KEPT)).map(({ at, node, input, effects, roots, rootsBefore }) => {
        return { at, node, text: describeStep(input, effects, roots === rootsBefore ? null : roots) };
      }),
    held: () => steps.slice(-STEPS_KEPT),
  };
}
