// Goal: rows that change on a disk are never served; a node finds them when it loads, is repaired as in production, and
// has from its peers again what it lost. Method: a disk alone; drawn worlds in which a node's disk wears and the node
// starts anew, watched by every law.
import { assert, describe, test } from "vitest";
import type { EpochMillis } from "../../core/kernel/values.ts";
import type { StorePort } from "../../core/ports/store.ts";
import { openBackends } from "../../sim/backends.ts";
import { createLoop } from "../../sim/clock.ts";
import type { DiskReport } from "../../sim/disk.ts";
import { healthyDisk, openNodeDisk } from "../../sim/disk.ts";
import { bitRot, misdirectedWrite, restart } from "../../sim/fault-plans.ts";
import { createFaultLedger } from "../../sim/faults.ts";
import { runScenario } from "../../sim/run.ts";
import { swarmScenario } from "../../sim/swarm/swarm-scenario.ts";

function createBench(seed = 1n) {
  const loop = createLoop(0n as EpochMillis);
  const faults = createFaultLedger(loop);
  const disk = openNodeDisk({ node: 0, seed, clock: loop, faults, conditions: healthyDisk });
  const worn: string[] = [];
  disk.onCommit((report: DiskReport) => {
    if (report.type === "worn") worn.push(...report.rows.map(({ key }) => key));
  });
  const write = async (store: StorePort, content: number, ...keys: readonly string[]) => {
    const rows = keys.map((key) => ({ table: "t", key, bytes: Uint8Array.of(content) }));
    store.commit(rows, ({ ok }) => assert.ok(ok));
    await loop.runDry(100);
  };
  /** What a new process loads. */
  const loaded = async () => {
    disk.crash(false);
    const found: string[] = [];
    disk
      .open((act) => act())
      .load((page) => {
        if (page.ok) found.push(...page.value.rows.map(({ key, bytes }) => `${key}=${bytes[0]}`));
        else found.push(page.error.code === "broken" ? page.error.reason : page.error.code);
      });
    await loop.runDry(100);
    return found;
  };
  return { faults, disk, worn, write, loaded, store: disk.open((act) => act()) };
}

const byText = (a: string, b: string) => (a < b ? -1 : Number(a > b));

describe("a disk whose rows rot", () => {
  test("says which row, serves none of that page, and has the others once it is repaired", async () => {
    const { faults, disk, worn, write, loaded, store } = createBench();
    await write(store, 1, "a", "b", "c");
    disk.rot(1, faults.inject("bit-rot"));
    assert.equal(worn.length, 1);
    assert.deepEqual(faults.counts(), [{ kind: "bit-rot", injected: 1, effective: 0 }]);
    assert.deepEqual(await loaded(), [`table t, row "${worn[0]}" does not match its checksum`]);
    assert.deepEqual(faults.counts(), [{ kind: "bit-rot", injected: 1, effective: 1 }]);
    assert.isTrue(disk.isDamaged());
    disk.repair();
    assert.isFalse(disk.isDamaged());
    assert.deepEqual(
      await loaded(),
      ["a", "b", "c"].filter((key) => key !== worn[0]).map((key) => `${key}=1`),
    );
  });

  test("is whole again where the row is written anew, and never rots more than it holds", async () => {
    const { faults, disk, worn, write, loaded, store } = createBench();
    await write(store, 1, "a", "b");
    disk.rot(9, faults.inject("bit-rot"));
    assert.deepEqual(worn.toSorted(byText), ["a", "b"]);
    await write(store, 2, "a", "b");
    assert.deepEqual(await loaded(), ["a=2", "b=2"]);
  });

  test("takes another row for another seed", async () => {
    const first = async (seed: bigint) => {
      const { faults, disk, worn, write, store } = createBench(seed);
      await write(store, 1, "a", "b", "c", "d");
      disk.rot(1, faults.inject("bit-rot"));
      return worn[0];
    };
    assert.isAbove(new Set(await Promise.all([1n, 2n, 3n, 4n, 5n, 6n].map(first))).size, 1);
  });
});

describe("a misdirected write", () => {
  test("leaves its own row as it was and damages another; the next one lands where it should", async () => {
    const { faults, disk, worn, write, loaded, store } = createBench();
    await write(store, 1, "a", "b");
    disk.misdirect(faults.inject("misdirected-write"));
    await write(store, 2, "a");
    assert.deepEqual(worn.toSorted(byText), ["a", "b"]);
    assert.deepEqual(await loaded(), ['table t, row "b" does not match its checksum']);
    disk.repair();
    assert.deepEqual(await loaded(), ["a=1"]);
    assert.deepEqual(faults.counts(), [{ kind: "misdirected-write", injected: 1, effective: 1 }]);
  });

  test("waits for a commit beside other rows, and is taken back when everything is healed", async () => {
    const { faults, disk, worn, write, loaded, store } = createBench();
    disk.misdirect(faults.inject("misdirected-write"));
    await write(store, 1, "a");
    assert.deepEqual(worn, []);
    disk.misdirect(undefined);
    await write(store, 2, "b");
    assert.deepEqual(await loaded(), ["a=1", "b=2"]);
  });
});

describe("a node whose disk wears", () => {
  test.each([
    [14n, bitRot(0, 5, { at: 15_000 })],
    [15n, misdirectedWrite(1, { at: 15_000 })],
  ] as const)("has everything again after it was repaired, in the world of seed %s", async (seed, wear) => {
    const drawn = swarmScenario(seed);
    const faults = [...drawn.faults, wear, restart(wear.kind === "bit-rot" ? 0 : 1, { at: 20_000 })];
    const { report } = await runScenario({ ...drawn, faults }, { seed }, openBackends());
    assert.deepEqual(report.violations, []);
    const found = report.faults.find(({ kind }) => kind === wear.kind);
    assert.deepEqual([found?.injected, found?.effective], [1, 1]);
  });
});
