/**
 * Goal: what two honest nodes refuse from each other costs them the finding of it once, and then next to nothing; and
 * nothing is kept out for longer than it must be.
 * Method: both fill a bound, each with other statements, or one is too young for what the other holds; then rounds of
 * comparisons are weighed on the link, in both directions. What is remembered is tried with one peer at a lone node.
 */
import { describe, expect, test } from "vitest";
import { SnapshotAnnounce } from "../../core/domains/snapshots/schema.ts";
import { AdvertisementCreate, AdvertisementStatusSet } from "../../core/domains/trade/advertisements/schema.ts";
import { PaymentSubmitted } from "../../core/domains/trade/settlements/schema.ts";
import { CONTENDERS_MAX, PENDING_PER_SIGNER_MAX } from "../../core/engine/admission/bounds.ts";
import { Pending, Statements } from "../../core/engine/statements/table.ts";
import type { EpochMillis } from "../../core/index.ts";
import { peerOfKey } from "../../core/index.ts";
import { fromHex, toHex } from "../../core/kernel/bytes.ts";
import { encodeCompact } from "../../core/kernel/schema.ts";
import type { Fields, RecordOf } from "../../core/kernel/schema-composites.ts";
import { list, struct } from "../../core/kernel/schema-composites.ts";
import { byteArray } from "../../core/kernel/schema-scalars.ts";
import type { SignedType } from "../../core/kernel/signed.ts";
import { identityOf } from "../../core/kernel/signed.ts";
import type { PeerId } from "../../core/kernel/values.ts";
import { noteRange, rangeOf } from "../../core/network/gossip/idle-ranges.ts";
import { REFUSED_FOR_SPACE_MS, Refusals } from "../../core/network/gossip/refused.ts";
import { crowdedNode } from "../limits/crowded-node.ts";
import { announcement } from "../oracles/market.ts";
import type { Person } from "../rpc/lone-node.ts";
import { crypto, loneNode, person, pushFrame } from "../rpc/lone-node.ts";
import { announceSlot } from "../snapshots/slots.ts";
import { advertisement, advertisementData } from "./advertisements.ts";
import { peerOf } from "./link.ts";
import type { End, Link } from "./two-nodes.ts";
import { linkedNodes, T } from "./two-nodes.ts";

const DAY = 86_400_000n;
const SIGNERS = 5;
/** What one round costs when there is nothing to do, in bytes: a digest, sixteen for an answer, and their frames. */
const ROUND_BYTES_MAX = 1_000;
const signers = Array.from({ length: SIGNERS }, (_, signer) => person(0x40 + signer));

/** What somebody signed, brought by one peer of several, as the credit of their links asks for. */
function push<F extends Fields>(
  end: End,
  type: SignedType<F>,
  payload: RecordOf<F>,
  by: Person,
  at: EpochMillis,
): void {
  const number = relays++ >> 2;
  const relay = peerOfKey(Uint8Array.from({ length: 32 }, (_, place) => (place === 0 ? number & 255 : number >> 8)));
  const bytes = pushFrame(type, payload, by, at);
  end.driver.accept({ type: "message.received", from: relay, replyTo: "nobody", bytes });
}
let relays = 0;

function paymentOf(by: Person, n: number) {
  return { settlement_id: `set-${n}`, buyer: by.peer, payment_reference: null, timestamp: T };
}

function offerOf(by: Person, id: string) {
  return { ...advertisement(id, T), merchant: by.peer, merchant_public_key: by.key };
}

/** Two nodes that hold as many orphans of each signer as there is room for, and none in common. */
function apart(): Link {
  const link = linkedNodes();
  for (const [index, end] of link.ends.entries()) {
    for (const by of signers)
      for (let n = 0; n < PENDING_PER_SIGNER_MAX; n++)
        push(end, PaymentSubmitted, paymentOf(by, index * PENDING_PER_SIGNER_MAX + n), by, T);
    expect(end.driver.view.size(Pending)).toBe(SIGNERS * PENDING_PER_SIGNER_MAX);
  }
  link.connect();
  return link;
}

/** A node whose records are too old for every ingress though what is said about them is not, and a fresh one. */
function outgrown(): Link {
  const clock = { now: T };
  const link = linkedNodes([{}, {}], clock);
  for (const by of signers)
    for (let n = 0; n < PENDING_PER_SIGNER_MAX; n++)
      push(link.ends[0], AdvertisementCreate, offerOf(by, `${by.peer}-${n}`), by, T);
  clock.now = (T + 15n * DAY) as EpochMillis;
  for (const by of signers) {
    for (let n = 0; n < PENDING_PER_SIGNER_MAX; n++) {
      const paused = { merchant: by.peer, status: "Vacation" as const, timestamp: clock.now };
      push(link.ends[0], AdvertisementStatusSet, { id: `${by.peer}-${n}`, ...paused }, by, clock.now);
    }
  }
  expect(link.ends[0].driver.view.size(Statements)).toBe(2 * SIGNERS * PENDING_PER_SIGNER_MAX);
  link.connect();
  return link;
}

/** Bytes of rounds of comparisons that each end begins. */
function rounds(link: Link, many: number): readonly number[] {
  return Array.from({ length: many }, () => {
    link.moved.bytes = 0;
    link.compare();
    link.compare(1);
    return link.moved.bytes;
  });
}

describe("a difference that cannot close", () => {
  test.each([
    ["a bound that both filled, each with its own", apart],
    ["records that are too old for one that is new here", outgrown],
  ])("moves nothing any more once it is found: %s", (_, meet) => {
    const weighed = rounds(meet(), 9);
    expect(Math.max(...weighed.slice(6)), String(weighed)).toBeLessThan(ROUND_BYTES_MAX);
  });

  test("is no reason to miss what comes later", () => {
    const link = apart();
    rounds(link, 6);
    for (let n = 0; n < 40; n++)
      link.ends[n % 2]?.call("sendAdvertisementCreate", { data: advertisementData(`ad-${n}`, T) });
    rounds(link, 2);
    for (const { driver } of link.ends) expect(driver.view.size(Statements)).toBe(40);
    const weighed = rounds(link, 5);
    expect(Math.max(...weighed.slice(3)), String(weighed)).toBeLessThan(ROUND_BYTES_MAX);
  });
});

const Have = struct("GossipHave", { identities: list(byteArray(32)) });

function identityIn<F extends Fields>(type: SignedType<F>, payload: RecordOf<F>): Uint8Array {
  return fromHex(identityOf(crypto, type, payload)) ?? new Uint8Array(32);
}

/** A node with a peer; says whether it fetches what the peer says it has, and gets nothing. */
function watched() {
  const node = loneNode(T);
  const peer = peerOf(node, person(0x21));
  peer.connect();
  const isFetched = (identity: Uint8Array) => {
    peer.sent("GossipFetchRequest");
    peer.tell("GossipHave", encodeCompact(Have, { identities: [identity] }));
    const asked = peer.sent("GossipFetchRequest");
    for (const { request } of asked) peer.answer(request, "GossipPushAck", new Uint8Array(0));
    return asked.length > 0;
  };
  return { node, isFetched };
}

describe("what was refused for want of space", () => {
  const [by, other] = signers as [Person, Person];
  const pauseOf = (id: string, n = 0) => {
    return { id, merchant: by.peer, status: "Vacation" as const, timestamp: (T + BigInt(n)) as EpochMillis };
  };
  const createOf = (who: Person, n: number) => ({ ...offerOf(who, "ad-1"), timestamp: (T + BigInt(n)) as EpochMillis });
  const orphan = identityIn(AdvertisementStatusSet, pauseOf("ad-1"));

  /** The same with as many orphans of a signer as there is room for, one of them about `ad-1` and refused. */
  function refusing() {
    const { node, isFetched } = watched();
    for (let n = 0; n < PENDING_PER_SIGNER_MAX; n++) node.gossip(AdvertisementStatusSet, pauseOf(`other-${n}`), by);
    node.gossip(AdvertisementStatusSet, pauseOf("ad-1"), by);
    expect(node.view.size(Pending)).toBe(PENDING_PER_SIGNER_MAX);
    return { node, isFetched };
  }

  test("is not fetched, for ten minutes at most", () => {
    const { node, isFetched } = refusing();
    expect(isFetched(orphan)).toBe(false);
    node.now = T + BigInt(REFUSED_FOR_SPACE_MS) - 1n;
    expect(isFetched(orphan)).toBe(false);
    node.now += 1n;
    expect(isFetched(orphan)).toBe(true);
    node.accept({ type: "timer.fired", timer: "sweep" });
    expect(isFetched(orphan)).toBe(true);
  });

  test("is looked for again once the refusal has ended, in ranges that were compared since as well", () => {
    const node = crowdedNode(T);
    for (let n = 0; n < PENDING_PER_SIGNER_MAX; n++) node.gossip(AdvertisementStatusSet, pauseOf(`other-${n}`), by);
    node.gossip(AdvertisementStatusSet, pauseOf("ad-1"), by);
    const identity = toHex(orphan);
    expect([...node.store.keys(Refusals)]).toEqual([identity]);
    const other = identity.startsWith("00") ? "01" : "00";
    const ranges = ["", identity.slice(0, 2), other].map((prefix) => {
      return { peer: signers[2]?.peer as PeerId, prefix, own: new Uint8Array(16), theirs: new Uint8Array(16).fill(1) };
    });
    const known = () => node.withContext((context) => ranges.map((range) => rangeOf(context, range)));
    node.now = (T + BigInt(REFUSED_FOR_SPACE_MS) - 1n) as EpochMillis;
    for (const range of ranges) node.withContext((context) => noteRange(context, range, true));
    node.does({ type: "timer.fired", timer: "sweep" });
    expect(known()).toEqual(["idle", "idle", "idle"]);
    node.now = (node.now + 60_001n) as EpochMillis;
    node.does({ type: "timer.fired", timer: "sweep" });
    expect(known()).toEqual(["new", "new", "idle"]);
  });

  test("is fetched once more when what it is about arrives", () => {
    const { node, isFetched } = refusing();
    node.gossip(AdvertisementCreate, offerOf(by, "ad-1"), by);
    expect(isFetched(orphan)).toBe(true);
  });

  test("is fetched once more when something is said about it, and not whenever something is", () => {
    const { node, isFetched } = watched();
    for (let n = 0; n <= CONTENDERS_MAX; n++) node.gossip(AdvertisementCreate, createOf(by, n), by);
    expect(node.view.size(Statements)).toBe(CONTENDERS_MAX);
    const refused = identityIn(AdvertisementCreate, createOf(by, CONTENDERS_MAX));
    expect(isFetched(refused)).toBe(false);
    node.gossip(AdvertisementStatusSet, pauseOf("ad-1"), by);
    expect(isFetched(refused)).toBe(true);
    node.gossip(AdvertisementCreate, createOf(by, CONTENDERS_MAX), by);
    node.gossip(AdvertisementStatusSet, pauseOf("ad-1", 1), by);
    expect(isFetched(refused)).toBe(false);
  });

  test("is fetched as soon as there is room", () => {
    const { node, isFetched } = refusing();
    node.gossip(AdvertisementCreate, offerOf(by, "other-0"), by);
    expect(node.view.size(Pending)).toBe(PENDING_PER_SIGNER_MAX - 1);
    expect(isFetched(orphan)).toBe(true);
  });

  test("hides nothing that was not verified", () => {
    const { node, isFetched } = watched();
    node.gossip(AdvertisementStatusSet, pauseOf("ad-1"), other);
    expect(isFetched(orphan)).toBe(true);
  });
});

test("an announcement of a slot that the chain was not known to have reached is fetched after ten minutes", () => {
  const { node, isFetched } = watched();
  const [producer, liar, ...honest] = [person(0x51), person(0x52), person(0x53), person(0x54)] as const;
  const announced = announcement(producer, { created_at: T });
  announceSlot(node, liar, 1n);
  node.gossip(SnapshotAnnounce, announced, producer);
  expect(node.view.size(Statements)).toBe(0);
  for (const by of honest) announceSlot(node, by, announced.slot);
  const identity = identityIn(SnapshotAnnounce, announced);
  expect(isFetched(identity)).toBe(false);
  node.now = T + BigInt(REFUSED_FOR_SPACE_MS);
  expect(isFetched(identity)).toBe(true);
  node.gossip(SnapshotAnnounce, announced, producer);
  expect(node.view.size(Statements)).toBe(1);
});
