// Goal: no bytes of a peer stop the transport or stay in it; it resets the stream and serves the next one.
// Method: a libp2p node without our adapter sends frames that are none, as requests and as answers, in all shapes.
import { connect } from "node:net";
import { afterEach, assert, beforeEach, describe, expect, test } from "vitest";
import { TRANSPORT_LIMITS } from "../../adapters/libp2p/limits.ts";
import { PING_PROTOCOL } from "../../adapters/libp2p/ping.ts";
import { whenQuiet } from "../../adapters/libp2p/quiet.ts";
import type { OpenedTransport } from "../../adapters/libp2p/transport.ts";
import type { Connection, Stream } from "../../adapters/libp2p/types.ts";
import { until } from "../until.ts";
import type { Deadlines } from "./libp2p-network.ts";
import { closed, openDeadlines, openTransport } from "./libp2p-network.ts";
import type { Stranger } from "./libp2p-stranger.ts";
import { framed, listen, openStranger } from "./libp2p-stranger.ts";
import { answerAll, Witness } from "./transport-witness.ts";

const MEBIBYTE = 1_048_576;

let transport: OpenedTransport;
let witness: Witness;
let deadlines: Deadlines;
const strangers: Stranger[] = [];

beforeEach(async () => {
  witness = new Witness();
  deadlines = openDeadlines();
  transport = await openTransport(witness.events, { setDeadline: deadlines.set });
  witness.node = { peer: transport.peer, port: transport };
});

afterEach(async () => {
  await Promise.all(strangers.splice(0).map(({ node }) => node.stop()));
  await closed(transport);
  witness.checkOrder();
  expect(deadlines.pending()).toEqual([]);
});

/** Waits until so many requests are under way, and then for as long as each of them has. */
async function runOutOfTime(requests: number): Promise<void> {
  await until(() => transport.unfinished() === requests);
  expect(deadlines.pending()).toEqual(Array.from({ length: requests }, () => TRANSPORT_LIMITS.requestTimeoutMs));
  deadlines.pass();
}

async function stranger(onEnvelope?: (stream: Stream) => void): Promise<[Stranger, Connection]> {
  const opened = await openStranger(onEnvelope);
  strangers.push(opened);
  const connection = await opened.dial(witness.address);
  await until(() => witness.connectedTo(opened.peer));
  return [opened, connection];
}

async function assertAlive(opened: Stranger, connection: Connection): Promise<void> {
  answerAll(witness);
  const observation = await opened.write(connection, [framed(3, 1, 2, 3)]);
  expect(observation).toEqual({ bytes: framed(3, 1, 2, 3), ending: "closed" });
}

function writeLast(stream: Stream, bytes: Uint8Array): void {
  stream.send(bytes);
  stream.close().catch(() => {});
}

describe("requests that are no frames", () => {
  const cases: Readonly<Record<string, readonly Uint8Array[]>> = {
    "nothing at all": [],
    "half a length": [Uint8Array.of(0, 0)],
    "a length without a body": [framed(5)],
    "a truncated body": [framed(10, 1, 2, 3, 4)],
    "the largest length there is": [framed(0xffff_ffff, 1, 2, 3)],
    "a length one above the bound": [framed(MEBIBYTE + 1, 1)],
    "a body longer than its length": [framed(2, 1, 2, 3)],
    "two frames": [framed(1, 1), framed(1, 2)],
    "two frames in one write": [Uint8Array.of(...framed(1, 1), ...framed(1, 2))],
  };

  for (const [name, parts] of Object.entries(cases)) {
    test(`${name}: no answer, no fact, and the next request is served`, async () => {
      const [opened, connection] = await stranger();
      const observation = await opened.write(connection, parts);
      expect(observation).toEqual({ bytes: new Uint8Array(0), ending: "reset" });
      await whenQuiet([transport]);
      // The first of two frames may have been whole before the second one came; it is then a request, never two.
      expect(witness.received.length).toBeLessThanOrEqual(name === "two frames" ? 1 : 0);
      await assertAlive(opened, connection);
    });
  }

  test("a frame in single bytes is a frame, an empty one too", async () => {
    const [opened, connection] = await stranger();
    answerAll(witness);
    const frame = framed(5, 9, 8, 7, 6, 5);
    const slow = await opened.write(
      connection,
      [...frame].map((byte) => Uint8Array.of(byte)),
    );
    expect(slow).toEqual({ bytes: frame, ending: "closed" });
    expect(await opened.write(connection, [framed(0)])).toEqual({ bytes: framed(0), ending: "closed" });
    expect(witness.received.map(({ bytes }) => [...bytes])).toEqual([[9, 8, 7, 6, 5], []]);
  });

  test("a request that never becomes whole is reset when its time is over", async () => {
    const [opened, connection] = await stranger();
    const writing = opened.write(connection, [framed(10, 1, 2)], "then wait");
    await runOutOfTime(1);
    expect((await writing).ending).toBe("reset");
    expect(transport.unfinished()).toBe(0);
    await assertAlive(opened, connection);
  });

  test("a request that this node does not answer is reset when its time is over", async () => {
    const [opened, connection] = await stranger();
    const writing = opened.write(connection, [framed(1, 1)]);
    await until(() => witness.received.length === 1);
    await runOutOfTime(1);
    expect(await writing).toEqual({ bytes: new Uint8Array(0), ending: "reset" });
    transport.reply(witness.received[0]!.replyTo, Uint8Array.of(1));
    await assertAlive(opened, connection);
  });

  test("an answered stream that the peer leaves open is reset when its time is over", async () => {
    const [opened, connection] = await stranger();
    answerAll(witness);
    await opened.write(connection, [framed(1, 1)], "then wait");
    await runOutOfTime(1);
    await whenQuiet([transport]);
    expect(transport.unfinished()).toBe(0);
    expect(connection.streams.filter(({ status }) => status === "open")).toEqual([]);
    await assertAlive(opened, connection);
  });

  test("a peer that resets its request is not answered", async () => {
    const [opened, connection] = await stranger();
    const stream = await connection.newStream("/openfiat/envelope/1.0.0");
    stream.send(framed(1, 1));
    await until(() => witness.received.length === 1);
    stream.abort(new Error("gone"));
    await whenQuiet([transport]);
    transport.reply(witness.received[0]!.replyTo, Uint8Array.of(1));
    await assertAlive(opened, connection);
  });

  test("a hundred requests of one connection are held, more are reset", async () => {
    const [opened, connection] = await stranger();
    const all = Array.from({ length: 120 }, (_, i) => opened.write(connection, [framed(1, i)]).catch(() => undefined));
    await until(() => witness.received.length === 100);
    for (const { replyTo, bytes } of witness.received) transport.reply(replyTo, bytes);
    const endings = (await Promise.all(all)).map((observation) =>
      observation?.bytes.length === 5 ? "answered" : "reset",
    );
    expect(endings.filter((ending) => ending === "answered").length).toBe(100);
    await assertAlive(opened, connection);
  });
});

describe("answers that are no frames", () => {
  const cases: Readonly<Record<string, (stream: Stream) => void>> = {
    "an end without an answer": (stream) => void stream.close(),
    "half a length": (stream) => writeLast(stream, Uint8Array.of(0, 0)),
    "a truncated body": (stream) => writeLast(stream, framed(9, 1)),
    "the largest length there is": (stream) => void stream.send(framed(0xffff_ffff, 1)),
    "a body longer than its length": (stream) => void stream.send(framed(1, 1, 2)),
    "a reset": (stream) => stream.abort(new Error("no")),
    silence: () => {},
    "a beginning and silence": (stream) => void stream.send(framed(9, 1)),
  };

  for (const [name, answer] of Object.entries(cases)) {
    test(`${name}: the request fails once, and the next one is answered`, async () => {
      let lenient = false;
      let asked = 0;
      const [opened] = await stranger((stream) => {
        asked++;
        if (!lenient) return answer(stream);
        writeLast(stream, framed(1, 7));
      });
      transport.send(opened.peer, 1, Uint8Array.of(1));
      await until(() => asked === 1);
      if (/silence/.test(name)) await runOutOfTime(1);
      await whenQuiet([transport]);
      expect(witness.verdicts(1)).toMatchObject([{ type: "failed", peer: opened.peer }]);
      lenient = true;
      transport.send(opened.peer, 2, Uint8Array.of(1));
      await whenQuiet([transport]);
      expect(witness.verdicts(2)).toMatchObject([{ type: "answered", bytes: Uint8Array.of(7) }]);
    });
  }

  test("a peer that does not speak the protocol", async () => {
    const [opened] = await stranger();
    transport.send(opened.peer, 1, Uint8Array.of(1));
    await whenQuiet([transport]);
    expect(witness.verdicts(1)).toMatchObject([{ type: "failed", reason: "refused by peer" }]);
  });

  test("an answer after which the peer leaves the stream open counts, and the stream is reset in time", async () => {
    const [opened, connection] = await stranger((stream) => void stream.send(framed(1, 7)));
    for (let i = 0; i < 200; i++) transport.send(opened.peer, i, Uint8Array.of(1));
    const onTheWire = Array.from({ length: TRANSPORT_LIMITS.outboundStreamsPerPeerMax }, (_, i) => i);
    await until(() => onTheWire.every((i) => witness.verdicts(i).length === 1));
    await runOutOfTime(200);
    await whenQuiet([transport]);
    for (let i = 0; i < 64; i++) expect(witness.verdicts(i)).toMatchObject([{ type: "answered" }]);
    for (let i = 64; i < 200; i++) expect(witness.verdicts(i).length).toBe(1);
    expect(connection.streams.filter(({ status }) => status === "open")).toEqual([]);
  });
});

describe("strangers", () => {
  test("bytes that are not libp2p at all", async () => {
    const { port } = new URL(`tcp://${/\/tcp\/(\d+)/.exec(witness.address)?.[0] ?? ""}`.replace("/tcp/", "127.0.0.1:"));
    const garbage = [Buffer.from("GET / HTTP/1.1\r\n\r\n"), Buffer.alloc(100_000, 0xff), Buffer.alloc(0)];
    for (const bytes of garbage) {
      await new Promise<void>((resolve) => {
        const socket = connect(Number(port), "127.0.0.1", () => socket.end(bytes));
        socket.on("error", () => {});
        socket.on("close", () => resolve());
        socket.resume();
      });
    }
    const [opened, connection] = await stranger();
    await assertAlive(opened, connection);
  });

  test("a peer with a key that carries no peer id of this network is refused", async () => {
    const opened = await openStranger(undefined, "secp256k1");
    strangers.push(opened);
    await opened.dial(witness.address).then(
      (connection) => new Promise<void>((resolve) => connection.addEventListener("close", () => resolve())),
      () => {},
    );
    expect(witness.facts).toEqual([]);
    const [known, connection] = await stranger();
    await assertAlive(known, connection);
  });

  test("identify says who this is", async () => {
    const [opened, connection] = await stranger();
    const { identify } = opened.node.services as { identify?: { identify(on: Connection): Promise<unknown> } };
    assert.ok(identify !== undefined);
    expect(await identify.identify(connection)).toMatchObject({
      protocolVersion: "/openfiat/id/1.0.0",
      agentVersion: "openfiat/0.1.0",
      protocols: expect.arrayContaining([
        "/ipfs/id/1.0.0",
        "/ipfs/id/push/1.0.0",
        "/ipfs/ping/1.0.0",
        "/openfiat/envelope/1.0.0",
      ]),
    });
  });

  test("pings are answered on one stream for as long as it lasts, and not hoarded", async () => {
    const [, connection] = await stranger();
    const stream = await connection.newStream(PING_PROTOCOL);
    const reply = listen(stream);
    const pings = [1, 2, 3].map((byte) => new Uint8Array(32).fill(byte));
    for (const ping of pings) stream.send(ping);
    await stream.close();
    expect(await reply).toEqual({ bytes: new Uint8Array(Buffer.concat(pings)), ending: "closed" });
    const flood = await connection.newStream(PING_PROTOCOL);
    const end = new Promise<string>((resolve) => flood.addEventListener("close", () => resolve(flood.status)));
    flood.pause();
    for (let i = 0; i < 64; i++) if (flood.status === "open") flood.send(new Uint8Array(65_536));
    expect(await end).toBe("reset");
  });
});
