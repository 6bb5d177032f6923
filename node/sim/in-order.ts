/**
 * Hands numbered things on in the order of their numbers, in whatever order they come: what many processes print is
 * what one prints.
 */

/** Takes things by their numbers, each once. */
export interface InOrder<T> {
  put(number: bigint, thing: T): void;
  /** Hands on what still waits for others that will not come. */
  flush(): void;
}

/** Begins with a number; what has a lower one was handed on before. */
export function inOrder<T>(first: bigint, hand: (thing: T) => void): InOrder<T> {
  const waiting = new Map<bigint, T>();
  let next = first;
  const handOn = (number: bigint, thing: T) => {
    waiting.delete(number);
    hand(thing);
  };
  return {
    put(number, thing) {
      waiting.set(number, thing);
      for (; waiting.has(next); next++) handOn(next, waiting.get(next) as T);
    },
    flush() {
      const numbers = [...waiting.keys()].sort((a, b) => (a < b ? -1 : 1));
      for (const number of numbers) handOn(number, waiting.get(number) as T);
    },
  };
}
