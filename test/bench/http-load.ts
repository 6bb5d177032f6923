/**
 * A client that costs less than any server: prepared requests over kept connections, one at a time on each, and only
 * the length of an answer is read. Every connection comes from a loopback address of its own and sends fewer requests
 * than a node takes from one address in a burst, so a node can be measured as operators run it.
 */
import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { connect } from "node:net";
import type { Spent } from "./measure.ts";
import { runDelayOf } from "./run-delay.ts";

/** Below the burst that a node takes from one address. Source: protocol 01 §10.4. */
const REQUESTS_PER_ADDRESS = 100;
const HEAD_END = "\r\n\r\n";

let addresses = 0;

/** 127.1.0.1 and on: nobody else's, and all of them this machine. */
function nextAddress(): string {
  addresses += 1;
  return `127.${1 + (addresses >> 16)}.${(addresses >> 8) & 255}.${addresses & 255}`;
}

export interface Server {
  readonly url: string;
  readonly pid: number;
}

export interface Load extends Spent {
  /** Milliseconds that each request took. */
  readonly latencies: readonly number[];
  /**
   * The same without what server and client waited for a processor meanwhile. With one attacker beside them on two
   * processors at most one of them waits at a time; where more runs, both may, and this says too little.
   */
  readonly ownLatencies: readonly number[];
}

/** What is noted of each request. */
interface Noted {
  readonly latencies: number[];
  readonly ownLatencies: number[];
  /** Milliseconds that server and client have waited for a processor so far. */
  readonly delays: () => readonly [number, number];
}

/** A JSON-RPC call as bytes on the wire. */
export function requestOf(method: string, params: unknown): Buffer {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const head = ["POST /rpc HTTP/1.1", "host: localhost", "content-type: application/json"];
  return Buffer.from([...head, `content-length: ${Buffer.byteLength(body)}`, "", body].join("\r\n"));
}

/**
 * Sends every request, on so many connections at a time; `cpuMs` is the server's. Fails when an answer is refused.
 * Waiting for processors is told apart only where that is asked for, since asking takes time.
 */
export async function load(
  server: Server,
  requests: readonly Buffer[],
  connections: number,
  { tellsDelays = false } = {},
): Promise<Load> {
  let next = 0;
  const [here, there] = tellsDelays ? [runDelayOf(process.pid), runDelayOf(server.pid)] : [() => 0, () => 0];
  const noted: Noted = { latencies: [], ownLatencies: [], delays: () => [here(), there()] };
  const take = () => requests[next++];
  const cpu = cpuOf(server.pid);
  const start = performance.now();
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (next < requests.length) await sendThrough(server, take, noted);
    }),
  );
  const { latencies, ownLatencies } = noted;
  return { wallMs: performance.now() - start, cpuMs: cpuOf(server.pid) - cpu, latencies, ownLatencies };
}

/** One connection, until it has sent its share or nothing is left. */
function sendThrough(server: Server, take: () => Buffer | undefined, noted: Noted): Promise<void> {
  const { hostname, port } = new URL(server.url);
  const socket: Socket = connect({ host: hostname, port: Number(port), localAddress: nextAddress(), noDelay: true });
  return new Promise((resolve, reject) => {
    let [sent, asked, held, delays] = [0, 0, "", noted.delays()];
    const goOn = () => {
      const request = sent < REQUESTS_PER_ADDRESS ? take() : undefined;
      sent += 1;
      delays = noted.delays();
      asked = performance.now();
      if (request === undefined) socket.end(resolve);
      else socket.write(request);
    };
    socket.setEncoding("latin1");
    socket.on("error", reject);
    socket.on("connect", goOn);
    socket.on("data", (text: string) => {
      held += text;
      const head = held.indexOf(HEAD_END);
      if (head < 0) return;
      const length = Number(/content-length: (\d+)/i.exec(held.slice(0, head))?.[1]);
      if (held.length < head + HEAD_END.length + length) return;
      note(noted, performance.now() - asked, delays);
      if (!held.startsWith("HTTP/1.1 200") || held.includes('"error"')) return reject(new Error(held));
      held = "";
      goOn();
    });
  });
}

function note({ latencies, ownLatencies, delays }: Noted, latency: number, before: readonly [number, number]): void {
  const now = delays();
  latencies.push(latency);
  ownLatencies.push(Math.max(0, latency - (now[0] - before[0]) - (now[1] - before[1])));
}

/** Milliseconds per tick of the kernel's accounts. */
const TICK_MS = 10;

/** CPU time of a process and all its threads where /proc tells it, else NaN. */
export function cpuOf(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ")[1]?.split(" ") ?? [];
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  } catch {
    return Number.NaN;
  }
}
