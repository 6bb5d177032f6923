// Goal: the production transport opens or says why not, keeps its bounds, and leaves nothing behind.
// Method: real nodes on the loopback with bounds small enough to reach; a process of its own for the last question.
import { execFile } from "node:child_process";
import { Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, assert, describe, expect, onTestFinished, test, vi } from "vitest";
import { ENVELOPE_BYTES_MAX } from "../../adapters/libp2p/limits.ts";
import { ENVELOPE_PROTOCOL } from "../../adapters/libp2p/outbox.ts";
import { PING_PROTOCOL, PING_STREAMS_MAX } from "../../adapters/libp2p/ping.ts";
import { whenQuiet } from "../../adapters/libp2p/quiet.ts";
import type { Stack } from "../../adapters/libp2p/stack.ts";
import { createStack, identityOf } from "../../adapters/libp2p/stack.ts";
import type { Libp2pTransportOptions, OpenedTransport } from "../../adapters/libp2p/transport.ts";
import { openLibp2pTransport } from "../../adapters/libp2p/transport.ts";
import type { Connection } from "../../adapters/libp2p/types.ts";
import { TYPESCRIPT } from "../typescript.ts";
import { until } from "../until.ts";
import { closed, freshSeed, openTransport, PATIENT_LIMITS } from "./libp2p-network.ts";
import type { Stranger } from "./libp2p-stranger.ts";
import { framed, openStranger } from "./libp2p-stranger.ts";
import { answerAll, Witness } from "./transport-witness.ts";

const SOMEONE = "12D3KooWK9hQ7TwbfvFiaAxUbRFCkdhS7iEpAJDnewNL1anyREQ1";
/** Vector A of protocol 01 §1.2. */
const SEED_A = new Uint8Array(32).fill(1);
const PEER_A = "12D3KooWK99VoVxNE7XzyBwXEzW7xhK7Gpv85r9F3V3fyKSUKPH5";

const transports: OpenedTransport[] = [];
const strangers: Stranger[] = [];

afterEach(async () => {
  await Promise.all(strangers.splice(0).map(({ node }) => node.stop()));
  await Promise.all(transports.splice(0).map(closed));
});

async function open(options: Partial<Libp2pTransportOptions> = {}): Promise<Witness> {
  const witness = new Witness();
  const transport = await openTransport(witness.events, options);
  transports.push(transport);
  witness.node = { peer: transport.peer, port: transport };
  return witness;
}

async function link(a: Witness, b: Witness): Promise<void> {
  a.port.dial(b.address);
  await whenQuiet(transports);
}

async function openStack(): Promise<Stack> {
  const stack = await createStack({
    identity: await identityOf(freshSeed()),
    listen: [],
    declared: [],
    memory: false,
    quic: undefined,
    limits: PATIENT_LIMITS,
    refuseInbound: () => false,
    isExpected: () => true,
  });
  await stack.node.start();
  return stack;
}

describe("opening", () => {
  const refused: readonly [name: string, options: Partial<Libp2pTransportOptions>, code: string, reason: RegExp][] = [
    ["a key of another length", { secretKey: new Uint8Array(64) }, "bad-key", /32 bytes/],
    ["nonsense to listen on", { listen: ["0.0.0.0:4001"] }, "bad-address", /^0\.0\.0\.0:4001: not a multiaddr$/],
    ["a name to listen on", { listen: ["/dns4/localhost/tcp/1"] }, "bad-address", /not an address to listen on/],
    ["a path to listen on", { listen: ["/unix/%2Ftmp%2Fx"] }, "bad-address", /not an address to listen on/],
    ["QUIC to listen on", { listen: ["/ip4/0.0.0.0/udp/4001/quic-v1"] }, "bad-address", /not an address to listen on/],
    ["memory where it is off", { listen: ["/memory/off"] }, "bad-address", /not an address to listen on/],
    ["one bad address among good ones", { listen: ["/ip4/127.0.0.1/tcp/0", "x"] }, "bad-address", /^x: /],
    ["a wildcard to announce", { announce: ["/ip4/0.0.0.0/tcp/1"] }, "bad-address", /wildcard/],
    ["an IPv6 wildcard to announce", { announce: ["/ip6/::/tcp/1"] }, "bad-address", /wildcard/],
    ["an http URL to announce", { announce: ["http://example.org"] }, "bad-address", /not a multiaddr/],
    ["another peer to announce", { announce: [`/ip4/1.2.3.4/tcp/1/p2p/${SOMEONE}`] }, "bad-address", /another peer/],
    ["an address nobody has here", { listen: ["/ip4/198.51.100.7/tcp/0"] }, "cannot-listen", /198\.51\.100\.7.*EADDR/],
  ];

  for (const [name, options, code, reason] of refused) {
    test(`${name} is refused in one line`, async () => {
      const { events } = new Witness();
      const opened = await openLibp2pTransport({
        secretKey: freshSeed(),
        listen: ["/ip4/127.0.0.1/tcp/0"],
        events,
        ...options,
      });
      assert.ok(!opened.ok);
      expect(opened.error.code).toBe(code);
      expect(opened.error.reason).toMatch(reason);
      expect(opened.error.reason).not.toContain("\n");
    });
  }

  test("a port in use is refused, and is free again after close", async () => {
    const first = await open();
    const listen = [first.address.slice(0, first.address.indexOf("/p2p/"))];
    const { events } = new Witness();
    const second = await openLibp2pTransport({ secretKey: freshSeed(), listen, events });
    assert.ok(!second.ok && second.error.code === "cannot-listen");
    expect(second.error.reason).toMatch(/EADDRINUSE/);
    await closed(transports.pop()!);
    expect((await open({ listen })).address).toContain(listen[0]);
  });

  test("the peer id is the one of the key, and declared addresses come first", async () => {
    const announce = ["/dns4/node.example.org/tcp/4001", `/ip4/203.0.113.9/tcp/4001/p2p/${PEER_A}`];
    const node = await open({ secretKey: SEED_A, listen: ["/ip4/0.0.0.0/tcp/0"], announce });
    expect(node.peer).toBe(PEER_A);
    const addresses = node.port.addresses();
    expect(addresses.slice(0, 2)).toEqual([
      `/dns4/node.example.org/tcp/4001/p2p/${PEER_A}`,
      `/ip4/203.0.113.9/tcp/4001/p2p/${PEER_A}`,
    ]);
    expect(addresses.some((address) => /^\/ip4\/127\.0\.0\.1\/tcp\/[1-9]\d*\/p2p\//.test(address))).toBe(true);
    for (const address of addresses) expect(address).not.toContain("0.0.0.0");
  });

  test("a node that listens nowhere dials, sends and answers", async () => {
    const hidden = await open({ listen: [] });
    const other = await open();
    expect(hidden.port.addresses()).toEqual([]);
    await link(hidden, other);
    answerAll(hidden, other);
    hidden.send(other, 1, Uint8Array.of(1));
    other.send(hidden, 2, Uint8Array.of(2));
    await whenQuiet(transports);
    expect(hidden.verdicts(1)).toMatchObject([{ type: "answered" }]);
    expect(other.verdicts(2)).toMatchObject([{ type: "answered" }]);
  });
});

describe("dials that fail", () => {
  test("each is told once, in one line, with the address as it was given", async () => {
    const node = await open();
    const other = await open();
    const expected: readonly [string, RegExp][] = [
      ["http://127.0.0.1:7080", /not a multiaddr/],
      ["/ip4/127.0.0.1/tcp/4001", /does not end in \/p2p/],
      [`/ip4/127.0.0.1/udp/4001/quic-v1/p2p/${SOMEONE}`, /not an address that this node can dial/],
      [`/ip4/127.0.0.1/tcp/4001/p2p/${SOMEONE}/p2p-circuit/p2p/${PEER_A}`, /not an address that this node can dial/],
      [node.address, /this node itself/],
      [`/ip4/127.0.0.1/tcp/1/p2p/${PEER_A}`, /ECONNREFUSED/],
      [other.address.replace(other.peer, SOMEONE), /does not match/],
    ];
    for (const [address] of expected) node.port.dial(address);
    await whenQuiet(transports);
    expect(node.unreachable.length).toBe(expected.length);
    for (const [address, reason] of expected) {
      const [failure, ...more] = node.unreachable.filter((failed) => failed.address === address);
      expect(more).toEqual([]);
      expect(failure?.reason).toMatch(reason);
      expect(failure?.reason).not.toContain("\n");
    }
    expect(node.facts).toEqual([]);
  });

  test("in memory, where the library does not compare, another peer's answer is no connection", async () => {
    const node = await open({ memory: true, listen: ["/memory/asks"] });
    const other = await open({ memory: true, listen: ["/memory/answers"] });
    node.port.dial(other.address.replace(other.peer, SOMEONE));
    await whenQuiet(transports);
    expect(node.unreachable).toMatchObject([{ reason: expect.stringMatching(/answered by another peer$/) }]);
    expect(node.facts).toEqual([]);
    await link(node, other);
    expect(node.connectedTo(other.peer)).toBe(true);
  });
});

test("what the library's pings took is told, one value once", async () => {
  const limits = { pingIntervalMs: 20 };
  const [a, b] = [await open({ limits }), await open({ limits })];
  await link(a, b);
  await until(() => a.measured.length > 0);
  for (const [n, { peer, latency }] of a.measured.entries()) {
    expect(peer).toBe(b.peer);
    expect(latency).toBeGreaterThanOrEqual(0);
    expect(latency).not.toBe(a.measured[n - 1]?.latency);
  }
});

describe("bounds", () => {
  test("connections from outside beyond the bound are refused, and taken again when there is room", async () => {
    const node = await open({ limits: { inboundConnectionsMax: 2 } });
    const [a, b, c] = [await open(), await open(), await open()];
    await link(a, node);
    await link(b, node);
    await link(c, node);
    expect(node.facts.map(({ type, peer }) => [type, peer])).toEqual([
      ["connected", a.peer],
      ["connected", b.peer],
    ]);
    expect(c.connectedTo(node.peer)).toBe(false);
    a.port.disconnect(node.peer);
    await whenQuiet(transports);
    await link(c, node);
    expect(c.connectedTo(node.peer) && node.connectedTo(c.peer)).toBe(true);
  });

  test("dials beyond the bound of all connections fail", async () => {
    const node = await open({ limits: { connectionsMax: 1 } });
    const [a, b] = [await open(), await open()];
    await link(node, a);
    await link(node, b);
    await link(b, node);
    expect(node.unreachable).toMatchObject([{ reason: expect.stringMatching(/too many connections$/) }]);
    expect(node.facts).toMatchObject([{ type: "connected", peer: a.peer }]);
  });

  test("of two dials at once under a bound of one, one leads to a connection and the other says why not", async () => {
    const node = await open({ limits: { connectionsMax: 1 } });
    const others = [await open(), await open()];
    for (const { address } of others) node.port.dial(address);
    await whenQuiet(transports);
    const connected = others.filter(({ peer }) => node.connectedTo(peer));
    expect(connected).toHaveLength(1);
    const [refused] = others.filter((other) => other !== connected[0]);
    const reason = `${refused?.address}: too many connections`;
    expect(node.unreachable).toEqual([{ address: refused?.address, reason }]);
    expect(node.facts.filter(({ type }) => type === "connected")).toHaveLength(1);
    await until(() => refused?.connectedTo(node.peer) === false);
  });

  test("of many connections of one peer the newest two stay, and it is one peer throughout", async () => {
    const node = await open();
    const opened = await openStranger();
    strangers.push(opened);
    const connections: Connection[] = [];
    for (let i = 0; i < 5; i++) connections.push(await opened.dial(node.address));
    await until(() => connections.filter(({ status }) => status === "open").length === 2);
    expect(connections.map(({ status }) => status === "open")).toEqual([false, false, false, true, true]);
    expect(node.facts).toMatchObject([{ type: "connected", peer: opened.peer }]);
    answerAll(node);
    expect((await opened.write(connections[4]!, [framed(1, 1)])).bytes).toEqual(framed(1, 1));
    for (const connection of connections) await connection.close();
    await until(() => !node.connectedTo(opened.peer));
    expect(node.facts.filter(({ type }) => type !== "received").map(({ type }) => type)).toEqual([
      "connected",
      "disconnected",
    ]);
  });

  test("an envelope beyond the bound fails for that reason", async () => {
    const node = await open();
    const other = await open();
    await link(node, other);
    node.send(other, 1, new Uint8Array(ENVELOPE_BYTES_MAX + 1));
    await whenQuiet(transports);
    expect(node.verdicts(1)).toMatchObject([{ type: "failed", reason: "envelope too large" }]);
  });

  test("requests beyond the bound of one peer fail at once; the others are answered", async () => {
    const node = await open({ limits: { outboundRequestsPerPeerMax: 10, outboundStreamsPerPeerMax: 3 } });
    const other = await open();
    await link(node, other);
    answerAll(other);
    for (let i = 0; i < 15; i++) node.send(other, i, Uint8Array.of(i));
    await whenQuiet(transports);
    for (let i = 0; i < 10; i++) expect(node.verdicts(i)).toMatchObject([{ type: "answered" }]);
    for (let i = 10; i < 15; i++) {
      expect(node.verdicts(i)).toMatchObject([{ type: "failed", reason: "too many unanswered requests" }]);
    }
  });

  test("bytes beyond the bound are refused in both directions, and room comes back", async () => {
    const node = await open({ limits: { bytesPerPeerMax: 100_000, outboundStreamsPerPeerMax: 1 } });
    const other = await open();
    await link(node, other);
    answerAll(node, other);
    for (let round = 0; round < 3; round++) {
      node.send(other, round * 10, new Uint8Array(60_000));
      node.send(other, round * 10 + 1, new Uint8Array(60_000));
      other.send(node, round * 10 + 2, new Uint8Array(200_000));
      await whenQuiet(transports);
      expect(node.verdicts(round * 10)).toMatchObject([{ type: "answered" }]);
      expect(node.verdicts(round * 10 + 1)).toMatchObject([{ reason: "too many unanswered requests" }]);
      expect(other.verdicts(round * 10 + 2)).toMatchObject([{ type: "failed" }]);
    }
    expect(node.received).toEqual([]);
  });
});

describe("links that are dead", () => {
  test("a peer that answers no ping is gone when the time-out is over", async () => {
    const node = await open({ limits: { pingIntervalMs: 1_000, pingTimeoutMs: 500 } });
    const opened = await openStranger();
    strangers.push(opened);
    let pings = 0;
    await opened.node.handle(PING_PROTOCOL, () => void pings++);
    // The time-out may be over before the dialler knows that its dial led anywhere.
    opened.dial(node.address).catch(() => {});
    await until(() => node.facts.length === 2);
    expect(node.facts.map(({ type }) => type)).toEqual(["connected", "disconnected"]);
    expect(pings).toBeLessThan(PING_STREAMS_MAX);
  });

  test.each(["inbound", "outbound"])(
    "an %s socket without a byte is gone when it was idle for too long",
    async (way) => {
      const idleTimeoutMs = 123_456;
      const watches = vi.spyOn(Socket.prototype, "setTimeout");
      onTestFinished(() => watches.mockRestore());
      const node = await open({ limits: { idleTimeoutMs } });
      const opened = await openStranger();
      strangers.push(opened);
      if (way === "inbound") await opened.dial(node.address);
      else node.port.dial(`${opened.node.getMultiaddrs()[0]}`);
      await until(() => node.connectedTo(opened.peer));
      const watched = watches.mock.contexts.filter((_, call) => watches.mock.calls[call]?.[0] === idleTimeoutMs);
      expect(watched.length).toBe(1);
      (watched[0] as Socket).emit("timeout");
      await until(() => node.facts.length === 2);
      expect(node.facts.map(({ type }) => type)).toEqual(["connected", "disconnected"]);
    },
  );

  test("a connection that breaks in the tick that opens a stream on it breaks nothing else", async () => {
    const stack = await openStack();
    const uncaught: unknown[] = [];
    const onUncaught = (error: unknown) => uncaught.push(error);
    process.on("uncaughtException", onUncaught);
    const opened = await openStranger(() => {});
    strangers.push(opened);
    for (let i = 0; i < 5; i++) {
      const connection = await stack.node.dial(opened.node.getMultiaddrs()[0]!);
      await connection.newStream(ENVELOPE_PROTOCOL);
      connection.newStream(ENVELOPE_PROTOCOL).catch(() => {});
      connection.abort(new Error("broken"));
      await until(() => stack.node.getConnections().length === 0);
    }
    await stack.node.stop();
    process.off("uncaughtException", onUncaught);
    expect(uncaught).toEqual([]);
  });

  test("what the library remembers of peers that left is forgotten", async () => {
    const stack = await openStack();
    const opened = await openStranger();
    const staying = await openStranger();
    strangers.push(opened, staying);
    const [address, other] = [opened.node.getMultiaddrs()[0]!, staying.node.getMultiaddrs()[0]!];
    await stack.node.dial(other);
    const connection = await stack.node.dial(address);
    await connection.close();
    expect((await stack.node.peerStore.all()).length).toBe(2);
    await stack.forgetStrangers();
    expect((await stack.node.peerStore.all()).map(({ id }) => id.toString())).toEqual([staying.peer]);
    await stack.node.stop();
  });
});

test("a process that closed its transports ends by itself", async () => {
  const program = fileURLToPath(new URL("./libp2p-exit.ts", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [...TYPESCRIPT, program]);
  expect(stdout).toBe("closed\n");
});
