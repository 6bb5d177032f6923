/**
 * Which connections are handed to HTTP: so many of one client at once, and so many new ones in a while. One that is
 * refused costs no parser: it ends before anything that came over it is looked at. Source: DESIGN L10.
 */
import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { LateRefusals } from "./late-refusals.ts";
import type { RateLimitBounds } from "./limits.ts";
import { openRateLimit } from "./rate-limit.ts";
import { openShares } from "./shares.ts";

export interface ConnectionBounds {
  /** Whose listeners for connections are all there. */
  readonly server: Server;
  readonly clientMax: number;
  /** New ones for each client; `null` for as many as come. */
  readonly rate: RateLimitBounds | null;
  /** Who holds a connection; undefined when it is not counted for anybody. */
  readonly holderOf: (socket: Socket) => string | undefined;
  readonly refused: (cause: "client-connections" | "connection-rate") => void;
  readonly late: Pick<LateRefusals, "later">;
  readonly clock: () => number;
}

/** Comes before the server's own listeners, and gives them what may stay; answers how many are open. */
export function boundConnections(bounds: ConnectionBounds): () => number {
  const { server } = bounds;
  const admits = admission(bounds);
  let open = 0;
  const counted = new WeakSet<Socket>();
  const listeners = server.listeners("connection");
  server.removeAllListeners("connection").on("connection", (socket: Socket) => {
    // A connection is handed over once more when an offer of another protocol is not taken up (upgrades.ts).
    if (!counted.has(socket)) {
      counted.add(socket);
      open += 1;
      socket.once("close", () => {
        open -= 1;
      });
      if (!admits(socket)) return;
    }
    for (const listener of listeners) listener.call(server, socket);
  });
  return () => open;
}

/** Counts a connection for its client, or ends it. */
function admission({ clientMax, rate, holderOf, refused, late, clock }: ConnectionBounds) {
  const shares = openShares(clientMax);
  const limit = rate === null ? undefined : openRateLimit(rate);
  return (socket: Socket): boolean => {
    const holder = holderOf(socket);
    if (holder === undefined) return true;
    if (!shares.below(holder)) {
      refused("client-connections");
      end(socket);
      return false;
    }
    socket.once("close", shares.take(holder));
    if ((limit?.take(holder, clock()) ?? 0) === 0) return true;
    refused("connection-rate");
    // It stays for a while, so that who connects again at once does so a few times a second.
    socket.on("error", ignored).pause();
    late.later(() => end(socket));
    return false;
  };
}

/** Takes nothing more of the system, not even to wait for the other end. */
function end(socket: Socket): void {
  socket.on("error", ignored).resetAndDestroy();
}

function ignored(): void {
  // Who goes meanwhile is no matter.
}
