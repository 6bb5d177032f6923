/** What was made lately, by what it was made of: whoever needs it again gets the same one. */

export interface RecentlyMade<V> {
  /** What was made of a key; made now where it is not remembered. */
  of(key: string, make: () => V): V;
}

/** Remembers so many; the one that was made first goes first. */
export function recentlyMade<V>(most: number): RecentlyMade<V> {
  const made = new Map<string, V>();
  return {
    of(key, make) {
      if (made.has(key)) return made.get(key) as V;
      const [oldest] = made.size < most ? [] : made.keys();
      if (oldest !== undefined) made.delete(oldest);
      const value = make();
      made.set(key, value);
      return value;
    },
  };
}
