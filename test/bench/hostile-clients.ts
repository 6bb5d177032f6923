/**
 * Clients that mean no good, in a process of their own: one kind, from loopback addresses of its own, until the input
 * ends or its count is reached. Usage: hostile-clients.ts KIND URL. Prints `ready` once all of them stand, and at its
 * end what became of them as one line of JSON.
 */
import type { Socket } from "node:net";
import { connect } from "node:net";
import { mutants } from "./mutants.ts";

/** Sockets that stand at once, from few addresses; the node keeps fewer. */
const IDLE = 5_000;
const ADDRESSES = 5;
const HALF_SENT = 1_000;
const STREAMS = 1_000;
const MUTATED = 100_000;
const BATCHES = 2_000;
const CALLS_A_BATCH = 100;
/** Requests under way of those who send as fast as they are answered. */
const AT_ONCE = 8;

const [kind = "", target = ""] = process.argv.slice(2);
const { hostname: host, port } = new URL(target);
const counts = { opened: 0, refused: 0, answered: 0, limited: 0, unanswered: 0 };
let over = false;

const kinds: Readonly<Record<string, () => Promise<void>>> = {
  "idle sockets": () => staying(IDLE, ADDRESSES, () => undefined),
  "half-sent requests": () =>
    staying(HALF_SENT, ADDRESSES, (socket) => socket.write("POST /rpc HTTP/1.1\r\nhost: a\r\n")),
  "slow streams": () => staying(STREAMS, STREAMS / 50, subscribe),
  batches: () => sending(BATCHES, () => batch),
  "mutated requests": () => sending(MUTATED, mutants(seedBody())),
};

/** An address of this kind's own: no other spends its allowances, and nobody honest speaks from 127.200.0.0/13. */
function addressOf(number: number): string {
  return `127.${200 + Object.keys(kinds).indexOf(kind)}.${number >> 8}.${(number & 255) + 1}`;
}

/** So many sockets that stay as long as they may. */
async function staying(sockets: number, addresses: number, begin: (socket: Socket) => unknown): Promise<void> {
  const opened = Array.from({ length: sockets }, (_, number) => {
    const socket = connect({ host, port: Number(port), localAddress: addressOf(number % addresses) });
    return new Promise<void>((settled) => {
      socket.once("connect", () => {
        counts.opened += 1;
        begin(socket);
        settled();
      });
      socket.once("error", () => settled());
      socket.once("close", () => {
        counts.refused += 1;
        settled();
      });
    });
  });
  await Promise.all(opened);
  console.log("ready");
}

/** A stream that is never read. */
function subscribe(socket: Socket): void {
  const head = ["GET /ws HTTP/1.1", "host: a", "upgrade: websocket", "connection: Upgrade"];
  const key = "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==";
  socket.write([...head, key, "sec-websocket-version: 13", "", ""].join("\r\n"));
  socket.pause();
}

const batch = JSON.stringify(
  Array.from({ length: CALLS_A_BATCH }, (_, id) => ({ jsonrpc: "2.0", id, method: "getAdvertisements" })),
);

function seedBody(): string {
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method: "getAdvertisement", params: { id: "first-0" } });
}

/** Requests as fast as they are answered, whatever the answer, each from the next of a few addresses. */
async function sending(count: number, next: () => string): Promise<void> {
  console.log("ready");
  let sent = 0;
  const one = async () => {
    for (; !over && sent < count; sent++) await ask(next(), sent);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
}

function ask(body: string, number: number): Promise<void> {
  const socket = connect({ host, port: Number(port), localAddress: addressOf(number % ADDRESSES) });
  const length = Buffer.byteLength(body);
  const head = ["POST /rpc HTTP/1.1", "host: a", "connection: close", "content-type: application/json"];
  socket.end([...head, `content-length: ${length}`, "", body].join("\r\n"));
  return new Promise((done) => {
    let isAnswered = false;
    socket.once("data", (bytes: Buffer) => {
      isAnswered = true;
      if (bytes.subarray(9, 12).toString("latin1") === "429") counts.limited += 1;
      else counts.answered += 1;
      socket.resume();
    });
    socket.once("error", () => done());
    socket.once("close", () => {
      if (!isAnswered) counts.unanswered += 1;
      done();
    });
  });
}

const run = kinds[kind];
if (run === undefined) throw new Error(`no such kind: ${kind}`);
process.stdin.resume().once("end", () => {
  over = true;
  console.log(JSON.stringify(counts));
  process.exit(0);
});
await run();
