/**
 * Which worlds run the text that a planted bug changes: one that never runs it comes to the same events, and need not
 * be played. The runtime counts how often each block of the bundle ran; what ran while the bundle was loaded counts for
 * every world. Offsets are those of the bundle without a bug.
 */
import { Session } from "node:inspector/promises";

/** Ends of what ran and what did not, in turn, from the beginning of the text: what comes first did not run. */
export type Reach = readonly number[];

/** A part of a text: from, until and not including. */
export type Extent = readonly [from: number, until: number];

interface Block {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

/** Counts what runs from now on; each call answers what ran since the one before it. */
export async function openCounter(file: string): Promise<() => Promise<Reach>> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  return async () => {
    const { result } = await session.post("Profiler.takePreciseCoverage");
    const script = result.find(({ url }) => url.endsWith(file));
    return reachOf(script?.functions.flatMap(({ ranges }) => ranges) ?? []);
  };
}

/** What ran, by blocks that lie in one another: the innermost one counts. */
export function reachOf(blocks: readonly Block[]): Reach {
  const inOrder = [...blocks].sort((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset);
  const ends: number[] = [];
  let ran = false;
  const toggle = (at: number, runs: boolean) => {
    if (runs === ran) return;
    ran = runs;
    // What begins where the last one began takes its place.
    if (ends.at(-1) === at) ends.pop();
    else ends.push(at);
  };
  const around: Block[] = [];
  const closeUntil = (at: number) => {
    for (let inner = around.at(-1); inner !== undefined && inner.endOffset <= at; inner = around.at(-1)) {
      around.pop();
      toggle(inner.endOffset, (around.at(-1)?.count ?? 0) > 0);
    }
  };
  for (const block of inOrder) {
    closeUntil(block.startOffset);
    toggle(block.startOffset, block.count > 0);
    around.push(block);
  }
  closeUntil(Infinity);
  return ends;
}

/** What ran in either. */
export function together(one: Reach, other: Reach): Reach {
  const ends: number[] = [];
  for (const end of [...new Set([...one, ...other])].sort((a, b) => a - b)) {
    const runs = isRunning(one, end) || isRunning(other, end);
    if (runs === (ends.length % 2 === 0)) ends.push(end);
  }
  return ends;
}

/** Where two texts differ, in the first one; what is put in between two characters lies on both. */
export function changed(plain: string, planted: string): Extent {
  const shorter = Math.min(plain.length, planted.length);
  let from = 0;
  while (from < shorter && plain[from] === planted[from]) from++;
  let same = 0;
  while (same < shorter - from && plain.at(-1 - same) === planted.at(-1 - same)) same++;
  return [Math.max(0, from - 1), Math.min(plain.length, plain.length - same + 1)];
}

/** Whether any of a part ran. */
export function ranIn(reach: Reach, [from, until]: Extent): boolean {
  return isRunning(reach, from) || reach.some((end) => end > from && end < until);
}

/** Whether the character at an offset ran. */
function isRunning(reach: Reach, at: number): boolean {
  let [low, high] = [0, reach.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((reach[middle] as number) <= at) low = middle + 1;
    else high = middle;
  }
  return low % 2 === 1;
}
