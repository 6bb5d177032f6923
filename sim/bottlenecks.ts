/**
 * Lines that many directions share: whatever some members send and are sent goes through one of them byte by byte, so
 * that messages to one peer wait behind those to another. The bandwidth of a link (links.ts) is each direction's own.
 * Source: DESIGN section 5 "Faults".
 */
import type { FaultLedger, Injection } from "./faults.ts";
import type { Link } from "./links.ts";

/** A line, and what it is busy with. */
export interface SharedLine {
  readonly members: ReadonlySet<number>;
  readonly bytesPerMs: number;
  readonly injection: Injection;
  /** When the last byte that it was given has left, and whose message that was of. */
  freeAt: number;
  last: Link | undefined;
}

/** A line of some members that is idle. */
export function createLine(members: readonly number[], bytesPerMs: number, injection: Injection): SharedLine {
  return { members: new Set(members), bytesPerMs, injection, freeAt: 0, last: undefined };
}

/**
 * Puts the message that a link has just decided about behind what is in the lines between its ends. A line bites when
 * a message waits for bytes of another direction. Between two members of one line it goes through it once.
 */
export function waitInLines(
  lines: ReadonlySet<SharedLine>,
  faults: FaultLedger,
  link: Link,
  ends: readonly number[],
  now: number,
  size: number,
): void {
  let waited = 0;
  for (const line of lines) {
    if (!ends.some((end) => line.members.has(end))) continue;
    const arrives = now + waited;
    if (line.freeAt > arrives && line.last !== link) faults.bite(line.injection);
    line.freeAt = Math.max(arrives, line.freeAt) + Math.ceil(size / line.bytesPerMs);
    line.last = link;
    waited = line.freeAt - now;
  }
  link.delay += waited;
  if (link.copyDelay >= 0) link.copyDelay += waited;
}
