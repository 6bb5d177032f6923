/**
 * News of transactions as they reach a level: an endpoint's log subscription over WebSocket. News only says where to
 * look at once; whatever it misses is found in turn. Lost lines are taken up again, ever later.
 * Source: Solana's RPC PubSub, `logsSubscribe`; protocol 03 A.10.3 R8.
 */
import { WebSocket } from "ws";
import type { Commitment } from "../../core/index.ts";
import type { Tasks } from "./tasks.ts";

export interface HintsTiming {
  /** The first pause before a lost line is taken up again; it doubles. */
  readonly reconnectMs: number;
  /** From the order of a line to its opening. */
  readonly handshakeMs: number;
  /** Between two signs of life: a line without one is lost. */
  readonly pingEveryMs: number;
}

/** Source: DESIGN "Bounds". */
export const HINTS_TIMING: HintsTiming = { reconnectMs: 1_000, handshakeMs: 10_000, pingEveryMs: 20_000 };
/** The longest pause before a lost line is taken up again, in milliseconds. Source: DESIGN "Waiting times". */
const RECONNECT_MS_MAX = 60_000;
/** Largest message, in bytes. Source: DESIGN L10. */
const MESSAGE_BYTES_MAX = 1_048_576;

export interface HintsOptions extends HintsTiming {
  readonly url: string;
  /** The program whose transactions are news. */
  readonly program: string;
  readonly commitment: Commitment;
  readonly tasks: Tasks;
  readonly told: (signature: string) => void;
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
}

/** Listens until closed; answers how to end the line. */
export function openHints(options: HintsOptions): () => void {
  const { tasks, now, reconnectMs } = options;
  let socket: WebSocket | undefined;
  tasks.run(async () => {
    for (let lost = 0; !tasks.closed(); lost += 1) {
      const opened = now();
      await new Promise<void>((ended) => {
        socket = listen(options, ended);
      });
      // A line that held for a while was a good one.
      if (now() - opened > RECONNECT_MS_MAX) lost = 0;
      await tasks.pause(Math.min(reconnectMs * 2 ** Math.min(lost, 6), RECONNECT_MS_MAX));
    }
  });
  return () => socket?.terminate();
}

/** Where an endpoint is listened to: at the next port when it names one. Source: web3.js and Solana's defaults. */
export function listeningUrl(rpc: string): string {
  const url = new URL(rpc);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  if (url.port !== "") url.port = String(Number(url.port) + 1);
  return url.href;
}

function listen(options: HintsOptions, ended: () => void): WebSocket {
  const { url, program, commitment, told, handshakeMs, pingEveryMs } = options;
  const socket = new WebSocket(url, { handshakeTimeout: handshakeMs, maxPayload: MESSAGE_BYTES_MAX });
  let alive = true;
  const ping = setInterval(() => {
    if (!alive) return socket.terminate();
    alive = false;
    if (socket.readyState === WebSocket.OPEN) socket.ping();
  }, pingEveryMs);
  socket.on("open", () => {
    const params = [{ mentions: [program] }, { commitment }];
    socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "logsSubscribe", params }));
  });
  socket.on("pong", () => {
    alive = true;
  });
  socket.on("message", (data) => {
    alive = true;
    const signature = signatureIn(String(data));
    if (signature !== undefined) told(signature);
  });
  // What went wrong does not matter: the line is lost, and `close` follows.
  socket.on("error", () => undefined);
  socket.on("close", () => {
    clearInterval(ping);
    ended();
  });
  return socket;
}

/** The signature that a notification tells of. */
function signatureIn(text: string): string | undefined {
  try {
    const message = JSON.parse(text) as {
      readonly params?: {
        readonly result?: { readonly value?: { readonly signature?: unknown; readonly err?: unknown } };
      };
    };
    const { signature, err } = message.params?.result?.value ?? {};
    // What failed changed nothing.
    if (err !== null && err !== undefined) return undefined;
    return typeof signature === "string" && /^[1-9A-HJ-NP-Za-km-z]{64,88}$/.test(signature) ? signature : undefined;
  } catch {
    return undefined;
  }
}
