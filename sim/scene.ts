/**
 * What an actor of a scenario has besides a client of a node: the others of the scenario, and a view of the world for
 * the few things that no client shows. All that a script learns here is written down with what it was granted.
 */
import type { Clock } from "./clock.ts";
import type { Script } from "./script.ts";
import type { World } from "./world.ts";

/** What actors of one scenario tell each other outside the network, such as the id of an advertisement. */
export interface Scene {
  readonly world: World;
  /** The time as the actor knows it. Not the world's own, which is ahead while a script is told again what it knew. */
  readonly time: Pick<Clock, "now" | "epoch">;
  /** Gives a value a name for the others. */
  share(name: string, value: string): void;
  /** Waits until somebody shared it. */
  learn(name: string): Script<string>;
  /** Whether somebody shared it by now. */
  knows(name: string): boolean;
  tell(text: string): void;
  violate(check: string, message: string): void;
  /** Looks at the world past every client. What `look` answers must be a value; it is written down. */
  witness<T>(look: () => T): T;
  /** Asks every node at an instant, or at once if that has come, past every client; nobody gets the answers. */
  probe(time: number, body: string): void;
}
