/**
 * A way to a Redis that answers until it is asked for one command; from then on it takes what it is sent on that
 * connection and says nothing.
 */
import type { Socket } from "node:net";
import { connect, createServer } from "node:net";

export interface MuteRedis {
  readonly url: string;
  close(): Promise<void>;
}

/** Opens it on a free port of this machine. */
export async function openMuteRedis(url: string, asked: string): Promise<MuteRedis> {
  const { port } = new URL(url);
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(port), "127.0.0.1");
    let isMute = false;
    near.on("data", (bytes) => {
      isMute ||= bytes.includes(`\r\n${asked}\r\n`);
      if (!isMute) far.write(bytes);
    });
    far.on("data", (bytes) => {
      if (!isMute) near.write(bytes);
    });
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on("error", () => undefined);
      one.on("close", () => {
        sockets.delete(one);
        other.destroy();
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
