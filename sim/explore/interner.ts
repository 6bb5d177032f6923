/** Interning: equal values get one number, and the number leads back to the value. */

export interface Interner<T> {
  /** The number of a value with this text; the first one that came with it is kept. */
  of(text: string, value: () => T): number;
  at(id: number): T;
  size(): number;
}

/** Nothing is interned yet. */
export function createInterner<T>(): Interner<T> {
  const ids = new Map<string, number>();
  const values: T[] = [];
  return {
    of(text, value) {
      const known = ids.get(text);
      if (known !== undefined) return known;
      ids.set(text, values.length);
      return values.push(value()) - 1;
    },
    at: (id) => values[id] as T,
    size: () => values.length,
  };
}
