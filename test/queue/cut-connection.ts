/**
 * A way to a Redis that is cut once, in the middle of what Redis answers to a script: the first answer is let through
 * and those behind it are not. Connections that are opened later are left alone.
 */
import type { Socket } from "node:net";
import { connect, createServer } from "node:net";

export interface CutConnection {
  readonly url: string;
  /** Whether it was cut. */
  readonly wasCut: boolean;
  close(): Promise<void>;
}

/** Opens it on a free port of this machine. */
export async function openCutConnection(url: string): Promise<CutConnection> {
  const { port } = new URL(url);
  const sockets = new Set<Socket>();
  let wasCut = false;
  const server = createServer((near) => {
    const far = connect(Number(port), "127.0.0.1");
    let wasScript = false;
    near.on("data", (bytes) => {
      wasScript ||= bytes.includes("\r\neval");
      far.write(bytes);
    });
    far.on("data", (bytes) => {
      const firstEnd = bytes.indexOf("\r\n", bytes.indexOf("\r\n") + 2) + 2;
      if (wasCut || !wasScript || firstEnd < 2 || firstEnd === bytes.length) {
        near.write(bytes);
        return;
      }
      wasCut = true;
      near.end(bytes.subarray(0, firstEnd));
      far.destroy();
    });
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on("error", () => undefined);
      one.on("close", () => {
        sockets.delete(one);
        if (!(one === far && wasCut)) other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("the server has no port");
  return {
    url: `redis://127.0.0.1:${address.port}`,
    get wasCut() {
      return wasCut;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
