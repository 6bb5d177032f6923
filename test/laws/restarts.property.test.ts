/**
 * Goal: what a node keeps is equal before and after a restart: statements and chain facts, the newest slot that it
 * holds for true, the checkpoint, and every other table that is declared durable; in every store. Used challenges are
 * the exception: they end with the process that issued them (test/wallet-proofs/forgotten.test.ts).
 * Method: rows of every durable table, drawn from its schema, through every store; then nodes of random stories that
 * are told again what they were told, and start again at random points, at rest or killed with commits in hand.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type * as CoreIndex from "../../core/index.ts";
import type { Schema } from "../../core/index.ts";
import { tables } from "../../core/index.ts";
import { arbitraryOf } from "../../sim/arbitraries/of-schema.ts";
import { at, merchant, taker } from "../convergence/actors.ts";
import * as fixtures from "../convergence/fixtures.ts";
import { withPlantedBug } from "../planted/planted-bug.ts";
import type { PlantedBug } from "../planted/planted-text.ts";
import { forAllAsync } from "../property/for-all.ts";
import { bases, record } from "./recorded.ts";
import { replay, storeKinds } from "./restarts.ts";
import { differences, stored } from "./stored-rows.ts";

/**
 * What outlives a process. Source: protocol 05 §6.9, §11.1; 03 A.10.3, C.8; 04 §6; CONVERGENCE "Durability"; DESIGN
 * section 7 #28 (addresses).
 */
const KEPT = [
  ...["statements", "pending", "seals", "events"],
  ...["chain_facts", "stake_readings", "proposal_resolutions", "sightings", "inquiries", "newest_slot"],
  ...["notification_dispatches", "observations", "snapshot_checkpoint", "content_blocks"],
  ...["address_claims", "tried_addresses", "late_requests"],
];
/** Tables whose rows have no schema to draw from. */
const SLOTS = "snapshot_checkpoint";
const OF_STATEMENTS = ["statements", "pending"];

const durable = tables.filter((table) => table.durable);
const arbKey = fc.string({ unit: "grapheme", minLength: 1, maxLength: 64 });
const arbRows = fc.record(
  Object.fromEntries(
    durable
      .filter(({ name }) => !OF_STATEMENTS.includes(name))
      .map(({ name, record: codec }) => {
        const rows =
          name === SLOTS ? fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }) : arbitraryOf(codec as Schema<unknown>);
        return [name, fc.dictionary(arbKey, rows, { maxKeys: 6 })] as const;
      }),
  ),
);
/** One statement that stands alone, and one whose parent is unknown. */
const sample = {
  statements: fixtures.advertisement(merchant, at(0)),
  pending: fixtures.initiate(taker, merchant, at(1)),
};

test("every table that is to outlive a process is declared durable, and no other", () => {
  expect(new Set(durable.map(({ name }) => name))).toEqual(new Set(KEPT));
});

describe.each(storeKinds)("%s", (kind) => {
  test("gives back every row of every durable table", async () => {
    await forAllAsync(
      [arbRows],
      async (drawn) => {
        const own = Object.entries(sample).map(([table, row]) => [table, { [row.identity]: row }] as const);
        const rows = { ...drawn, ...Object.fromEntries(own) };
        expect(differences(rows, await stored(kind, rows))).toEqual([]);
      },
      {
        runs: 12,
        nightly: 400,
        sample: 60,
        classes: (drawn) =>
          Object.entries(drawn).flatMap(([name, rows]) => (Object.keys(rows).length > 0 ? [name] : [])),
        shares: Object.fromEntries(KEPT.filter((name) => !OF_STATEMENTS.includes(name)).map((name) => [name, 0.5])),
      },
    );
  });
});

const arbRestarts = fc.array(fc.record({ at: fc.integer({ min: 20, max: 999 }), late: fc.nat(12) }), {
  minLength: 4,
  maxLength: 8,
});
const arbStory = fc.record({
  base: fc.constantFrom(...bases),
  seed: fc.bigInt({ min: 0n, max: 1n << 32n }),
  /** Which store the first node has. */
  first: fc.nat(storeKinds.length - 1),
  /** One list for each node with an endpoint. */
  restarts: fc.tuple(arbRestarts, arbRestarts, arbRestarts),
});

/** What a node of every kind of store must have held when it started again, in a third of the stories at least. */
const FOUND = [
  ...["statements", "events", "chain_facts", "newest_slot", "snapshot_checkpoint", "observations"],
  ...["notification_dispatches", "content_blocks"],
];

test("nodes of random stories find again what they kept, and read the same, wherever they start again", async () => {
  await forAllAsync(
    [arbStory],
    async ({ base, seed, first, restarts }) => {
      const labels: string[] = [];
      const nodes = await record(base, seed);
      for (const [n, points] of restarts.entries()) {
        const [node, kind] = [nodes[n], storeKinds[(first + n) % storeKinds.length]];
        if (node === undefined || kind === undefined)
          throw new Error("bug: three nodes of a small test network see the chain");
        const { lost, restored } = await replay(node, kind, points);
        expect(lost, `${kind}, node ${n}`).toEqual([]);
        labels.push(...[...restored.keys()].flatMap((table) => [table, `${kind} ${table}`]));
      }
      return labels;
    },
    {
      ...{ runs: 1, nightly: 80, sample: 2, endOnFailure: true },
      shares: {
        ...Object.fromEntries(storeKinds.flatMap((kind) => FOUND.map((table) => [`${kind} ${table}`, 0.3]))),
        ...{ inquiries: 0.5, sightings: 0.3 },
      },
    },
  );
});

const keeps = '{ root: "local", durable: true }';
const bugs: readonly (readonly [string, PlantedBug])[] = [
  [
    "snapshot_checkpoint",
    {
      file: "core/domains/snapshots/tables.ts",
      find: `table<bigint>("snapshot_checkpoint", slotCodec, ${keeps})`,
      replace: 'table<bigint>("snapshot_checkpoint", slotCodec, { root: "local" })',
    },
  ],
  [
    "newest_slot",
    {
      file: "core/domains/chain-bridge/newest-slot.ts",
      find: `table<NewestSlot>("newest_slot", NewestSlot, ${keeps})`,
      replace: 'table<NewestSlot>("newest_slot", NewestSlot, { root: "local" })',
    },
  ],
  [
    "chain_facts",
    {
      file: "core/domains/trade/settlements/tables.ts",
      find: "  durable: true,\n  indexes: { reservation: (fact) =>",
      replace: "  indexes: { reservation: (fact) =>",
    },
  ],
];

describe("a table that is not durable is found by its name", () => {
  const restarts = [{ at: 990, late: 0 }];
  const recorded = record(bases[0], 5n);

  test.each(bugs)("%s", async (name, bug) => {
    const [node] = await recorded;
    if (node === undefined) throw new Error("bug: nobody was recorded");
    expect((await replay(node, "memory", restarts)).lost).toEqual([]);
    const { lost } = await withPlantedBug(bug, async (load) => {
      return replay(node, "memory", restarts, await load<typeof CoreIndex>("core/index.ts"));
    });
    expect(lost.join("\n")).toMatch(new RegExp(`^node 0 lets [a-z.]+ go before ${name}/`, "m"));
  });
});
