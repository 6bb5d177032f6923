// Goal: a client that is gone, or that was answered already, is not answered again, and takes nobody down with it.
// Method: responses and connections of a few lines, in every state that Node.js gives them.
import { EventEmitter } from "node:events";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { PassThrough } from "node:stream";
import type { FastifyReply } from "fastify";
import { expect, test } from "vitest";
import { answer, JSON_TYPE, jsonRefusals, sendText, TEXT_TYPE } from "../../adapters/http/answers.ts";
import type { Streams } from "../../adapters/http/streams.ts";
import { serveUpgrades } from "../../adapters/http/upgrades.ts";

test.each([
  { done: false, destroyed: false, written: ["head", "end", "header", "serializer", "send"] },
  { done: true, destroyed: false, written: [] },
  { done: false, destroyed: true, written: [] },
  { done: true, destroyed: true, written: [] },
])("an answer on a route and one beside them: %j", ({ done, destroyed, written }) => {
  const calls: string[] = [];
  const note = (what: string) => () => {
    calls.push(what);
    return reply;
  };
  const raw = { headersSent: done, destroyed, writeHead: note("head"), end: note("end") };
  const reply = { sent: done, raw, header: note("header"), serializer: note("serializer"), send: note("send") };
  answer(raw as unknown as ServerResponse, 200, TEXT_TYPE, "text");
  sendText(reply as unknown as FastifyReply, JSON_TYPE, "{}");
  expect(calls).toEqual(written);
});

test.each(["/ws", "/elsewhere"])("a connection to %s that breaks is given up, and the server goes on", async (url) => {
  const server = new EventEmitter();
  const accepted: unknown[] = [];
  const free = { take: () => 0, takeMore: () => 0, charge: () => undefined, change: () => undefined };
  const streams = { belowLimit: () => true, accept: (...given: unknown[]) => accepted.push(given) };
  serveUpgrades({
    server: server as Server,
    streams: streams as unknown as Streams,
    allowances: { calls: free, asides: free },
    refused: { note: () => undefined },
    late: { later: (refuse) => refuse() },
    admits: () => true,
    forbids: () => undefined,
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
