/**
 * Scripts: what a simulated person does, one wish after another. A script is a generator, resumed by the stage when
 * its wish came true; so it needs no promise, and its order is the world's. It learns only what it reads, and what it
 * read is written down: a script of a held world is told all of it again, and stands where it stood.
 * Source: DESIGN section 5 "Actors wait by reading, never by peeking".
 */

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

/** Waits so many milliseconds. */
export function* sleep(ms: number): Script {
  yield { type: "sleep", ms };
}

/** Waits for an instant, counted from the start of the run. */
export function* until(time: number): Script {
  yield { type: "until", time };
}
