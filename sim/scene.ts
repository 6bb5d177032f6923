/**
 * What a person of a scenario has around him besides his own client: the world, and what the others tell him outside
 * the network. Source: DESIGN section 5 "Actors wait by reading, never by peeking".
 */
import type { Script } from "./script.ts";
import type { World } from "./world.ts";

/** What actors of one scenario tell each other outside the network, such as the id of an advertisement. */
export interface Scene {
  readonly world: World;
  /** Gives a value a name for the others. */
  share(name: string, value: string): void;
  /** Waits until somebody shared it. */
  learn(name: string): Script<string>;
  /** Whether somebody shared it by now. */
  knows(name: string): boolean;
  tell(text: string): void;
}
