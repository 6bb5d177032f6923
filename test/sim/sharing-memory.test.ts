// Goal: nodes that share their work do what nodes do that share nothing: same trace, same state, whatever they shared
// before (fast path equals slow path), and keep nothing for others that those cannot ask for. Method: drawn scenarios
// and seeds, with sharing and without; everything that is handed out is frozen, so that whoever writes to it stops the
// run; what is asked of the port, counted; a planted bug; the bounds, in test/limits.
import fc from "fast-check";
import { assert, describe, expect, test } from "vitest";
import { createDriver, tables } from "../../core/index.ts";
import type { SharingPort } from "../../core/ports/sharing.ts";
import { scenarios } from "../../scenarios/index.ts";
import type * as Usual from "../../sim/backends.ts";
import { openBackends } from "../../sim/backends.ts";
import type * as Runs from "../../sim/run.ts";
import { runScenario } from "../../sim/run.ts";
import type { Scenario } from "../../sim/scenario.ts";
import { excerptOf } from "../../sim/scenario.ts";
import type { Backends } from "../../sim/setup.ts";
import { openSharedWork } from "../../sim/sharing-memory.ts";
import { withPlantedBug } from "../planted/planted-bug.ts";
import { forAllAsync } from "../property/for-all.ts";

/** Those that are short; the golden runs have them all. */
const NAMES = ["session-race", "squatted-reservation-number", "rates-expire-across-a-cut"];
const short = scenarios.filter(({ name }) => NAMES.includes(name)).map(excerptOf);

/** Everything in a value is frozen, but for bytes, which cannot be. */
function frozen<V>(value: V): V {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value) || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const member of Object.values(value)) frozen(member);
  return value;
}

/** Shares as a process does, and hands nothing out that could be written to. */
function openFrozenWork(): SharingPort {
  const shared = openSharedWork();
  return {
    ofBytes: (way, bytes, make) => shared.ofBytes(way, bytes, () => frozen(make())),
    of: (way, value, make) => shared.of(way, value, () => frozen(make())),
    kept: shared.kept,
    keep: (way, text, value) => shared.keep(way, text, frozen(value)),
  };
}

const sharing = openFrozenWork();

async function hashesOf(scenario: Scenario, seed: bigint, shared: SharingPort | undefined) {
  const openDriver: Backends["openDriver"] = (options) => createDriver({ ...options, sharing: shared });
  const { report } = await runScenario(scenario, { seed, chain: "model" }, { ...openBackends(), openDriver });
  return { trace: report.trace_hash, state: report.state_root, violations: report.violations };
}

describe("nodes that share their work", () => {
  test("do what nodes do that share nothing", () =>
    forAllAsync(
      [fc.constantFrom(...short), fc.bigInt({ min: 1n, max: 1_000n })],
      async (scenario, seed) => {
        assert.deepEqual(await hashesOf(scenario, seed, sharing), await hashesOf(scenario, seed, undefined));
      },
      {
        ...{ runs: 4, nightly: 40 },
        classes: ({ name }) => [name],
        shares: Object.fromEntries(NAMES.map((name) => [name, 0.2])),
      },
    ));

  test("share nothing of a record that no other of them can hold", async () => {
    const own = new Set<object>(tables.filter(({ common }) => !common).flatMap((table) => [table.record, table]));
    const shared = openSharedWork();
    let [all, needless] = [0, 0];
    const of: SharingPort["of"] = (way, value, make) => {
      all += 1;
      if (own.has(way)) needless += 1;
      return shared.of(way, value, make);
    };
    await hashesOf(short[0] as Scenario, 1n, { ...shared, of });
    expect(all).toBeGreaterThan(1_000);
    expect(needless).toBe(0);
  });

  test("would be found out if they took over what another did who saw something else", async () => {
    const bug = {
      file: "core/engine/statements/remembered.ts",
      find: "looks.every((look) => isSame(draft, look))",
      replace: "looks.length >= 0",
    };
    const scenario = short.find(({ name }) => name === "session-race") as Scenario;
    const found = await withPlantedBug(bug, async (load) => {
      const planted = await load<typeof Runs>("sim/run.ts");
      const usual = await load<typeof Usual>("sim/backends.ts");
      return (await planted.runScenario(scenario, { seed: 1n, chain: "model" }, usual.openBackends())).report;
    });
    expect(found.state_root).not.toBe((await hashesOf(scenario, 1n, undefined)).state);
  });
});

describe("shared work", () => {
  test("is told apart by how it is made, by bytes, by identity and by text", () => {
    const shared = openSharedWork();
    const [one, other, value] = [{ way: 1 }, { way: 2 }, { of: 1 }];
    expect(shared.ofBytes(one, Uint8Array.of(1), () => "first")).toBe("first");
    expect(shared.ofBytes(one, Uint8Array.of(1), () => "second")).toBe("first");
    expect(shared.ofBytes(one, Uint8Array.of(1, 0), () => "longer")).toBe("longer");
    expect(shared.ofBytes(other, Uint8Array.of(1), () => "another way")).toBe("another way");
    expect(shared.of(one, value, () => "first")).toBe("first");
    expect(shared.of(one, value, () => "second")).toBe("first");
    expect(shared.of(one, { of: 1 }, () => "equal")).toBe("equal");
    shared.keep(one, "text", 1);
    shared.keep(one, "text", 2);
    expect([shared.kept(one, "text"), shared.kept(other, "text")]).toEqual([[2, 1], []]);
  });
});
