// Goal: a disk takes virtual time, keeps what was really synced, and breaks only as asked and counted.
import { assert, describe, test } from "vitest";
import type { EpochMillis } from "../../core/kernel/values.ts";
import type { StorePort, StoreWrite } from "../../core/ports/store.ts";
import { createLoop } from "../../sim/clock.ts";
import type { DiskConditions } from "../../sim/disk.ts";
import { healthyDisk, openNodeDisk } from "../../sim/disk.ts";
import { createFaultLedger } from "../../sim/faults.ts";

function createBench(conditions: Partial<DiskConditions> = {}, seed = 1n) {
  const loop = createLoop(0n as EpochMillis);
  const faults = createFaultLedger(loop);
  const disk = openNodeDisk({ node: 0, seed, clock: loop, faults, conditions: { ...healthyDisk, ...conditions } });
  const open = (): StorePort => disk.open((act) => act());
  const row = (key: string): readonly StoreWrite[] => [{ table: "t", key, bytes: Uint8Array.of(1) }];
  const commit = (store: StorePort, key: string, log: string[]): void =>
    store.commit(row(key), (result) => log.push(`${loop.now()} ${key} ${result.ok ? "ok" : result.error.code}`));
  const keys = async (store: StorePort): Promise<string> => {
    const found: string[] = [];
    store.load((page) => found.push(...(page.ok ? page.value.rows.map((held) => held.key) : [page.error.code])));
    await loop.runDry(100);
    return found.join();
  };
  return { loop, faults, disk, open, commit, keys };
}

const slow: Partial<DiskConditions> = { sync: { type: "constant", ms: 5 } };

describe("a node's disk", () => {
  test("is durable after the time a sync takes, and not before", async () => {
    const { loop, open, commit } = createBench(slow);
    const log: string[] = [];
    commit(open(), "a", log);
    await loop.runUntil(4);
    assert.deepEqual(log, []);
    await loop.runUntil(5);
    assert.deepEqual(log, ["5 a ok"]);
  });

  test("after a crash the next process finds what was synced, and the last one hears nothing more", async () => {
    const { loop, disk, open, commit, keys } = createBench(slow);
    const log: string[] = [];
    const store = open();
    commit(store, "a", log);
    await loop.runUntil(5);
    commit(store, "b", log);
    disk.crash(true);
    await loop.runUntil(20);
    assert.deepEqual(log, ["5 a ok"]);
    assert.match(await keys(open()), /^a(,b)?$/);
  });

  test("when only the process dies, what it wrote is on the disk", async () => {
    for (let seed = 0n; seed < 10n; seed++) {
      const { disk, open, commit, keys } = createBench(slow, seed);
      commit(open(), "a", []);
      disk.crash(false);
      assert.equal(await keys(open()), "a");
    }
  });

  test("a sync that lied loses rows when the power goes, for some seeds, and then counts as effective", async () => {
    let lost = 0;
    for (let seed = 0n; seed < 20n; seed++) {
      const { loop, faults, disk, open, commit, keys } = createBench({ ...slow, lie: 1_000_000 }, seed);
      const log: string[] = [];
      const store = open();
      for (const key of ["a", "b", "c"]) commit(store, key, log);
      await loop.runUntil(15);
      assert.deepEqual(log, ["5 a ok", "10 b ok", "15 c ok"]);
      disk.crash(true);
      const left = (await keys(open())).split(",").filter((key) => key !== "");
      assert.deepEqual(left, ["a", "b", "c"].slice(0, left.length));
      const effective = faults.counts().find((count) => count.kind === "disk-lost-writes")?.effective ?? 0;
      assert.equal(effective, 3 - left.length);
      lost += 3 - left.length;
    }
    assert.ok(lost > 0);
  });

  test("a real sync makes earlier lies true", async () => {
    for (let seed = 0n; seed < 10n; seed++) {
      const { loop, disk, open, commit, keys } = createBench({ ...slow, lie: 1_000_000 }, seed);
      const store = open();
      commit(store, "a", []);
      await loop.runUntil(5);
      disk.setConditions({ ...healthyDisk, ...slow });
      commit(store, "b", []);
      await loop.runUntil(10);
      disk.crash(true);
      assert.equal(await keys(open()), "a,b");
    }
  });

  test("what was still being written is no lie when it is lost", async () => {
    for (let seed = 0n; seed < 20n; seed++) {
      const { loop, faults, disk, open, commit, keys } = createBench({ ...slow, lie: 1_000_000 }, seed);
      const store = open();
      commit(store, "a", []);
      await loop.runUntil(5);
      disk.setConditions({ ...healthyDisk, ...slow });
      commit(store, "b", []);
      await loop.runUntil(7);
      disk.crash(true);
      const left = await keys(open());
      const effective = faults.counts()[0]?.effective;
      assert.equal(effective, left === "" ? 1 : 0, `seed ${seed} left ${left}`);
    }
  });

  test("full, torn and unreadable are reported, counted, and keep nothing", async () => {
    const rows = [
      ["full", "disk-full", "full"],
      ["torn", "disk-torn-write", "broken"],
    ] as const;
    for (const [member, kind, code] of rows) {
      const { loop, faults, disk, open, commit, keys } = createBench({ ...slow, [member]: 1_000_000 });
      const log: string[] = [];
      commit(open(), "a", log);
      await loop.runUntil(5);
      assert.deepEqual(log, [`5 a ${code}`]);
      assert.deepEqual(faults.counts(), [{ kind, injected: 1, effective: 1 }]);
      disk.crash(true);
      assert.equal(await keys(open()), "");
    }
    const { open, keys } = createBench({ unreadable: 1_000_000 });
    assert.equal(await keys(open()), "broken");
  });
});
