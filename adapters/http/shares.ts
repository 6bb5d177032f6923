/**
 * How many of a thing each client holds at once: connections, streams, downloads. Clients that hold none are forgotten.
 */

export interface Shares {
  /** Whether a client may hold one more. */
  readonly below: (client: string) => boolean;
  /** Counts one more; answers how to give it back, once. */
  readonly take: (client: string) => () => void;
  readonly clients: () => number;
}

/** Nobody holds anything yet. */
export function openShares(clientMax: number): Shares {
  const held = new Map<string, number>();
  return {
    below: (client) => (held.get(client) ?? 0) < clientMax,
    take: (client) => {
      held.set(client, (held.get(client) ?? 0) + 1);
      let given = false;
      return () => {
        if (given) return;
        given = true;
        const left = (held.get(client) ?? 1) - 1;
        if (left === 0) held.delete(client);
        else held.set(client, left);
      };
    },
    clients: () => held.size,
  };
}
