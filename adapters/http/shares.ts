/**
 * How many of a thing each client holds at once: connections, streams, downloads. Clients that hold none are forgotten.
 */
import type { Server } from "node:http";
import type { Socket } from "node:net";

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

export interface SocketBounds {
  readonly server: Server;
  readonly clientMax: number;
  /** Who holds a connection; undefined when it is not counted for anybody. */
  readonly holderOf: (socket: Socket) => string | undefined;
  readonly refused: () => void;
}

/** Closes each connection of a client that holds as many as it may, as it comes; answers how many are open. */
export function boundSockets({ server, clientMax, holderOf, refused }: SocketBounds): () => number {
  const shares = openShares(clientMax);
  let open = 0;
  const counted = new WeakSet<Socket>();
  server.prependListener("connection", (socket: Socket) => {
    // A connection is handed over once more when an offer of another protocol is not taken up (upgrades.ts).
    if (counted.has(socket)) return;
    counted.add(socket);
    open += 1;
    socket.once("close", () => {
      open -= 1;
    });
    const holder = holderOf(socket);
    if (holder === undefined) return;
    if (!shares.below(holder)) {
      refused();
      socket.destroy();
      return;
    }
    socket.once("close", shares.take(holder));
  });
  return () => open;
}
