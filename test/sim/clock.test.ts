// Goal: the loop runs what is due in order, never goes back, and waits for whatever asks to be waited for.
import { assert, describe, test } from "vitest";
import type { EpochMillis } from "../../core/kernel/values.ts";
import { createLoop } from "../../sim/clock.ts";

const START = 1_000_000n as EpochMillis;

describe("the virtual clock", () => {
  test("runs events at their time, in the order they were planned", async () => {
    const loop = createLoop(START);
    const seen: string[] = [];
    const note = (name: string) => () => void seen.push(`${name}@${loop.now()}=${loop.epoch()}`);
    loop.at(5, note("b"));
    loop.at(3, note("a"));
    loop.at(5, note("c"));
    loop.at(9, note("late"));
    await loop.runUntil(5);
    assert.deepEqual(seen, ["a@3=1000003", "b@5=1000005", "c@5=1000005"]);
    assert.equal(loop.now(), 5);
    await loop.runUntil(7);
    assert.equal(loop.now(), 7);
    assert.equal(loop.pending(), 1);
  });

  test("runs what is planned for the past now, after what is already due", async () => {
    const loop = createLoop(START);
    const seen: string[] = [];
    loop.at(4, () => {
      loop.at(1, () => void seen.push(`past@${loop.now()}`));
      seen.push("first");
    });
    loop.at(4, () => void seen.push("second"));
    await loop.runDry(10);
    assert.deepEqual(seen, ["first", "second", "past@4"]);
  });

  test("awaits an event that returns a promise before it goes on", async () => {
    const loop = createLoop(START);
    const seen: string[] = [];
    loop.at(1, async () => {
      await Promise.resolve();
      await Promise.resolve();
      seen.push("slot");
    });
    loop.at(2, () => void seen.push("after"));
    await loop.runUntil(2);
    assert.deepEqual(seen, ["slot", "after"]);
  });

  test("stops when asked, and refuses to run a world dry that never ends", async () => {
    const loop = createLoop(START);
    let ran = 0;
    const again = (): void => {
      ran += 1;
      loop.after(1, again);
    };
    again();
    await loop.runUntil(100, () => ran === 10);
    assert.equal(ran, 10);
    const failure = await loop.runDry(50).catch((error: Error) => error.message);
    assert.match(String(failure), /still 1 events/);
  });

  test("knows only whole milliseconds", () => {
    const loop = createLoop(START);
    assert.throws(() => loop.at(0.5, () => undefined), RangeError);
    assert.throws(() => loop.after(Number.NaN, () => undefined), RangeError);
  });
});
