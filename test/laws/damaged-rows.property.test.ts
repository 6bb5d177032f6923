/**
 * Goal: whatever a damaged ledger lacks, kept though it was removed, or kept as it was before, a start leaves rows that
 * are what memory holds, so the next start comes to the same, and memory is that of a node which heard what it holds
 * (CONVERGENCE "Durability"). Method: rows of nodes that are told again what nodes of a network were told, up to a
 * random point, and of random stories, sealed on the way or not; some are lost, back or old; a node starts twice.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { Resolutions, StakeReadings } from "../../core/domains/governance/tables.ts";
import { ChainFacts } from "../../core/domains/trade/settlements/tables.ts";
import { Pending, Seals, Statements } from "../../core/engine/statements/table.ts";
import type { NodeConfiguration, NodeDriver, Reader } from "../../core/index.ts";
import { createDriver, devnetNetwork, encodeCompact, tables } from "../../core/index.ts";
import type { Statement } from "../../core/kernel/signed.ts";
import { rootText } from "../../core/kernel/state.ts";
import type { Table } from "../../core/kernel/table.ts";
import type { StoreRow } from "../../core/ports/store.ts";
import { at } from "../convergence/actors.ts";
import { rowsOf } from "../convergence/catch-up-law.ts";
import type { Observation } from "../convergence/replica.ts";
import { openReplica, received, replicaOf, rootsOf } from "../convergence/replica.ts";
import { shuffleOf } from "../convergence/shuffle.ts";
import { arbIntents, arbSchedule, storyOf } from "../convergence/workload.ts";
import { forAll, forAllAsync } from "../property/for-all.ts";
import { crypto, gossipOnly, mapStore } from "../rpc/lone-node.ts";
import { bases, record } from "./recorded.ts";

const DAY_MINUTES = 1_440;

/** Remembers what every row ever said. */
class Rows extends Map<string, StoreRow> {
  readonly past: StoreRow[] = [];
  override set(place: string, row: StoreRow): this {
    this.remember(place);
    return super.set(place, row);
  }
  override delete(place: string): boolean {
    this.remember(place);
    return super.delete(place);
  }
  private remember(place: string): void {
    const row = this.get(place);
    if (row !== undefined) this.past.push(row);
  }
}

const isSame = (one: StoreRow | undefined, { bytes }: StoreRow): boolean =>
  one !== undefined && Buffer.compare(one.bytes, bytes) === 0;

const placeOf = ({ table, key }: StoreRow): string => `${table} ${key}`;

function driverOver(rows: Map<string, StoreRow>, configuration: NodeConfiguration, now: () => bigint): NodeDriver {
  return createDriver({
    ...{ crypto, configuration, store: mapStore(rows), bootSeed: new Uint8Array(32) },
    ...{ now: now as never, perform: () => undefined },
  });
}

/** The durable rows that memory comes to, in an order that does not count. */
function rowsIn({ view }: NodeDriver): Map<string, string> {
  const rows = new Map<string, string>();
  for (const table of tables.filter(({ durable }) => durable))
    for (const key of view.keys(table))
      rows.set(
        `${table.name} ${key}`,
        Buffer.from(encodeCompact(table.record as never, view.get(table, key) as never)).toString("hex"),
      );
  return rows;
}

const textOf = (rows: ReadonlyMap<string, StoreRow>): Map<string, string> =>
  new Map([...rows].map(([place, { bytes }]) => [place, Buffer.from(bytes).toString("hex")]));

function difference(disk: ReadonlyMap<string, string>, memory: ReadonlyMap<string, string>): readonly string[] {
  const places = new Set([...disk.keys(), ...memory.keys()]);
  return [...places].flatMap((place) => {
    const [one, other] = [disk.get(place), memory.get(place)];
    if (one === other) return [];
    return [`${place}: ${one === undefined ? "not on the disk" : other === undefined ? "not in memory" : "another"}`];
  });
}

/** Numbers of rows that are gone, that are back after they were removed, and that are as they were before. */
const arbDamage = fc.record({ lost: fc.nat(12), back: fc.nat(12), old: fc.nat(12), seed: fc.nat() });
type Damage = typeof arbDamage extends fc.Arbitrary<infer D> ? D : never;

/** The rows of a worn disk, in any order. */
function worn(
  rows: Rows,
  { lost, back, old, seed }: Damage,
): { readonly damaged: Map<string, StoreRow>; labels: string[] } {
  const random = shuffleOf(seed);
  const damaged = new Map(rows);
  const gone = rows.past.filter((row) => !rows.has(placeOf(row)));
  const earlier = rows.past.filter((row) => rows.has(placeOf(row)));
  const taken = random.shuffled([...rows.values()]).slice(0, lost);
  const backAgain = random.shuffled(gone).slice(0, back);
  const stale = random.shuffled(earlier).slice(0, old);
  for (const row of taken) damaged.delete(placeOf(row));
  for (const row of [...backAgain, ...stale]) damaged.set(placeOf(row), row);
  const labels = [
    ...taken.map(({ table }) => `lost ${table}`),
    ...backAgain.map(({ table }) => `back ${table}`),
    ...stale.map(({ table }) => `old ${table}`),
  ];
  return { damaged: new Map(random.shuffled([...damaged])), labels };
}

/** Starts twice over damaged rows; the driver of the first start. */
function startTwice(damaged: Map<string, StoreRow>, configuration: NodeConfiguration, now: () => bigint): NodeDriver {
  const first = driverOver(damaged, configuration, now);
  expect(first.ready()).toBe(true);
  expect(difference(textOf(damaged), rowsIn(first))).toEqual([]);
  const second = driverOver(new Map(damaged), configuration, now);
  expect(second.roots()).toEqual(first.roots());
  return first;
}

const arbStory = fc.record({
  base: fc.constantFrom(...bases),
  seed: fc.bigInt({ min: 0n, max: 1n << 32n }),
  node: fc.nat(2),
  damages: fc.array(fc.record({ at: fc.integer({ min: 100, max: 1_000 }), damage: arbDamage }), {
    minLength: 12,
    maxLength: 12,
  }),
});

test("of a network: a start leaves rows that are what memory holds, and the next start comes to the same", async () => {
  await forAllAsync(
    [arbStory],
    async ({ base, seed, node: place, damages }) => {
      const node = (await record(base, seed))[place];
      if (node === undefined) throw new Error("bug: three nodes of a small test network see the chain");
      const labels: string[] = [];
      const rows = new Rows();
      let now = node.told[0]?.now ?? 0n;
      const driver = driverOver(rows, node.configuration, () => now);
      let told = 0;
      const placeOfStop = ({ at: share }: { readonly at: number }) => Math.floor((share * node.told.length) / 1_000);
      for (const stop of [...damages].sort((a, b) => a.at - b.at)) {
        for (const next of node.told.slice(told, placeOfStop(stop))) {
          now = next.now;
          driver.accept(next.fact);
        }
        told = Math.max(told, placeOfStop(stop));
        expect(difference(textOf(rows), rowsIn(driver))).toEqual([]);
        const { damaged, labels: done } = worn(rows, stop.damage);
        startTwice(damaged, node.configuration, () => now);
        labels.push(...done);
      }
      return labels;
    },
    { runs: 1, nightly: 80, sample: 1, endOnFailure: true, shares: { "lost statements": 1, "back statements": 1 } },
  );
});

/** What a node that holds this was told. */
function heldIn(view: Reader): readonly Observation[] {
  const held = (table: Table<unknown>) => [...view.keys(table)].map((id) => [id, view.get(table, id)] as const);
  const facts = (type: string, table: unknown) =>
    held(table as Table<unknown>).map(([id, fact]) => ({ type, id, fact }) as Observation);
  const statements = [Statements, Pending].flatMap((table) => held(table as Table<unknown>));
  return [
    ...[...facts("seen", ChainFacts), ...facts("stake", StakeReadings), ...facts("result", Resolutions)],
    ...received(...statements.map(([, statement]) => statement as Statement)),
  ];
}

test("of random stories: a node that started over damaged rows is one that heard what it holds", () => {
  forAll(
    [arbIntents(40, 120), arbSchedule, arbDamage, fc.oneof(fc.constant(0), fc.nat(120))],
    (intents, schedule, damage, days) => {
      const { observations } = storyOf(intents);
      const random = shuffleOf(schedule);
      const whole = openReplica(true);
      const rows = new Rows();
      for (const part of random.parts(random.shuffled(observations))) {
        whole.receive(part);
        if (days > 0 && random.below(4) === 0) whole.seal(at(days * DAY_MINUTES));
        const now = rowsOf(whole.store());
        for (const place of [...rows.keys()]) if (!now.has(place)) rows.delete(place);
        for (const [place, row] of now) if (!isSame(rows.get(place), row)) rows.set(place, row);
      }
      const { damaged, labels } = worn(rows, damage);
      const { view, roots, held } = startTwice(damaged, gossipOnly(devnetNetwork), () => at(0));
      // What is sealed takes nothing more: what it holds depends on when it was sealed.
      if (view.size(Seals) > 0) return [...labels, "sealed"];
      const fresh = replicaOf(heldIn(view)).store().roots;
      expect(roots()).toEqual(Object.fromEntries(Object.entries(fresh).map(([name, root]) => [name, rootText(root)])));
      if (whole.store().size(Seals) > 0) return [...labels, "sealed"];
      // Whoever tells it everything again makes up for all of it.
      const again = openReplica(true, Infinity, held("copy").memory);
      again.receive(random.shuffled(observations));
      expect(rootsOf(again)).toBe(rootsOf(whole));
      return [...labels, "unsealed"];
    },
    {
      runs: 20,
      nightly: 3_000,
      sample: 60,
      shares: { "lost statements": 0.5, "back statements": 0.05, "back pending": 0.2, sealed: 0.2 },
    },
  );
});
