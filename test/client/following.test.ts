/**
 * Goal: a stream that breaks, for whatever reason, is opened again, ever later, and what was missed is read before what
 * comes next is told (protocol 01 §10.6, W13).
 * Method: sockets by hand, one for each attempt; then a node over real HTTP that closes its stream.
 */
import { expect, onTestFinished, test, vi } from "vitest";
import { WebSocket } from "ws";
import { openClient } from "../../adapters/client/client.ts";
import { openFollowing } from "../../adapters/client/following.ts";
import { openStream } from "../../adapters/client/stream.ts";
import { fakeNode } from "../http/fake-node.ts";
import { loneNode } from "../rpc/lone-node.ts";
import { NEVER_MS, until } from "../until.ts";
import { merchant, offer, T } from "./offer.ts";

/** A socket that does what a test says. */
class HandSocket {
  static readonly opened: HandSocket[] = [];
  onopen: () => void = () => undefined;
  onmessage: (event: { readonly data: string }) => void = () => undefined;
  onclose: (event: { readonly code: number }) => void = () => undefined;
  onerror: () => void = () => undefined;
  closed = false;
  readonly sent: string[] = [];
  constructor() {
    HandSocket.opened.push(this);
  }
  close(): void {
    this.closed = true;
  }
  send(text: string): void {
    this.sent.push(text);
  }
  brings(id: string): void {
    this.onmessage({ data: JSON.stringify({ method: "sendAdvertisementCreate", result: id }) });
  }
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Somebody who follows sockets by hand; `told` is what he was told, in order. */
function followed(missed: () => Promise<void> = () => Promise.resolve()) {
  HandSocket.opened.length = 0;
  const told: unknown[] = [];
  const ends = { at: "", by: (): void => undefined };
  const goOn: (() => void)[] = [];
  const set = new Map<() => void, number>();
  const close = openFollowing({
    url: "ws://node.example/ws",
    WebSocket: HandSocket,
    async missed() {
      told.push("reads");
      await missed();
    },
    message({ result }) {
      told.push(result);
      if (result === ends.at) ends.by();
    },
    broken: (cause, waitMs) => void told.push([cause instanceof Error ? cause.message : cause, waitMs]),
    wait: () => new Promise((resolve) => goOn.push(resolve)),
    after(ms, act) {
      const timer = () => act();
      set.set(timer, ms);
      return () => void set.delete(timer);
    },
  });
  return {
    told,
    close,
    /** What is done while this one is told. */
    ends,
    /** The socket of this attempt. */
    socket: (at: number) => HandSocket.opened[at] as HandSocket,
    attempts: () => HandSocket.opened.length,
    /** How long it will wait in silence by now; nothing where it does not. */
    patience: () => [...set.values()],
    /** Lets that time pass. */
    passed() {
      const due = [...set.keys()];
      set.clear();
      for (const act of due) act();
    },
    async waited() {
      for (const resolve of goOn.splice(0)) resolve();
      await settled();
    },
  };
}

test("what was missed is read once the stream is open, and what comes meanwhile is told after it", async () => {
  let read = (): void => undefined;
  const { told, socket } = followed(() => new Promise((resolve) => (read = resolve)));
  expect(told).toEqual([]);
  socket(0).onopen();
  socket(0).brings("a");
  await settled();
  expect(told).toEqual(["reads"]);
  read();
  await settled();
  socket(0).brings("b");
  expect(told).toEqual(["reads", "a", "b"]);
});

test("after a break it is opened again, later each time until it was read, and what is old tells nothing", async () => {
  const { told, socket, waited, attempts } = followed();
  for (let at = 0; at < 8; at++) {
    socket(at).onclose({ code: 1006 });
    await waited();
  }
  const waits = told.map((each) => (each as readonly [number, number])[1]);
  expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  told.length = 0;
  socket(8).onopen();
  await settled();
  socket(8).onclose({ code: 1013 });
  socket(8).brings("late");
  socket(8).onclose({ code: 1013 });
  await waited();
  expect(told).toEqual(["reads", [1013, 500]]);
  expect(attempts()).toBe(10);
});

test("a read that fails, and more than may wait for it, begin the stream anew", async () => {
  let reads = 0;
  const { told, socket, waited } = followed(() =>
    ++reads === 1 ? Promise.reject(new Error("lost")) : new Promise(() => undefined),
  );
  socket(0).onopen();
  await settled();
  expect(socket(0).closed).toBe(true);
  await waited();
  socket(1).onopen();
  for (let at = 0; at < 1_024; at++) socket(1).brings(`id-${at}`);
  expect(socket(1).closed).toBe(false);
  socket(1).brings("one more");
  expect(socket(1).closed).toBe(true);
  const anew = ["too much came while what was missed was read", 1_000];
  expect(told).toEqual(["reads", ["lost", 500], "reads", anew]);
});

test("whoever ends it is told nothing more, and nothing is opened", async () => {
  const { told, socket, close, waited, attempts } = followed();
  socket(0).onclose({ code: 1001 });
  close();
  await waited();
  expect([told, attempts()]).toEqual([[[1001, 500]], 1]);
  const other = followed(() => new Promise(() => undefined));
  other.socket(0).onopen();
  other.close();
  other.socket(0).brings("a");
  other.socket(0).onclose({ code: 1005 });
  expect([other.told, other.socket(0).closed]).toEqual([["reads"], true]);
});

test("whoever ends it while he is told what waited is told no more of it", async () => {
  let read = (): void => undefined;
  const { told, socket, close, ends } = followed(() => new Promise((resolve) => (read = resolve)));
  ends.at = "a";
  ends.by = close;
  socket(0).onopen();
  for (const id of ["a", "b"]) socket(0).brings(id);
  read();
  await settled();
  expect([told, socket(0).closed]).toEqual([["reads", "a"], true]);
});

test("a listener that throws fails for that message alone, waiting or not", async () => {
  let read = (): void => undefined;
  const failures: unknown[] = [];
  const failing = (thrown: unknown) => void failures.push((thrown as Error).message);
  const others = process.rawListeners("uncaughtException") as NodeJS.UncaughtExceptionListener[];
  process.removeAllListeners("uncaughtException").on("uncaughtException", failing);
  onTestFinished(() => {
    process.removeAllListeners("uncaughtException");
    for (const other of others) process.on("uncaughtException", other);
  });
  const { told, socket, ends } = followed(() => new Promise((resolve) => (read = resolve)));
  ends.at = "b";
  ends.by = () => {
    throw new Error("no listener of b");
  };
  socket(0).onopen();
  for (const id of ["a", "b", "c"]) socket(0).brings(id);
  read();
  await settled();
  expect(told).toEqual(["reads", "a", "b", "c"]);
  await until(() => failures.length > 0);
  expect(failures).toEqual(["no listener of b"]);
  expect(() => socket(0).brings("b")).toThrow("no listener of b");
  socket(0).brings("d");
  expect(told).toEqual(["reads", "a", "b", "c", "b", "d"]);
});

test("a stream on which nothing comes is asked, and opened again when no answer comes", async () => {
  const { told, socket, patience, passed, waited, attempts, close } = followed();
  socket(0).onopen();
  await settled();
  expect(patience()).toEqual([30_000]);
  passed();
  expect([socket(0).sent, patience()]).toEqual([["ping"], [10_000]]);
  socket(0).onmessage({ data: '{"method":"pong"}' });
  expect(patience()).toEqual([30_000]);
  passed();
  socket(0).brings("a");
  expect([socket(0).sent.length, patience()]).toEqual([2, [30_000]]);
  passed();
  expect(socket(0).closed).toBe(false);
  passed();
  expect([socket(0).closed, patience()]).toEqual([true, []]);
  socket(0).brings("late");
  socket(0).onclose({ code: 1006 });
  expect(told).toEqual(["reads", "a", [1006, 500]]);
  await waited();
  expect(attempts()).toBe(2);
  // This one never opens: nothing can be asked on it.
  passed();
  expect([socket(1).sent, socket(1).closed]).toEqual([[], true]);
  await waited();
  socket(2).onopen();
  await settled();
  close();
  socket(2).brings("b");
  expect([told.slice(3), patience()]).toEqual([[[1006, 1_000], "reads"], []]);
});

test("what a node took while its stream was broken is read from it", async () => {
  const core = loneNode(T);
  const node = await fakeNode({ limits: { rate: null, subscribersMax: 1, subscriberBytesMax: 64 } });
  node.onCall = ({ replyTo, body }) => {
    node.port.reply(replyTo, core.body(body));
    return true;
  };
  const client = openClient({ url: `${node.url}/rpc`, callMsMax: NEVER_MS });
  await client.send("sendAdvertisementCreate", { ...offer, id: "ad-1" }, merchant);
  const shown: (readonly string[])[] = [];
  const causes: unknown[] = [];
  await new Promise<void>((resolve, reject) => {
    const close = openFollowing({
      url: `${node.url.replace("http", "ws")}/ws`,
      WebSocket,
      async missed() {
        const ids: string[] = [];
        for await (const { id } of client.rows("getAdvertisements")) ids.push(id);
        shown.push(ids);
        if (shown.length === 1) return node.port.publish("own", `{"method":"none","result":"${"x".repeat(64)}"}`);
        close();
        resolve();
      },
      message: reject,
      broken: (cause) => (cause instanceof Error ? reject(cause) : void causes.push(cause)),
      wait: async () => void (await client.send("sendAdvertisementCreate", { ...offer, id: "ad-2" }, merchant)),
    });
  });
  expect([shown, causes]).toEqual([[["ad-1"], ["ad-1", "ad-2"]], [1013]]);
});

test("a node that is away is a break like any other, also where a socket's error would end the process", async () => {
  const node = await fakeNode();
  const url = `${node.url.replace("http", "ws")}/ws`;
  await node.close();
  const causes: unknown[] = [];
  await new Promise<void>((resolve, reject) => {
    const close = openFollowing({
      ...{ url, WebSocket, missed: () => Promise.reject(new Error("nobody is there")), message: reject },
      broken: (cause) => void causes.push(cause),
      wait: () => Promise.resolve(causes.length < 2 ? undefined : (close(), resolve())),
    });
  });
  expect(causes).toEqual([1006, 1006]);
});

test("whoever ends it while it connects is told nothing, and his process goes on", async () => {
  const node = await fakeNode();
  const url = `${node.url.replace("http", "ws")}/ws`;
  const code = await new Promise((resolve, reject) =>
    openStream({ url, WebSocket, message: reject, closed: resolve })(),
  );
  expect(code).toBe(1006);
});

test("a runtime without sockets says what to give", () => {
  vi.stubGlobal("WebSocket", undefined);
  onTestFinished(() => void vi.unstubAllGlobals());
  const listener = { url: "ws://node.example/ws", message: () => undefined };
  expect(() => openStream(listener)).toThrow(
    "this runtime has no WebSocket: give one, such as the one of the package ws",
  );
});
