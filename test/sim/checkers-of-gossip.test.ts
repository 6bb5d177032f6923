// Goal: the laws about what peers push find hop counts that do not go down, news that is kept back, lost pushes that
// nobody repeats, credit that is overdrawn and log lines without a name, and nothing else. Method: steps by hand. That
// each also finds a bug in the product, nodes-planted.test.ts and score show.
import { assert, describe, test } from "vitest";
import type { Effect, Input, LogLevel, PeerId, Reader } from "../../core/index.ts";
import { encodeCompact } from "../../core/index.ts";
import { BlockhashAnnounced, eventKey, Frame, frameOf, GossipEvent, OFS_GOSSIP } from "../../core/testing.ts";
import type { StepSeen } from "../../sim/checker.ts";
import { creditIsKept } from "../../sim/checkers/credit-is-kept.ts";
import { hopsAreCounted } from "../../sim/checkers/hops-are-counted.ts";
import { logsAreNamed } from "../../sim/checkers/logs-are-named.ts";
import { pushesAreRepeated } from "../../sim/checkers/pushes-are-repeated.ts";
import { sendsAreTold } from "../../sim/checkers/sends-are-told.ts";
import { openWallet } from "../../sim/wallet.ts";
import { alice, bob, carol, crypto, noView, step, watch } from "./checker-bench.ts";

type Change = StepSeen["changes"][number];

const [from, near, far] = [alice, bob, carol].map(({ peer }) => peer) as [PeerId, PeerId, PeerId];
const NOW = 1_800_000_000_000n;

const eventWith = (ttl: number): GossipEvent => ({
  ...{ id: new Uint8Array(32).fill(7), event_type: "SomethingNew", ofs_spec: 9, version: 1, origin: from },
  ...{ timestamp: NOW as never, ttl, priority: "BackgroundSync", payload: new Uint8Array(3), signature: "1" as never },
});
const key = eventKey(eventWith(1));
const bytesOf = (event: GossipEvent, kind = "GossipPush") =>
  encodeCompact(Frame, frameOf(OFS_GOSSIP, kind, encodeCompact(GossipEvent, event), NOW as never));
const kept = (statement: string | null, record: unknown = { event: eventWith(1), statement }): Change => ({
  ...{ table: "events", key, record },
});
const sends = (to: PeerId, ttl: number) =>
  ({ type: "message.send", to, request: 1n, bytes: bytesOf(eventWith(ttl)) }) as unknown as Effect;
/** Everybody is connected; one of them never asks for what is announced. */
const view = (silent: readonly PeerId[] = []): Reader => ({
  ...noView,
  find: () => [from, near, far],
  get: (_, peer) => ({ announces: !silent.includes(peer as PeerId) }) as never,
});

function pushed(ttl: number, more: Partial<StepSeen>, kind?: string): StepSeen {
  const input = { type: "message.received", from, now: NOW, bytes: bytesOf(eventWith(ttl), kind) };
  return { ...step(0, input as unknown as Partial<Input>, "00x", "00x"), view: view(), ...more };
}

describe("hops are counted", () => {
  const found = (seen: StepSeen, profile = {}) => {
    const { checker, found: all } = watch(hopsAreCounted, profile);
    checker.onStep?.(seen);
    return all;
  };
  const everybody = (ttl: number) => [sends(near, ttl), sends(far, ttl)];

  test("finds a hop count that does not go down, or comes from beyond what is believed", () => {
    const wrong = "node 0 passes SomethingNew on with 8 hops, which came with 8";
    assert.deepEqual(found(pushed(8, { changes: [kept(null)], effects: everybody(8) })), [wrong]);
    assert.deepEqual(found(pushed(8, { changes: [kept(null)], effects: everybody(7) })), []);
    assert.deepEqual(found(pushed(200, { changes: [kept(null)], effects: everybody(15) })), []);
    assert.equal(found(pushed(200, { changes: [kept(null)], effects: everybody(199) })).length, 1);
  });

  test("finds news that is kept from somebody, unless it came with its last hop or was held", () => {
    const [first, second] = near < far ? [near, far] : [far, near];
    const missed = [`node 0 does not pass SomethingNew on to ${second}`];
    assert.deepEqual(found(pushed(8, { changes: [kept(null)], effects: [sends(first, 7)] })), missed);
    assert.deepEqual(found(pushed(1, { changes: [kept(null)], effects: [] })), []);
    assert.equal(found(pushed(1, { changes: [kept(null)], effects: [sends(near, 0), sends(near, 1)] })).length, 1);
    assert.deepEqual(found(pushed(8, { changes: [], effects: [] })), []);
    assert.deepEqual(found(pushed(8, { changes: [kept(null)], effects: [] }, "GossipAck")), []);
  });

  test("lets an announced slot end here once three origins of it were passed on, and no sooner", () => {
    const { checker, found: all } = watch(hopsAreCounted);
    const people = [alice, bob, carol, openWallet(crypto, 1n, "dan")];
    const receive = (by: number, slot: bigint, goesOn: boolean) => {
      const payload = encodeCompact(BlockhashAnnounced, { blockhash: "b", slot, observed_at: NOW as never });
      const origin = (people[by - 1] as typeof alice).peer;
      const event = {
        ...eventWith(8),
        event_type: "BlockhashAnnounced",
        origin,
        payload,
        id: new Uint8Array(32).fill(by),
      };
      const bytes = bytesOf(event);
      const passed = bytesOf({ ...event, ttl: 7 });
      const input = { type: "message.received", from, now: NOW, bytes } as unknown as Partial<Input>;
      const changes = [{ table: "events", key: eventKey(event), record: { event, statement: null } }];
      const effects = [near, far].map(
        (to) => ({ type: "message.send", to, request: 1n, bytes: passed }) as unknown as Effect,
      );
      checker.onStep?.({ ...step(0, input, "00x", "00x"), view: view(), changes, effects: goesOn ? effects : [] });
    };
    for (const by of [1, 2, 3]) receive(by, 40n, true);
    receive(4, 40n, false);
    receive(1, 40n, false);
    assert.deepEqual(all, []);
    receive(1, 41n, true);
    receive(2, 41n, true);
    receive(3, 41n, false);
    assert.equal(all.length, 1);
  });

  test("asks of a statement only that it goes to those who ask for nothing, and only when it is new", () => {
    const statement: Change = { table: "statements", key: "s", record: {} };
    const silent = { changes: [kept("s"), statement], effects: [], view: view([far]) };
    assert.deepEqual(found(pushed(8, silent)), [`node 0 does not pass SomethingNew on to ${far}`]);
    assert.deepEqual(found(pushed(8, { ...silent, effects: [sends(far, 7)] })), []);
    assert.deepEqual(found(pushed(8, { ...silent, changes: [kept("s")] })), []);
    assert.deepEqual(found(pushed(8, { ...silent, view: view() })), []);
    assert.deepEqual(found(pushed(8, silent), { parity: true }), []);
  });
});

describe("sends are told", () => {
  const put = (table: string, signed: object = {}): Change => {
    const record = { type: { name: "ReviewPublish" }, bare: "b", tagged: null, ...signed };
    return { table, key: "s", record };
  };
  /** A log that has the event of the statement, or nothing; and peers of whom one may never ask. */
  const log = (told: boolean, silent: readonly PeerId[]): Reader => ({
    ...view(silent),
    find: (table, index, value) =>
      table.name === "peers" ? [near, far] : told && value === "s" && index === "statement" ? [key] : [],
  });
  const found = (
    changes: readonly Change[],
    told = false,
    more: Partial<StepSeen> = {},
    silent: readonly PeerId[] = [],
  ) => {
    const { checker, found: all } = watch(sendsAreTold);
    const seen = step(0, { type: "rpc.called" } as Partial<Input>, "00x", "00x");
    checker.onStep?.({ ...seen, changes, view: log(told, silent), ...more });
    return all;
  };
  const wrong = ["node 0 tells nobody of a ReviewPublish that a client sent"];

  test("finds what a client sent and no event of the log carries, in the set or waiting", () => {
    for (const table of ["statements", "pending"]) {
      assert.deepEqual(found([put(table)]), wrong);
      assert.deepEqual(found([put(table)], true), []);
    }
  });

  test("finds a peer that never asks, and is not pushed what a client sent", () => {
    const left = [`node 0 does not push a ReviewPublish that a client sent to ${far}`];
    assert.deepEqual(found([put("statements")], true, {}, [far]), left);
    assert.deepEqual(found([put("statements")], true, { effects: [sends(near, 8)] }, [far]), left);
    assert.deepEqual(found([put("statements")], true, { effects: [sends(far, 8)] }, [far]), []);
  });

  test("asks for nothing of what came otherwise, is here already, leaves, or is no statement", () => {
    const attached: Change = { table: "pending", key: "s", record: undefined };
    assert.deepEqual(found([put("statements"), attached]), []);
    assert.deepEqual(found([put("statements", { tagged: "t" })]), []);
    assert.deepEqual(found([{ ...put("statements"), record: undefined }]), []);
    assert.deepEqual(found([put("reviews")]), []);
    const input = { type: "message.received" } as unknown as Input;
    assert.deepEqual(found([put("statements")], false, { input }), []);
    const { checker, found: all } = watch(sendsAreTold, { parity: true });
    const seen = step(0, { type: "rpc.called" } as Partial<Input>, "00x", "00x");
    checker.onStep?.({ ...seen, changes: [put("statements")] });
    assert.deepEqual(all, []);
  });
});

describe("credit is kept", () => {
  const take = (now: bigint, changes: readonly Change[] = [kept(null)], kind?: string) => {
    const seen = pushed(8, { changes }, kind);
    return { ...seen, input: { ...seen.input, now } as Input };
  };
  const once = (count: number, ...more: readonly StepSeen[]) => {
    const { checker, found } = watch(creditIsKept);
    for (let n = 0; n < count; n++) checker.onStep?.(take(NOW));
    for (const one of more) checker.onStep?.(one);
    return { checker, found };
  };

  test("finds the event after the last one that a peer may push at once", () => {
    assert.deepEqual(once(200).found, []);
    assert.deepEqual(once(201).found, [`node 0 takes more from ${from} than its credit`]);
  });

  test("gives twenty a second back, and nothing for a clock that goes back", () => {
    assert.deepEqual(once(200, take(NOW + 50n)).found, []);
    assert.equal(once(200, take(NOW + 49n)).found.length, 1);
    assert.equal(once(200, take(NOW - 60_000n)).found.length, 1);
    const refilled = Array.from({ length: 200 }, () => take(NOW + 86_400_000n));
    assert.deepEqual(once(200, ...refilled).found, []);
    assert.equal(once(200, ...refilled, take(NOW + 86_400_000n)).found.length, 1);
  });

  test("what newcomers share fills up from the first that was taken of it, wherever the clock stood before", () => {
    const by = (peer: PeerId, now: bigint): StepSeen => {
      const seen = take(now);
      return { ...seen, input: { ...seen.input, from: peer } as Input };
    };
    const { checker, found } = once(0);
    checker.onStep?.({ ...take(NOW), input: { type: "peer.connected", peer: far, address: null, now: NOW } as never });
    for (let n = 0; n < 200; n++) checker.onStep?.(by(from, NOW - 30_000n));
    for (let n = 0; n < 108; n++) checker.onStep?.(by(near, NOW - 25_000n));
    assert.deepEqual(found, []);
    checker.onStep?.(by(near, NOW - 25_000n));
    assert.deepEqual(found, ["node 0 takes more from newcomers than one of them may bring"]);
  });

  test("asks nothing for what changed nothing, for answers, or of a memory that is new", () => {
    assert.deepEqual(once(200, take(NOW, []), take(NOW, [kept(null)], "GossipFetchResponse")).found, []);
    for (const forget of ["crash", "commit"] as const) {
      const { checker, found } = once(200);
      if (forget === "crash") checker.onCrash?.({ node: 0, view: undefined, lied: 0 });
      else checker.onCommit?.({ node: 0, report: { type: "failed" }, view: undefined } as never);
      checker.onStep?.(take(NOW));
      assert.deepEqual(found, []);
    }
  });
});

test("log lines have a level that there is, and a name", () => {
  const { checker, found } = watch(logsAreNamed);
  const line = (level: string, event: string) => ({ node: 0, level: level as LogLevel, event, fields: {} });
  checker.onLog?.(line("warn", "chain unavailable"));
  assert.deepEqual(found, []);
  checker.onLog?.(line("", "chain unavailable"));
  checker.onLog?.(line("info", " "));
  assert.deepEqual(found, ['node 0 logs at a level that there is not: ""', "node 0 logs something without a name"]);
});

describe("pushes are repeated", () => {
  const held: Reader = {
    ...noView,
    get: ({ name }) =>
      (name === "events" ? { statement: "s" } : { connected: true, announces: true, latency_ms: 100n }) as never,
  };
  const gone: Reader = { ...held, get: (table, key) => ({ ...held.get(table, key), connected: false }) as never };
  const at = (input: object, ms: bigint, effects: readonly Effect[] = [], memory = held): StepSeen => ({
    ...step(0, { now: NOW + ms, ...input } as unknown as Partial<Input>, "00x", "00x"),
    ...{ effects, view: memory },
  });
  const push = (ms: bigint) => at({ type: "rpc.called" }, ms, [sends(near, 8)]);
  const announces = (ms: bigint, effects?: readonly Effect[], memory?: Reader) =>
    at({ type: "timer.fired", timer: "announce" }, ms, effects, memory);
  const found = (...steps: readonly StepSeen[]) => {
    const { checker, found: all } = watch(pushesAreRepeated);
    for (const one of steps) checker.onStep?.(one);
    return all;
  };
  const wrong = [`node 0 does not repeat the push of ${key} to ${near}, who did not acknowledge it`];

  test("finds one that nobody acknowledged in time, and that is not sent again with the next news", () => {
    assert.deepEqual(found(push(0n), announces(300n)), wrong);
    assert.deepEqual(found(push(0n), announces(299n)), []);
    assert.deepEqual(found(push(0n), announces(300n, [sends(near, 8)])), []);
    assert.deepEqual(found(push(0n), announces(300n, [sends(far, 8)])), wrong);
  });

  test("knows which of more than are repeated at once were sent again all the same", () => {
    const numbered = (request: bigint) => ({ ...sends(near, 8), request }) as unknown as Effect;
    const all = Array.from({ length: 65 }, (_, place) => BigInt(place + 1));
    const pushes = all.map((request) => at({ type: "rpc.called" }, 0n, [numbered(request)]));
    const answered = all.slice(1).map((request) => at({ type: "message.answered", from: near, request }, 301n));
    const again = announces(300n, [numbered(70n)]);
    assert.deepEqual(found(...pushes, announces(300n)), []);
    assert.deepEqual(found(...pushes, again, ...answered, announces(599n)), []);
    assert.deepEqual(found(...pushes, again, ...answered, announces(600n)), wrong);
    assert.deepEqual(found(...pushes, ...answered, announces(599n)), wrong);
  });

  test("expects of a statement that was pushed twice to one peer no more repeats than one of the two may have", () => {
    const numbered = (request: bigint) => ({ ...sends(near, 8), request }) as unknown as Effect;
    const first = [push(0n), ...[1n, 2n].map((times) => announces(times * 300n, [numbered(times + 1n)]))];
    const second = at({ type: "message.answered", from: near, request: 99n }, 850n, [numbered(10n)]);
    const both = announces(1_200n, [numbered(5n), numbered(11n)]);
    const answered = at({ type: "message.answered", from: near, request: 11n }, 1_201n);
    const before = [...first, second, announces(900n, [numbered(4n)]), both];
    assert.deepEqual(found(...before, answered, announces(1_500n)), []);
    assert.deepEqual(found(...before.slice(0, -1), announces(1_200n, [numbered(5n)]), announces(1_500n)), []);
    assert.deepEqual(found(...before.slice(0, -1), announces(1_200n)), wrong);
  });

  test("finds a fifth repeat, and none where another push of the same may be meant", () => {
    const numbered = (request: bigint) => ({ ...sends(near, 8), request }) as unknown as Effect;
    const again = (from: bigint, most: bigint) =>
      Array.from({ length: Number(most - from) + 1 }, (_, place) => from + BigInt(place)).map((times) =>
        announces(times * 300n, [numbered(times + 1n)]),
      );
    const fifth = [`node 0 repeats the push of ${key} to ${near} more than 4 times`];
    assert.deepEqual(found(push(0n), ...again(1n, 4n)), []);
    assert.deepEqual(found(push(0n), ...again(1n, 5n)), fifth);
    const other = at({ type: "message.answered", from: near, request: 99n }, 1_250n, [numbered(70n)]);
    assert.deepEqual(found(push(0n), ...again(1n, 4n), other, announces(1_600n, [numbered(71n)])), []);
  });

  test("counts on when an end is heard of that is another connection's: pushes of the one that ended have failed", () => {
    const ended = at({ type: "peer.disconnected", peer: near }, 1n);
    const again = [1n, 2n, 3n, 4n].map((times) => announces(times * 300n, [sends(near, 8)]));
    assert.deepEqual(found(push(0n), ended, announces(300n)), wrong);
    assert.deepEqual(found(push(0n), ended, ...again, announces(1_500n)), []);
  });

  test("lets one rest that was answered or failed, whose peer or statement is gone, or that was repeated enough", () => {
    const told = (input: object) => found(push(0n), at(input, 1n), announces(300n));
    assert.deepEqual(told({ type: "message.answered", from: near, request: 1n }), []);
    assert.deepEqual(told({ type: "message.failed", to: near, request: 1n }), []);
    assert.deepEqual(told({ type: "message.answered", from: far, request: 1n }), wrong);
    assert.deepEqual(found(push(0n), announces(300n, [], gone)), []);
    assert.deepEqual(found(push(0n), announces(300n, [], noView)), []);
    const again = [1n, 2n, 3n, 4n].map((times) => announces(times * 300n, [sends(near, 8)]));
    assert.deepEqual(found(push(0n), ...again, announces(1_500n)), []);
    assert.deepEqual(found(push(0n), ...again.slice(1), announces(1_500n)), wrong);
  });
});
