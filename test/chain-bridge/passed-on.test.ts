/**
 * Goal: what a node hears of slots does not grow with the network. Of one blockhash and its slot the words of three
 * origins go on, however many say them; the others are heard, kept and go no further; what somebody sends with no hops
 * left takes nobody's place (protocol 01 §7.3; 03 C.4, C9; 05 §14.19).
 * Method: one node and a listening peer; random crowds of origins and blockhashes; the reference's way beside it.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { PASSED_ON_ORIGINS_MAX } from "../../core/domains/chain-bridge/gossip.ts";
import { BlockhashAnnounced, CHAIN_EVENT } from "../../core/domains/chain-bridge/gossip-events.ts";
import { SlotObservations } from "../../core/domains/chain-bridge/view.ts";
import { decodeCompact, encodeCompact } from "../../core/kernel/schema.ts";
import { toBase58 } from "../../core/kernel/text.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import { Events, GossipEvent } from "../../core/network/gossip/envelope.ts";
import { peerOf, signedEvent } from "../gossip/link.ts";
import { T } from "../oracles/market.ts";
import { forAll } from "../property/for-all.ts";
import type { LoneNode, Person } from "../rpc/lone-node.ts";
import { loneNode, parityNode, person } from "../rpc/lone-node.ts";

const SLOT = 412_000_000n;
const people = Array.from({ length: 9 }, (_, n) => person(0x61 + n));
const [bringer, listener] = [person(0x51), person(0x52)];

interface Announced {
  readonly by: number;
  /** Which block is told of. */
  readonly block: number;
  readonly ttl: number;
}

const announcement = fc.record({ by: fc.nat(people.length - 1), block: fc.nat(2), ttl: fc.constantFrom(1, 2, 8) });
const hashOf = (block: number) => toBase58(new Uint8Array(32).fill(block + 1));

function eventOf({ by, block, ttl }: Announced, at: bigint): GossipEvent {
  const announced = { blockhash: hashOf(block), slot: SLOT + BigInt(block), observed_at: at as EpochMillis };
  const payload = encodeCompact(BlockhashAnnounced, announced);
  const event = { event_type: "BlockhashAnnounced", ofs_spec: CHAIN_EVENT.ofs_spec, payload };
  return signedEvent(people[by] as Person, { ...event, ttl, timestamp: at as EpochMillis });
}

/** Who was passed on, for each block, after a peer brought all of it, a millisecond apart. */
function passedOn(node: LoneNode, announcements: readonly Announced[]): ReadonlyMap<string, readonly string[]> {
  const [from, to] = [peerOf(node, bringer), peerOf(node, listener)];
  from.connect();
  to.connect();
  for (const each of announcements) {
    from.push(eventOf(each, node.now));
    node.now += 1n;
  }
  const origins = new Map<string, string[]>();
  for (const { payload } of to.sent("GossipPush")) {
    const event = decodeCompact(GossipEvent, payload);
    const announced = event && decodeCompact(BlockhashAnnounced, event.payload);
    if (event === undefined || announced === undefined) continue;
    origins.set(announced.blockhash, [...(origins.get(announced.blockhash) ?? []), event.origin]);
  }
  return origins;
}

test("of a crowd that says the same the first three are passed on, and all are heard and kept", () => {
  const node = loneNode(T);
  const crowd = people.map((_, by) => ({ by, block: 0, ttl: 8 }));
  expect(passedOn(node, crowd).get(hashOf(0))).toEqual(people.slice(0, PASSED_ON_ORIGINS_MAX).map(({ peer }) => peer));
  expect(node.view.size(SlotObservations)).toBe(people.length);
  expect(node.view.count(Events, "plain", "all")).toBe(people.length);
});

test("words without hops left take nobody's place", () => {
  const liars = [0, 1, 2, 3].map((by) => ({ by, block: 0, ttl: 1 }));
  const honest = [4, 5, 6, 7].map((by) => ({ by, block: 0, ttl: 8 }));
  const passed = passedOn(loneNode(T), [...liars, ...honest]).get(hashOf(0));
  expect(passed).toEqual([4, 5, 6].map((by) => people[by]?.peer));
});

test("an origin that was passed on is not passed on again after words without hops left", () => {
  const announcements = [2, 1, 2, 1, 2].map((ttl) => ({ by: 0, block: 0, ttl }));
  expect(passedOn(loneNode(T), announcements).get(hashOf(0))).toEqual([people[0]?.peer]);
});

test("what this node announced itself is one of them", () => {
  const node = loneNode(T, undefined, undefined, { chain: "RpcConnected" });
  node.accept({ type: "chain.observed", observation: { type: "slot", slot: SLOT, blockhash: hashOf(0) } });
  const crowd = people.map((_, by) => ({ by, block: 0, ttl: 8 }));
  expect(passedOn(node, crowd).get(hashOf(0))).toHaveLength(PASSED_ON_ORIGINS_MAX - 1);
});

test("under parity the first is passed on, and no other", () => {
  const node = parityNode(T);
  const crowd = people.map((_, by) => ({ by, block: 0, ttl: 8 }));
  expect(passedOn(node, crowd).get(hashOf(0))).toEqual([people[0]?.peer]);
});

test("whatever is said in whatever order, each block is passed on for as many origins as said it, three at most", () => {
  forAll(
    [fc.array(announcement, { maxLength: 30 })],
    (all) => {
      const passed = passedOn(loneNode(T), all);
      const of = (block: number) => all.filter((each) => each.block === block);
      const onlyOne = new Set(all.map(({ block }) => block)).size === 1;
      for (const block of [0, 1, 2]) {
        const origins = passed.get(hashOf(block)) ?? [];
        const going = of(block).filter(({ ttl }) => ttl > 1);
        const announcers = new Set(going.map(({ by }) => by)).size;
        expect(origins.length).toBeGreaterThanOrEqual(Math.min(announcers, 1));
        // Who goes on to another block leaves a place.
        if (onlyOne) expect(origins.length).toBe(Math.min(announcers, PASSED_ON_ORIGINS_MAX));
      }
      return [...(onlyOne ? ["one block"] : []), ...(all.length > 9 ? ["many announcements"] : [])];
    },
    { runs: 60, shares: { "one block": 0.02, "many announcements": 0.2 } },
  );
});
