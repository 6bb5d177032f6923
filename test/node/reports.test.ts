// Goal: whoever reads the log of a node learns that its ledger refuses writes, once a minute and not once a commit, and
// that it takes them again. Method: a watched store that a test lets fail, and looks that a test asks for.
import { assert, test } from "vitest";
import { err, ok } from "../../core/index.ts";
import type { StoreFailure, StorePort } from "../../core/ports/store.ts";
import type { Line } from "../../node/production/logs.ts";
import { openReports } from "../../node/production/reports.ts";
import { openWatch } from "../../node/production/watch.ts";

const NOTHING = () => {};
const MINUTE_LOOKS = 12;

function watched(failure: StoreFailure = { code: "full" }) {
  const disk = { full: true };
  const store: StorePort = {
    commit: (_, done) => done(disk.full ? err(failure) : ok(null)),
    load: NOTHING,
    close: NOTHING,
  };
  const watch = openWatch(NOTHING);
  const lines: Line[] = [];
  const reports = openReports(
    watch.seen,
    () => 0,
    (line) => lines.push(line),
  );
  const timed = watch.timed(store);
  const commits = (count: number) => {
    for (let n = 0; n < count; n += 1) timed.commit([], NOTHING);
  };
  const told = () => lines.splice(0).map(({ level, event, fields }) => [level, event, fields]);
  return { disk, commits, told, ...reports };
}

test("a full disk is told at once, then once a minute with how many commits it refused", () => {
  const { commits, look, told, stop } = watched();
  look();
  assert.deepEqual(told(), []);
  commits(3);
  look();
  assert.deepEqual(told(), [["error", "ledger refuses writes", { reason: "full", commits: 3 }]]);
  for (let looks = 0; looks < MINUTE_LOOKS - 1; looks += 1) {
    commits(2);
    look();
  }
  assert.deepEqual(told(), []);
  look();
  assert.deepEqual(told(), [["error", "ledger refuses writes", { reason: "full", commits: 22 }]]);
  stop();
});

test("of a disk that is not full it is told what the system said", () => {
  const { commits, look, told, stop } = watched({ code: "broken", reason: "disk I/O error" });
  commits(1);
  look();
  assert.deepEqual(told(), [["error", "ledger refuses writes", { reason: "disk I/O error", commits: 1 }]]);
  stop();
});

test("and that there is room again, at once", () => {
  const { disk, commits, look, told, stop } = watched();
  commits(1);
  look();
  look();
  assert.equal(told().length, 1);
  disk.full = false;
  commits(1);
  look();
  assert.deepEqual(told(), [["info", "ledger takes writes again", {}]]);
  look();
  assert.deepEqual(told(), []);
  stop();
});

test("what failed and was mended between two looks is told, both", () => {
  const { disk, commits, look, told, stop } = watched();
  commits(4);
  disk.full = false;
  commits(1);
  look();
  assert.deepEqual(
    told().map(([, event]) => event),
    ["ledger refuses writes", "ledger takes writes again"],
  );
  stop();
});
