/**
 * What the commands of `ofs-sim` need of the world outside: where they write, and where scenarios and the parts of a
 * world come from. Tests give others.
 */

import { nextTurn } from "../../sim/runtime.ts";
import type { Scenario } from "../../sim/scenario.ts";
import type { Backends } from "../../sim/setup.ts";

export interface Surroundings {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Writes a text in the place of the line that a terminal shows last; absent where progress cannot be shown. */
  readonly overwrite: ((text: string) => void) | undefined;
  /** Milliseconds since some fixed moment: for how long something took, and for nothing else. */
  readonly wallMs: () => number;
  readonly scenarios: () => Promise<readonly Scenario[]>;
  readonly backends: () => Promise<Backends>;
  /** The script that starts this command again in a process of its own. */
  readonly launcher: string;
  /** Aborted when somebody wants the command to end: what is running is finished, and nothing else begun. */
  readonly stop: AbortSignal;
  /** Reads its input away; answers when that has ended. */
  readonly inputEnds: () => Promise<void>;
}

/** Lets a signal come; whether one came that ends the command. */
export function stopAsked({ stop }: Pick<Surroundings, "stop">): () => Promise<boolean> {
  return async () => {
    await nextTurn();
    return stop.aborted;
  };
}
