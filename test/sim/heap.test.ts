// Goal: events come out by time, and at one time in the order they went in, whatever was pushed and popped before.
// Method: random pushes and pops against a sorted list.
import fc from "fast-check";
import { assert, describe, test } from "vitest";
import { createHeap } from "../../sim/heap.ts";

describe("the heap of due events", () => {
  test("gives items in order of (time, sequence)", () => {
    const command = fc.oneof(fc.record({ push: fc.integer({ min: 0, max: 20 }) }), fc.constant({ push: undefined }));
    fc.assert(
      fc.property(fc.array(command, { maxLength: 300 }), (commands) => {
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
      }),
      { numRuns: 500 },
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
