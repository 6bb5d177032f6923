// Goal: the checker of law L9 finds an effect that leaves too early, a write that no step made, and whatever a node
// does not find again; it says nothing of what a lying disk, a failed commit or a commit in hand takes away.
// Method: a node by hand: steps, effects, ends of commits and crashes, over the newest slot, which is in no root.
import { assert, describe, test } from "vitest";
import { NewestSlots } from "../../core/domains/chain-bridge/newest-slot.ts";
import type { Change, Effect, Reader } from "../../core/index.ts";
import { encodeCompact } from "../../core/index.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import type { StoreWrite } from "../../core/ports/store.ts";
import { Pending, Statements } from "../../core/testing.ts";
import { durableBeforeVisible } from "../../sim/checkers/durable-before-visible.ts";
import { noView, step, watch } from "./checker-bench.ts";
import { memory } from "./frame-bench.ts";

const TABLE = NewestSlots.name;

/** What the slot of a number is as a record. */
function held(slot: bigint) {
  return { slot, taken_at: 5n as EpochMillis, by: "own" as const, origin: "" };
}

/** A node that holds slots by key, and whose statements root is a letter. */
function node() {
  const { checker, found } = watch(durableBeforeVisible);
  const slots = new Map<string, ReturnType<typeof held>>();
  const view: Reader = {
    ...noView,
    get: (table, key) => (table.name === TABLE ? slots.get(key) : undefined) as never,
    keys: (table) => (table.name === TABLE ? slots.keys() : []),
  };
  let root = "0";
  const stepped = (input: object, changes: readonly Change[], effects: readonly Effect[], next = root) => {
    const seen = step(0, input as never, `${root}0x`, `${next}0x`);
    root = next;
    checker.onStep?.({ ...seen, changes, effects, view });
  };
  const own = {
    found,
    /** A step that writes slots, `null` to remove one, and orders effects. */
    step(writes: Readonly<Record<string, bigint | null>>, effects: readonly Effect[] = [], next?: string) {
      const changes = Object.entries(writes).map(([key, slot]): Change => {
        if (slot === null) slots.delete(key);
        else slots.set(key, held(slot));
        return { table: TABLE, key, record: slots.get(key) };
      });
      stepped({ type: "timer.fired" }, changes, effects, next);
    },
    leaves: (effect: Effect) => checker.onEffect?.({ node: 0, effect }),
    commits(writes: Readonly<Record<string, bigint | null>>, safe = true) {
      checker.onCommit?.({ node: 0, report: { type: "kept", writes: writesOf(writes), safe }, view });
    },
    fails: () => checker.onCommit?.({ node: 0, report: { type: "failed" }, view }),
    crashes: (lied = 0) => checker.onCrash?.({ node: 0, view, lied }),
    /** Loads a store that holds these slots. */
    loads(found: Readonly<Record<string, bigint>>, next: string) {
      slots.clear();
      for (const [key, slot] of Object.entries(found)) slots.set(key, held(slot));
      stepped({ type: "store.loaded", rows: [], last: false }, [], []);
      stepped({ type: "store.loaded", rows: [], last: true }, [], [], next);
    },
  };
  own.loads({}, "0");
  return own;
}

function writesOf(writes: Readonly<Record<string, bigint | null>>): readonly StoreWrite[] {
  return Object.entries(writes).map(([key, slot]) => {
    return { table: TABLE, key, bytes: slot === null ? null : encodeCompact(NewestSlots.record, held(slot)) };
  });
}

const reply = (replyTo: string): Effect => ({ type: "rpc.reply", replyTo, body: "{}" });
const log = (event: string): Effect => ({ type: "log", level: "info", event, fields: {} });

describe("what leaves a node", () => {
  test("waits for the writes of its step and of all before", () => {
    const own = node();
    const [first, second, third] = [log("1"), log("2"), log("3")];
    own.step({ a: 1n }, [first]);
    own.step({}, [second]);
    own.step({ b: 2n }, [third]);
    own.commits({ a: 1n });
    own.leaves(first);
    own.leaves(second);
    assert.deepEqual(own.found, []);
    own.leaves(third);
    assert.deepEqual(own.found, [`node 0 lets log go before ${TABLE}/b is on its disk`]);
  });

  test("is known by its reply handle when it is a copy, and rests on everything when no step ordered it", () => {
    const own = node();
    own.step({ a: 1n }, []);
    own.commits({ a: 1n });
    own.step({}, [reply("c1")]);
    own.step({ b: 2n }, []);
    own.leaves({ ...reply("c1") });
    assert.deepEqual(own.found, []);
    own.leaves(reply("c9"));
    assert.equal(own.found.length, 1);
  });

  test("may leave when a later write of the same row covers its own", () => {
    const own = node();
    const first = log("1");
    own.step({ a: 1n }, [first]);
    own.step({ a: 2n }, []);
    own.commits({ a: 2n });
    own.leaves(first);
    assert.deepEqual(own.found, []);
  });

  test("needs other bytes than those of another record, and a removal to be one", () => {
    const wrong = node();
    wrong.step({ a: 1n });
    wrong.commits({ a: 2n });
    wrong.commits({ b: 1n });
    wrong.step({ a: null });
    wrong.commits({ a: 3n });
    const text = (key: string) => `node 0 writes ${TABLE}/${key} as no step left it`;
    assert.deepEqual(wrong.found, [text("a"), text("b"), text("a")]);
    const right = node();
    right.step({ a: 1n });
    right.step({ a: null });
    right.commits({ a: 1n });
    right.commits({ a: null });
    assert.deepEqual(right.found, []);
  });
});

describe("what a node loads", () => {
  /** A node with one slot kept, in the state 1, and another in hand, in the state 2. */
  function withOneInHand() {
    const own = node();
    own.step({ a: 1n }, [], "1");
    own.commits({ a: 1n });
    own.step({ b: 2n }, [], "2");
    return own;
  }

  test("is what was kept, and perhaps what was in hand", () => {
    for (const [found, root] of [
      [{ a: 1n }, "1"],
      [{ a: 1n, b: 2n }, "2"],
    ] as const) {
      const own = withOneInHand();
      own.crashes();
      own.loads(found, root);
      assert.deepEqual(own.found, [], root);
    }
  });

  test("is never less, other or more", () => {
    const cases = [
      [{ b: 2n }, "2", /^node 0 lost newest_slot\/a$/],
      [{ a: 7n }, "1", /^node 0 loads another newest_slot\/a than its disk kept$/],
      [{ a: 1n, c: 3n }, "1", /^node 0 made up newest_slot\/c$/],
      [{ a: 1n }, "0", /^node 0 loads roots that it never had since its disk kept some: 0/],
      [{ a: 1n }, "3", /^node 0 loads roots that it never had since its disk kept some: 3/],
    ] as const;
    for (const [found, root, message] of cases) {
      const own = withOneInHand();
      own.crashes();
      own.loads(found, root);
      assert.equal(own.found.length, 1, String(message));
      assert.match(own.found[0] ?? "", message);
    }
  });

  test("is what was kept and no more when a commit failed, and effects of before mean nothing any more", () => {
    const own = withOneInHand();
    own.fails();
    own.leaves(reply("c1"));
    own.loads({ a: 1n }, "1");
    assert.deepEqual(own.found, []);
    const more = withOneInHand();
    more.fails();
    more.loads({ a: 1n, b: 2n }, "2");
    assert.match(more.found[0] ?? "", /never had since its disk kept some/);
  });

  test("may lack what a disk lied about, once that is known, and nothing that was safe", () => {
    const lied = () => {
      const own = node();
      own.step({ a: 1n }, [], "1");
      own.commits({ a: 1n });
      own.step({ b: 2n }, [], "2");
      own.commits({ b: 2n }, false);
      return own;
    };
    const known = lied();
    known.crashes(1);
    known.loads({ a: 1n }, "1");
    assert.deepEqual(known.found, []);
    const honest = lied();
    honest.crashes(0);
    honest.loads({ a: 1n }, "1");
    assert.equal(honest.found.length, 2);
    const safeToo = lied();
    safeToo.crashes(1);
    safeToo.loads({}, "0");
    assert.equal(safeToo.found.length, 2);
    const synced = lied();
    synced.step({ c: 3n }, [], "3");
    synced.commits({ c: 3n });
    synced.crashes(1);
    synced.loads({ a: 1n, c: 3n }, "3");
    assert.deepEqual(synced.found, ["node 0 lost newest_slot/b"]);
  });

  test("is judged when it is whole, by what the last whole life held", () => {
    const own = withOneInHand();
    own.crashes();
    own.crashes();
    own.loads({ a: 1n }, "1");
    own.step({ a: 4n }, [], "4");
    own.commits({ a: 4n });
    own.crashes();
    own.loads({ a: 1n }, "1");
    assert.equal(own.found.length, 2);
  });

  test("waits, where its parent was damaged, also when it was about to leave the disk (seed 630632)", () => {
    const loaded = (change: Change | undefined, damaged: boolean) => {
      const { checker, found } = watch(durableBeforeVisible);
      const stepOf = (input: object, changes: readonly Change[], view: Reader) =>
        checker.onStep?.({ ...step(0, input as never, "00x", "00x"), changes, view });
      const load = { type: "store.loaded", rows: [], last: true };
      stepOf(load, [], noView);
      stepOf({ type: "timer.fired" }, change === undefined ? [] : [change], noView);
      const rows = [{ table: Statements.name, key: "parent" }];
      if (damaged) checker.onCommit?.({ node: 0, report: { type: "worn", rows }, view: noView });
      checker.onCrash?.({ node: 0, view: noView, lied: 0 });
      stepOf(load, [], memory({ [Pending.name]: { child: {} } }));
      return found;
    };
    const removal = { table: Statements.name, key: "child", record: undefined };
    const madeUp = [`node 0 made up ${Pending.name}/child`];
    assert.deepEqual(loaded(removal, true), []);
    assert.deepEqual(loaded(removal, false), madeUp);
    assert.deepEqual(loaded({ ...removal, key: "other" }, true), madeUp);
    assert.deepEqual(loaded(undefined, true), madeUp);
  });
});
