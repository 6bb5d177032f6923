/**
 * Requests that come behind one another on a connection, and their answers, which wait for those before them. When it
 * breaks, Node.js tells the first answer alone: the others would keep what they hold, a place among downloads and an
 * open file, for as long as the node runs; and it goes on reading what came with them.
 * Source: RFC 9112, section 9.3.2; DESIGN L10.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/**
 * Closes answers with their connection, and passes over requests of one that has ended. Comes before the server's own
 * listeners for requests. Source: RFC 9112, section 9.3.2.
 */
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
  function waits(response: ServerResponse, socket: Socket): void {
    const queue = queueOf(socket);
    queue.add(response);
    response.once("close", () => queue.delete(response));
  }
  const listeners = server.listeners("request");
  server.removeAllListeners("request").on("request", (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    if (socket.destroyed) return;
    // The answer whose turn it is hears by itself.
    if (response.socket === null) waits(response, socket);
    for (const listener of listeners) listener.call(server, request, response);
  });
}

function close(response: ServerResponse): void {
  response.destroy();
  response.emit("close");
}
