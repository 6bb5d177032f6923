/**
 * The rate limit: for each client a burst, then one call per interval (a generic cell rate algorithm, which keeps
 * one number a client). Source: protocol 01 §10.4, W21.
 */
import type { RateLimitBounds } from "./limits.ts";

/** How often clients that have their whole burst again are forgotten. Source: protocol 01 §10.4. */
const SWEEP_MS = 60_000;

export interface RateLimit {
  /** Counts one call of a client: 0 when it may go on, else how many milliseconds are left until it may. */
  readonly take: (client: string, now: number) => number;
  /** Counts more calls of a client that may go on already: the others of its batch. Its next call waits for them. */
  readonly charge: (client: string, calls: number, now: number) => void;
  /**
   * The same before they are read: 0 when they may go on, else how many milliseconds are left. What came meanwhile has
   * used up its allowance then, and nothing more is counted.
   */
  readonly takeMore: (client: string, calls: number, now: number) => number;
  readonly clients: () => number;
}

/** `now` of `take` never goes back; its origin is free. */
export function openRateLimit({ burst, intervalMs, clientsMax }: RateLimitBounds): RateLimit {
  /** For each client when it will have its whole burst again; the client heard of last comes last. */
  const restoredAt = new Map<string, number>();
  const debtMax = (burst - 1) * intervalMs;
  let swept = 0;

  const sweep = (now: number): void => {
    swept = now;
    for (const [client, at] of restoredAt) if (at <= now) restoredAt.delete(client);
  };
  const makeRoom = (): void => {
    for (const oldest of restoredAt.keys()) {
      if (restoredAt.size < clientsMax) break;
      restoredAt.delete(oldest);
    }
  };
  return {
    take: (client, now) => {
      const at = Math.max(restoredAt.get(client) ?? 0, now);
      const waitMs = at - now - debtMax;
      if (waitMs > 0) return waitMs;
      if (now - swept >= SWEEP_MS) sweep(now);
      restoredAt.delete(client);
      if (restoredAt.size >= clientsMax) makeRoom();
      restoredAt.set(client, at + intervalMs);
      return 0;
    },
    charge: (client, calls, now) => {
      restoredAt.set(client, Math.max(restoredAt.get(client) ?? 0, now) + calls * intervalMs);
    },
    takeMore: (client, calls, now) => {
      const at = Math.max(restoredAt.get(client) ?? 0, now);
      // The first of its calls is counted already.
      const waitMs = at - intervalMs - now - debtMax;
      if (waitMs > 0) return waitMs;
      restoredAt.set(client, at + calls * intervalMs);
      return 0;
    },
    clients: () => restoredAt.size,
  };
}
