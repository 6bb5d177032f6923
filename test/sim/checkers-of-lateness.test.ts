// Goal: the laws about what is only late where they are broken find that and nothing else: comparisons that lead to
// nothing, slots of one origin, closings that are passed over, effects that nobody knows, reviews of no trade.
// Method: steps by hand. That each also finds a bug in the product, nodes-planted.test.ts and score show.
import { assert, describe, test } from "vitest";
import type { Effect, Input } from "../../core/index.ts";
import { encodeCompact } from "../../core/index.ts";
import {
  ANNOUNCED,
  FetchRequest,
  Frame,
  frameOf,
  NewestSlots,
  OFS_GOSSIP,
  OWN,
  Peers,
  Pending,
  Refusals,
  ReviewPublish,
  SetRequest,
  SetResponse,
  Settlements,
  SlotObservations,
  Statements,
} from "../../core/testing.ts";
import type { StepSeen } from "../../sim/checker.ts";
import { comparisonsGoOn } from "../../sim/checkers/comparisons-go-on.ts";
import { effectsAreKnown } from "../../sim/checkers/effects-are-known.ts";
import { reviewsAreOfParties } from "../../sim/checkers/reviews-are-of-parties.ts";
import { slotsAreAttested } from "../../sim/checkers/slots-are-attested.ts";
import { alice, bob, carol, noView, step, watch } from "./checker-bench.ts";

const NOW = 1_800_000_000_000n;
const from = bob.peer;
const frame = (type: string, payload: Uint8Array) =>
  encodeCompact(Frame, frameOf(OFS_GOSSIP, type, payload, NOW as never));
const id = (byte: number) => new Uint8Array(32).fill(byte);
const hex = (byte: number) => Buffer.from(id(byte)).toString("hex");

/** A memory that holds these rows, by table and key. */
function memory(rows: Readonly<Record<string, Readonly<Record<string, unknown>>>>): StepSeen["view"] {
  return {
    ...noView,
    get: ({ name }, key) => rows[name]?.[key] as never,
    keys: ({ name }) => Object.keys(rows[name] ?? {}),
  };
}

function seen(input: object, more: Partial<StepSeen> = {}): StepSeen {
  return { ...step(0, { now: NOW, ...input } as unknown as Partial<Input>, "00x", "00x"), ...more };
}

describe("comparisons go on", () => {
  const profile = new Uint8Array(32).fill(1);
  const asks = (request: number, ...prefixes: string[]) => {
    const ranges = prefixes.map((prefix) => ({ prefix, digest: new Uint8Array(16) }));
    const bytes = frame("GossipSetRequest", encodeCompact(SetRequest, { profile, ranges }));
    return { type: "message.send", to: from, request, bytes } as Effect;
  };
  const fetches = (...bytes: number[]) => {
    const payload = encodeCompact(FetchRequest, { identities: bytes.map(id), prefixes: [] });
    return { type: "message.send", to: from, request: 9, bytes: frame("GossipFetchRequest", payload) } as Effect;
  };
  const lists = (prefix: string, ...bytes: number[]) => ({ prefix, branches: [], identities: bytes.map(id) });
  /** What is found when a peer that was asked about two prefixes answers so. */
  function answered(contents: readonly object[], effects: readonly Effect[], rows = {}, between?: StepSeen) {
    const { checker, found } = watch(comparisonsGoOn);
    checker.onStep?.(seen({ type: "timer.fired", timer: "recover" }, { effects: [asks(5, "0", "1")] }));
    if (between !== undefined) checker.onStep?.(between);
    const bytes = frame("GossipSetResponse", encodeCompact(SetResponse, { contents } as never));
    checker.onStep?.(seen({ type: "message.answered", from, request: 5, bytes }, { effects, view: memory(rows) }));
    return found;
  }
  const lacks = (byte: number) => [`node 0 lacks ${hex(byte)}, which ${from} named, and does not fetch it`];

  test("finds what is named and not fetched, in the first range and in the last", () => {
    assert.deepEqual(answered([lists("0", 1), lists("1", 2)], []), lacks(1));
    assert.deepEqual(answered([lists("0", 1), lists("1", 2)], [fetches(1)]), lacks(2));
    assert.deepEqual(answered([lists("0", 1), lists("1", 2)], [fetches(1, 2)]), []);
  });

  test("asks for nothing that is held, was refused, or was not asked about", () => {
    const refused = (until: bigint, lifted = false) => ({ [Refusals.name]: { [hex(1)]: { until, lifted } } });
    for (const table of [Statements, Pending])
      assert.deepEqual(answered([lists("0", 1)], [], { [table.name]: { [hex(1)]: {} } }), []);
    assert.deepEqual(answered([lists("0", 1)], [], refused(NOW + 1n)), []);
    assert.deepEqual(answered([lists("0", 1)], [], refused(NOW)), lacks(1));
    assert.deepEqual(answered([lists("0", 1)], [], refused(NOW + 1n, true)), lacks(1));
    assert.deepEqual(answered([lists("2", 1)], []), []);
    assert.deepEqual(answered([lists("0"), lists("0", 1)], []), []);
  });

  test("leaves it to a peer that compares itself, and heeds nobody who was cut off", () => {
    assert.deepEqual(answered([lists("0", 1)], [], { [Peers.name]: { [from]: { leads: true } } }), []);
    const cut = seen({ type: "timer.fired" }, { effects: [{ type: "peer.disconnect", peer: from }] });
    assert.deepEqual(answered([lists("0", 1)], [], {}, cut), []);
    assert.deepEqual(answered([lists("0", 1)], [], {}, seen({ type: "peer.disconnected", peer: from })), []);
    const failed = seen({ type: "message.failed", to: from, request: 5, reason: "" });
    assert.deepEqual(answered([lists("0", 1)], [], {}, failed), []);
  });

  test("finds a node that tells somebody of another profile what it holds", () => {
    const { checker, found } = watch(comparisonsGoOn);
    const requested = (theirs: Uint8Array, contents: readonly object[]) => {
      const bytes = frame("GossipSetRequest", encodeCompact(SetRequest, { profile: theirs, ranges: [] }));
      const told = frame("GossipSetResponse", encodeCompact(SetResponse, { contents } as never));
      const effects = [{ type: "message.reply", replyTo: "r", bytes: told }] as const;
      checker.onStep?.(seen({ type: "message.received", from, replyTo: "r", bytes }, { effects }));
    };
    checker.onStep?.(seen({ type: "timer.fired" }, { effects: [asks(1, "")] }));
    requested(profile, [lists("", 1)]);
    requested(id(2), []);
    assert.deepEqual(found, []);
    requested(id(2), [lists("", 1)]);
    assert.deepEqual(found, [`node 0 compares its set with ${from}, which has another network profile`]);
  });
});

describe("slots are attested", () => {
  const row = (slot: bigint, observed_at = NOW) => ({ slot, observed_at });
  /** What is found when a step leaves this for the newest slot, and these words of origins. */
  function held(slot: bigint, origins: Readonly<Record<string, object>>) {
    const { checker, found } = watch(slotsAreAttested);
    const changes = [{ table: NewestSlots.name, key: "held", record: { slot, taken_at: NOW } }];
    checker.onStep?.(seen({ type: "timer.fired" }, { changes, view: memory({ [SlotObservations.name]: origins }) }));
    return found.length;
  }

  test("finds one that only one of several origins says, and no other", () => {
    assert.equal(held(9n, { a: row(9n), b: row(8n) }), 1);
    assert.equal(held(8n, { a: row(9n), b: row(8n) }), 0);
    assert.equal(held(9n, { a: row(9n) }), 0);
    assert.equal(held(9n, { a: row(9n), b: row(8n, NOW - 75_000n) }), 0);
    assert.equal(held(7n, { [OWN]: row(7n), a: row(9n), b: row(3n) }), 0);
  });

  test("finds one beyond the bound that one origin said, and takes two", () => {
    const kept = (newest: bigint | undefined, taken: bigint, ...slots: bigint[]) => {
      const { checker, found } = watch(slotsAreAttested);
      const record = { slot: newest, taken_at: taken };
      const first = newest === undefined ? [] : [{ table: NewestSlots.name, key: "held", record }];
      checker.onStep?.(seen({ type: "store.loaded" }, { changes: first }));
      const changes = slots.map((slot, n) => ({ table: SlotObservations.name, key: `o${n}`, record: row(slot) }));
      checker.onStep?.(seen({ type: "message.received" }, { changes }));
      return found.length;
    };
    assert.equal(kept(100n, NOW, 1_600n), 0);
    assert.equal(kept(100n, NOW, 1_601n), 1);
    assert.equal(kept(100n, NOW - 400n, 1_601n), 0);
    assert.equal(kept(100n, NOW, 5_000n, 5_001n), 0);
    assert.equal(kept(undefined, NOW, 2_000_000_000n), 0);
    assert.equal(kept(undefined, NOW, NOW), 1);
  });

  test("takes one beyond the bound where a fresh word of another origin is, and no other", () => {
    const kept = (others: Readonly<Record<string, object>>) => {
      const { checker, found } = watch(slotsAreAttested);
      const newest = { table: NewestSlots.name, key: "held", record: { slot: 100n, taken_at: NOW } };
      checker.onStep?.(seen({ type: "store.loaded" }, { changes: [newest] }));
      const changes = [{ table: SlotObservations.name, key: "a", record: row(5_000n) }];
      const view = memory({ [SlotObservations.name]: { a: row(5_000n), ...others } });
      checker.onStep?.(seen({ type: "message.received" }, { changes, view }));
      return found.length;
    };
    assert.equal(kept({ b: row(5_000n) }), 0);
    assert.equal(kept({}), 1);
    assert.equal(kept({ b: row(1_600n) }), 1, "what the chain can have reached agrees with nothing");
    assert.equal(kept({ b: row(5_000n, NOW - 75_000n) }), 1, "too long ago");
    assert.equal(kept({ [OWN]: row(5_000n), [ANNOUNCED]: row(5_000n) }), 1, "no origins");
  });
});

test("an effect that nobody carries out is found", () => {
  const { checker, found } = watch(effectsAreKnown);
  const effects = [{ type: "timer.set", timer: "seal", at: NOW }, { type: "" }, { type: "toString" }];
  checker.onStep?.(seen({ type: "timer.fired" }, { effects: effects as never }));
  assert.deepEqual(found, ['node 0 asks for "", which nobody does', 'node 0 asks for "toString", which nobody does']);
});

describe("reviews are of parties", () => {
  const review = (author: string) => {
    const payload = { settlement: "s", author, rating: 5n, comment: "good", created_at: NOW };
    return { type: { name: ReviewPublish.name }, payload };
  };
  function shown(author: string, state: string, about = alice.peer): number {
    const { checker, found } = watch(reviewsAreOfParties);
    const rows = {
      [Settlements.name]: { s: { state, buyer: alice.peer, seller: bob.peer } },
      [Statements.name]: { r: review(author) },
    };
    const day = Number(NOW - (NOW % 86_400_000n));
    const body = JSON.stringify({ id: 1, result: [{ about, rating: 5, comment: "good", created_on: day }] });
    const asked = { type: "rpc.called", body: '{"jsonrpc":"2.0","id":1,"method":"getReviews","params":{}}' };
    const effects = [{ type: "rpc.reply", replyTo: "r", body }] as const;
    checker.onStep?.(seen(asked, { effects, view: memory(rows) }));
    return found.length;
  }

  test("finds a stranger's, and one of a trade that is not over", () => {
    for (const state of ["Approved", "Completed"]) assert.equal(shown(bob.peer, state), 0);
    assert.equal(shown(bob.peer, "PaymentSubmitted"), 1);
    assert.equal(shown(carol.peer, "Approved"), 1);
    assert.equal(shown(bob.peer, "Approved", carol.peer), 1);
    assert.equal(shown(alice.peer, "Approved"), 1);
  });

  test("finds the same where those whom it concerns read it", () => {
    const own = (author: string, state: string, about = alice.peer) => {
      const { checker, found } = watch(reviewsAreOfParties);
      const rows = { [Settlements.name]: { s: { state, buyer: alice.peer, seller: bob.peer } } };
      const body = JSON.stringify({ id: 1, result: [{ settlement: "s", author, about }] });
      const asked = { type: "rpc.called", body: '{"jsonrpc":"2.0","id":1,"method":"getMyReviews","params":{}}' };
      const effects = [{ type: "rpc.reply", replyTo: "r", body }] as const;
      checker.onStep?.(seen(asked, { effects, view: memory(rows) }));
      return found;
    };
    assert.deepEqual(own(bob.peer, "Approved"), []);
    assert.deepEqual(own(carol.peer, "Approved"), [
      `node 0 shows a review by ${carol.peer} about ${alice.peer} of s, which is not theirs`,
    ]);
    assert.equal(own(bob.peer, "AwaitingPayment").length, 1);
  });
});
