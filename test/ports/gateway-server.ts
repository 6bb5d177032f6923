/**
 * A gateway as nodes meet it: a real HTTP server on this machine that answers as a test tells it.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface Received {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
}

export interface GatewayServer {
  readonly url: string;
  readonly port: number;
  readonly received: readonly Received[];
  /** Most requests that were being answered at the same moment, by path. */
  readonly most: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

/** Opens a server on the loopback address. */
export async function openGatewayServer(
  answer: (response: ServerResponse, request: Received) => void,
): Promise<GatewayServer> {
  const received: Received[] = [];
  const now = new Map<string, number>();
  const most = new Map<string, number>();
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    now.set(path, (now.get(path) ?? 0) + 1);
    most.set(path, Math.max(most.get(path) ?? 0, now.get(path) ?? 0));
    response.on("close", () => now.set(path, (now.get(path) ?? 0) - 1));
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const seen = { method: request.method, path, headers: request.headers, body: Buffer.concat(parts) };
      received.push(seen);
      answer(response, seen);
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    received,
    most,
    close: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
}
