/**
 * Goal: a link has what it may cost this node, gets it back with time and no more of it, and is cut for what no honest
 * node sends. Method: one node, peers made of frames, a clock that is moved by hand.
 * Source: protocol 01 §7.3, §13.1; 05 Part 9; the bounds of bytes are DESIGN L10.
 */
import { describe, expect, test } from "vitest";
import { Statements } from "../../core/engine/statements/table.ts";
import { encodeCompact } from "../../core/kernel/schema.ts";
import { BARRED_MS, CREDIT_MAX, FAULTS_MAX, Links, WORK_BYTES_MAX } from "../../core/network/gossip/credit.ts";
import { Purses } from "../../core/network/gossip/newcomers.ts";
import { FetchRequest, FetchResponse, SetRequest, SetResponse } from "../../core/network/gossip/reconcile.ts";
import { withPlantedBug } from "../planted/planted-bug.ts";
import type { LoneNode } from "../rpc/lone-node.ts";
import { loneNode, person } from "../rpc/lone-node.ts";
import type { PeerEnd } from "./link.ts";
import { adEvent, peerOf } from "./link.ts";

const T = 1_786_000_000_000n;
const [ada, bob] = [person(0x41), person(0x42)];
const held = (node: LoneNode) => node.view.size(Statements);

/** Pushes advertisements that nobody has seen. */
function pusher(node: LoneNode, peer: PeerEnd): (many: number) => void {
  let number = 0;
  return (many) => {
    for (let n = 0; n < many; n++) peer.push(adEvent(peer.by, `ad-${peer.by.peer}-${number++}`, node.now));
  };
}

function connected(node: LoneNode, by = ada): PeerEnd {
  const peer = peerOf(node, by);
  peer.connect();
  return peer;
}

const faults = (peer: PeerEnd, many: number) => {
  for (let n = 0; n < many; n++) peer.send(new Uint8Array(3));
};
const cuts = (node: LoneNode) => node.effects.filter(({ type }) => type === "peer.disconnect").length;
const sweep = (node: LoneNode) => node.accept({ type: "timer.fired", timer: "sweep" });

describe("pushed events", () => {
  test("are taken 200 at once and 20 a second after; the rest is shed, and nobody is blamed", () => {
    const node = loneNode(T);
    const peer = connected(node);
    const push = pusher(node, peer);
    push(CREDIT_MAX);
    expect([held(node), peer.link()?.behind]).toEqual([200, false]);
    push(3);
    expect([held(node), peer.link()?.behind]).toEqual([200, true]);
    node.now += 49n;
    push(1);
    expect(held(node)).toBe(200);
    node.now += 1n;
    push(2);
    expect(held(node)).toBe(201);
    node.now += 1_000n;
    push(25);
    expect(held(node)).toBe(221);
    expect([cuts(node), peer.link()?.patience]).toEqual([0, BigInt(FAULTS_MAX) * 10_000n]);
  });

  test("never have more than 200, however long a peer was silent, and nothing while the clock goes back", () => {
    const node = loneNode(T);
    const peer = connected(node);
    const push = pusher(node, peer);
    push(1);
    node.now += 3_600_000n;
    push(205);
    expect(held(node)).toBe(201);
    node.now -= 60_000n;
    push(5);
    expect(held(node)).toBe(201);
    const other = connected(node, bob);
    other.push(adEvent(bob, "before", node.now));
    node.now -= 60_000n;
    other.push(adEvent(bob, "after", node.now));
    expect([held(node), other.link()?.credit]).toEqual([203, 198_000n]);
  });

  test("of one peer leave the others theirs, and one that is known already costs nothing", () => {
    const node = loneNode(T);
    const [one, other] = [connected(node), connected(node, bob)];
    pusher(node, one)(CREDIT_MAX + 1);
    const event = adEvent(bob, "ad-bob", T);
    for (let n = 0; n < 3; n++) other.push(event);
    expect([held(node), other.link()?.credit]).toEqual([201, 199_000n]);
  });

  test("that were shed make the peer the next one that sets are compared with, every second time", () => {
    const node = loneNode(T);
    const peers = [connected(node), connected(node, bob), connected(node, person(0x43))];
    for (const peer of peers) {
      for (const { request } of peer.sent("GossipSetRequest")) peer.answer(request, "GossipSetResponse", NO_CONTENTS);
    }
    const compared = () => {
      node.accept({ type: "timer.fired", timer: "recover" });
      return peers.map((peer) => {
        const requests = peer.sent("GossipSetRequest");
        for (const { request } of requests) peer.answer(request, "GossipSetResponse", NO_CONTENTS);
        return requests.length;
      });
    };
    expect(compared().reduce((sum, each) => sum + each)).toBe(1);
    pusher(node, peers[1] as PeerEnd)(CREDIT_MAX + 1);
    expect(peers[1]?.link()?.behind).toBe(true);
    expect(compared()).toEqual([0, 1, 0]);
    expect(peers[1]?.link()?.behind).toBe(false);
    const later = Array.from({ length: 6 }, compared);
    for (const place of [0, 1, 2]) expect(later.some((each) => each[place] === 1)).toBe(true);
  });
});

const NO_CONTENTS = encodeCompact(SetResponse, { contents: [] });

describe("a link", () => {
  test("is cut at the 1001st message that no honest node sends; one is forgiven every ten seconds", () => {
    const node = loneNode(T);
    const peer = connected(node);
    faults(peer, FAULTS_MAX);
    expect(cuts(node)).toBe(0);
    node.now += 9_999n;
    expect(peer.link()?.patience).toBe(0n);
    node.now += 1n;
    faults(peer, 1);
    expect(cuts(node)).toBe(0);
    faults(peer, 1);
    expect(node.effects.filter(({ type }) => type === "peer.disconnect" || type === "log")).toEqual([
      { type: "peer.disconnect", peer: ada.peer },
      {
        type: "log",
        level: "warn",
        event: "link cut: limit of faults reached",
        fields: { peer: ada.peer, limit: 1_000 },
      },
    ]);
  });

  test("that was cut is taken back after ten minutes, with its patience whole, and heeded by nobody until then", () => {
    const node = loneNode(T);
    const peer = connected(node);
    faults(peer, FAULTS_MAX + 5);
    expect(cuts(node)).toBe(1);
    const push = pusher(node, peer);
    push(1);
    expect([held(node), peer.link()?.barred_until]).toEqual([0, T + BigInt(BARRED_MS)]);
    peer.sent("PeerExchangeRequest");
    node.now += BigInt(BARRED_MS) - 1n;
    peer.connect();
    expect([cuts(node), peer.sent("PeerExchangeRequest").length]).toEqual([2, 0]);
    node.now += 1n;
    peer.connect();
    push(1);
    expect([cuts(node), peer.sent("PeerExchangeRequest").length, held(node)]).toEqual([2, 1, 1]);
    faults(peer, FAULTS_MAX);
    expect(cuts(node)).toBe(2);
    faults(peer, 1);
    expect(cuts(node)).toBe(3);
  });

  test("is forgotten by the sweep once all it may cost is there again, not while it is behind or barred", () => {
    const node = loneNode(T);
    const peers = [0x41, 0x42, 0x43].map((byte) => connected(node, person(byte))) as [PeerEnd, PeerEnd, PeerEnd];
    const [spent, behind, barred] = peers;
    faults(spent, 1);
    pusher(node, behind)(CREDIT_MAX + 1);
    faults(barred, FAULTS_MAX + 1);
    node.now += 9_999n;
    sweep(node);
    expect(node.view.size(Links)).toBe(3);
    node.now += 1n;
    sweep(node);
    expect(node.view.size(Links)).toBe(3);
    for (const { by } of peers) node.accept({ type: "peer.disconnected", peer: by.peer });
    sweep(node);
    expect(peers.map((peer) => peer.link() !== undefined)).toEqual([false, true, true]);
    node.now += BigInt(BARRED_MS);
    sweep(node);
    expect(peers.map((peer) => peer.link() !== undefined)).toEqual([false, true, false]);
  });

  test("leaves with 63 others in one step of the sweep, which goes on at once", () => {
    const node = loneNode(T);
    for (let n = 0; n < 70; n++) {
      const peer = connected(node, person(n + 1));
      node.accept({ type: "peer.disconnected", peer: peer.by.peer });
    }
    node.now += 600_000n;
    sweep(node);
    expect(node.view.size(Links)).toBe(6);
    sweep(node);
    expect(node.view.size(Links)).toBe(0);
  });
});

describe("newcomers", () => {
  const purse = (node: LoneNode) => node.view.get(Purses, "credit")?.left;

  test("have all at once while nobody else asks; what one took, others lack until it comes back with time", () => {
    const node = loneNode(T);
    const [one, other] = [connected(node), connected(node, bob)];
    pusher(node, one)(CREDIT_MAX);
    expect([held(node), purse(node)]).toEqual([200, 4_000n]);
    // Four are its own at first, four are left of what all of them share.
    pusher(node, other)(20);
    expect([held(node), other.link()?.behind, purse(node)]).toEqual([208, true, 0n]);
    node.now += 1_000n;
    pusher(node, other)(200);
    expect(held(node)).toBe(208 + 20 + 20);
    node.now += 10_000n;
    pusher(node, other)(CREDIT_MAX + 1);
    expect(held(node)).toBe(248 + 200);
  });

  test("that come and go under another id each time have together what one link has", () => {
    const node = loneNode(T);
    for (let n = 0; n < 12; n++) {
      const peer = connected(node, person(n + 1));
      pusher(node, peer)(CREDIT_MAX);
      node.accept({ type: "peer.disconnected", peer: peer.by.peer });
      node.now += 200n;
    }
    // What all share, at first and again in 2.4 seconds, and four of each link's own.
    expect(held(node)).toBeLessThanOrEqual(200 + 48 + 12 * 4);
    expect(held(node)).toBeGreaterThan(200);
  });

  test("are no peers that this node dialled, and none that are there long enough, however quiet they were", () => {
    const node = loneNode(T);
    const [dialled, old, greedy] = [peerOf(node, ada), connected(node, bob), connected(node, person(0x43))];
    node.accept({ type: "peer.connected", peer: ada.peer, address: "/ip4/198.51.100.7/tcp/4001" });
    node.now += 10_000n;
    pusher(node, connected(node, person(0x44)))(CREDIT_MAX);
    for (let n = 0; n < 10; n++) sweep(node);
    pusher(node, old)(CREDIT_MAX);
    pusher(node, dialled)(CREDIT_MAX);
    pusher(node, greedy)(CREDIT_MAX);
    expect([held(node), purse(node)]).toEqual([800, 4_000n]);
  });

  test("a planted bug is found: another id has everything anew", async () => {
    const bug = {
      file: "core/network/gossip/credit.ts",
      find: "peerOf(context.draft, peer).dialled ? NO_ADVANCE",
      replace: "peer !== context.configuration.peerId ? NO_ADVANCE",
    };
    const found = await withPlantedBug(bug, async (load) => {
      const lone = await load<typeof import("../rpc/lone-node.ts")>("test/rpc/lone-node.ts");
      const link = await load<typeof import("./link.ts")>("test/gossip/link.ts");
      const { Statements: rows } = await load<typeof import("../../core/engine/statements/table.ts")>(
        "core/engine/statements/table.ts",
      );
      const node = lone.loneNode(T);
      for (const byte of [1, 2]) {
        const by = lone.person(byte);
        const peer = link.peerOf(node, by);
        peer.connect();
        for (let n = 0; n < CREDIT_MAX; n++) peer.push(link.adEvent(by, `ad-${byte}-${n}`, node.now));
      }
      return node.view.size(rows);
    });
    expect(found).toBe(2 * CREDIT_MAX);
  });
});

describe("requests", () => {
  const zeros = new Uint8Array(16).fill(1);
  const profile = new Uint8Array(32);

  test("are paid for by what they make this node do: 512 bytes each, 512 a range, 32 a name", () => {
    const node = loneNode(T);
    const peer = connected(node);
    const work = () => peer.link()?.work ?? BigInt(WORK_BYTES_MAX);
    const costs = (act: () => void) => {
      const before = work();
      act();
      return Number(before - work());
    };
    const own = peer.sent("GossipSetRequest")[0]?.payload ?? profile;
    const ranges = ["0", "1", "2"].map((prefix) => ({ prefix, digest: zeros }));
    const compare = encodeCompact(SetRequest, { profile: own.slice(0, 32), ranges });
    expect(costs(() => peer.ask("GossipSetRequest", compare, SetResponse))).toBe(512 + 3 * 512);
    const foreign = encodeCompact(SetRequest, { profile, ranges });
    expect(costs(() => peer.ask("GossipSetRequest", foreign, SetResponse))).toBe(0);
    const named = encodeCompact(FetchRequest, { identities: [profile, profile], prefixes: [] });
    expect(costs(() => peer.ask("GossipFetchRequest", named, FetchResponse))).toBe(512 + named.length);
    const have = Uint8Array.of(2, ...profile, ...profile);
    expect(costs(() => peer.tell("GossipHave", have))).toBe(512 + 64);
  });

  test("of newcomers who come and go are answered as many bytes as those of one more peer", () => {
    const node = loneNode(T);
    pusher(node, connected(node))(1);
    const ranges = Array.from({ length: 1_023 }, () => ({ prefix: "", digest: zeros }));
    let answered = 0;
    for (let n = 0; n < 40; n++) {
      const peer = connected(node, person(n + 1));
      const own = (peer.sent("GossipSetRequest")[0]?.payload ?? profile).slice(0, 32);
      const compare = encodeCompact(SetRequest, { profile: own, ranges });
      while (peer.ask("GossipSetRequest", compare, SetResponse).contents.length > 0) answered += 512 * 1_024;
      node.accept({ type: "peer.disconnected", peer: peer.by.peer });
    }
    expect(answered).toBe(WORK_BYTES_MAX);
  });

  test("beyond 16 MiB are answered with nothing, and again as the bytes come back: 1,048 a millisecond", () => {
    const node = loneNode(T);
    const peer = connected(node);
    const [first] = peer.sent("GossipSetRequest");
    pusher(node, peer)(1);
    const ranges = Array.from({ length: 1_023 }, () => ({ prefix: "", digest: zeros }));
    const own = (first?.payload ?? profile).slice(0, 32);
    const ask = (many: number) => {
      const payload = encodeCompact(SetRequest, { profile: own, ranges: ranges.slice(0, many) });
      return peer.ask("GossipSetRequest", payload, SetResponse).contents.length;
    };
    for (let n = 0; n < 32; n++) expect(ask(1_023)).toBe(1_023);
    expect([peer.link()?.work, ask(1)]).toEqual([0n, 0]);
    node.now += 1n;
    expect([ask(1), ask(1), peer.link()?.work]).toEqual([1, 0, 24n]);
    node.now += 60_000n;
    expect(ask(1)).toBe(1);
    expect(peer.link()?.work).toBe(BigInt(WORK_BYTES_MAX) - 1_024n);
  });
});
