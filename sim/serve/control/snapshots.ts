/**
 * States of the whole network to come back to: any number within a bound, each as often as is wanted, in any order.
 * What nodes remember is shared with the running world until one of the two writes. Source: DESIGN section 6 "serve".
 */
import type { HeldWorld } from "../live-world.ts";

/** States that are kept at once. Source: DESIGN L10. */
export const SNAPSHOTS_MAX = 4_096;

/** The kept states, by id. */
export interface Snapshots {
  /** Keeps a state; nothing when so many are kept already. */
  keep(state: HeldWorld): string | undefined;
  take(id: string): HeldWorld | undefined;
  /** Puts a state back in the place of one that was used up. */
  put(id: string, state: HeldWorld): void;
  drop(id: string): boolean;
  clear(): void;
  size(): number;
  /** How many were ever kept: no id comes twice. */
  taken(): number;
}

/** No state yet; of the ids, so many were given before. */
export function openSnapshots(before = 0): Snapshots {
  const kept = new Map<string, HeldWorld>();
  let taken = before;
  return {
    keep(state) {
      if (kept.size >= SNAPSHOTS_MAX) return undefined;
      taken += 1;
      kept.set(`snapshot-${taken}`, state);
      return `snapshot-${taken}`;
    },
    take: (id) => kept.get(id),
    put: (id, state) => void kept.set(id, state),
    drop: (id) => kept.delete(id),
    clear: () => kept.clear(),
    size: () => kept.size,
    taken: () => taken,
  };
}
