/**
 * The states that were met: each a few numbers in one growing array, found by open addressing. Exact: two states are
 * one only where all their numbers are equal.
 */

/** Numbers beside a state: the state from which it was met first, by which move, and its depth. */
const BESIDE = 3;
/** Part of the places that may be taken before they are doubled. */
const FULL = 0.6;

export interface StateTable {
  /** The place of a state, and whether it is met for the first time. */
  add(
    state: readonly number[],
    parent: number,
    move: number,
    depth: number,
  ): { readonly at: number; readonly isNew: boolean };
  read(at: number, into: number[]): void;
  /** The moves by which a state was met first. */
  way(at: number): readonly number[];
  depth(at: number): number;
  size(): number;
  bytes(): number;
}

/** No state yet; each has so many numbers. */
export function openStateTable(width: number): StateTable {
  const stride = width + BESIDE;
  let rows = new Uint32Array(stride * 4_096);
  let places = new Uint32Array(16_384);
  let count = 0;
  const found = { at: 0, isNew: false };

  function hashOf(state: ArrayLike<number>, from: number): number {
    let hash = 0x811c9dc5;
    for (let i = 0; i < width; i++) {
      hash = Math.imul(hash ^ (state[from + i] as number), 0x85ebca6b);
      hash ^= hash >>> 15;
    }
    return Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35) >>> 0;
  }

  function grow(): void {
    const more = new Uint32Array(places.length * 2);
    for (let at = 0; at < count; at++) {
      let place = hashOf(rows, at * stride) & (more.length - 1);
      while (more[place] !== 0) place = (place + 1) & (more.length - 1);
      more[place] = at + 1;
    }
    places = more;
  }

  function isAt(at: number, state: readonly number[]): boolean {
    for (let i = 0; i < width; i++) if (rows[at * stride + i] !== state[i]) return false;
    return true;
  }

  return {
    add(state, parent, move, depth) {
      let place = hashOf(state, 0) & (places.length - 1);
      for (; places[place] !== 0; place = (place + 1) & (places.length - 1)) {
        found.at = (places[place] as number) - 1;
        found.isNew = false;
        if (isAt(found.at, state)) return found;
      }
      if ((count + 1) * stride > rows.length) {
        const more = new Uint32Array(rows.length * 2);
        more.set(rows);
        rows = more;
      }
      for (let i = 0; i < width; i++) rows[count * stride + i] = state[i] as number;
      rows[count * stride + width] = parent;
      rows[count * stride + width + 1] = move;
      rows[count * stride + width + 2] = depth;
      places[place] = count + 1;
      found.at = count;
      found.isNew = true;
      count += 1;
      if (count > places.length * FULL) grow();
      return found;
    },
    read(at, into) {
      for (let i = 0; i < width; i++) into[i] = rows[at * stride + i] as number;
    },
    way(at) {
      const way: number[] = [];
      for (let here = at; here !== 0; here = rows[here * stride + width] as number)
        way.push(rows[here * stride + width + 1] as number);
      return way.reverse();
    },
    depth: (at) => rows[at * stride + width + 2] as number,
    size: () => count,
    bytes: () => rows.byteLength + places.byteLength,
  };
}
