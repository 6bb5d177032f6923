/**
 * The queue of what is to be attached, slice by slice, one a step: no call, however much it waits for, makes a slice
 * longer. Source: CONVERGENCE B5.
 */

import type { StepContext } from "../step-context.ts";
import { foldOf } from "../step-context.ts";
import { ATTACHED_AT_ONCE, Attaching } from "./attaching.ts";
import { countSlice, HeldCalls } from "./held-calls.ts";

/** After a step that began the queue: the next slice is taken at once, in a step of its own. */
export function beginAttaching({ base, draft, now, emit }: StepContext): void {
  if (base.size(Attaching) === 0 && draft.size(Attaching) > 0) emit({ type: "timer.set", timer: "attach", at: now });
}

/** The timer `attach`: one more slice, and then the next, as long as anything is queued or a call waits. */
export function attachMore(context: StepContext): void {
  attachSlice(context);
  goOnAttaching(context);
}

/** Looks at the next of what waits in the queue. */
export function attachSlice(context: StepContext): void {
  const { draft } = context;
  const fold = foldOf(context);
  for (let places = ATTACHED_AT_ONCE; places > 0; ) {
    const [first] = draft.keys(Attaching);
    if (first === undefined) break;
    // A record for which nothing waits any more is a look as well.
    places -= Math.max(1, fold.attachQueued(first, places));
  }
  fold.run();
  countSlice(draft);
}

/** Orders the next slice, if there is anything to do in it. */
export function goOnAttaching({ draft, now, emit }: StepContext): void {
  const isOver = draft.size(Attaching) === 0 && draft.size(HeldCalls) === 0;
  if (!isOver) emit({ type: "timer.set", timer: "attach", at: now });
}
