// Goal: a line of news asks for what it should, tells signatures and nothing else, and is taken up again ever later.
// Method: a WebSocket server of the test's own, pauses that it hands out, and a clock that it moves.
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import type { WebSocket } from "ws";
import { WebSocketServer } from "ws";
import type { HintsOptions } from "../../adapters/chain/hints.ts";
import { openHints } from "../../adapters/chain/hints.ts";
import { NEVER_MS, until } from "../until.ts";

const endings: (() => void)[] = [];
afterEach(() => {
  vi.useRealTimers();
  for (const end of endings.splice(0)) end();
});

interface Line {
  readonly told: string[];
  /** Pauses that were asked for, in milliseconds; each ends at once unless `held`. */
  readonly pauses: number[];
  readonly clock: { now: number };
  readonly sockets: WebSocket[];
  /** What the server was sent on the nth line. */
  readonly asked: unknown[];
}

async function openLine(options: Partial<HintsOptions> = {}, server: { autoPong?: boolean } = {}): Promise<Line> {
  const listening = new WebSocketServer({ host: "127.0.0.1", port: 0, ...server });
  await once(listening, "listening");
  const line: Line = { told: [], pauses: [], clock: { now: 0 }, sockets: [], asked: [] };
  listening.on("connection", (socket) => {
    line.sockets.push(socket);
    socket.on("message", (data) => line.asked.push(JSON.parse(String(data))));
    socket.on("error", () => undefined);
  });
  let closed = false;
  const end = openHints({
    url: `ws://127.0.0.1:${(listening.address() as AddressInfo).port}`,
    ...{ program: "the program", commitment: "confirmed" },
    ...{ reconnectMs: 1_000, handshakeMs: NEVER_MS, pingEveryMs: NEVER_MS },
    told: (signature) => line.told.push(signature),
    now: () => line.clock.now,
    tasks: {
      run: (work) => void work(),
      pause: async (ms) => void line.pauses.push(ms),
      busy: () => false,
      closed: () => closed,
      close: () => undefined,
    },
    ...options,
  });
  endings.push(() => {
    closed = true;
    end();
    listening.close();
  });
  return line;
}

test("asks for what mentions the program, at the level that was asked for", async () => {
  const line = await openLine();
  await until(() => line.asked.length > 0);
  const params = [{ mentions: ["the program"] }, { commitment: "confirmed" }];
  expect(line.asked).toEqual([{ jsonrpc: "2.0", id: 1, method: "logsSubscribe", params }]);
});

test("tells signatures, and ends at a message that is too large", async () => {
  const line = await openLine();
  await until(() => line.sockets.length > 0);
  const [socket] = line.sockets;
  const news = (signature: unknown) => JSON.stringify({ params: { result: { value: { signature } } } });
  const [short, long] = ["5".repeat(64), "z".repeat(88)];
  const strange = ["5".repeat(63), "5".repeat(89), `0${short}`, `${short}0`, `l${short}`, 7, null, undefined];
  const texts = ["nonsense", "null", "{}", '{"params":null}', '{"params":{"result":null}}', ...strange.map(news)];
  for (const text of [...texts, news(short), news(long)]) socket?.send(text);
  await until(() => line.told.length >= 2);
  expect(line.told).toEqual([short, long]);
  socket?.send(" ".repeat(1_048_576));
  socket?.send(news(short));
  await until(() => line.told.length >= 3);
  socket?.send(" ".repeat(1_048_577));
  await until(() => line.sockets.length > 1);
  expect(line.pauses).toEqual([1_000]);
});

test("a line that is lost is taken up again, ever later and at most once a minute; one that held begins anew", async () => {
  const line = await openLine();
  const lose = async (heldMs: number) => {
    const lines = line.sockets.length;
    await until(() => line.asked.length === lines && lines > 0);
    line.clock.now += heldMs;
    line.sockets.at(-1)?.terminate();
    await until(() => line.sockets.length > lines);
  };
  await until(() => line.sockets.length > 0);
  for (let n = 0; n < 8; n += 1) await lose(60_000);
  expect(line.pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60].map((seconds) => seconds * 1_000));
  await lose(60_001);
  await lose(0);
  expect(line.pauses.slice(8)).toEqual([1_000, 2_000]);
});

test.each([
  ["answers pings", true, () => undefined],
  ["brings news", false, (socket: WebSocket) => socket.send("{}")],
])("a line that %s is kept; one on which nothing lives is lost at the second look", async (_, autoPong, live) => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const line = await openLine({ pingEveryMs: 1_000 }, { autoPong });
  await until(() => line.asked.length > 0);
  const [socket] = line.sockets as [WebSocket];
  let pings = 0;
  let notices = 0;
  socket.on("ping", () => {
    pings += 1;
  });
  socket.on("pong", () => {
    notices += 1;
  });
  for (let look = 1; look <= 3; look += 1) {
    vi.advanceTimersByTime(1_000);
    await until(() => pings === look);
    live(socket);
    // Whoever answers this has taken in what was sent before it.
    socket.ping();
    await until(() => notices === look);
  }
  expect(line.sockets).toHaveLength(1);
  socket.pause();
  vi.advanceTimersByTime(2_000);
  await until(() => line.sockets.length > 1);
});
