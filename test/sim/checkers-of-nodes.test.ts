// Goal: the laws about one node's own doings find what breaks them and nothing else: calls without an answer,
// connections forgotten, dates that no ingress takes, registers that go back. Method: steps by hand. That each also
// finds a bug in the product, nodes-planted.test.ts and score show.
import { assert, describe, test } from "vitest";
import type { Effect, Input, Reader } from "../../core/index.ts";
import type { StepSeen } from "../../sim/checker.ts";
import { callsAreAnswered } from "../../sim/checkers/calls-are-answered.ts";
import { datesAreAdmitted } from "../../sim/checkers/dates-are-admitted.ts";
import { linksAreKnown } from "../../sim/checkers/links-are-known.ts";
import { registersGoForward } from "../../sim/checkers/registers-go-forward.ts";
import { noView, step, watch } from "./checker-bench.ts";

const roots = { statements: "", facts: "", state: "", archive: "" };
const loads = { type: "store.loaded", rows: [], last: true } as unknown as Partial<Input>;
const failed = { node: 0, report: { type: "failed" }, view: undefined } as const;
const crashed = { node: 0, view: undefined, lied: 0 } as const;

const stepOf = (input: object, more: Partial<StepSeen> = {}, node = 0): StepSeen => ({
  ...step(node, input as Partial<Input>, "00x", "00x"),
  ...more,
});

describe("calls are answered", () => {
  const call = (replyTo: string) => stepOf({ type: "rpc.called", replyTo, body: "" });
  const reply = (replyTo: string) => ({ node: 0, effect: { type: "rpc.reply", replyTo, body: "" } as Effect });
  const end = { nodes: [{ node: 0, view: noView, roots }] };

  test("finds those that are open when a memory is built again, and not those that were told or whose process ended", () => {
    const { checker, found } = watch(callsAreAnswered);
    checker.onStep?.(call("a"));
    checker.onEffect?.(reply("a"));
    checker.onStep?.(stepOf(loads));
    checker.onStep?.(call("b"));
    checker.onCrash?.(crashed);
    checker.onStep?.(stepOf(loads));
    assert.deepEqual(found, []);
    checker.onStep?.(call("c"));
    checker.onStep?.(stepOf(loads, {}, 1));
    assert.deepEqual(found, []);
    checker.onStep?.(stepOf(loads));
    checker.onStep?.(stepOf(loads));
    assert.deepEqual(found, ["node 0 builds its memory again and leaves 1 calls without an answer"]);
  });

  test("finds those that a node which goes on has not answered within a minute", () => {
    const clock = { now: 5 };
    const { checker, found } = watch(callsAreAnswered, {}, clock);
    checker.onStep?.(call("a"));
    clock.now += 60_000;
    checker.onStep?.(stepOf({ type: "timer.fired" }));
    checker.onEnd?.(end);
    clock.now += 1;
    // It has done nothing since.
    checker.onEnd?.(end);
    assert.deepEqual(found, []);
    checker.onStep?.(stepOf({ type: "timer.fired" }));
    checker.onEnd?.({ nodes: [] });
    assert.deepEqual(found, []);
    checker.onEnd?.(end);
    assert.deepEqual(found, ["node 0 has not answered 1 calls within 60000 ms"]);
  });
});

describe("links are known", () => {
  const knows = (...peers: readonly string[]): Reader => ({
    ...noView,
    get: (table, key) => (table.name === "peers" ? { connected: peers.includes(key) } : undefined) as never,
  });
  const met = (peer: string, view = knows(peer)) => stepOf({ type: "peer.connected", peer, address: null }, { view });
  const fires = (view: Reader) => stepOf({ type: "timer.fired" }, { view });

  test("finds a connection of which a memory that was built again knows nothing, at the first step after", () => {
    const { checker, found } = watch(linksAreKnown);
    checker.onStep?.(met("p"));
    checker.onStep?.(met("q"));
    // While nothing is built again it may be busy with what it was told.
    checker.onStep?.(fires(noView));
    checker.onStep?.(stepOf(loads));
    checker.onStep?.(stepOf({ type: "started" }));
    checker.onStep?.(met("p"));
    checker.onStep?.(met("q", knows("p", "q")));
    checker.onStep?.(fires(knows("p", "q")));
    assert.deepEqual(found, []);
    checker.onStep?.(stepOf(loads));
    checker.onStep?.(stepOf({ type: "started" }));
    checker.onStep?.(fires(knows("p")));
    checker.onStep?.(fires(noView));
    assert.deepEqual(found, ["node 0 does not know that it is connected to q"]);
  });

  test("asks nothing of what either end has closed, nor of a process before", () => {
    const { checker, found } = watch(linksAreKnown);
    checker.onStep?.(met("p"));
    checker.onStep?.(stepOf({ type: "peer.disconnected", peer: "p" }));
    checker.onStep?.(met("q"));
    checker.onStep?.(stepOf({ type: "timer.fired" }, { effects: [{ type: "peer.disconnect", peer: "q" as never }] }));
    checker.onEnd?.({ nodes: [{ node: 0, view: noView, roots }] });
    checker.onStep?.(met("r"));
    checker.onCrash?.(crashed);
    checker.onStep?.(stepOf(loads));
    // As long as its disk refuses writes it is only loaded.
    checker.onStep?.(stepOf({ type: "rpc.called", replyTo: "read" }));
    checker.onEnd?.({ nodes: [{ node: 0, view: noView, roots }] });
    checker.onStep?.(stepOf({ type: "started" }));
    checker.onStep?.(fires(noView));
    // A network that keeps no peers.
    checker.onStep?.(met("t", noView));
    checker.onEnd?.({ nodes: [{ node: 0, view: noView, roots }] });
    assert.deepEqual(found, []);
    checker.onStep?.(met("s"));
    checker.onEnd?.({ nodes: [{ node: 0, view: noView, roots }] });
    assert.deepEqual(found, ["node 0 does not know that it is connected to s"]);
  });
});

const NOW = 10_000_000_000n;
const DAY = 86_400_000n;
const dated = (timestamp: bigint, isDated = true) => ({ type: { name: "Said", dated: isDated }, timestamp });
const put = (table: string, key: string, record?: unknown) => ({ table, key, record });

describe("dates are admitted", () => {
  const taken = (type: string, ...changes: readonly ReturnType<typeof put>[]) =>
    stepOf({ type, now: NOW }, { changes });

  const ingresses: readonly (readonly [string, bigint | null])[] = [
    ["rpc.called", DAY],
    ["message.received", 7n * DAY],
    ["message.answered", 14n * DAY],
    ["snapshot.fetched", null],
  ];
  test.each(ingresses)("finds what %s does not bring", (ingress, age) => {
    for (const [at, right] of [
      [NOW + 300_000n, true],
      [NOW + 300_001n, false],
      [NOW - (age ?? 99n * DAY), true],
      [NOW - (age ?? 0n) - 1n, age === null],
    ] as const) {
      for (const table of ["statements", "pending"]) {
        const { checker, found } = watch(datesAreAdmitted);
        checker.onStep?.(taken(ingress, put(table, "a", dated(at)), put("others", "a", dated(0n))));
        assert.equal(found.length, right ? 0 : 1, `${at}`);
      }
    }
  });

  test("asks nothing of what bears no date, of a node's own store, of what was held, and under the reference's rules", () => {
    const { checker, found } = watch(datesAreAdmitted);
    const old = dated(0n);
    checker.onStep?.(taken("message.received", put("statements", "a", dated(0n, false))));
    checker.onStep?.(taken("store.loaded", put("statements", "b", old), put("pending", "c", old)));
    checker.onStep?.(taken("message.received", put("statements", "b", old)));
    checker.onStep?.(taken("timer.fired", put("pending", "c"), put("statements", "c", old)));
    checker.onStep?.(taken("message.received", put("statements", "c", old)));
    const parity = watch(datesAreAdmitted, { parity: true });
    parity.checker.onStep?.(taken("message.received", put("statements", "a", old)));
    assert.deepEqual([...found, ...parity.found], []);
  });

  test("asks again of what had left, and after a crash or a failed commit", () => {
    const leaves: readonly ((checker: ReturnType<typeof watch>["checker"]) => void)[] = [
      (checker) => checker.onStep?.(taken("message.received", put("statements", "a"))),
      (checker) => checker.onCrash?.(crashed),
      (checker) => checker.onCommit?.(failed),
    ];
    for (const leave of leaves) {
      const { checker, found } = watch(datesAreAdmitted);
      checker.onStep?.(taken("store.loaded", put("statements", "a", dated(0n))));
      leave(checker);
      checker.onStep?.(taken("message.received", put("statements", "a", dated(0n))));
      assert.equal(found.length, 1);
      assert.match(found[0] ?? "", /^node 0 takes a statement Said that is 10000000000 ms old, by message.received/);
    }
  });
});

describe("registers go forward", () => {
  const word = (identity: string, timestamp: bigint, rank = 0n, text = "r", isRegister = true) => {
    const type = { name: "Word", register: isRegister ? () => text : undefined, rank: () => rank };
    return put("statements", identity, { type, identity, signer: "s", timestamp, payload: {} });
  };
  const gone = (identity: string) => put("statements", identity);
  const played = (...steps: readonly (readonly ReturnType<typeof put>[])[]) => {
    const { checker, found } = watch(registersGoForward);
    for (const changes of steps) checker.onStep?.(stepOf({ type: "message.received" }, { changes }));
    return found;
  };

  test("finds a word that gives way to one that is less: by rank, by date, by identity", () => {
    for (const [greater, less] of [
      [word("a", 1n, 2n), word("b", 2n, 1n)],
      [word("a", 2n), word("b", 1n)],
      [word("b", 1n), word("a", 1n)],
    ] as const) {
      assert.deepEqual(played([less], [gone(less.key), greater]), []);
      const [found] = played([greater], [gone(greater.key), less]);
      assert.equal(found, `node 0 gives ${greater.key} up for ${less.key}, which is less, in Word/s/r`);
    }
  });

  test("leaves alone what leaves by itself, what is beside it, other registers, and what is none", () => {
    const [newer, older] = [word("a", 2n), word("b", 1n)];
    assert.deepEqual(played([newer], [gone("a")], [older]), []);
    assert.deepEqual(played([newer], [older]), []);
    assert.deepEqual(played([newer], [gone("a"), word("b", 1n, 0n, "other")]), []);
    assert.deepEqual(played([word("a", 2n, 0n, "r", false)], [gone("a"), word("b", 1n, 0n, "r", false)]), []);
    // One of several in a step is greater.
    assert.deepEqual(played([newer], [gone("a"), older, word("c", 3n)]), []);
  });

  test("finds a word that waited, came first and gave way in the same step, and not one that goes on waiting", () => {
    const [newer, older] = [word("a", 2n), word("b", 1n)];
    const waits = (one: typeof newer) => ({ ...one, table: "pending" });
    const [leftA, leftB] = [put("pending", "a"), put("pending", "b")];
    const both = [waits(newer), waits(older)];
    assert.deepEqual(played(both, [leftA, leftB, newer]), []);
    assert.deepEqual(played(both, [leftB, older]), []);
    assert.deepEqual(played(both, [leftB, older], [leftA, newer, gone("b")]), []);
    const found = "node 0 gives a up for b, which is less, in Word/s/r";
    assert.deepEqual(played(both, [leftA, leftB, older]), [found]);
    assert.deepEqual(played([waits(older)], [newer], [leftB, gone("a"), older]), [found]);
  });

  test("knows of nothing after a crash or a failed commit", () => {
    for (const forget of ["crash", "commit"] as const) {
      const { checker, found } = watch(registersGoForward);
      checker.onStep?.(stepOf({ type: "message.received" }, { changes: [word("a", 2n)] }));
      if (forget === "crash") checker.onCrash?.(crashed);
      else checker.onCommit?.(failed);
      checker.onStep?.(stepOf({ type: "message.received" }, { changes: [gone("a"), word("b", 1n)] }));
      assert.deepEqual(found, []);
    }
  });
});
