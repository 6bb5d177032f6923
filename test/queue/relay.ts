/**
 * A way to a Redis through a port of its own: what passes between a client and Redis is up to who opens it.
 */
import type { Socket } from "node:net";
import { connect, createServer } from "node:net";

export interface Relay {
  readonly url: string;
  close(): Promise<void>;
}

/** Opens it on a free port of this machine; `join` is handed both ends of every connection, and passes bytes on. */
export async function openRelay(url: string, join: (near: Socket, far: Socket) => void): Promise<Relay> {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    join(near, far);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on("error", () => undefined);
      one.on("close", () => {
        sockets.delete(one);
        // What is still on its way to it arrives.
        other.end();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("the server has no port");
  return {
    url: `redis://127.0.0.1:${address.port}`,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
