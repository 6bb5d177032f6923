// Goal: connections are counted, admitted and given up at every one of their bounds, and quiet is quiet on both sides.
// Method: connections and transports of a few lines; each step says who is there afterwards.
import { describe, expect, test } from "vitest";
import { ConnectionTable } from "../../adapters/libp2p/connections.ts";
import { whenQuiet } from "../../adapters/libp2p/quiet.ts";
import type { OpenedTransport } from "../../adapters/libp2p/transport.ts";
import type { Connection, PeerId } from "../../adapters/libp2p/types.ts";

const [A, B, C] = ["a" as PeerId, "b" as PeerId, "c" as PeerId];
const BOUNDS = { connectionsMax: 4, inboundConnectionsMax: 2, connectionsPerPeerMax: 2 };

function connection(direction: "inbound" | "outbound", status = "open"): Connection {
  return { direction, status } as unknown as Connection;
}

const incoming = () => connection("inbound");
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
    expect(table.add(A, outgoing())).toEqual({ admission: "refused", evicted: [] });
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
    expect([admitted(A, in1), table.fullForInbound]).toEqual([true, false]);
    expect([admitted(B, in2), table.fullForInbound, table.full]).toEqual([true, true, false]);
    expect([admitted(C, incoming()), admitted(C, outgoing())]).toEqual([false, true]);
    expect(table.full).toBe(false);
    expect([admitted(C, outgoing()), table.full]).toEqual([true, true]);
    expect(admitted(A, outgoing())).toBe(false);
    table.remove(C, table.all(C)[0]!);
    expect([table.full, table.fullForInbound, admitted(C, incoming())]).toEqual([false, true, false]);
    table.remove(A, in1);
    expect([table.fullForInbound, admitted(C, incoming())]).toEqual([false, true]);
  });

  test("nothing from outside when all are taken by this node's own", () => {
    const table = new ConnectionTable({ ...BOUNDS, connectionsMax: 1 });
    table.add(A, outgoing());
    expect([table.fullForInbound, table.add(B, incoming()).admission]).toEqual([true, "refused"]);
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
