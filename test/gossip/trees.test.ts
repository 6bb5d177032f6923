/**
 * Goal: statements travel whole along the links on which they come first, are announced elsewhere, and come again
 * when something was lost; a peer of other software is pushed everything; no peer can make a node wait for it.
 * Method: one node, peers made of frames, who show that they are of this software by comparing sets.
 * Source: DESIGN "Gossip and sync".
 */
import { describe, expect, test } from "vitest";
import { Statements } from "../../core/engine/statements/table.ts";
import { fromHex } from "../../core/kernel/bytes.ts";
import { decodeCompact, encodeCompact } from "../../core/kernel/schema.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import { Frame, frameOf, GossipEvent, OFS_GOSSIP } from "../../core/network/gossip/envelope.ts";
import { ANNOUNCE_MS, ANNOUNCE_WARY_MS } from "../../core/network/gossip/news.ts";
import { FetchResponse, Have, SetRequest } from "../../core/network/gossip/reconcile.ts";
import { Trees } from "../../core/network/gossip/trees.ts";
import { REPEATS_MAX } from "../../core/network/peers/peers.ts";
import type { LoneNode } from "../rpc/lone-node.ts";
import { loneNode, person } from "../rpc/lone-node.ts";
import type { PeerEnd, Sent } from "./link.ts";
import { adEvent, adIdentity, peerOf } from "./link.ts";

const T = 1_786_000_000_000n;
const [ada, bob, cyd, dan, eve] = [person(0x41), person(0x42), person(0x43), person(0x44), person(0x45)];
const NOTHING = new Uint8Array(0);

interface Met {
  readonly node: LoneNode;
  readonly peers: readonly [PeerEnd, PeerEnd, PeerEnd, ...PeerEnd[]];
}

/** A node that met peers of this software. */
function met(...more: readonly (typeof ada)[]): Met {
  const node = loneNode(T);
  const peers = [ada, bob, cyd, ...more].map((by) => peerOf(node, by)) as unknown as Met["peers"];
  for (const peer of peers) {
    peer.connect();
    peer.tell("GossipSetRequest", encodeCompact(SetRequest, { profile: new Uint8Array(32), ranges: [] }));
    read(peer);
  }
  return { node, peers };
}

/** Passes over what was sent. */
const read = (peer: PeerEnd): void => void peer.sent("");
const ad = (id: string, by = dan) => adEvent(by, id, T);
const bytesOf = (id: string) => fromHex(adIdentity(id, T)) ?? NOTHING;
const have = (...ids: readonly string[]) => encodeCompact(Have, { identities: ids.map(bytesOf) });
const named = ({ payload }: Sent) => decodeCompact(Have, payload)?.identities.map((each) => Buffer.from(each));
const idsOf = (ids: readonly string[]) => ids.map((id) => Buffer.from(bytesOf(id)));
const pushes = (peer: PeerEnd): readonly number[] => peer.sent("GossipPush").map(({ request }) => request);
const framed = (type: string, payload: Uint8Array) =>
  encodeCompact(Frame, frameOf(OFS_GOSSIP, type, payload, T as EpochMillis));
/** Pushes an event, and answers what came back. */
const answerTo = (peer: PeerEnd, event: ReturnType<typeof ad>) =>
  peer.send(framed("GossipPush", encodeCompact(GossipEvent, event))).message_type;

function passes(node: LoneNode, ms: number): void {
  node.now = (node.now + BigInt(ms)) as EpochMillis;
  node.accept({ type: "timer.fired", timer: "announce" });
}

const timersOf = (node: LoneNode) =>
  node.effects.flatMap((effect) =>
    effect.type === "timer.set" && effect.timer === "announce" ? [Number(effect.at - node.now)] : [],
  );

describe("a link on which a statement comes again", () => {
  test("is lazy from then on, for its origin alone, and its peer is told", () => {
    const { peers } = met();
    const [first, second, third] = peers;
    expect(answerTo(first, ad("one"))).toBe("GossipPushAck");
    expect(answerTo(first, ad("one"))).toBe("GossipPushAck");
    expect([pushes(second).length, pushes(third).length]).toEqual([1, 1]);
    expect(answerTo(second, ad("one"))).toBe("GossipPrune");
    expect(answerTo(first, ad("two"))).toBe("GossipPushAck");
    expect([pushes(second).length, pushes(third).length]).toEqual([0, 1]);
    expect(answerTo(first, ad("three", eve))).toBe("GossipPushAck");
    expect([pushes(second).length, pushes(third).length]).toEqual([1, 1]);
  });

  test("is lazy too once its peer prunes a push; whoever prunes what was not pushed changes nothing", () => {
    const { node, peers } = met();
    const [first, second, third] = peers;
    first.push(ad("one"));
    const [request = 0] = pushes(second);
    second.answer(request, "GossipPrune", NOTHING);
    second.answer(request, "GossipPrune", NOTHING);
    third.answer(request, "GossipPrune", NOTHING);
    third.answer(9_999, "GossipPrune", NOTHING);
    expect([...node.view.keys(Trees)].map((key) => node.view.get(Trees, key)?.lazy)).toEqual([[bob.peer]]);
    read(third);
    first.push(ad("two"));
    expect([pushes(second).length, pushes(third).length]).toEqual([0, 1]);
  });

  test("stays as it is for a peer of other software, who is pushed everything", () => {
    const { node, peers } = met();
    const other = peerOf(node, eve);
    other.connect();
    peers[0].push(ad("one"));
    other.push(ad("one"));
    read(other);
    peers[0].push(ad("two"));
    expect(pushes(other)).toHaveLength(1);
    passes(node, ANNOUNCE_MS);
    expect(other.sent("GossipAnnounce")).toEqual([]);
  });

  test("stays as it is where a comparison of sets was first, and long after the first copy", () => {
    const { node, peers } = met();
    const [first, second, third] = peers;
    first.tell("GossipHave", have("fetched"));
    const [asked] = first.sent("GossipFetchRequest");
    const answer = encodeCompact(FetchResponse, { events: [ad("fetched")], more: false });
    first.answer(asked?.request ?? 0, "GossipFetchResponse", answer);
    expect(answerTo(third, ad("fetched"))).toBe("GossipPushAck");
    first.push(ad("one"));
    node.now = (node.now + 6_000n) as EpochMillis;
    passes(node, 0);
    expect(answerTo(second, ad("one"))).toBe("GossipPushAck");
    expect([node.view.size(Trees), node.view.size(Statements)]).toEqual([0, 2]);
  });

  test.each([
    ["its peer lost another link", (peer: PeerEnd) => peer.tell("GossipGraft", NOTHING)],
    ["it is new", (peer: PeerEnd) => peer.connect()],
  ])("is needed again when %s", (_, happens) => {
    const { node, peers } = met();
    const [first, second] = peers;
    first.push(ad("one"));
    second.push(ad("one"));
    happens(second);
    read(second);
    expect(node.view.size(Trees)).toBe(0);
    first.push(ad("two"));
    expect(pushes(second)).toHaveLength(1);
  });
});

describe("what came a moment ago", () => {
  test("is announced to one peer once, and pushed to whoever lacks it, whose link is needed again", () => {
    const { node, peers } = met();
    const [first, second] = peers;
    first.push(ad("old"));
    for (const peer of peers) for (const request of pushes(peer)) peer.answer(request, "GossipPushAck", NOTHING);
    passes(node, 6_000);
    first.push(ad("one"));
    second.push(ad("one"));
    expect(timersOf(node).slice(-1)).toEqual([ANNOUNCE_MS]);
    for (const peer of peers) for (const request of pushes(peer)) peer.answer(request, "GossipPushAck", NOTHING);
    // Whoever brought it is passed over.
    for (let n = 0; n < 3; n++) passes(node, ANNOUNCE_MS);
    const told = peers.flatMap((peer) => peer.sent("GossipAnnounce").map((sent) => ({ peer, sent })));
    expect(told.map(({ sent }) => named(sent))).toEqual([idsOf(["one"])]);
    const [announced] = told;
    announced?.peer.answer(announced.sent.request, "GossipWant", have("one", "old", "never announced"));
    expect(announced?.peer.sent("GossipPush")).toHaveLength(1);
    expect(node.view.get(Trees, dan.peer)?.lazy ?? []).not.toContain(announced?.peer.by.peer);
    // Somebody lacked it: for a while it is announced sooner and more often.
    first.push(ad("two"));
    expect(timersOf(node).at(-1)).toBe(ANNOUNCE_WARY_MS);
  });

  test("is asked for in answer to an announcement, and not twice what is held", () => {
    const { peers } = met();
    const [first, second] = peers;
    first.push(ad("one"));
    const answer = second.send(framed("GossipAnnounce", have("one", "two")));
    expect([
      answer.message_type,
      decodeCompact(Have, answer.payload)?.identities.map((each) => Buffer.from(each)),
    ]).toEqual(["GossipWant", idsOf(["two"])]);
    expect(second.send(framed("GossipAnnounce", have("one"))).message_type).toBe("GossipPushAck");
  });

  test("is pushed again until it is acknowledged, a few times", () => {
    const { node, peers } = met();
    const [first, second, third] = peers;
    first.push(ad("one"));
    third.answer(pushes(third)[0] ?? 0, "GossipPushAck", NOTHING);
    expect(pushes(second)).toHaveLength(1);
    const repeated = Array.from({ length: REPEATS_MAX + 2 }, () => {
      passes(node, ANNOUNCE_MS);
      return [pushes(second).length, pushes(third).length];
    });
    expect(repeated).toEqual([...Array(REPEATS_MAX).fill([1, 0]), [0, 0], [0, 0]]);
  });
});

test("a node that loses a link asks all others to push it everything again, once a second", () => {
  const { node, peers } = met(dan);
  const [first, second, third] = peers;
  const leaves = (peer: PeerEnd) => node.accept({ type: "peer.disconnected", peer: peer.by.peer });
  leaves(third);
  leaves(peers[3] as PeerEnd);
  expect([first, second].map((peer) => peer.sent("GossipGraft").length)).toEqual([1, 1]);
  node.now = (node.now + 1_000n) as EpochMillis;
  leaves(second);
  expect(first.sent("GossipGraft")).toHaveLength(1);
});
