/** What the process of a world prints of it. */
import type { Reach } from "./reach.ts";

/** With what the process exits that cannot load the product. */
export const DOES_NOT_LOAD = 20;

/** What came of one seed with a bug planted, as the process that ran it prints it. */
export interface Played {
  /** Decimal. */
  readonly seed: string;
  readonly events: number;
  /** The hash of the whole run: one that differs without the bug shows that the bug took effect. */
  readonly trace: string;
  /** The law that was broken first. */
  readonly law: string | null;
  readonly message: string;
  /** Kinds of faults, where a law was broken: without them the world goes another way. */
  readonly faults: readonly string[];
  /** Of the world alone, without its twins. */
  readonly cpuMs: number;
  /** What of the bundle the world ran, or what loading it did; where that was asked for. */
  readonly reach?: Reach;
}
