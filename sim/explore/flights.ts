/** What is under way, as numbers: a sorted list of items, each as often as it is under way, has one number. */
import type { Interner } from "./interner.ts";
import { createInterner } from "./interner.ts";

/** Items have numbers below this, and so have lists of them. */
const WIDTH = 2 ** 24;

export interface Flights {
  at(flight: number): readonly number[];
  of(items: readonly number[]): number;
  without(flight: number, item: number): number;
  with(flight: number, item: number): number;
  size(): number;
}

/** The empty list has the number 0. */
export function openFlights(): Flights {
  const lists: Interner<readonly number[]> = createInterner();
  const removed = new Map<number, number>();
  const added = new Map<number, number>();
  const of = (items: readonly number[]) => {
    const sorted = [...items].sort((a, b) => a - b);
    return lists.of(sorted.join(), () => sorted);
  };
  of([]);
  return {
    of,
    at: lists.at,
    size: lists.size,
    without(flight, item) {
      const key = flight * WIDTH + item;
      const known = removed.get(key);
      if (known !== undefined) return known;
      const items = lists.at(flight);
      const place = items.indexOf(item);
      const made = of([...items.slice(0, place), ...items.slice(place + 1)]);
      removed.set(key, made);
      return made;
    },
    with(flight, item) {
      const key = flight * WIDTH + item;
      const known = added.get(key);
      if (known !== undefined) return known;
      const made = of([...lists.at(flight), item]);
      added.set(key, made);
      return made;
    },
  };
}
