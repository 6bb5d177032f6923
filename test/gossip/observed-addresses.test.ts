/**
 * Goal: a node announces where others see it when peers in different networks agree on links that it dialled itself,
 * and nothing else that anybody says about it.
 * Method: one node behind its ports, reports as facts, one row a case; what it announces is read where clients read it
 * and where peers do. Source: protocol 01 §5.5; 05 §8.
 */
import { describe, expect, test } from "vitest";
import type { EpochMillis, PeerId } from "../../core/index.ts";
import { peerOfKey } from "../../core/index.ts";
import { known } from "../../core/kernel/assert.ts";
import { decodeCompact, encodeCompact } from "../../core/kernel/schema.ts";
import {
  Frame,
  frameOf,
  OFS_PEER_EXCHANGE,
  PeerExchangeRequest,
  PeerExchangeResponse,
} from "../../core/network/gossip/envelope.ts";
import { CLAIM_EXPIRY_MS, REPORTERS_MAX } from "../../core/network/peers/address-claims.ts";
import { ObservedAddresses, REPORTS } from "../../core/network/peers/observed-addresses.ts";
import type { LoneNode } from "../rpc/lone-node.ts";
import { crypto, loneNode, person } from "../rpc/lone-node.ts";

const T = 1_786_000_000_000n as EpochMillis;
const MINUTE = 60_000n;
const SELF = person(9).peer;
/** As a wildcard is bound behind a router. */
const BOUND = [`/ip4/127.0.0.1/tcp/4001/p2p/${SELF}`, `/ip4/192.168.1.5/tcp/4001/p2p/${SELF}`];
const SEEN = "/ip4/203.0.113.9/tcp/51022";
const ANNOUNCED = `/ip4/203.0.113.9/tcp/4001/p2p/${SELF}`;

interface Report {
  /** Where this node dialled the reporter; nothing when the reporter connected from outside. */
  readonly at: string | null;
  readonly sees: string;
}

/** One of more peers than a byte has values. */
function numbered(n: number): PeerId {
  const secret = new Uint8Array(32).fill(7);
  new DataView(secret.buffer).setUint32(0, n);
  return peerOfKey(crypto.publicKey(secret));
}

const reporter = (n: number): PeerId => person(0x40 + n).peer;

function report(node: LoneNode, n: number, { at, sees }: Report): void {
  const address = at === null ? null : `${at}/p2p/${reporter(n)}`;
  node.accept({ type: "peer.connected", peer: reporter(n), address });
  node.accept({ type: "peer.observed", peer: reporter(n), address: sees });
}

const open = (announcedAddresses: readonly string[] = BOUND) =>
  loneNode(T, undefined, undefined, { announcedAddresses });

/** What is announced beside the node's own addresses, to clients and to peers alike. */
function announced(node: LoneNode, own: readonly string[] = BOUND): readonly string[] {
  const shown = (node.call("getPeers") as { readonly announced_addresses: readonly string[] }).announced_addresses;
  const payload = encodeCompact(PeerExchangeRequest, { max_peers: 0 });
  const bytes = encodeCompact(Frame, frameOf(OFS_PEER_EXCHANGE, "PeerExchangeRequest", payload, T));
  node.accept({ type: "message.received", from: person(0x7f).peer, replyTo: "x", bytes });
  const reply = node.effects.findLast((effect) => effect.type === "message.reply");
  const frame = reply?.type === "message.reply" ? decodeCompact(Frame, reply.bytes) : undefined;
  const response = known(decodeCompact(PeerExchangeResponse, frame?.payload ?? new Uint8Array(0)), "an answer");
  expect(response.peers[0]?.addresses).toEqual(shown);
  expect(shown.slice(0, own.length)).toEqual(own);
  return shown.slice(own.length);
}

const dialled = (...places: readonly string[]) => places.map((at) => ({ at, sees: SEEN }));

describe("what is reported", () => {
  const [one, two] = ["/ip4/198.51.100.1/tcp/4001", "/ip4/192.0.2.1/tcp/4001"];
  const rows: readonly {
    readonly name: string;
    readonly reports: readonly Report[];
    readonly told: readonly string[];
  }[] = [
    { name: "nothing", reports: [], told: [] },
    { name: "by one peer", reports: dialled(one), told: [] },
    { name: "by two of one /16", reports: dialled(one, "/ip4/198.51.7.1/tcp/4001"), told: [] },
    {
      name: "by two of one IPv6 /32",
      reports: dialled("/ip6/2001:db8:1::1/tcp/4001", "/ip6/2001:db8:2::1/tcp/4001"),
      told: [],
    },
    { name: "by two of different networks", reports: dialled(one, two), told: [ANNOUNCED] },
    { name: "by one of IPv4 and one of IPv6", reports: dialled(one, "/ip6/2001:db8::1/tcp/4001"), told: [ANNOUNCED] },
    {
      name: "by two that connected from outside",
      reports: [
        { at: null, sees: SEEN },
        { at: null, sees: SEEN },
      ],
      told: [],
    },
    {
      name: "by one dialled and one from outside",
      reports: [
        { at: one, sees: SEEN },
        { at: null, sees: SEEN },
      ],
      told: [],
    },
    { name: "by two of a local network", reports: dialled("/ip4/10.0.0.1/tcp/1", "/ip4/192.168.0.1/tcp/1"), told: [] },
    {
      name: "by two that were dialled by name",
      reports: dialled("/dns4/a.test/tcp/1", "/dns4/b.test/tcp/1"),
      told: [],
    },
    { name: "by a name and an address", reports: dialled("/dns4/a.test/tcp/1", one), told: [ANNOUNCED] },
    {
      name: "by two of different networks that see different hosts",
      reports: [
        { at: one, sees: SEEN },
        { at: two, sees: "/ip4/203.0.113.10/tcp/51022" },
      ],
      told: [],
    },
    {
      name: "inside an IPv6 address",
      reports: [
        { at: one, sees: "/ip6/::ffff:203.0.113.9/tcp/5" },
        { at: two, sees: SEEN },
      ],
      told: [ANNOUNCED],
    },
  ];
  test.each(rows)("$name", ({ reports, told }) => {
    const node = open();
    for (const [n, each] of reports.entries()) report(node, n, each);
    expect(announced(node)).toEqual(told);
  });

  const nobodys = ["10.1.2.3", "127.0.0.1", "192.168.1.5", "100.64.0.1", "169.254.1.1", "0.0.0.0", "0.1.2.3"];
  const others = ["224.0.0.1", "255.255.255.255"].map((host) => `/ip4/${host}/tcp/4001`);
  const six = ["::1", "::", "fe80::1", "fd00::1", "ff02::1"].map((host) => `/ip6/${host}/tcp/4001`);
  const texts = ["/dns4/me.test/tcp/4001", "/memory/1", "", "203.0.113.9", "/ip4/203.0.113/tcp/1"];
  test.each([...nobodys.map((host) => `/ip4/${host}/tcp/4001`), ...others, ...six, ...texts])(
    "%s is nowhere",
    (sees) => {
      const node = open([...BOUND, `/ip6/fd00::5/tcp/4001/p2p/${SELF}`]);
      for (const [n, at] of [one, two].entries()) report(node, n, { at, sees });
      expect(announced(node, [...BOUND, `/ip6/fd00::5/tcp/4001/p2p/${SELF}`])).toEqual([]);
    },
  );
});

describe("where it is announced", () => {
  const seenBy = (own: readonly string[], sees = SEEN) => {
    const node = open(own);
    report(node, 0, { at: "/ip4/198.51.100.1/tcp/4001", sees });
    report(node, 1, { at: "/ip4/192.0.2.1/tcp/4001", sees });
    return announced(node, own);
  };

  test("each bound port, once", () => {
    const own = ["/ip4/192.168.1.5/tcp/4001", "/ip4/10.0.0.7/tcp/4001", "/ip4/10.0.0.7/tcp/4002"];
    expect(seenBy(own)).toEqual(["/ip4/203.0.113.9/tcp/4001", "/ip4/203.0.113.9/tcp/4002"]);
  });

  test("a host of IPv6 with what is bound there alone", () => {
    const own = ["/ip4/192.168.1.5/tcp/4001", "/ip6/::1/tcp/4003", "/ip6/fd00::5/tcp/4002"];
    expect(seenBy(own, "/ip6/2001:db8:9::1/tcp/5")).toEqual(["/ip6/2001:db8:9::1/tcp/4002"]);
  });

  test("not when only loopback is bound, nor when nothing is", () => {
    expect(seenBy(["/ip4/127.0.0.1/tcp/4001"])).toEqual([]);
    expect(seenBy([])).toEqual([]);
  });

  test("not beside a public address or a name: then the operator has said where the node is", () => {
    expect(seenBy(["/ip4/203.0.113.77/tcp/4001", "/ip4/10.0.0.7/tcp/4001"])).toEqual([]);
    expect(seenBy(["/dns4/node.test/tcp/4001", "/ip4/10.0.0.7/tcp/4001"])).toEqual([]);
  });
});

describe("how long a report holds", () => {
  const sweepAt = (node: LoneNode, after: bigint) => {
    node.now = T + after;
    node.accept({ type: "timer.fired", timer: "sweep" });
  };
  const twice = () => {
    const node = open();
    for (const [n, each] of dialled("/ip4/198.51.100.1/tcp/4001", "/ip4/192.0.2.1/tcp/4001").entries())
      report(node, n, each);
    return node;
  };

  test("as long as its link", () => {
    const node = twice();
    for (let minute = 1n; minute <= 30n; minute++) sweepAt(node, minute * MINUTE);
    expect(announced(node)).toEqual([ANNOUNCED]);
  });

  test("ten minutes after its link was lost, and no longer", () => {
    const node = twice();
    sweepAt(node, 30n * MINUTE);
    node.accept({ type: "peer.disconnected", peer: reporter(1) });
    sweepAt(node, 30n * MINUTE + BigInt(CLAIM_EXPIRY_MS));
    expect(announced(node)).toEqual([ANNOUNCED]);
    sweepAt(node, 30n * MINUTE + BigInt(CLAIM_EXPIRY_MS) + 1n);
    expect(announced(node)).toEqual([]);
    expect(node.view.size(ObservedAddresses)).toBe(1);
  });

  test("no longer than until its peer says otherwise", () => {
    const node = twice();
    node.accept({ type: "peer.observed", peer: reporter(1), address: "/ip4/203.0.113.10/tcp/51022" });
    expect(announced(node)).toEqual([]);
    node.accept({ type: "peer.observed", peer: reporter(1), address: SEEN });
    expect(announced(node)).toEqual([ANNOUNCED]);
    node.accept({ type: "peer.observed", peer: reporter(1), address: "/ip4/10.0.0.1/tcp/51022" });
    expect(announced(node)).toEqual([]);
  });

  test("not from a peer that connected from outside, though it was dialled before", () => {
    const node = open();
    report(node, 0, { at: "/ip4/198.51.100.1/tcp/4001", sees: SEEN });
    const before = `/ip4/192.0.2.1/tcp/4001/p2p/${reporter(1)}`;
    node.accept({ type: "peer.connected", peer: reporter(1), address: before });
    node.accept({ type: "peer.disconnected", peer: reporter(1) });
    report(node, 1, { at: null, sees: SEEN });
    expect(announced(node)).toEqual([]);
  });

  test("not from a peer that is not linked", () => {
    const node = twice();
    node.accept({ type: "peer.observed", peer: reporter(7), address: SEEN });
    expect(node.view.size(ObservedAddresses)).toBe(2);
  });
});

describe("how many are remembered", () => {
  test("a few reporters of one host, and the first of another network finds a place among them", () => {
    const node = open();
    for (let n = 0; n <= REPORTERS_MAX; n++) report(node, n, { at: `/ip4/198.51.100.${n + 1}/tcp/4001`, sees: SEEN });
    expect(node.view.size(ObservedAddresses)).toBe(REPORTERS_MAX);
    expect(announced(node)).toEqual([]);
    report(node, 20, { at: "/ip4/192.0.2.1/tcp/4001", sees: SEEN });
    expect(node.view.size(ObservedAddresses)).toBe(REPORTERS_MAX);
    expect(announced(node)).toEqual([ANNOUNCED]);
  });

  test("one of each peer, and so many in all", () => {
    const node = open();
    for (let n = 0; n <= REPORTS; n++) {
      const peer = numbered(n);
      const at = `/ip4/198.${n % 200}.${n >> 8}.1/tcp/4001/p2p/${peer}`;
      node.accept({ type: "peer.connected", peer, address: at });
      node.accept({ type: "peer.observed", peer, address: `/ip4/203.0.${n >> 8}.${n & 255}/tcp/1` });
      node.accept({ type: "peer.disconnected", peer });
    }
    expect(node.view.size(ObservedAddresses)).toBe(REPORTS);
  });
});
