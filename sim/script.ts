/**
 * Scripts: what a simulated person does, one wish after another. A script is a generator, resumed by the clock when
 * its wish came true; so it needs no promise, and its order is the world's. It learns only what it reads.
 * Source: DESIGN section 5 "Actors wait by reading, never by peeking".
 */
import type { Clock } from "./clock.ts";

/** What a script may wait for. */
export type Wish =
  | { readonly type: "sleep"; readonly ms: number }
  | { readonly type: "until"; readonly time: number }
  | { readonly type: "call"; readonly node: number; readonly body: string };

/** What comes back: the answer's body, `null` for an empty one, `undefined` when no answer came. */
export type Granted = string | null | undefined;

/** What somebody does step by step; it waits by yielding what it wishes for. */
export type Script<T = void> = Generator<Wish, T, Granted>;

/** Why a script gave up. Becomes a violation of the run. */
export class ScriptFailure extends Error {
  override readonly name = "ScriptFailure";
}

/** Sends a body to a node; `done` runs once with the answer. */
export type Call = (node: number, body: string, done: (answer: Granted) => void) => void;

/** Runs a script to its end. `done` gets what it threw, if it did. */
export function runScript(clock: Clock, call: Call, script: Script, done: (failure: unknown) => void): void {
  const resume = (granted: Granted): void => {
    let next: IteratorResult<Wish, void>;
    try {
      next = script.next(granted);
    } catch (failure) {
      return done(failure);
    }
    if (next.done === true) return done(undefined);
    grant(next.value);
  };
  const grant = (wish: Wish): void => {
    switch (wish.type) {
      case "sleep":
        return clock.after(wish.ms, () => resume(undefined));
      case "until":
        return clock.at(wish.time, () => resume(undefined));
      case "call":
        return call(wish.node, wish.body, resume);
    }
  };
  resume(undefined);
}

/** Waits so many milliseconds. */
export function* sleep(ms: number): Script {
  yield { type: "sleep", ms };
}

/** Waits for an instant, counted from the start of the run. */
export function* until(time: number): Script {
  yield { type: "until", time };
}
