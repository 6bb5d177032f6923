/**
 * Orders drawn from one number. The orders of a schedule need not shrink; the story they carry does.
 * Source: DESIGN "Simulated world"; the generator is Mulberry32.
 */

export interface Shuffle {
  readonly below: (bound: number) => number;
  readonly shuffled: <T>(items: readonly T[]) => T[];
  /** Cuts a list into a few parts. */
  readonly parts: <T>(items: readonly T[]) => T[][];
  /** A few of the items, perhaps none. */
  readonly some: <T>(items: readonly T[]) => T[];
}

export function shuffleOf(seed: number): Shuffle {
  let state = seed >>> 0;
  const below = (bound: number): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
  };
  const shuffled = <T>(items: readonly T[]): T[] => {
    const order = [...items];
    for (let i = order.length - 1; i > 0; i--) {
      const j = below(i + 1);
      [order[i], order[j]] = [order[j] as T, order[i] as T];
    }
    return order;
  };
  return {
    below,
    shuffled,
    parts<T>(items: readonly T[]): T[][] {
      const parts: T[][] = [[]];
      for (const item of items) {
        if (below(6) === 0) parts.push([]);
        parts.at(-1)?.push(item);
      }
      return parts;
    },
    some: <T>(items: readonly T[]): T[] => items.filter(() => below(8) === 0),
  };
}

/** Every order of a list. */
export function* permutations<T>(items: readonly T[]): Generator<readonly T[]> {
  if (items.length < 2) yield items;
  else {
    for (const [i, first] of items.entries()) {
      for (const rest of permutations(items.filter((_, j) => j !== i))) yield [first, ...rest];
    }
  }
}
