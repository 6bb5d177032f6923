// Goal: events come out by time, and at one time in the order they went in, whatever was pushed and popped before.
// Method: random pushes and pops against a sorted list.
import fc from "fast-check";
import { assert, describe, test } from "vitest";
import { createHeap } from "../../sim/heap.ts";
import { forAll } from "../property/for-all.ts";

/** What a history of pushes and pops is an example of. */
function kindsOf(commands: readonly { readonly push: number | undefined }[]): readonly string[] {
  const labels = new Set<string>();
  let size = 0;
  for (const { push } of commands) {
    if (push === undefined && size === 0) labels.add("popped when empty");
    size = Math.max(0, size + (push === undefined ? -1 : 1));
    if (size > 50) labels.add("above fifty items at once");
  }
  const times = commands.flatMap(({ push }) => push ?? []);
  if (new Set(times).size < times.length) labels.add("equal times");
  return [...labels];
}

describe("the heap of due events", () => {
  test("gives items in order of (time, sequence)", () => {
    const push = fc.record({ push: fc.integer({ min: 0, max: 20 }) });
    const command = fc.oneof(
      { weight: 3, arbitrary: push },
      { weight: 2, arbitrary: fc.constant({ push: undefined }) },
    );
    forAll(
      [fc.array(command, { maxLength: 300 })],
      (commands) => {
        const heap = createHeap<number>();
        let model: { readonly time: number; readonly sequence: number }[] = [];
        let sequence = 0;
        for (const { push } of commands) {
          if (push !== undefined) {
            heap.push(push, sequence);
            model.push({ time: push, sequence: sequence++ });
          } else {
            model = model.sort((a, b) => a.time - b.time || a.sequence - b.sequence);
            assert.equal(heap.nextTime(), model[0]?.time ?? Number.POSITIVE_INFINITY);
            assert.equal(heap.pop(), model.shift()?.sequence);
          }
          assert.equal(heap.size(), model.length);
        }
      },
      {
        runs: 500,
        classes: kindsOf,
        shares: { "above fifty items at once": 0.1, "equal times": 0.8, "popped when empty": 0.5 },
      },
    );
  });

  test("keeps its order while it grows far beyond its first size", () => {
    const heap = createHeap<number>();
    const count = 50_000;
    for (let i = 0; i < count; i++) heap.push((i * 7919) % 1000, i);
    let [time, last] = [-1, -1];
    for (let i = 0; i < count; i++) {
      const next = heap.nextTime();
      const item = heap.pop() as number;
      assert.equal((item * 7919) % 1000, next);
      assert.ok(next > time || (next === time && item > last), `item ${item} came late`);
      [time, last] = [next, item];
    }
    assert.equal(heap.pop(), undefined);
  });
});
