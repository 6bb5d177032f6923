/**
 * The law of the sweep as a check that returns what is wrong: a step takes away so many rows at most, what has to wait
 * follows at once, and slices leave what one sweep over everything would leave. Source: CONVERGENCE B5, B7.
 */
import { PaymentSubmitted } from "../../core/domains/trade/settlements/schema.ts";
import { marketplace } from "../../core/domains.ts";
import { SWEPT_AT_ONCE } from "../../core/engine/dated-rows.ts";
import { Pending } from "../../core/engine/statements/table.ts";
import type { Effect } from "../../core/index.ts";
import { statementOf } from "../../core/kernel/signed.ts";
import type { Table } from "../../core/kernel/table.ts";
import type { EpochMillis, Signature } from "../../core/kernel/values.ts";
import { minuteOf } from "../../core/kernel/values.ts";
import { Events } from "../../core/network/gossip/envelope.ts";
import { ComparedRanges } from "../../core/network/gossip/idle-ranges.ts";
import { Refusals } from "../../core/network/gossip/refused.ts";
import {
  expiredAt,
  LOG_MS,
  noteDates,
  ORPHAN_MS,
  SWEEP_EVERY_MS,
  takeExpired,
} from "../../core/network/gossip/sweep.ts";
import type { CrowdedNode } from "../limits/crowded-node.ts";
import { crowdedNode } from "../limits/crowded-node.ts";
import { crypto, person } from "../rpc/lone-node.ts";

/** 20 seconds into a minute. */
const NOW = 1_786_000_000_000n - (1_786_000_000_000n % 3_600_000n) + 20_000n;
const by = person(0x61);
const NO_BYTES = new Uint8Array(0);
const [PLAIN_OFS, { keptMs }] = [...marketplace.events][0] as [number, { readonly keptMs: bigint }];

export const kinds = ["orphan", "refusal", "range", "event", "plain event"] as const;
export type Kind = (typeof kinds)[number];

/** Rows of one date: so many milliseconds after the last instant at which they would be over now. */
export interface Batch {
  readonly kind: Kind;
  readonly after: number;
  readonly many: number;
}

interface Row {
  readonly kind: Kind;
  readonly table: Table<unknown>;
  readonly key: string;
  readonly record: unknown;
  readonly date: bigint;
}

/** The first date of each kind that is not over yet. */
const FIRST: Readonly<Record<Kind, bigint>> = {
  orphan: NOW - ORPHAN_MS,
  refusal: NOW + 1n,
  range: NOW + 1n,
  event: NOW - LOG_MS,
  "plain event": NOW - keptMs,
};

const records: Readonly<Record<Kind, (date: EpochMillis, nth: number) => Omit<Row, "kind" | "date">>> = {
  orphan(timestamp, nth) {
    const payload = { settlement_id: `set-${nth}`, buyer: by.peer, payment_reference: null, timestamp };
    const record = statementOf(crypto, PaymentSubmitted, payload, "" as Signature, "bare");
    return { table: Pending as Table<unknown>, key: record.identity, record };
  },
  refusal: (until, nth) => ({
    ...{ table: Refusals as Table<unknown>, key: `refusal ${nth}` },
    record: { space: false, lifted: false, until, names: [], about: [] },
  }),
  range: (until, nth) => ({
    ...{ table: ComparedRanges as Table<unknown>, key: `range ${nth}` },
    record: { peer: by.peer, prefix: `prefix ${nth}`, own: NO_BYTES, theirs: NO_BYTES, idle: true, until },
  }),
  event: (date, nth) => ({
    ...{ table: Events as Table<unknown>, key: `event ${nth}` },
    record: { event: eventAt(date, 2_200), statement: `statement ${nth}` },
  }),
  "plain event": (date, nth) => ({
    ...{ table: Events as Table<unknown>, key: `plain ${nth}` },
    record: { event: eventAt(date, PLAIN_OFS), statement: null },
  }),
};

/** How long after the first instant there are sweeps. */
const AFTER = [0n, 100n * 60_000n];

/** More steps than all rows need, and as many refusals of swept orphans. */
const STEPS_ENOUGH = 200;

/** What is wrong with sweeps of such rows, and how many steps they took. */
export function sweepLaw(batches: readonly Batch[]): { readonly wrong: string | undefined; readonly steps: number } {
  const rows = rowsOf(batches);
  const [whole, sliced] = [nodeWith(rows), nodeWith(rows)];
  let steps = 0;
  for (const after of AFTER) {
    whole.now = (NOW + after) as EpochMillis;
    sliced.now = whole.now;
    whole.withContext((context) => takeExpired(context, expiredAt(context), Infinity));
    for (let timer = sliced.now; timer === sliced.now; steps++) {
      const before = heldOf(sliced, rows).length;
      timer = sliced.does({ type: "timer.fired", timer: "sweep" }).flatMap(sweptAt)[0] ?? (0n as EpochMillis);
      const taken = before - heldOf(sliced, rows).length;
      if (taken > SWEPT_AT_ONCE) return { wrong: `${taken} rows in one step`, steps };
      if (steps > STEPS_ENOUGH) return { wrong: "it does not end", steps };
      if (timer !== sliced.now && timer !== sliced.now + BigInt(SWEEP_EVERY_MS))
        return { wrong: `it goes on at ${timer}`, steps };
    }
    const left = heldOf(sliced, rows).join();
    if (left !== heldOf(whole, rows).join()) return { wrong: "slices leave something else", steps };
    if (left !== expected(rows, after).join()) return { wrong: "it leaves something else", steps };
  }
  return { wrong: undefined, steps };
}

/** What stays: what is not over, and of the minute that is not over everything, where that is more than a slice. */
function expected(rows: readonly Row[], after: bigint): readonly string[] {
  const first = (kind: Kind) => FIRST[kind] + after;
  const isLast = ({ kind, date }: Row) => minuteOf(date) === minuteOf(first(kind));
  const many = (kind: Kind) => rows.filter((row) => row.kind === kind && isLast(row)).length;
  const waits = (row: Row) => isLast(row) && many(row.kind) > SWEPT_AT_ONCE;
  return rows.filter((row) => row.date >= first(row.kind) || waits(row)).map(({ key }) => key);
}

function rowsOf(batches: readonly Batch[]): readonly Row[] {
  return batches.flatMap(({ kind, after, many }, batch) => {
    const date = (FIRST[kind] + BigInt(after)) as EpochMillis;
    return Array.from({ length: many }, (_, n) => ({ kind, date, ...records[kind](date, batch * 1_000 + n) }));
  });
}

function nodeWith(rows: readonly Row[]): CrowdedNode {
  const node = crowdedNode(NOW);
  node.withContext((context) => {
    for (const { table, key, record } of rows) context.draft.put(table, key, record);
    noteDates(context);
  });
  return node;
}

function heldOf(node: CrowdedNode, rows: readonly Row[]): readonly string[] {
  return rows.filter(({ table, key }) => node.store.get(table, key) !== undefined).map(({ key }) => key);
}

function sweptAt(effect: Effect): readonly EpochMillis[] {
  return effect.type === "timer.set" && effect.timer === "sweep" ? [effect.at] : [];
}

function eventAt(timestamp: EpochMillis, ofs_spec: number) {
  return {
    ...{ id: new Uint8Array(32), event_type: "Something", ofs_spec, version: 1, origin: by.peer, timestamp, ttl: 1 },
    ...{ priority: "BackgroundSync", signature: "" as Signature, payload: NO_BYTES },
  };
}
