/**
 * What trades keep in a node's memory: ten thousand of them, approved, held, then sealed, then put into pages; and how
 * large a checkpoint of them is. By tables, what leaves with each. Source: CONVERGENCE B7.
 */
import assert from "node:assert";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { openPageFile } from "../../adapters/pages/page-file.ts";
import { hourAfter, SEAL_EVERY_MS } from "../../core/domains/trade/sealing/hours.ts";
import { SETTLEMENT_LIFE_MS } from "../../core/domains/trade/settlements/schema.ts";
import { Settlements } from "../../core/domains/trade/settlements/tables.ts";
import { marketplace, tables } from "../../core/domains.ts";
import { Seals, Statements } from "../../core/engine/statements/table.ts";
import type { PackedState } from "../../core/kernel/packed-state.ts";
import { openPackedState } from "../../core/kernel/packed-state.ts";
import { packState } from "../../core/kernel/packing.ts";
import type { Statement } from "../../core/kernel/signed.ts";
import type { HeldStore, Store } from "../../core/kernel/state.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import type { PagesPort } from "../../core/ports/pages.ts";
import { actor, at, crypto } from "../convergence/actors.ts";
import { answer } from "../convergence/answers.ts";
import * as fixtures from "../convergence/fixtures.ts";
import type { Replica } from "../convergence/replica.ts";
import { openReplica, received } from "../convergence/replica.ts";
import type { Bench, Figure } from "./measure.ts";
import { rounded } from "./measure.ts";

const TRADES = 10_000;
/** Advertisements that share them, and takers. */
const OFFERS = 100;
const TAKERS = 500;
const BATCH = 500;
/** When all of it is over. */
const OVER = (hourAfter(at(TRADES) + 2n * BigInt(SETTLEMENT_LIFE_MS)) * SEAL_EVERY_MS) as EpochMillis;
/** A table is named whose rows are at least this share of the whole. */
const NAMED_SHARE = 0.02;

const merchants = Array.from({ length: OFFERS }, (_, n) => actor(`merchant ${n}`));
const takers = Array.from({ length: TAKERS }, (_, n) => actor(`taker ${n}`));

function offer(n: number): Statement {
  const liquidity = fixtures.units(10n ** 12n);
  return fixtures.advertisement(merchants[n] as (typeof merchants)[0], at(0), { id: `offer-${n}`, liquidity });
}

/** Asked, begun, paid and approved. */
function trade(n: number): readonly Statement[] {
  const [by, from] = [takers[n % TAKERS], merchants[n % OFFERS]] as [(typeof takers)[0], (typeof merchants)[0]];
  const [id, name, minute] = [`${100_000 + n}`, `trade-${n}`, 1 + n / 10];
  return [
    fixtures.request(by, at(minute), { id, about: `offer-${n % OFFERS}` }),
    fixtures.initiate(by, from, at(minute + 1), { id: name, about: id }),
    fixtures.payment(by, at(minute + 2), name),
    fixtures.approve(from, at(minute + 3), name),
  ];
}

/** The heap, after what nothing holds has left it. */
function heapBytes(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** Bytes of a trade, as a figure. */
function each(name: string, bytes: number): Figure {
  return { name, value: rounded(bytes / TRADES / 1_000), unit: "kB a trade" };
}

/** What leaves memory with the rows of each table, one after another; the rows are gone then. */
function byTables(held: HeldStore, whole: number): readonly Figure[] {
  const figures: Figure[] = [];
  let before = heapBytes();
  for (const name of [...held.tables.keys()]) {
    const many = held.tables.get(name)?.rows.size;
    held.tables.delete(name);
    const now = heapBytes();
    if (before - now > NAMED_SHARE * whole) figures.push(each(`  of it ${name}, ${many} rows`, before - now));
    before = now;
  }
  return figures;
}

/** Commits of nothing, until all sealed rows are put away; how many there were. */
function putAllAway(replica: Replica): number {
  const sealed = () =>
    [...replica.store().held().tables.values()].reduce((sum, { sealed: rows }) => sum + (rows?.size ?? 0), 0);
  let commits = 0;
  for (let before = -1; before < sealed(); commits++) {
    before = sealed();
    replica.store().commit([]);
  }
  return commits;
}

/** Processor time of an act, for each of so many, in microseconds. */
function timed(name: string, many: number, act: () => unknown): Figure {
  const begun = process.cpuUsage();
  act();
  const { user, system } = process.cpuUsage(begun);
  return { name, value: rounded((user + system) / many), unit: "µs" };
}

/** The list of all trades, as anybody is answered: what each of them costs. */
function listed(where: string, store: Store): Figure {
  const ask = { now: OVER, parity: false, local: false, showsWaiting: false };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "getTrades" });
  return timed(`CPU time of listing a trade ${where}`, TRADES, () => {
    const shown = JSON.parse(answer(store, { ...ask, body }) ?? "{}") as { readonly result?: readonly unknown[] };
    assert.equal(shown.result?.length, TRADES);
  });
}

/** The same state packed, how large that is, and what it costs to make it and to begin with it. */
function packed(held: HeldStore, pages: PagesPort): readonly Figure[] {
  let whole: PackedState | undefined;
  const made = timed("CPU time of packing a trade", TRADES, () => (whole = packState(crypto, tables, held)));
  if (whole === undefined) return [];
  const opening = { crypto, tables, types: marketplace.typesByName, derives: marketplace.derives, pages };
  const state = whole;
  const begun = timed("CPU time of opening a packed trade", TRADES, () => openPackedState(state, opening));
  const bytes = [...state.tables.values()].reduce((sum, section) => sum + section.length, 0);
  return [each("packed as a checkpoint", bytes), made, begun];
}

export const sealedBench: Bench = {
  long: true,
  async run() {
    const directory = mkdtempSync(join(tmpdir(), "ofs-bench-sealed-"));
    const file = openPageFile({ directory, onDamage: (line) => assert.fail(line) });
    if (!file.ok) throw new Error(file.error);
    const empty = heapBytes();
    const replica = openReplica(false, Infinity, undefined, true, file.value);
    replica.receive(received(...Array.from({ length: OFFERS }, (_, n) => offer(n))));
    for (let n = 0; n < TRADES; n += BATCH)
      replica.receive(received(...Array.from({ length: BATCH }, (_, nth) => trade(n + nth)).flat()));
    const held = heapBytes() - empty;
    const lists = [listed("from memory", replica.store())];
    replica.seal(OVER);
    const sealed = heapBytes() - empty;
    let commits = 0;
    const put = timed("CPU time of putting a trade away", TRADES, () => (commits = putAllAway(replica)));
    const paged = heapBytes() - empty;
    const store = replica.store();
    const reads = timed("CPU time of reading a settlement and its initiate", TRADES, () => {
      for (const key of store.keys(Settlements)) assert(store.get(Settlements, key) && store.get(Statements, key), key);
    });
    lists.push(listed("from pages", store), listed("from pages, again", store));
    const [seals, figures] = [store.size(Seals), packed(store.held(), file.value)];
    const byTable = byTables(replica.store().held(), paged);
    file.value.close();
    rmSync(directory, { recursive: true });
    return [
      each("held", held),
      each(`sealed, with ${seals} seals`, sealed),
      each("sealed, in pages", paged),
      { ...put, name: `${put.name}, in ${commits} commits` },
      reads,
      ...lists,
      ...figures,
      ...byTable,
    ];
  },
};
