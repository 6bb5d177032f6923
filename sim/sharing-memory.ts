/**
 * What the nodes of one process share, so that a statement is decoded, verified and folded once and not once a node.
 * A row that a thousand nodes hold is one object. Source: DESIGN section 5 "Sharing".
 */
import type { SharingPort } from "../core/ports/sharing.ts";

/** Values kept by the bytes they are of; the oldest go first. Source: DESIGN "Simulated world". */
export const OF_BYTES_MAX = 16_384;
/** Questions under which values are kept, and values of one; the oldest go first. Source: DESIGN "Simulated world". */
export const QUESTIONS_MAX = 8_192;
export const VALUES_PER_QUESTION_MAX = 4;

/** Nothing is shared yet. One holder: a process, or a test. */
export function openSharedWork(): SharingPort {
  const numbers = new WeakMap<object, number>();
  const byBytes = new Map<string, unknown>();
  const byValue = new WeakMap<object, WeakMap<object, unknown>>();
  const byText = new Map<string, unknown[]>();
  let ways = 0;

  function numberOf(way: object): number {
    const known = numbers.get(way);
    if (known !== undefined) return known;
    ways += 1;
    numbers.set(way, ways);
    return ways;
  }

  return {
    ofBytes<V>(way: object, bytes: Uint8Array, make: () => V): V {
      const name = `${numberOf(way)}/${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1")}`;
      const known = byBytes.get(name);
      if (known !== undefined) return known as V;
      const made = make();
      if (made !== undefined) put(byBytes, name, made, OF_BYTES_MAX);
      return made;
    },
    of<V>(way: object, value: object, make: () => V): V {
      let made = byValue.get(way);
      if (made === undefined) {
        made = new WeakMap();
        byValue.set(way, made);
      }
      const known = made.get(value);
      if (known !== undefined) return known as V;
      const fresh = make();
      made.set(value, fresh);
      return fresh;
    },
    kept: <V>(way: object, text: string) => (byText.get(`${numberOf(way)}/${text}`) ?? NOTHING) as readonly V[],
    keep(way, text, value) {
      const name = `${numberOf(way)}/${text}`;
      const values = byText.get(name);
      if (values === undefined) return put(byText, name, [value], QUESTIONS_MAX);
      values.unshift(value);
      if (values.length > VALUES_PER_QUESTION_MAX) values.pop();
    },
  };
}

const NOTHING: readonly unknown[] = [];

function put<V>(into: Map<string, V>, name: string, value: V, most: number): void {
  if (into.size >= most) {
    const oldest = into.keys().next();
    if (oldest.done !== true) into.delete(oldest.value);
  }
  into.set(name, value);
}
