// Goal: the laws about what peers are told find a message that nobody knows and an answer that leaves something out,
// and nothing else. Method: steps by hand. That each also finds a bug in the product, nodes-planted.test.ts and score
// show.
import { assert, describe, test } from "vitest";
import type { Effect } from "../../core/index.ts";
import { encodeCompact } from "../../core/index.ts";
import type { GossipEvent } from "../../core/testing.ts";
import {
  Events,
  eventKey,
  FetchRequest,
  FetchResponse,
  Links,
  Pending,
  RecoveryResponse,
  Seals,
  SetRequest,
  SetResponse,
  Statements,
} from "../../core/testing.ts";
import type { MakeChecker, StepSeen } from "../../sim/checker.ts";
import { headOf } from "../../sim/checkers/frames.ts";
import { messagesAreKnown } from "../../sim/checkers/messages-are-known.ts";
import { requestsAreAnswered } from "../../sim/checkers/requests-are-answered.ts";
import { alice, watch } from "./checker-bench.ts";
import type { Rows } from "./frame-bench.ts";
import { DAY_MS, frame, from, GOSSIP, hex, id, memory, NOTHING, NOW, seen } from "./frame-bench.ts";

const replies = (bytes: Uint8Array, replyTo = "r") => ({ type: "message.reply", replyTo, bytes }) as Effect;
const sends = (bytes: Uint8Array) => ({ type: "message.send", to: from, request: 1n, bytes }) as unknown as Effect;

/** What a law finds when a peer's bytes are answered so. */
function answered(law: MakeChecker, bytes: Uint8Array, effects: readonly Effect[], more: Partial<StepSeen> = {}) {
  const { checker, found } = watch(law);
  checker.onStep?.(seen({ type: "message.received", from, replyTo: "r", bytes }, { effects, ...more }));
  return found;
}

describe("messages are known", () => {
  const found = (bytes: Uint8Array, ...effects: Effect[]) => answered(messagesAreKnown, bytes, effects);
  const ACK = replies(frame("GossipPushAck"));

  test("finds an answer without a name, of another request, or with something in it", () => {
    const push = frame("GossipPush", new Uint8Array(300));
    assert.deepEqual(found(push, ACK), []);
    assert.deepEqual(found(push, replies(frame("GossipPrune"))), []);
    assert.deepEqual(found(push, replies(frame(""))), [`node 0 answers 1200 GossipPush of ${from} with "1200 "`]);
    assert.equal(found(push, replies(frame("GossipWant"))).length, 1);
    assert.equal(found(push, replies(frame("GossipPushAck", NOTHING, 1_100))).length, 1);
    assert.deepEqual(found(push, replies(frame("GossipPrune", new Uint8Array(2)))), [
      "node 0 sends 1200 GossipPrune with 2 bytes",
    ]);
  });

  test("finds a request that is answered by nothing or twice", () => {
    const have = frame("GossipHave");
    assert.deepEqual(found(have), [`node 0 gives 0 answers to 1200 GossipHave of ${from}`]);
    assert.equal(found(have, ACK, ACK).length, 1);
    assert.equal(found(have, replies(frame("GossipPushAck"), "another")).length, 1);
  });

  test("lets be acknowledged whatever is unknown, and peer exchange be answered by its name", () => {
    assert.deepEqual(found(frame("Whatever"), ACK), []);
    assert.deepEqual(found(Uint8Array.of(255), ACK), []);
    assert.equal(found(frame("Whatever"), replies(frame("Whatever"))).length, 1);
    const told = frame("PeerAnnouncement", NOTHING, 1_100);
    assert.deepEqual(found(told, replies(told)), []);
    assert.equal(found(told, replies(frame("PeerAnnouncement", new Uint8Array(1), 1_100))).length, 1);
    assert.deepEqual(found(frame("Odd", NOTHING, 5_000), replies(frame("ContentResponse", NOTHING, 5_000))), []);
  });

  test("finds a request that nobody knows, and one that no frame may carry", () => {
    const told = (bytes: Uint8Array) => {
      const { checker, found: all } = watch(messagesAreKnown);
      checker.onStep?.(seen({ type: "timer.fired" }, { effects: [sends(bytes)] }));
      return all;
    };
    assert.deepEqual(told(frame("GossipSetRequest", new Uint8Array(900))), []);
    assert.deepEqual(told(frame("GossipSetRequests")), ['node 0 sends "1200 GossipSetRequests", which nobody knows']);
    assert.equal(told(frame("GossipHave", NOTHING, 1_201)).length, 1);
    assert.equal(told(frame("GossipHave", new Uint8Array(1_048_576))).length, 1);
  });

  test("reads heads as they are written, and no head in what ends early", () => {
    const bytes = frame("GossipHave", new Uint8Array(200));
    assert.deepEqual(headOf(bytes), { spec: GOSSIP, type: "GossipHave", name: `${GOSSIP} GossipHave`, carried: 200 });
    for (let long = 0; long < 16; long++) assert.isUndefined(headOf(bytes.subarray(0, long)));
  });
});

describe("requests are answered", () => {
  const event = (byte: number, timestamp = NOW): GossipEvent => ({
    ...{ id: new Uint8Array(32).fill(byte), event_type: "SomethingNew", ofs_spec: 9, version: 1, origin: alice.peer },
    ...{ timestamp: timestamp as never, ttl: 8, priority: "BackgroundSync", payload: NOTHING, signature: "1" as never },
  });
  const held = (age = 0n, dated = true) => ({ type: { dated }, timestamp: NOW - age });
  const paid = { changes: [{ table: Links.name, key: from, record: {} }] };

  test("finds a log that is told in another order than by date and id", () => {
    const told = (...events: GossipEvent[]) =>
      answered(requestsAreAnswered, frame("GossipRecoveryRequest", Uint8Array.of(0)), [
        replies(frame("GossipRecoveryResponse", encodeCompact(RecoveryResponse, { events }))),
      ]).length;
    assert.equal(told(), 0);
    assert.equal(told(event(9, NOW - 1n), event(1), event(2)), 0);
    assert.equal(told(event(2), event(1)), 1);
    assert.equal(told(event(1), event(1)), 1);
    assert.equal(told(event(1), event(2, NOW - 1n)), 1);
  });

  /** What is found when three statements are held, and these are given to who asks for one, and for what begins so. */
  function fetched(given: readonly number[], more: boolean, is: Partial<StepSeen> = paid, own: Rows = {}) {
    const payload = encodeCompact(FetchRequest, { identities: [id(1)], prefixes: ["2"] });
    const answer = encodeCompact(FetchResponse, { events: given.map((byte) => event(byte)), more });
    const rows = {
      [Statements.name]: { [hex(1)]: held(), [hex(0x21)]: held(), [hex(0x31)]: held() },
      [Events.name]: Object.fromEntries(
        [1, 0x21, 0x22, 0x31].map((byte) => [eventKey(event(byte)), { statement: hex(byte) }]),
      ),
      ...own,
    };
    const bytes = frame("GossipFetchRequest", payload);
    const effects = [replies(frame("GossipFetchResponse", answer))];
    return answered(requestsAreAnswered, bytes, effects, { view: memory(rows), ...is });
  }

  test("finds what a fetch leaves out though it is said to be all and was paid for", () => {
    const left = (many: number, what: string) => [
      `node 0 answers ${from} that there is no more than ${many} statements, and holds ${what}`,
    ];
    assert.deepEqual(fetched([1, 0x21], false), []);
    assert.deepEqual(fetched([1], false), left(1, hex(0x21)));
    assert.deepEqual(fetched([0x21], false), left(1, hex(1)));
    assert.deepEqual(fetched([1], true), []);
    assert.deepEqual(fetched([], false, {}), []);
    const waiting = { [Pending.name]: { [hex(0x22)]: held() } };
    assert.deepEqual(fetched([1, 0x21], false, paid, waiting), left(2, hex(0x22)));
    assert.deepEqual(fetched([1, 0x21], false, paid, { [Pending.name]: { [hex(0x22)]: held(14n * DAY_MS + 1n) } }), []);
    const undated = { [Pending.name]: { [hex(0x22)]: held(99n * DAY_MS, false) } };
    assert.equal(fetched([1, 0x21], false, paid, undated).length, 1);
    assert.deepEqual(fetched([1], false, paid, { [Seals.name]: { [hex(0x21)]: {} } }), []);
  });

  test("finds statements that nobody asked for", () => {
    assert.equal(fetched([1, 0x21, 0x31], false).length, 1);
    assert.equal(fetched([1, 0x21, 0x77], true).length, 1);
  });

  /** What is found when these ranges are told to who has nothing. */
  function compared(
    contents: readonly object[],
    is: Partial<StepSeen> = paid,
    prefixes: readonly string[] = ["1", "2"],
  ) {
    const ranges = prefixes.map((prefix) => ({ prefix, digest: new Uint8Array(16) }));
    const payload = encodeCompact(SetRequest, { profile: id(1), ranges });
    const bytes = frame("GossipSetRequest", payload);
    const answer = encodeCompact(SetResponse, { contents } as never);
    const rows = { [Statements.name]: { [hex(0x11)]: held(), [hex(0x12)]: held(), [hex(0x13)]: held(15n * DAY_MS) } };
    const effects = [replies(frame("GossipSetResponse", answer))];
    return answered(requestsAreAnswered, bytes, effects, { view: memory(rows), ...is }).length;
  }
  const lists = (prefix: string, ...firsts: number[]) => ({
    ...{ prefix, branches: [], identities: firsts.map((first) => id(first)) },
  });
  const branches = (prefix: string, ...digits: number[]) => ({
    ...{ prefix, identities: [] },
    branches: Array.from({ length: 16 }, (_, digit) => new Uint8Array(16).fill(digits.includes(digit) ? 7 : 0)),
  });

  test("finds a range that is told without what is held in it", () => {
    assert.equal(compared([lists("1", 0x11, 0x12)]), 0);
    assert.equal(compared([lists("1", 0x11)]), 1);
    assert.equal(compared([branches("1", 1, 2, 3)]), 0);
    assert.equal(compared([branches("1", 1, 2)]), 1);
    assert.equal(compared([branches("1", 1, 2, 3, 4)]), 1);
  });

  test("finds a range that is passed over, unless nothing is told to a network with other rules", () => {
    assert.equal(compared([lists("1", 0x11, 0x12)], paid, ["1", ""]), 1);
    assert.equal(compared([lists("1", 0x11, 0x12)], {}, ["1", ""]), 0);
    assert.equal(compared([], paid, [""]), 0);
  });
});
