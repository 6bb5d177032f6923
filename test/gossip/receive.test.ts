/**
 * Goal: of what a peer brings, a node takes what is whole and in time, blames the peer for what no honest node sends
 * and for nothing else, keeps a few envelopes of each statement, and passes news on with a hop less.
 * Method: one node, peers made of frames; each check of the gossip ingress broken by itself.
 * Source: protocol 01 §7.1, §7.3, §13.1, §15 W4-W8.
 */
import { describe, expect, test } from "vitest";
import { Statements } from "../../core/engine/statements/table.ts";
import { decodeCompact, encodeCompact } from "../../core/kernel/schema.ts";
import type { EpochMillis, PeerId, PublicKey, Signature } from "../../core/kernel/values.ts";
import type { GossipEvent } from "../../core/network/gossip/envelope.ts";
import {
  GossipEvent as EventSchema,
  Events,
  eventKey,
  Frame,
  frameOf,
  OFS_GOSSIP,
  RecoveryResponse,
} from "../../core/network/gossip/envelope.ts";
import type { LoneNode } from "../rpc/lone-node.ts";
import { loneNode, person } from "../rpc/lone-node.ts";
import { advertisement, merchant } from "./advertisements.ts";
import type { PeerEnd } from "./link.ts";
import { adEvent, peerOf, signedEvent, wireOf } from "./link.ts";

const T = 1_786_000_000_000n;
const DAY = 86_400_000n;
const [ada, bob, cyd] = [person(0x41), person(0x42), person(0x43)];
const WHOLE = 10_000_000n;

function met(...people: readonly (typeof ada)[]): { readonly node: LoneNode; readonly peers: readonly PeerEnd[] } {
  const node = loneNode(T);
  const peers = people.map((by) => peerOf(node, by));
  for (const peer of peers) peer.connect();
  return { node, peers };
}

const held = (node: LoneNode) => [node.view.size(Statements), node.view.size(Events)];
/** Faults that a link was charged. */
const faultsOf = (peer: PeerEnd) => Number(WHOLE - (peer.link()?.patience ?? WHOLE)) / 10_000;
const ad = (change: Partial<GossipEvent> = {}, id = "ad-1") => adEvent(ada, id, T, change);
const unsigned = (change: Partial<GossipEvent>): GossipEvent => ({ ...ad(), ...change });
const flipped = (bytes: Uint8Array) => bytes.map((byte, at) => (at === 5 ? byte ^ 1 : byte));
const payloadOf = (change: object, signer = merchant) =>
  wireOf({ ...advertisement("ad-1", T as EpochMillis), ...change }, "bare", signer);

describe("no honest node sends", () => {
  test.each<readonly [string, GossipEvent]>([
    ["another version", ad({ version: 2 })],
    ["no version", ad({ version: 0 })],
    ["a specification of five digits", signedEvent(ada, { ofs_spec: 10_000, timestamp: T as EpochMillis })],
    ["a name that begins small", signedEvent(ada, { event_type: "unheard", timestamp: T as EpochMillis })],
    ["a name of 65 letters", signedEvent(ada, { event_type: "A".repeat(65), timestamp: T as EpochMillis })],
    ["a name with a mark", signedEvent(ada, { event_type: "A-b", timestamp: T as EpochMillis })],
    ["no name", signedEvent(ada, { event_type: "", timestamp: T as EpochMillis })],
    ["an origin that holds no key", ad({ origin: "1" as PeerId })],
    ["another origin than signed it", unsigned({ origin: bob.peer })],
    ["another id", unsigned({ id: flipped(ad().id) })],
    ["a short signature", unsigned({ signature: "11" as Signature })],
    ["another signature", unsigned({ signature: ad({}, "ad-2").signature })],
    ["a payload that does not decode", ad({ payload: payloadOf({}).subarray(0, 40) })],
    ["a statement that its signer did not sign", ad({ payload: payloadOf({}, bob) })],
    ["a key of somebody else", ad({ payload: payloadOf({ merchant_public_key: bob.key as PublicKey }) })],
    ["an id of 1025 bytes", ad({ payload: payloadOf({ id: "x".repeat(1_025) }) })],
  ])("%s", (_, event) => {
    const { node, peers } = met(ada);
    const [peer] = peers as [PeerEnd];
    peer.push(event);
    expect([...held(node), faultsOf(peer)]).toEqual([0, 0, 1]);
  });

  test("a name whose payload belongs under another", () => {
    const { node, peers } = met(ada);
    const [peer] = peers as [PeerEnd];
    const renamed = signedEvent(ada, { ...ad(), event_type: "AdvertisementDisabled" });
    peer.push(renamed);
    expect([...held(node), faultsOf(peer)]).toEqual([0, 0, 1]);
  });
});

describe("nobody is blamed for", () => {
  test.each<readonly [string, GossipEvent, number]>([
    ["an event more than five minutes ahead", adEvent(ada, "ad-1", T + 300_001n), 0],
    ["an event of just five minutes ahead", adEvent(ada, "ad-1", T + 300_000n), 1],
    ["an event older than seven days", adEvent(ada, "ad-1", T - 7n * DAY - 1n), 0],
    ["an event of just seven days", adEvent(ada, "ad-1", T - 7n * DAY), 1],
    ["a statement older than its event", ad({ payload: payloadOf({ timestamp: T - 7n * DAY - 1n }) }), 0],
    ["an id of 1024 bytes", ad({ payload: payloadOf({ id: "x".repeat(1_024) }) }), 1],
  ])("%s", (_, event, taken) => {
    const { node, peers } = met(ada);
    const [peer] = peers as [PeerEnd];
    peer.push(event);
    expect([...held(node), faultsOf(peer)]).toEqual([taken, taken, 0]);
  });

  test("an event of a kind that nobody knows, which is kept and passed on as it is", () => {
    const { node, peers } = met(ada, bob);
    const [from, to] = peers as [PeerEnd, PeerEnd];
    const named = signedEvent(ada, { event_type: `A${"z".repeat(63)}`, ofs_spec: 9_999, timestamp: T as EpochMillis });
    const elsewhere = signedEvent(ada, { ...ad(), ofs_spec: 9_999 });
    for (const event of [named, elsewhere]) from.push(event);
    expect([...held(node), faultsOf(from)]).toEqual([0, 2, 0]);
    expect(to.sent("GossipPush").map(({ payload }) => decodeCompact(EventSchema, payload))).toEqual([
      { ...named, ttl: 7 },
      { ...elsewhere, ttl: 7 },
    ]);
  });
});

describe("what is passed on", () => {
  test.each([
    [255, 16, [15]],
    [17, 16, [15]],
    [16, 16, [15]],
    [2, 2, [1]],
    [1, 1, []],
    [0, 0, []],
  ])("with %i hops is kept with %i and passed on with %j, to all but its bringer", (ttl, kept, passed) => {
    const { node, peers } = met(ada, bob, cyd);
    const [from, ...others] = peers as [PeerEnd, PeerEnd, PeerEnd];
    const event = ad({ ttl });
    from.push(event);
    expect(node.view.get(Events, eventKey(event))?.event.ttl).toBe(kept);
    for (const peer of others) {
      expect(peer.sent("GossipPush").map(({ payload }) => decodeCompact(EventSchema, payload)?.ttl)).toEqual(passed);
    }
    expect(from.sent("GossipPush")).toEqual([]);
  });

  test("is news once, whoever brings it again; four envelopes are kept", () => {
    const { node, peers } = met(ada, bob);
    const [one, other] = peers as [PeerEnd, PeerEnd];
    const envelopes = [0, 1, 2, 3, 4].map((later) => ad({ timestamp: (T + BigInt(later)) as EpochMillis }));
    for (const event of envelopes) one.push(event);
    expect(held(node)).toEqual([1, 4]);
    expect(other.sent("GossipPush").length).toBe(1);
    other.push(ad({ timestamp: (T + 9n) as EpochMillis }));
    expect([...held(node), one.sent("GossipPush").length]).toEqual([1, 4, 0]);
    expect(node.published.filter((message) => message.includes("AdvertisementCreated"))).toEqual([
      '{"method":"AdvertisementCreated","result":"ad-1"}',
    ]);
  });

  test("is passed on again when a tagged signature of it comes, which takes the place of the bare one", () => {
    const { node, peers } = met(ada, bob);
    const [one, other] = peers as [PeerEnd, PeerEnd];
    const tagged = ad({ payload: wireOf(advertisement("ad-1", T as EpochMillis), "tagged") });
    one.push(ad());
    one.push(tagged);
    const passed = other.sent("GossipPush").map(({ payload }) => decodeCompact(EventSchema, payload)?.payload);
    expect(passed).toEqual([ad().payload, tagged.payload]);
    expect([node.view.get(Events, eventKey(ad())), ...held(node)]).toEqual([undefined, 1, 1]);
    one.push(ad({ timestamp: (T + 1n) as EpochMillis }));
    one.push(signedEvent(ada, { ...tagged, timestamp: (T + 2n) as EpochMillis }));
    expect([...held(node), other.sent("GossipPush").length]).toEqual([1, 3, 0]);
    expect(node.published.length).toBe(1);
  });
});

test.each(["GossipPush", "GossipRecoveryRequest", "GossipSetRequest", "GossipAnnounce", "GossipGraft"])(
  "a %s of another specification is acknowledged and not heard",
  (type) => {
    const { node, peers } = met(ada);
    const [peer] = peers as [PeerEnd];
    const link = peer.link();
    const push = encodeCompact(EventSchema, ad());
    const answer = peer.send(encodeCompact(Frame, frameOf(1_237, type, push, T as EpochMillis)));
    expect(answer).toMatchObject({ ofs_spec: OFS_GOSSIP, message_type: "GossipPushAck", payload: new Uint8Array(0) });
    expect([held(node), peer.link()]).toEqual([[0, 0], link]);
  },
);

test("what is recovered costs no credit, may be twice as old, and is taken until the link is cut", () => {
  const { node, peers } = met(ada);
  const [peer] = peers as [PeerEnd];
  const [compare] = peer.sent("GossipSetRequest");
  peer.answer(compare?.request ?? 0, "GossipPushAck", new Uint8Array(0));
  const [recovery] = peer.sent("GossipRecoveryRequest");
  const events = [
    adEvent(ada, "old", T - 14n * DAY),
    adEvent(ada, "older", T - 14n * DAY - 1n),
    ...Array.from({ length: 1_001 }, (_, n) => ad({ version: 2 }, `broken-${n % 7}`)).map((event, n) => ({
      ...event,
      id: Uint8Array.from(event.id, (byte, at) => (at === 0 ? n & 255 : at === 1 ? n >> 8 : byte)),
    })),
    ad(),
  ];
  peer.answer(recovery?.request ?? 0, "GossipRecoveryResponse", encodeCompact(RecoveryResponse, { events }));
  expect([node.view.size(Statements), peer.link()?.credit]).toEqual([1, 200_000n]);
  expect(node.effects.filter(({ type }) => type === "peer.disconnect").length).toBe(1);
});
