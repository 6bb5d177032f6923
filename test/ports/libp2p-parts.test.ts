// Goal: frames come out as they went in, however they are cut, and no byte is held that is not counted.
// Method: random frames in random pieces, against the plain definition of a frame; random leases against a sum.
import { multiaddr } from "@multiformats/multiaddr";
import fc from "fast-check";
import { assert, describe, expect, test } from "vitest";
import type { Carriers } from "../../adapters/libp2p/addresses.ts";
import {
  announcedAddresses,
  parseAnnouncedAddress,
  parseDialAddress,
  parseListenAddress,
} from "../../adapters/libp2p/addresses.ts";
import { ByteBudget } from "../../adapters/libp2p/byte-budget.ts";
import { encodeFrame, FrameReader } from "../../adapters/libp2p/frames.ts";
import type { PeerId, Result } from "../../adapters/libp2p/types.ts";
import { forAll } from "../property/for-all.ts";

const PEER = "peer" as PeerId;

function unbounded() {
  return new ByteBudget(Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER).lease(PEER);
}

/** Cuts bytes at random places. */
function piecesOf(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b);
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end));
}

describe("frames", () => {
  const cut = fc.oneof(fc.nat(1_100_000), fc.nat(5));
  const arbCuts = fc.oneof(fc.array(cut, { maxLength: 20 }), fc.constant([]));
  const usual = fc
    .tuple(fc.constantFrom(0, 1, 3, 300, 16_383, 16_384, 16_385, 70_000), fc.nat(40), fc.nat(255))
    .map(([length, more, byte]) => [length + more, byte] as const);
  const longest = fc.nat(255).map((byte) => [1_048_576, byte] as const);
  const arbEnvelope = fc
    .oneof({ weight: 9, arbitrary: usual }, { weight: 1, arbitrary: longest })
    .map(([length, byte]) => Uint8Array.from({ length }, (_, i) => (i * 7 + byte) & 255));

  test("any cutting gives the envelope back, and only the last piece completes it", () => {
    forAll(
      [arbEnvelope, arbCuts],
      (envelope, cuts) => {
        const reader = new FrameReader(unbounded());
        const pieces = piecesOf(encodeFrame(envelope), cuts).filter(({ length }) => length > 0);
        const states = pieces.map((piece) => reader.push(piece));
        assert.deepEqual(states, [...pieces.slice(1).map(() => "reading" as const), "complete"]);
        assert.ok(Buffer.from(reader.envelope).equals(envelope));
        const [first] = pieces;
        return [
          ...(pieces.length === 1 ? ["in one piece"] : []),
          ...(pieces.length > 10 ? ["in more than ten pieces"] : []),
          ...(first !== undefined && first.length < 4 ? ["cut within the length"] : []),
          envelope.length > 16_384 ? "grows" : envelope.length === 0 ? "empty" : "fits at once",
          ...(envelope.length === 1_048_576 ? ["at its longest"] : []),
        ];
      },
      {
        runs: 100,
        sample: 150,
        shares: {
          ...{ "in one piece": 0.01, "in more than ten pieces": 0.1, "cut within the length": 0.2, grows: 0.2 },
          ...{ empty: 0.005, "fits at once": 0.2, "at its longest": 0.03 },
        },
      },
    );
  });

  test("whatever follows a frame, in the same piece or later, is refused", () => {
    forAll(
      [arbEnvelope, arbCuts, fc.uint8Array({ minLength: 1, maxLength: 5 }), fc.boolean()],
      (envelope, cuts, tail, apart) => {
        const reader = new FrameReader(unbounded());
        const frame = encodeFrame(envelope);
        const pieces = apart ? [frame, tail] : piecesOf(Buffer.concat([frame, tail]), cuts);
        for (const piece of pieces) reader.push(piece);
        assert.equal(reader.state, "more than one frame");
        assert.equal(reader.push(tail), "more than one frame");
      },
      {
        runs: 100,
        classes: (_envelope, cuts, _tail, apart) => [apart ? "later" : cuts.length === 0 ? "in the same piece" : "cut"],
        shares: { later: 0.3, "in the same piece": 0.1, cut: 0.2 },
      },
    );
  });

  test("the length is read as u32, most significant byte first, and bounded by 1,048,576", () => {
    expect(encodeFrame(new Uint8Array(258)).subarray(0, 5)).toEqual(Uint8Array.of(0, 0, 1, 2, 0));
    expect(new FrameReader(unbounded()).push(Uint8Array.of(0, 0x10, 0, 0, 1))).toBe("reading");
    expect(new FrameReader(unbounded()).push(Uint8Array.of(0, 0x10, 0, 1))).toBe("too large");
    expect(new FrameReader(unbounded()).push(Uint8Array.of(0xff, 0xff, 0xff, 0xff))).toBe("too large");
  });

  test("a long frame that has only begun holds little; one without room is refused", () => {
    const budget = new ByteBudget(100_000, 100_000);
    const lease = budget.lease(PEER);
    const reader = new FrameReader(lease);
    reader.push(Uint8Array.of(0, 0x10, 0, 0, 1));
    expect(budget.total).toBe(16_384);
    expect(reader.push(new Uint8Array(50_000))).toBe("reading");
    expect(reader.push(new Uint8Array(50_000))).toBe("no room");
    expect(reader.push(new Uint8Array(1))).toBe("no room");
    lease.release();
    expect(budget.total).toBe(0);
  });
});

describe("addresses", () => {
  test("are announced with this node's id, declared ones first, none twice, never a wildcard", () => {
    const self = "12D3KooWK9hQ7TwbfvFiaAxUbRFCkdhS7iEpAJDnewNL1anyREQ1" as PeerId;
    const declared = ["/dns4/node.example.org/tcp/4001", `/ip4/203.0.113.9/tcp/4001/p2p/${self}`].map(multiaddr);
    const bound = ["/ip4/0.0.0.0/tcp/1", "/ip6/::/tcp/1", "/ip4/203.0.113.9/tcp/4001", "/ip6/::1/tcp/0"].map(multiaddr);
    expect(announcedAddresses(declared, bound, self)).toEqual([
      `/dns4/node.example.org/tcp/4001/p2p/${self}`,
      `/ip4/203.0.113.9/tcp/4001/p2p/${self}`,
      `/ip6/::1/tcp/0/p2p/${self}`,
    ]);
  });

  const [self, other] = [
    "K9hQ7TwbfvFiaAxUbRFCkdhS7iEpAJDnewNL1anyREQ1",
    "QCU2EcMqAqQPR2i9bChDtGNJchTbq5TbXJJ16u19uLTa",
  ].map((end) => `12D3KooW${end}` as PeerId) as [PeerId, PeerId];
  const here: Carriers = { memory: false, quic: false };
  const [memory, quic] = [
    { ...here, memory: true },
    { ...here, quic: true },
  ];

  test.each([
    ["/ip4/0.0.0.0/tcp/0", here, ""],
    ["/ip6/::/tcp/4001", here, ""],
    ["/memory/a", memory, ""],
    ["/memory/a", here, "not an address to listen on"],
    ["/dns4/a.test/tcp/1", here, "not an address to listen on"],
    ["/ip4/1.2.3.4/udp/1", here, "not an address to listen on"],
    ["/ip4/1.2.3.4/tcp/1/ws", here, "not an address to listen on"],
    ["/tcp/1", memory, "not an address to listen on"],
    ["no address", here, "not a multiaddr"],
    ["/ip4/0.0.0.0/udp/0/quic-v1", quic, ""],
    ["/ip6/::/udp/4001/quic-v1", quic, ""],
    ["/ip6/::/tcp/4001", quic, ""],
    ["/ip4/0.0.0.0/udp/0/quic-v1", memory, "expected /ip4/HOST/tcp/PORT"],
    ["/ip4/1.2.3.4/udp/1/quic", quic, "expected /ip4/HOST/tcp/PORT or /ip4/HOST/udp/PORT/quic-v1"],
    ["/ip4/1.2.3.4/udp/1/quic-v1/webtransport", quic, "not an address to listen on"],
  ])("to listen on %s, with %j: %j", (text, carriers, wrong) => {
    expect(wrongOf(parseListenAddress(text, carriers), text)).toContain(wrong);
  });

  const reachable: readonly (readonly [string, Carriers, boolean])[] = [
    ["/ip4/1.2.3.4/tcp/1", here, true],
    ["/ip6/2001:db8::1/tcp/1", here, true],
    ["/dns/a.test/tcp/1", here, true],
    ["/dns4/a.test/tcp/1", here, true],
    ["/dns6/a.test/tcp/1", here, true],
    ["/memory/a", memory, true],
    ["/memory/a", here, false],
    ["/memory/a/tcp/1", memory, false],
    ["/tcp/1", here, false],
    ["/dnsaddr/a.test/tcp/1", here, false],
    ["/ip4/1.2.3.4", here, false],
    ["/ip4/1.2.3.4/udp/1", here, false],
    ["/ip4/1.2.3.4/tcp/1/ws", here, false],
    ["/ip4/1.2.3.4/udp/1/quic-v1", quic, true],
    ["/ip6/2001:db8::1/udp/1/quic-v1", quic, true],
    ["/dns4/a.test/udp/1/quic-v1", quic, false],
    ["/ip4/1.2.3.4/udp/1/quic-v1", here, false],
    ["/ip4/1.2.3.4/udp/1", quic, false],
  ];

  test.each(reachable)("peers reach %s, with %j: %s", (text, inMemory, can) => {
    expect(wrongOf(parseAnnouncedAddress(text, self, inMemory), text)).toContain(can ? "" : "that peers can dial");
    const own = parseAnnouncedAddress(`${text}/p2p/${self}`, self, inMemory);
    expect(own.ok && own.value.toString()).toBe(can && text);
    const dialled = parseDialAddress(`${text}/p2p/${other}`, inMemory);
    expect(wrongOf(dialled, text)).toContain(can ? "" : "that this node can dial");
    expect(dialled.ok && [dialled.value.address.toString(), dialled.value.peer]).toEqual(
      can && [`${text}/p2p/${other}`, other],
    );
  });

  test.each([
    ["/ip4/0.0.0.0/tcp/1", "a wildcard"],
    ["/ip6/::/tcp/1", "a wildcard"],
    ["/ip6/0:0:0:0:0:0:0:0/tcp/1", "a wildcard"],
    ["/ip6/::1/tcp/1", ""],
    ["/ip4/10.0.0.0/tcp/1", ""],
    ["/dns4/0/tcp/1", ""],
    [`/ip4/1.2.3.4/tcp/1/p2p/${other}`, "announces another peer"],
    ["no address", "not a multiaddr"],
  ])("%s is announced unless: %j", (text, wrong) => {
    expect(wrongOf(parseAnnouncedAddress(text, self, here), text)).toContain(wrong);
  });

  test.each([
    ["/ip4/1.2.3.4/tcp/1", "does not end in /p2p"],
    [`/p2p/${other}/ip4/1.2.3.4/tcp/1`, "does not end in /p2p"],
    // Of a key of another kind: no peer of this network.
    ["/ip4/1.2.3.4/tcp/1/p2p/QmYyQSo1c1Ym7orWxLYvCrM2EmxFTANf8wXmmE7DWjhx5N", "does not end in /p2p"],
    ["no address", "not a multiaddr"],
  ])("%s is not dialled: %s", (text, wrong) => {
    expect(wrongOf(parseDialAddress(text, here), text)).toContain(wrong);
  });

  /** What is wrong with an address, which it begins with; empty when nothing is. */
  function wrongOf(parsed: Result<unknown, string>, text: string): string {
    if (parsed.ok) return "";
    expect(parsed.error.startsWith(text)).toBe(true);
    return parsed.error.slice(text.length);
  }
});

describe("byte budget", () => {
  test("holds what is leased, within both bounds, and nothing after release", () => {
    const release = fc.constantFrom(false, false, false, false, true);
    const arbStep = fc.record({ lease: fc.nat(5), bytes: fc.oneof(fc.nat(60), fc.constantFrom(50, 25)), release });
    forAll(
      [fc.array(arbStep, { maxLength: 60 })],
      (steps) => {
        const labels = new Set<string>();
        const budget = new ByteBudget(150, 100);
        const held = [0, 0, 0, 0, 0, 0];
        const over = new Set<number>();
        const peerSum = (lease: number) =>
          held.reduce((sum, bytes, other) => sum + (other % 2 === lease % 2 ? bytes : 0), 0);
        const leases = held.map((_, index) => budget.lease(`${index % 2}` as PeerId));
        for (const { lease, bytes, release } of steps) {
          if (release) {
            leases[lease]?.release();
            held[lease] = 0;
            over.add(lease);
          } else {
            const fits = !over.has(lease) && peerSum(lease) + bytes <= 100 && budget.total + bytes <= 150;
            assert.equal(leases[lease]?.grow(bytes), fits);
            if (peerSum(lease) + bytes === 100 && fits) labels.add("the peer's bound is reached");
            if (budget.total === 150) labels.add("the common bound is reached");
            if (!fits) labels.add(over.has(lease) ? "refused after release" : "refused");
            if (!fits && !over.has(lease) && peerSum(lease) + bytes <= 100) labels.add("refused by the common bound");
            if (fits) held[lease] = (held[lease] ?? 0) + bytes;
          }
          assert.equal(
            budget.total,
            held.reduce((sum, each) => sum + each, 0),
          );
        }
        for (const lease of leases) lease.release();
        assert.equal(budget.total, 0);
        return [...labels];
      },
      {
        runs: 300,
        shares: {
          ...{ "the peer's bound is reached": 0.05, "the common bound is reached": 0.02, refused: 0.5 },
          ...{ "refused after release": 0.5, "refused by the common bound": 0.1 },
        },
      },
    );
  });
});
