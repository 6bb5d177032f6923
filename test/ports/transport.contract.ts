/**
 * Goal: every TransportPort moves envelopes the same way, and every request ends in exactly one verdict.
 * Method: nodes that only write down what they are told; the harness of each adapter runs its network until a
 * condition holds or nothing is under way, so that no test waits for a clock. Source: protocol 01 §5.
 */
import { afterEach, assert, describe, expect, test } from "vitest";
import type { RequestNumber } from "../../core/inputs.ts";
import type { PeerId } from "../../core/kernel/values.ts";
import type { TransportEvents, TransportPort } from "../../core/ports/transport.ts";
import { answerAll, Witness } from "./transport-witness.ts";

export interface TransportNode {
  readonly peer: PeerId;
  readonly port: TransportPort;
}

/** What an adapter brings along to be tested. */
export interface TransportNetwork {
  /** Starts a node that can be dialled and that tells `events` what happens to it. */
  open(events: TransportEvents): Promise<TransportNode>;
  /** Runs the network until `enough` holds, or nothing is under way any more. */
  settle(enough?: () => boolean): Promise<void>;
  /** Closes every node. */
  close(): Promise<void>;
}

export interface NetworkOptions {
  /** Requests are to run out of time soon, since the test waits for that. */
  readonly impatient?: true;
}

export type CreateNetwork = (options: NetworkOptions) => Promise<TransportNetwork>;

/** Bytes of the largest envelope. Source: protocol 01 §9.3. */
const ENVELOPE_BYTES_MAX = 1_048_576;
/** A peer that no network has: the key is the one of protocol 01 §1.2, vector C. */
const NOBODY = "12D3KooWK9hQ7TwbfvFiaAxUbRFCkdhS7iEpAJDnewNL1anyREQ1" as PeerId;

export function describeTransport(name: string, createNetwork: CreateNetwork): void {
  describe(`transport: ${name}`, () => {
    const world = new World(createNetwork);
    afterEach(() => world.end());
    describeLinks(world);
    describeRequests(world);
    describeLimits(world);
    describeEnds(world);
  });
}

/** A network and the witnesses on it, for the length of one test. */
class World {
  readonly #createNetwork: CreateNetwork;
  readonly #witnesses: Witness[] = [];
  #network: TransportNetwork | undefined;

  constructor(createNetwork: CreateNetwork) {
    this.#createNetwork = createNetwork;
  }

  async start(count: number, options: NetworkOptions = {}): Promise<Witness[]> {
    this.#network = await this.#createNetwork(options);
    for (let i = 0; i < count; i++) {
      const witness = new Witness();
      witness.node = await this.#network.open(witness.events);
      this.#witnesses.push(witness);
    }
    return this.#witnesses;
  }

  async pair(options: NetworkOptions = {}): Promise<[Witness, Witness]> {
    const [a, b] = (await this.start(2, options)) as [Witness, Witness];
    await this.link(a, b);
    return [a, b];
  }

  async link(a: Witness, b: Witness): Promise<void> {
    a.port.dial(b.address);
    await this.settle(() => a.connectedTo(b.peer) && b.connectedTo(a.peer));
    assert.ok(a.connectedTo(b.peer) && b.connectedTo(a.peer), "the dial connects both sides");
  }

  async settle(enough?: () => boolean): Promise<void> {
    await this.#network?.settle(enough);
  }

  /** What holds of every test: each fact in its place, no request with two verdicts. */
  async end(): Promise<void> {
    await this.#network?.close();
    for (const witness of this.#witnesses.splice(0)) witness.checkOrder();
    this.#network = undefined;
  }
}

function describeLinks(world: World): void {
  test("a node's addresses end in its peer id and are no wildcard", async () => {
    const [a] = (await world.start(1)) as [Witness];
    expect(a.port.addresses().length).toBeGreaterThan(0);
    for (const address of a.port.addresses()) {
      expect(address.endsWith(`/p2p/${a.peer}`)).toBe(true);
      expect(address).not.toMatch(/\/ip4\/0\.0\.0\.0\/|\/ip6\/::\//);
    }
  });

  test("a dial connects both sides once; the dialler learns the address that worked", async () => {
    const [a, b] = await world.pair();
    await world.settle();
    expect(a.facts).toEqual([{ type: "connected", peer: b.peer, address: b.address }]);
    expect(b.facts).toMatchObject([{ type: "connected", peer: a.peer }]);
  });

  test("dialling a connected peer again, and many times, changes nothing", async () => {
    const [a, b] = (await world.start(2)) as [Witness, Witness];
    for (let i = 0; i < 5; i++) a.port.dial(b.address);
    await world.settle();
    for (const address of b.port.addresses()) a.port.dial(address);
    b.port.dial(a.address);
    await world.settle();
    expect(a.facts.length).toBe(1);
    expect(b.facts.length).toBe(1);
  });

  test("two nodes that dial each other at once are one peer to each other", async () => {
    const [a, b] = (await world.start(2)) as [Witness, Witness];
    a.port.dial(b.address);
    b.port.dial(a.address);
    await world.settle();
    expect(a.facts).toMatchObject([{ type: "connected", peer: b.peer }]);
    expect(b.facts).toMatchObject([{ type: "connected", peer: a.peer }]);
    answerAll(a, b);
    a.send(b, 1, Uint8Array.of(1));
    b.send(a, 1, Uint8Array.of(2));
    await world.settle();
    expect(a.verdicts(1)).toMatchObject([{ type: "answered", bytes: Uint8Array.of(1) }]);
    expect(b.verdicts(1)).toMatchObject([{ type: "answered", bytes: Uint8Array.of(2) }]);
  });

  test("a dial that leads nowhere tells nobody anything", async () => {
    const [a, b] = (await world.start(2)) as [Witness, Witness];
    const withoutPeer = b.address.slice(0, b.address.indexOf("/p2p/"));
    for (const address of ["", "nonsense", "http://127.0.0.1:7080", withoutPeer, `${withoutPeer}/p2p/${NOBODY}`]) {
      a.port.dial(address);
    }
    a.port.dial(`/p2p/${b.peer}`);
    a.port.dial(a.address);
    await world.settle();
    expect(a.facts).toEqual([]);
    expect(b.facts.filter((fact) => fact.type !== "connected" && fact.type !== "disconnected")).toEqual([]);
  });

  test("disconnecting tells both sides once, and neither side is connected afterwards", async () => {
    const [a, b] = await world.pair();
    a.port.disconnect(b.peer);
    a.port.disconnect(b.peer);
    await world.settle();
    expect(a.facts.slice(1)).toEqual([{ type: "disconnected", peer: b.peer }]);
    expect(b.facts.slice(1)).toEqual([{ type: "disconnected", peer: a.peer }]);
    a.port.disconnect(b.peer);
    a.port.disconnect(NOBODY);
    a.send(b, 1, Uint8Array.of(1));
    b.send(a, 1, Uint8Array.of(1));
    await world.settle();
    expect(a.facts.slice(2)).toMatchObject([{ type: "failed", peer: b.peer, request: 1 }]);
    expect(b.facts.slice(2)).toMatchObject([{ type: "failed", peer: a.peer, request: 1 }]);
  });

  test("a peer can be dialled again, even while its old link is closing", async () => {
    const [a, b] = await world.pair();
    a.port.disconnect(b.peer);
    a.port.dial(b.address);
    await world.settle();
    expect(a.facts.map(({ type }) => type)).toEqual(["connected", "disconnected", "connected"]);
    expect(b.facts.map(({ type }) => type)).toEqual(["connected", "disconnected", "connected"]);
    answerAll(b);
    a.send(b, 1, Uint8Array.of(7));
    await world.settle();
    expect(a.verdicts(1)).toMatchObject([{ type: "answered" }]);
  });
}

function describeRequests(world: World): void {
  test("a request is received with its sender, and its reply comes back under its number", async () => {
    const [a, b] = await world.pair();
    a.send(b, 42, Uint8Array.of(1, 2, 3));
    await world.settle(() => b.received.length === 1);
    expect(b.received).toMatchObject([{ peer: a.peer, bytes: Uint8Array.of(1, 2, 3) }]);
    expect(a.verdicts(42)).toEqual([]);
    b.port.reply(b.received[0]!.replyTo, Uint8Array.of(4, 5));
    await world.settle();
    expect(a.verdicts(42)).toEqual([{ type: "answered", peer: b.peer, request: 42, bytes: Uint8Array.of(4, 5) }]);
  });

  test("an empty envelope is an envelope", async () => {
    const [a, b] = await world.pair();
    answerAll(b);
    a.send(b, 1, new Uint8Array(0));
    await world.settle();
    expect(a.verdicts(1)).toMatchObject([{ type: "answered", bytes: new Uint8Array(0) }]);
  });

  test("the side that was dialled sends as well as the other", async () => {
    const [a, b] = await world.pair();
    answerAll(a);
    b.send(a, 1, Uint8Array.of(9));
    await world.settle();
    expect(b.verdicts(1)).toMatchObject([{ type: "answered", peer: a.peer, bytes: Uint8Array.of(9) }]);
  });

  test("requests under way at once keep their numbers apart, whatever the order of the replies", async () => {
    const [a, b] = await world.pair();
    for (let i = 0; i < 50; i++) a.send(b, 1_000 + i, Uint8Array.of(i));
    await world.settle(() => b.received.length === 50);
    expect(new Set(b.received.map(({ replyTo }) => replyTo)).size).toBe(50);
    for (const { replyTo, bytes } of b.received.toReversed()) b.port.reply(replyTo, Uint8Array.of(bytes[0]!, 255));
    await world.settle();
    for (let i = 0; i < 50; i++) {
      expect(a.verdicts(1_000 + i)).toMatchObject([{ type: "answered", bytes: Uint8Array.of(i, 255) }]);
    }
  });

  test("one number used for two peers stands for two requests", async () => {
    const [a, b, c] = (await world.start(3)) as [Witness, Witness, Witness];
    await world.link(a, b);
    await world.link(a, c);
    answerAll(b, c);
    a.send(b, 7, Uint8Array.of(1));
    a.send(c, 7, Uint8Array.of(2));
    await world.settle();
    const [first, second, ...more] = a.verdicts(7);
    expect(more).toEqual([]);
    const answers = [first, second].map((fact) => (fact?.type === "answered" ? [fact.peer, fact.bytes[0]] : []));
    expect(new Map(answers as [PeerId, number][])).toEqual(new Map([[b.peer, 1]]).set(c.peer, 2));
  });

  test("more requests than fit on the wire at once are all answered", async () => {
    const [a, b] = await world.pair();
    answerAll(b);
    for (let i = 0; i < 400; i++) a.send(b, i, Uint8Array.of(i & 255, i >> 8));
    await world.settle();
    for (let i = 0; i < 400; i++) {
      expect(a.verdicts(i)).toMatchObject([{ type: "answered", bytes: Uint8Array.of(i & 255, i >> 8) }]);
    }
  });

  test("a second reply, and a reply to nothing, are ignored", async () => {
    const [a, b] = await world.pair();
    a.send(b, 1, Uint8Array.of(1));
    await world.settle(() => b.received.length === 1);
    const { replyTo } = b.received[0]!;
    b.port.reply(replyTo, Uint8Array.of(2));
    b.port.reply(replyTo, Uint8Array.of(3));
    b.port.reply(`${replyTo}-unknown`, Uint8Array.of(4));
    await world.settle();
    b.port.reply(replyTo, Uint8Array.of(5));
    await world.settle();
    expect(a.verdicts(1)).toMatchObject([{ type: "answered", bytes: Uint8Array.of(2) }]);
  });
}

function describeLimits(world: World): void {
  test("the largest envelope passes, as request and as reply", async () => {
    const [a, b] = await world.pair();
    answerAll(b);
    const largest = Uint8Array.from({ length: ENVELOPE_BYTES_MAX }, (_, i) => (i * 31) & 255);
    a.send(b, 1, largest);
    await world.settle();
    expect(a.verdicts(1).length).toBe(1);
    const [verdict] = a.verdicts(1);
    assert.ok(verdict?.type === "answered" && Buffer.from(verdict.bytes).equals(largest), "the same bytes come back");
  });

  test("a larger one fails, as request and as reply, and the link goes on", async () => {
    const [a, b] = await world.pair();
    a.send(b, 1, new Uint8Array(ENVELOPE_BYTES_MAX + 1));
    a.send(b, 2, Uint8Array.of(2));
    await world.settle(() => b.received.length === 1);
    b.port.reply(b.received[0]!.replyTo, new Uint8Array(ENVELOPE_BYTES_MAX + 1));
    await world.settle();
    expect(a.verdicts(1)).toMatchObject([{ type: "failed" }]);
    expect(a.verdicts(2)).toMatchObject([{ type: "failed" }]);
    answerAll(b);
    a.send(b, 3, Uint8Array.of(3));
    await world.settle();
    expect(a.verdicts(3)).toMatchObject([{ type: "answered" }]);
    expect(b.received.length).toBe(2);
  });

  test("a request that nobody answers fails once; its late reply is ignored", async () => {
    const [a, b] = await world.pair({ impatient: true });
    a.send(b, 1, Uint8Array.of(1));
    await world.settle();
    expect(a.verdicts(1)).toMatchObject([{ type: "failed", peer: b.peer }]);
    b.port.reply(b.received[0]!.replyTo, Uint8Array.of(2));
    await world.settle();
    expect(a.verdicts(1).length).toBe(1);
    answerAll(b);
    a.send(b, 2, Uint8Array.of(2));
    await world.settle();
    expect(a.verdicts(2)).toMatchObject([{ type: "answered" }]);
  });

  test("a request to a stranger fails", async () => {
    const [a, b] = (await world.start(2)) as [Witness, Witness];
    a.port.send(NOBODY, 1, Uint8Array.of(1));
    a.port.send("" as PeerId, 2, Uint8Array.of(1));
    a.send(b, 3, Uint8Array.of(1));
    a.send(a, 4, Uint8Array.of(1));
    await world.settle();
    for (const request of [1, 2, 3, 4]) expect(a.verdicts(request)).toMatchObject([{ type: "failed" }]);
    expect(b.facts).toEqual([]);
  });

  test("no fact is told while the port is being called", async () => {
    const [a, b] = await world.pair();
    const during = (call: () => void) => {
      const before = a.facts.length;
      call();
      expect(a.facts.length).toBe(before);
    };
    during(() => a.port.send(NOBODY, 1, Uint8Array.of(1)));
    during(() => a.port.send(b.peer, 2, new Uint8Array(ENVELOPE_BYTES_MAX + 1)));
    during(() => a.port.send(b.peer, 3, Uint8Array.of(1)));
    during(() => a.port.dial(b.address));
    during(() => a.port.disconnect(b.peer));
    let closed = false;
    during(() =>
      a.port.close(() => {
        closed = true;
      }),
    );
    expect(closed).toBe(false);
    during(() => a.port.send(b.peer, 4, Uint8Array.of(1)));
    await world.settle(() => closed);
    for (const request of [1, 2, 3, 4]) expect(a.verdicts(request)).toMatchObject([{ type: "failed" }]);
  });
}

function describeEnds(world: World): void {
  for (const leaver of ["the sender", "the receiver"] as const) {
    test(`requests under way fail when ${leaver} disconnects`, async () => {
      const [a, b] = await world.pair();
      for (let i = 0; i < 90; i++) a.send(b, i, Uint8Array.of(i));
      await world.settle(() => b.received.length > 0);
      if (leaver === "the sender") a.port.disconnect(b.peer);
      else b.port.disconnect(a.peer);
      await world.settle();
      for (let i = 0; i < 90; i++) expect(a.verdicts(i)).toMatchObject([{ type: "failed", peer: b.peer }]);
      b.port.reply(b.received[0]!.replyTo, Uint8Array.of(1));
      await world.settle();
      expect(a.verdicts(0).length).toBe(1);
      expect(a.facts.filter(({ type }) => type === "disconnected").length).toBe(1);
      expect(b.facts.filter(({ type }) => type === "disconnected").length).toBe(1);
    });

    test(`requests under way fail when ${leaver} closes`, async () => {
      const [a, b] = await world.pair();
      for (let i = 0; i < 90; i++) a.send(b, i, Uint8Array.of(i));
      await world.settle(() => b.received.length > 0);
      const [leaves, stays] = leaver === "the sender" ? [a, b] : [b, a];
      let closed = false;
      leaves.port.close(() => {
        closed = true;
      });
      await world.settle(() => closed && !stays.connectedTo(leaves.peer));
      await world.settle();
      for (let i = 0; i < 90; i++) expect(a.verdicts(i)).toMatchObject([{ type: "failed", peer: b.peer }]);
      expect(stays.facts.filter(({ type }) => type === "disconnected").length).toBe(1);
    });
  }

  test("closing twice ends both calls, and a closed node says nothing but that it cannot send", async () => {
    const [a, b] = await world.pair();
    a.send(b, 1, Uint8Array.of(1));
    await world.settle(() => b.received.length === 1);
    let done = 0;
    const closing = () => a.port.close(() => done++);
    closing();
    closing();
    await world.settle(() => done === 2);
    closing();
    await world.settle(() => done === 3);
    expect(done).toBe(3);
    const before = a.facts.length;
    a.port.dial(b.address);
    a.port.disconnect(b.peer);
    a.port.reply("anything", Uint8Array.of(1));
    b.port.dial(`${b.address.slice(0, b.address.indexOf("/p2p/"))}/p2p/${a.peer}`);
    await world.settle();
    expect(a.facts.length).toBe(before);
    a.send(b, 2, Uint8Array.of(1));
    await world.settle();
    expect(a.verdicts(1)).toMatchObject([{ type: "failed" }]);
    expect(a.verdicts(2)).toMatchObject([{ type: "failed" }]);
  });

  test("a node without links closes", async () => {
    const [a] = (await world.start(1)) as [Witness];
    let closed = false;
    a.port.close(() => {
      closed = true;
    });
    await world.settle(() => closed);
    expect(closed).toBe(true);
    expect(a.facts).toEqual([]);
  });

  test("whatever nodes do to each other, each request has one verdict", async () => {
    const nodes = await world.start(3, { impatient: true });
    const [a, b, c] = nodes as [Witness, Witness, Witness];
    await world.link(a, b);
    await world.link(b, c);
    await world.link(c, a);
    let number: RequestNumber = 0;
    const sent: [Witness, RequestNumber][] = [];
    for (let round = 0; round < 40; round++) {
      const from = nodes[round % 3]!;
      const to = nodes[(round + 1 + (round % 2)) % 3]!;
      for (let i = 0; i < 5; i++) {
        sent.push([from, ++number]);
        from.send(to, number, new Uint8Array((number * 7_919) % 20_000));
      }
      const { replyTo } = to.received.at(-1 - (round % 4)) ?? { replyTo: "" };
      to.port.reply(replyTo, Uint8Array.of(round));
      if (round % 7 === 3) from.port.disconnect(to.peer);
      if (round % 7 === 5) to.port.dial(from.address);
      await world.settle(() => to.received.length % 2 === 1);
    }
    let closed = 0;
    for (const node of nodes) node.port.close(() => closed++);
    await world.settle(() => closed === 3);
    await world.settle();
    expect(sent.map(([from, request]) => from.verdicts(request).length)).toEqual(sent.map(() => 1));
  });
}
