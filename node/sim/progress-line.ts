/**
 * The line on a terminal that says how far a command is, written over itself once a second at most. Where progress
 * cannot be shown nothing is written. Source: DESIGN section 6.
 */
import type { Surroundings } from "./surroundings.ts";

/** Between two lines, in milliseconds: as often as a person reads, and next to nothing beside what is reported on. */
const EVERY_MS = 1_000;

/** Shows how far a command is. */
export interface ProgressLine {
  /** Writes a text if a second has passed; asks for it only then, with the seconds since the last one. */
  show(text: (seconds: number) => string): void;
  /** Takes the line away. */
  clear(): void;
}

/** Opens the line of a command that begins now; the first text is shown a second later. */
export function openProgressLine({ overwrite, wallMs }: Surroundings): ProgressLine {
  let [last, isShown] = [wallMs(), false];
  return {
    show(text) {
      if (overwrite === undefined) return;
      const now = wallMs();
      if (now - last < EVERY_MS) return;
      overwrite(text((now - last) / 1_000));
      [last, isShown] = [now, true];
    },
    clear() {
      if (isShown) overwrite?.("");
      isShown = false;
    },
  };
}
