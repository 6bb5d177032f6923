// Goal: a client that is gone, or that was answered already, is not answered again, and takes nobody down with it.
// Method: responses and connections of a few lines, in every state that Node.js gives them.
import { EventEmitter } from "node:events";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { answer, answerCall, answerNothing, jsonRefusals, TEXT_TYPE } from "../../adapters/http/answers.ts";
import type { Streams } from "../../adapters/http/streams.ts";
import { serveUpgrades } from "../../adapters/http/upgrades.ts";

const answers: Readonly<Record<string, (response: ServerResponse) => void>> = {
  "a whole answer": (response) => answer(response, 200, TEXT_TYPE, "text"),
  "the node's answer": (response) => answerCall(response, "{}"),
  "no answer": answerNothing,
};

for (const [name, give] of Object.entries(answers)) {
  test.each([
    { headersSent: false, destroyed: false, written: 2 },
    { headersSent: true, destroyed: false, written: 0 },
    { headersSent: false, destroyed: true, written: 0 },
    { headersSent: true, destroyed: true, written: 0 },
  ])(`${name}: %j`, ({ headersSent, destroyed, written }) => {
    const calls: string[] = [];
    const response = {
      ...{ headersSent, destroyed },
      writeHead: () => void calls.push("head"),
      end: () => void calls.push("end"),
    };
    give(response as unknown as ServerResponse);
    expect(calls).toEqual(["head", "end"].slice(0, written));
  });
}

test.each(["/ws", "/elsewhere"])("a connection to %s that breaks is given up, and the server goes on", async (url) => {
  const server = new EventEmitter();
  const accepted: unknown[] = [];
  const streams = { belowLimit: () => true, accept: (...given: unknown[]) => accepted.push(given) };
  serveUpgrades({
    server: server as Server,
    streams: streams as unknown as Streams,
    allowance: { take: () => 0 },
    refused: { note: () => undefined },
    admits: () => true,
    clientOf: () => "",
    refusals: jsonRefusals,
  });
  const socket = new PassThrough();
  const request = { url, headers: { upgrade: "WebSocket" } } as unknown as IncomingMessage;
  server.emit("upgrade", request, socket, Buffer.alloc(0));
  expect(accepted).toHaveLength(url === "/ws" ? 1 : 0);
  socket.emit("error", new Error("reset by peer"));
  expect(socket.destroyed).toBe(true);
});
