// Goal: a checkpoint that goes nowhere or back is found, and what a disk lost may be taken again (L7).
// Method: a node that asks for files and notes their slots, step by step, around damage and crashes.
import { assert, describe, test } from "vitest";
import type { Effect } from "../../core/index.ts";
import type { StepSeen } from "../../sim/checker.ts";
import { FORGED_FROM, newTally, snapshotsKeepSlots } from "../../sim/checkers/snapshots-keep-slots.ts";
import { noView, step, watch } from "./checker-bench.ts";

const CHECKPOINT = "snapshot_checkpoint";
const at = (more: Partial<StepSeen>): StepSeen => ({
  ...step(0, { type: "timer.fired", now: 1n } as never, "00x", "00x"),
  ...more,
});
const fetches = (slot: number) =>
  at({ effects: [{ type: "snapshot.fetch", id: `snap-${slot}-a` } as unknown as Effect] });
const takes = (slot: bigint) => at({ changes: [{ table: CHECKPOINT, key: "", record: slot }] });

describe("snapshots keep slots", () => {
  const noted = newTally();
  const found = (act: (told: ReturnType<typeof watch>["checker"]) => void) => {
    const { checker, found: all } = watch((context) => snapshotsKeepSlots(context, newTally()));
    const take = (slot: number) => {
      checker.onStep?.(fetches(slot));
      checker.onStep?.(takes(BigInt(slot)));
    };
    take(93);
    act(checker);
    take(93);
    return all;
  };
  const wrong = ["node 0: the checkpoint went from 93 to 93"];
  const crash = (lied: number) => ({ node: 0, view: noView, lied });
  const worn = (table: string) =>
    ({ node: 0, view: noView, report: { type: "worn", rows: [{ table, key: "" }] } }) as const;
  const failed = { node: 0, view: noView, report: { type: "failed" } } as const;
  const loads = (slot: bigint) =>
    at({
      input: { type: "store.loaded", now: 1n } as never,
      changes: [{ table: CHECKPOINT, key: "", record: slot }],
    });

  test("finds a file that is taken again, also after a start from a disk that kept it, or damage elsewhere", () => {
    assert.deepEqual(
      found(() => undefined),
      wrong,
    );
    assert.deepEqual(
      found((checker) => {
        checker.onCrash?.(crash(0));
        checker.onStep?.(loads(93n));
      }),
      wrong,
    );
    assert.deepEqual(
      found((checker) => checker.onCommit?.(worn("statements"))),
      wrong,
    );
  });

  test("finds a slot on a disk that is later than what was taken", () => {
    const grown = found((checker) => {
      checker.onCrash?.(crash(0));
      checker.onStep?.(loads(94n));
    });
    assert.deepEqual(grown, ["node 0: a checkpoint grew", "node 0: the checkpoint went from 94 to 93"]);
  });

  test("lets a file be taken again whose slot a disk damaged, lost, or could not write (seed 480235)", () => {
    const losses = {
      damaged(checker) {
        checker.onCommit?.(worn(CHECKPOINT));
        checker.onCrash?.(crash(0));
      },
      lost: (checker) => checker.onCrash?.(crash(1)),
      "on its way": (checker) => checker.onCrash?.(crash(0)),
      unwritten: (checker) => checker.onCommit?.(failed),
    } satisfies Record<string, Parameters<typeof found>[0]>;
    for (const [name, loss] of Object.entries(losses)) assert.deepEqual(found(loss), [], name);
  });

  test("finds a forged announcement that is taken, and not one that nobody came to judge (seed 641620)", () => {
    const refused = (code: number) => `{"error":{"code":-32000,"data":{"ofsErrorCode":${code}}}}`;
    const data = Buffer.from(`{"announcement":{"slot":${FORGED_FROM}}}`).toString("base64");
    const request = `{"method":"sendSnapshotAnnounce","params":{"data":"${data}"}}`;
    const answered = (answer: string) => {
      const { checker, found: all } = watch((context) => snapshotsKeepSlots(context, noted));
      const observation = { type: "slot", slot: 7n };
      for (const now of [1n, 2_000n])
        checker.onStep?.(at({ input: { type: "chain.observed", now, observation } as never }));
      checker.onCall?.({ node: 0, by: undefined, request } as never);
      checker.onAnswer?.({ node: 0, by: undefined, request, answer });
      return [all.length, noted.refused.delete(0)];
    };
    for (const code of [1_005, 2]) assert.deepEqual(answered(refused(code)), [0, true]);
    for (const code of [9, 9_000]) assert.deepEqual(answered(refused(code)), [0, false]);
    for (const answer of [`{"result":null}`, refused(90), refused(3)]) assert.deepEqual(answered(answer), [1, false]);
  });
});
