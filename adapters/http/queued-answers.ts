/**
 * Answers that wait behind another one on their connection. When that breaks, Node.js tells the first of them alone:
 * the others would keep what they hold, a place among downloads and an open file, for as long as the node runs.
 * Source: RFC 9112, section 9.3.2; DESIGN L10.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Closes them with their connection. Comes before whoever answers. Source: RFC 9112, section 9.3.2. */
export function closeQueuedAnswers(server: Server): void {
  const queued = new WeakMap<Socket, Set<ServerResponse>>();

  function queueOf(socket: Socket): Set<ServerResponse> {
    const known = queued.get(socket);
    if (known !== undefined) return known;
    const queue = new Set<ServerResponse>();
    queued.set(socket, queue);
    socket.once("close", () => {
      for (const response of queue) if (response.socket === null) close(response);
    });
    return queue;
  }
  server.prependListener("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
    // The one that is its connection's turn is told already.
    if (response.socket !== null) return;
    const queue = queueOf(socket);
    queue.add(response);
    response.once("close", () => queue.delete(response));
  });
}

function close(response: ServerResponse): void {
  response.destroy();
  response.emit("close");
}
