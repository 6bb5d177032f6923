/**
 * Refusals that wait: who asks above his rate is answered a little later. An honest client, who is to wait far longer
 * before it asks again, loses nothing; one that asks again as soon as it is answered gets a few answers a second on
 * each of its connections, instead of as many as the node can give. Who asks on without waiting for them, several
 * requests behind one another, loses the connection. Source: DESIGN L10, "Waiting times".
 */
import type { Socket } from "node:net";
import type { ApiLimits } from "./limits.ts";

/** A connection on which one refusal waits at most. */
export type Line = Pick<Socket, "destroy">;

export interface LateRefusals {
  /**
   * Gives a refusal when its time has come; at once when as many wait already as may. Where one waits on the same
   * connection that is over instead.
   */
  readonly later: (refuse: () => void, line?: Line) => void;
  /** Gives those that wait, and from now on all others, at once. */
  readonly stop: () => void;
}

interface Waiting {
  readonly refuse: () => void;
  readonly at: number;
  readonly line: Line | undefined;
}

/** None waits yet. All wait equally long, so the first to come is the first to go, and one timer is enough. */
export function openLateRefusals({
  refusalMs,
  refusalsWaitingMax,
}: Pick<ApiLimits, "refusalMs" | "refusalsWaitingMax">): LateRefusals {
  let waiting: Waiting[] = [];
  const lines = new Set<Line>();
  let timer: NodeJS.Timeout | undefined;
  let isStopped = refusalMs <= 0;

  const give = (due: readonly Waiting[]): void => {
    for (const { refuse, line } of due) {
      if (line !== undefined) lines.delete(line);
      refuse();
    }
  };
  const release = (): void => {
    timer = undefined;
    const now = performance.now();
    const left = waiting.findIndex(({ at }) => at > now);
    const due = left < 0 ? waiting : waiting.slice(0, left);
    waiting = left < 0 ? [] : waiting.slice(left);
    give(due);
    wait();
  };
  const wait = (): void => {
    const [first] = waiting;
    if (first !== undefined) timer ??= setTimeout(release, Math.max(1, first.at - performance.now()));
  };
  return {
    later(refuse, line) {
      if (line !== undefined && lines.has(line)) return void line.destroy();
      if (isStopped || waiting.length >= refusalsWaitingMax) return refuse();
      if (line !== undefined) lines.add(line);
      waiting.push({ refuse, line, at: performance.now() + refusalMs });
      wait();
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
      const left = waiting;
      waiting = [];
      give(left);
    },
  };
}
