// Goal: a diagram holds what a run showed of disputes, and nothing else: who sent what to whom, what was shown when.
// Method: hand-made steps of two nodes at times of a clock that the test moves.
import { expect, test } from "vitest";
import type { Change, Effect, Reader } from "../../core/index.ts";
import { createDiagramRecorder } from "../../sim/diagram.ts";
import { clockJump, partition, restart } from "../../sim/fault-plans.ts";
import { arbitrators, merchant, at as minute, taker } from "../convergence/actors.ts";
import * as fixtures from "../convergence/fixtures.ts";
import { received, replicaOf } from "../convergence/replica.ts";
import { step } from "./checker-bench.ts";

const OPENED = { type: { event: "DisputeOpened", ofs: 2400 } };
const RESERVED = { type: { event: "ReservationRequested", ofs: 2200 } };
const statement = (record: unknown): Change => ({ table: "statements", key: "k", record });

interface Seen {
  readonly input?: object;
  readonly changes?: readonly Change[];
  readonly effects?: readonly Effect[];
  readonly view?: Reader | undefined;
}

function recorded() {
  let now = 0;
  const recorder = createDiagramRecorder(() => now);
  const checker = recorder.checker();
  return {
    step(at: number, node: number, seen: Seen) {
      now = at;
      const { input = { type: "timer.fired" }, changes = [], effects = [], view } = seen;
      const stepped = step(node, input as never, "00x", "00x");
      checker.onStep?.({ ...stepped, changes, effects, view: view ?? stepped.view });
    },
    crash(at: number, node: number) {
      now = at;
      checker.onCrash?.({ node, view: undefined, lied: 0 });
    },
    diagram: () => recorder.diagram([{ node: 0, gossipOnly: false }], []),
  };
}

test("a dispute's statement is an arrow from whoever sent its bytes, pushed or asked for", () => {
  const { step: steps, diagram } = recorded();
  const [pushed, asked] = [Uint8Array.of(1), Uint8Array.of(2)];
  steps(5, 0, { input: { type: "rpc.called" }, changes: [statement(OPENED)] });
  steps(6, 0, { effects: [{ type: "message.send", to: "p" as never, request: 1, bytes: pushed }] });
  steps(7, 0, { effects: [{ type: "message.reply", replyTo: "m", bytes: asked }] });
  steps(9, 1, { input: { type: "message.received", bytes: pushed }, changes: [statement(OPENED)] });
  steps(10, 2, { input: { type: "message.answered", bytes: asked }, changes: [statement(OPENED)] });
  const what = "DisputeOpened";
  expect(diagram().arrows).toEqual([
    { what, from: undefined, to: 0, sentAt: 5, at: 5, recovered: false },
    { what, from: 0, to: 1, sentAt: 6, at: 9, recovered: false },
    { what, from: 0, to: 2, sentAt: 7, at: 10, recovered: true },
  ]);
});

test("other statements, other tables and removals are no arrows", () => {
  const { step: steps, diagram } = recorded();
  steps(1, 0, { changes: [statement(RESERVED), { ...statement(OPENED), table: "others" }, statement(undefined)] });
  expect(diagram().arrows).toEqual([]);
});

test("what a node shows of a dispute is told when it changes, and what it sees of an escrow each time", () => {
  const { step: steps, diagram } = recorded();
  const ada = arbitrators[0] as typeof taker;
  const trade = [
    fixtures.advertisement(merchant, minute(0)),
    fixtures.request(taker, minute(1)),
    fixtures.initiate(taker, merchant, minute(2)),
    fixtures.open(taker, minute(3)),
  ];
  const votes = [
    fixtures.join(ada, minute(4)),
    fixtures.commit(ada, minute(5), "Invalid", 0),
    fixtures.reveal(ada, minute(6), "Invalid", 0),
  ];
  const [opened, revealed] = [trade, [...trade, ...votes]].map((all) => replicaOf(received(...all)).store());
  const dispute = (record: unknown): Change => ({ table: "disputes", key: "d", record });
  const panel: Change = { table: "panels", key: "p", record: { name: "d" } };
  const row = { id: "d" };
  steps(1, 0, { changes: [dispute(row)], view: opened });
  steps(2, 0, { changes: [dispute(row)], view: opened });
  steps(3, 0, { changes: [panel, dispute(undefined)], view: revealed });
  steps(3, 1, { changes: [dispute(row)], view: opened });
  const shown = diagram().showings.map(({ node, at, reveals }) => [node, at, reveals]);
  expect(shown).toEqual([
    [0, 1, 0],
    [0, 3, 1],
    [1, 3, 0],
  ]);
  const transaction = { type: "transaction", slot: 4n, signature: "s" };
  const sees = (address: string | null) => ({ type: "chain.observed", observation: { ...transaction, address } });
  steps(4, 0, { input: sees("a") });
  steps(5, 0, { input: sees(null) });
  expect(diagram().observations).toEqual([{ node: 0, at: 4, address: "a", slot: 4n, signature: "s" }]);
});

test("a crash is an outage until its node has started again, and what the disk held is not new", () => {
  const { step: steps, crash, diagram } = recorded();
  crash(3, 0);
  crash(4, 1);
  steps(5, 1, { input: { type: "started" } });
  steps(6, 1, { input: { type: "store.loaded" }, changes: [statement(OPENED)] });
  crash(7, 1);
  expect(diagram().outages).toEqual([
    { node: 0, from: 3, until: undefined },
    { node: 1, from: 4, until: 5 },
    { node: 1, from: 7, until: undefined },
  ]);
  expect(diagram().arrows).toEqual([]);
});

test("faults that last are spans, and those of an instant are none", () => {
  const { diagram } = createDiagramRecorder(() => 0);
  const lasting = partition([[0], [1]], { from: 1, until: 2 });
  expect(diagram([], [lasting, clockJump(0, 5, { at: 3 }), restart(0, { at: 4 })]).spans).toEqual([
    { text: "partition 0 | 1", from: 1, until: 2, groups: [[0], [1]] },
  ]);
});
