/**
 * Goal: who wants a copy of a running ledger has its roots, however busy the node is: what was looked at in memory is
 * what the ledger holds when the copy begins, and no commit is under way.
 * Method: commits one behind the other, as a driver makes them, over a disk that a test lets answer or fail; memory and
 * disk are numbers.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { err, ok } from "../../core/index.ts";
import type { StorePort } from "../../core/ports/store.ts";
import { openWatch } from "../../node/production/watch.ts";
import { forAll } from "../property/for-all.ts";

const NOTHING = () => {};
const arbActs = fc.array(fc.constantFrom("write", "write", "end", "fail", "ask"), { maxLength: 40 });

/** A driver over a disk: what it holds in memory, and what lies on the disk. */
function working() {
  const state = { memory: 0, disk: 0, flying: 0 };
  let answer: ((isKept: boolean) => void) | undefined;
  const store: StorePort = {
    load: NOTHING,
    close: NOTHING,
    commit(_, done) {
      const now = state.memory;
      state.flying += 1;
      answer = (isKept) => {
        [answer, state.flying] = [undefined, state.flying - 1];
        if (isKept) state.disk = now;
        done(isKept ? ok(null) : err({ code: "full" }));
      };
    },
  };
  const watch = openWatch(NOTHING);
  const timed = watch.timed(store);
  const flush = (): void => {
    if (state.memory === state.disk || answer !== undefined) return;
    timed.commit([], (result) => {
      // What was refused is forgotten.
      if (!result.ok) state.memory = state.disk;
      flush();
    });
  };
  return { state, watch, flush, end: (isKept: boolean) => answer?.(isKept), isBusy: () => answer !== undefined };
}

test("what was looked at is what the ledger holds when something is done with it", () => {
  forAll(
    [arbActs],
    (acts) => {
      const { state, watch, flush, end, isBusy } = working();
      const labels = new Set<string>();
      let [asked, answered] = [0, 0];
      for (const act of acts) {
        if (act === "write") {
          state.memory += 1;
          flush();
        } else if (act === "ask") {
          asked += 1;
          labels.add(isBusy() ? "asked amid a commit" : "asked at rest");
          const before = state.memory;
          watch.whenKept(
            () => state.memory,
            (seen) => {
              answered += 1;
              labels.add(seen === undefined ? "refused" : seen > before ? "with what came later" : "as it was");
              if (seen !== undefined) expect({ seen, flying: state.flying }).toEqual({ seen: state.disk, flying: 0 });
            },
          );
        } else end(act === "end");
      }
      while (isBusy()) end(true);
      expect(answered).toBe(asked);
      return [...labels];
    },
    { runs: 300, sample: 100, shares: { "asked amid a commit": 0.5, refused: 0.2, "with what came later": 0.2 } },
  );
});

test("a ledger that something else holds is no disk that does not answer", async () => {
  const { state, watch, flush, end } = working();
  const { seen } = watch;
  await watch.whileHeld(async () => {
    state.memory = 1;
    flush();
    expect(seen.isHeld).toBe(true);
    seen.committingSince = 0;
  });
  expect(seen.isHeld).toBe(false);
  // It waits anew from here on.
  expect(seen.committingSince).toBeGreaterThan(0);
  end(true);
  expect(seen.committingSince).toBe(undefined);
});
