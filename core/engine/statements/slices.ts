/**
 * The queue of what is to be attached, slice by slice: one a step, until a call asks what rests on it.
 * Source: CONVERGENCE B5: "a read first finishes what it is about".
 */

import type { Reference } from "../../kernel/signed.ts";
import type { StepContext } from "../step-context.ts";
import { foldOf } from "../step-context.ts";
import { ATTACHED_AT_ONCE, Attaching, isKin } from "./attaching.ts";

/** After a step that began the queue: the next slice is taken at once, in a step of its own. */
export function beginAttaching({ base, draft, now, emit }: StepContext): void {
  if (base.size(Attaching) === 0 && draft.size(Attaching) > 0) emit({ type: "timer.set", timer: "attach", at: now });
}

/** The timer `attach`: one more slice. */
export function attachMore(context: StepContext): void {
  const { draft, now, emit } = context;
  const fold = foldOf(context);
  for (let places = ATTACHED_AT_ONCE; places > 0; ) {
    const [first] = draft.keys(Attaching);
    if (first === undefined) break;
    places -= fold.attachQueued(first, places);
  }
  fold.run();
  if (draft.size(Attaching) > 0) emit({ type: "timer.set", timer: "attach", at: now });
}

/** Attaches at once what has to do with a record; all of the queue when nothing is named. */
export function finishAttaching(context: StepContext, about?: Reference): void {
  const { draft } = context;
  if (draft.size(Attaching) === 0) return;
  const fold = foldOf(context);
  const isMeant = (key: string) => about === undefined || isKin(draft, key, about);
  for (let due = [...draft.keys(Attaching)].filter(isMeant); due.length > 0; ) {
    for (const key of due) while (draft.get(Attaching, key) !== undefined) fold.attachQueued(key, Infinity);
    due = [...draft.keys(Attaching)].filter(isMeant);
  }
  fold.run();
}
