// Goal: connections are counted, admitted and given up at every one of their bounds, and quiet is quiet on both sides.
// Method: connections and transports of a few lines; each step says who is there afterwards.
import { multiaddr } from "@multiformats/multiaddr";
import { assert, describe, expect, test } from "vitest";
import { ConnectionTable } from "../../adapters/libp2p/connections.ts";
import { whenQuiet } from "../../adapters/libp2p/quiet.ts";
import type { OpenedTransport } from "../../adapters/libp2p/transport.ts";
import type { Connection, PeerId } from "../../adapters/libp2p/types.ts";

const [A, B, C] = ["a" as PeerId, "b" as PeerId, "c" as PeerId];
const BOUNDS = {
  ...{ connectionsMax: 4, inboundConnectionsMax: 2, connectionsPerPeerMax: 2 },
  ...{ connectionsPerAddressMax: 2, connectionsPerLocalAddressMax: 3, connectionsPerSubnetMax: 4 },
};
const ROOMY = { ...BOUNDS, connectionsMax: 96, inboundConnectionsMax: 64 };

function connection(direction: "inbound" | "outbound", status = "open", from = "/memory/one"): Connection {
  return { direction, status, remoteAddr: multiaddr(from) } as unknown as Connection;
}

const incoming = (from?: string) => connection("inbound", "open", from);
const peerAt = (n: number) => `peer-${n}` as PeerId;
const outgoing = () => connection("outbound");

describe("the table of connections", () => {
  test("tells peers apart from connections, and keeps the newest of each", () => {
    const table = new ConnectionTable(BOUNDS);
    const [first, second, third] = [outgoing(), outgoing(), outgoing()];
    expect(table.add(A, first)).toEqual({ admission: "first", evicted: [] });
    expect(table.add(A, second)).toEqual({ admission: "another", evicted: [] });
    expect(table.add(A, third)).toEqual({ admission: "another", evicted: [first] });
    expect([table.peers, table.all(A), table.all(B)]).toEqual([[A], [first, second, third], []]);
    expect([table.has(A), table.has(B)]).toEqual([true, false]);
    expect(table.remove(A, first)).toBe(false);
    expect(table.all(A)).toEqual([second, third]);
    expect([table.remove(A, third), table.remove(A, second)]).toEqual([false, true]);
    expect([table.has(A), table.peers]).toEqual([false, []]);
  });

  test("what it does not hold it cannot lose", () => {
    const table = new ConnectionTable({ ...BOUNDS, connectionsMax: 1 });
    const held = outgoing();
    table.add(A, held);
    expect([table.remove(A, outgoing()), table.remove(B, held)]).toEqual([false, false]);
    expect([table.full, table.has(A)]).toEqual([true, true]);
  });

  test("the newest that is open is sent on, and none while parting", () => {
    const table = new ConnectionTable(BOUNDS);
    const [open, closing] = [outgoing(), connection("outbound", "closing")];
    table.add(A, open);
    table.add(A, closing);
    expect([table.newest(A), table.newest(B)]).toEqual([open, undefined]);
    expect([table.part(B), table.part(A), table.part(A)]).toEqual([false, true, false]);
    expect([table.newest(A), table.isParting(A), table.isParting(B), table.parting]).toEqual([
      undefined,
      true,
      false,
      1,
    ]);
    expect(table.add(A, outgoing())).toEqual({ admission: "refused", cause: "parting" });
    table.remove(A, open);
    expect(table.isParting(A)).toBe(true);
    table.remove(A, closing);
    expect([table.isParting(A), table.parting]).toEqual([false, 0]);
    expect(table.add(A, outgoing()).admission).toBe("first");
  });

  test("from outside as many as one bound, in all as many as the other", () => {
    const table = new ConnectionTable(BOUNDS);
    const admitted = (peer: PeerId, one: Connection) => table.add(peer, one).admission !== "refused";
    const [in1, in2] = [incoming(), incoming()];
    const placesFor = () => table.refusalFor(multiaddr("/memory/two"));
    expect([admitted(A, in1), placesFor()]).toEqual([true, undefined]);
    expect([admitted(B, in2), placesFor(), table.full]).toEqual([true, "places", false]);
    expect([admitted(C, incoming()), admitted(C, outgoing())]).toEqual([false, true]);
    expect(table.full).toBe(false);
    expect([admitted(C, outgoing()), table.full]).toEqual([true, true]);
    expect(admitted(A, outgoing())).toBe(false);
    table.remove(C, table.all(C)[0]!);
    expect([table.full, placesFor(), admitted(C, incoming())]).toEqual([false, "places", false]);
    table.remove(A, in1);
    expect([placesFor(), admitted(C, incoming())]).toEqual([undefined, true]);
  });

  test("nothing from outside when all are taken by this node's own", () => {
    const table = new ConnectionTable({ ...BOUNDS, connectionsMax: 1 });
    table.add(A, outgoing());
    expect(table.refusalFor(multiaddr("/memory/two"))).toBe("places");
    expect(table.add(B, incoming())).toEqual({ admission: "refused", cause: "places" });
    expect(table.add(B, outgoing())).toEqual({ admission: "refused", cause: "connections" });
  });

  /** How many of so many peers from these addresses are taken, and why the next one is not. */
  function takenFrom(peers: number, addressOf: (n: number) => string): readonly [number, string | undefined] {
    const table = new ConnectionTable(ROOMY);
    for (let n = 0; n < peers; n++) table.add(peerAt(n), incoming(addressOf(n)));
    return [table.count("inbound"), table.refusalFor(multiaddr(addressOf(peers)))];
  }

  test.each([
    ["one address", 80, (n: number) => `/ip4/203.0.113.7/tcp/${1_024 + n}`, 2, "address"],
    ["one IPv4 address written as IPv6", 80, (n: number) => `/ip6/::ffff:203.0.113.7/tcp/${1_024 + n}`, 2, "address"],
    ["one /64", 80, (n: number) => `/ip6/2001:db8:1:1::${n + 1}/tcp/4001`, 2, "address"],
    ["one /24", 80, (n: number) => `/ip4/203.0.113.${n + 1}/tcp/4001`, 4, "subnet"],
    ["one /48", 80, (n: number) => `/ip6/2001:db8:1:${(n + 1).toString(16)}::1/tcp/4001`, 4, "subnet"],
    ["one machine", 40, (n: number) => `/ip4/127.0.0.1/tcp/${1_024 + n}`, 3, "address"],
    ["one private network", 40, (n: number) => `/ip4/192.168.1.${n + 1}/tcp/4001`, 40, undefined],
    ["as many networks", 40, (n: number) => `/ip4/203.0.${n}.1/tcp/4001`, 40, undefined],
  ])("of those from %s so many are taken", (_, peers, addressOf, taken, cause) => {
    expect(takenFrom(peers, addressOf)).toEqual([taken, cause]);
  });

  test("what this node dialled is bound by no address, and a place that is free again is given again", () => {
    const table = new ConnectionTable(ROOMY);
    const from = "/ip4/203.0.113.7/tcp/4001";
    for (let n = 0; n < 8; n++) table.add(peerAt(n), connection("outbound", "open", from));
    expect([table.count("outbound"), table.refusalFor(multiaddr(from))]).toEqual([8, undefined]);
    const held = [incoming(from), incoming(from)];
    held.forEach((one, n) => void table.add(peerAt(100 + n), one));
    expect(table.add(peerAt(102), incoming(from))).toEqual({ admission: "refused", cause: "address" });
    table.remove(peerAt(100), held[0]!);
    expect(table.add(peerAt(102), incoming(from)).admission).toBe("first");
  });

  test("with all places taken the youngest of the crowd leaves for a stranger, and its place is counted once", () => {
    let now = 0;
    const bounds = { ...ROOMY, connectionsPerAddressMax: 64, connectionsPerSubnetMax: 64 };
    const table = new ConnectionTable(bounds, () => ++now);
    const crowd = Array.from({ length: 64 }, (_, n) => incoming(`/ip4/203.0.113.7/tcp/${1_024 + n}`));
    crowd.forEach((one, n) => void table.add(peerAt(n), one));
    table.brought(peerAt(63));
    const first = table.add(A, incoming("/ip4/198.51.100.1/tcp/1"));
    expect(first).toEqual({ admission: "first", evicted: [crowd[62]] });
    expect(table.count("inbound")).toBe(64);
    const second = table.add(B, incoming("/ip4/192.0.2.1/tcp/1"));
    expect(second).toEqual({ admission: "first", evicted: [crowd[61]] });
    table.remove(peerAt(62), crowd[62]!);
    expect(table.count("inbound")).toBe(64);
    const own = table.add(C, incoming("/ip4/203.0.113.7/tcp/9"));
    assert(own.admission === "refused");
    expect(own.cause).toBe("places");
  });
});

describe("quiet", () => {
  interface Part {
    readonly peer: PeerId;
    unfinished: number;
    peers: PeerId[];
    looks: number;
  }

  function part(peer: PeerId, peers: PeerId[] = [], unfinished = 0): Part {
    return { peer, peers, unfinished, looks: 0 };
  }

  function transportOf(part: Part): OpenedTransport {
    const look = () => {
      part.looks += 1;
      return part.unfinished;
    };
    return { peer: part.peer, unfinished: look, peers: () => part.peers } as unknown as OpenedTransport;
  }

  /** Looks so often and then has enough; whether it was quiet before. */
  async function quietWithin(parts: readonly Part[], rounds: number): Promise<boolean> {
    let asked = 0;
    await whenQuiet(parts.map(transportOf), () => ++asked > rounds);
    return asked <= rounds;
  }

  const noisy: readonly (readonly [string, readonly Part[]])[] = [
    ["something is under way", [part(A), part(B, [], 1)]],
    ["one end does not know of the link", [part(A, [B]), part(B)]],
    ["one of several links has one end only", [part(A, [B, C]), part(B, [A]), part(C)]],
    ["the first is settled and the second is not", [part(A), part(B, [C]), part(C)]],
  ];

  test.each(noisy)("is not while %s", async (_, parts) => {
    expect(await quietWithin(parts, 40)).toBe(false);
  });

  test.each([
    ["nobody is there", []],
    ["both ends know of the link", [part(A, [B]), part(B, [A])]],
    ["the other end is nobody's of these", [part(A, [C]), part(B)]],
  ])("is when %s", async (_, parts) => {
    expect(await quietWithin(parts, 40)).toBe(true);
  });

  test("takes four looks in a row, and begins again when something comes up", async () => {
    const one = part(A);
    await whenQuiet([transportOf(one)]);
    expect(one.looks).toBe(4);
    const other = part(A);
    let round = 0;
    await whenQuiet([transportOf(other)], () => {
      round += 1;
      other.unfinished = round === 3 ? 1 : 0;
      return false;
    });
    expect(other.looks).toBe(7);
  });
});
