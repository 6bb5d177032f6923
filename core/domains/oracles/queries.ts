/**
 * What a pair is worth at an instant, and which records are shown. Only expiry decides between current and
 * stale; each provider has one vote; no arithmetic touches a rate. Source: OFS-7000; protocol 05 §3.5.
 */

import type { ReadAt } from "../../engine/overrides.ts";
import { ruleOf } from "../../engine/overrides.ts";
import { firstOfEach } from "../../kernel/ordered.ts";
import type { Reader } from "../../kernel/table.ts";
import { entriesOf, recordsOf } from "../../kernel/table.ts";
import { compareText } from "../../kernel/text.ts";
import type { EpochMillis, PeerId } from "../../kernel/values.ts";
import { isPublisher } from "../providers/joins.ts";
import type { ServiceName } from "../providers/queries.ts";
import { isRegistered } from "../providers/queries.ts";
import type { ExchangeRate } from "./schema.ts";
import type { OracleRow } from "./tables.ts";
import { OracleRecords, pairText } from "./tables.ts";

/** Services whose providers publish market data. Source: protocol 05 §3.4. */
export const ORACLE_SERVICES: readonly ServiceName[] = ["PriceOracle", "FxOracle"];
/** How long a record reads after it ran out, in milliseconds: 7 days. Source: protocol 05 §3.7. */
export const RECORD_KEPT_MS = 604_800_000n;

/** The tagged rate of a pair, whose names must match byte for byte. Source: protocol 05 §3.5. */
export function exchangeRate(reader: Reader, base: string, quote: string, at: ReadAt): ExchangeRate {
  const records = readable(reader, recordsOf(reader, OracleRecords, "pair", pairText(base, quote)), at);
  if (records.length === 0) return { status: "noData" };
  const current = records.filter((record) => at.now < record.expires_at);
  const votes = ruleOf(at, newestOfEach)(current);
  const rate = votes.map(rateOf).sort(compareRates)[Math.floor(votes.length / 2)];
  if (rate === undefined) return { status: "stale" };
  const ends = votes.map((vote) => vote.expires_at);
  return { status: "current", rate, expiresAt: ends.reduce((first, end) => (end < first ? end : first)) };
}

/** The record that an id shows: current before lapsed, then the highest version, then the smallest (date, identity). */
export function recordById(reader: Reader, id: string, at: ReadAt): OracleRow | undefined {
  return [...readable(reader, recordsOf(reader, OracleRecords, "id", id), at)].sort((a, b) =>
    compareShown(a, b, at.now),
  )[0];
}

/** Every record that its id shows, in order of id. */
export function allRecords(reader: Reader, at: ReadAt): readonly OracleRow[] {
  const held = [...entriesOf(reader, OracleRecords)].map(([, record]) => record);
  const compare = (a: OracleRow, b: OracleRow) => compareShown(a, b, at.now);
  return firstOfEach(readable(reader, held, at), ({ id }) => id, compare);
}

/** Providers, registered now, that hold an exchange rate, run out or not. Source: protocol 05 §14.12 (metrics). */
export function publishersOfRates(reader: Reader): number {
  const providers = new Set<PeerId>();
  for (const [, record] of entriesOf(reader, OracleRecords)) {
    if ("ExchangeRate" in record.data) providers.add(record.provider);
  }
  return [...providers].filter((provider) => isRegistered(reader, provider, ORACLE_SERVICES)).length;
}

/** Those not long lapsed, of providers that publish. */
function readable(reader: Reader, records: readonly OracleRow[], at: ReadAt): readonly OracleRow[] {
  const reads = ruleOf(at, isPublisher);
  const publishers = new Map<PeerId, boolean>();
  return records.filter(({ provider, expires_at }) => {
    if (expires_at + RECORD_KEPT_MS < at.now) return false;
    const counts = publishers.get(provider) ?? reads(reader, provider, ORACLE_SERVICES);
    publishers.set(provider, counts);
    return counts;
  });
}

/** One vote for each provider: its newest by (date, version, identity). Source: DESIGN §7 #17. */
export function newestOfEach(records: readonly OracleRow[]): readonly OracleRow[] {
  const votes = new Map<PeerId, OracleRow>();
  for (const record of records) {
    const other = votes.get(record.provider);
    if (other === undefined || compareAge(other, record) < 0) votes.set(record.provider, record);
  }
  return [...votes.values()];
}

function compareAge(a: OracleRow, b: OracleRow): number {
  if (a.published_at !== b.published_at) return a.published_at < b.published_at ? -1 : 1;
  if (a.version !== b.version) return a.version < b.version ? -1 : 1;
  return compareText(a.publication, b.publication);
}

function compareShown(a: OracleRow, b: OracleRow, now: EpochMillis): number {
  const [first, second] = [now < a.expires_at, now < b.expires_at];
  if (first !== second) return first ? -1 : 1;
  if (a.version !== b.version) return a.version > b.version ? -1 : 1;
  if (a.published_at !== b.published_at) return a.published_at < b.published_at ? -1 : 1;
  return compareText(a.publication, b.publication);
}

/** The total order of doubles, which tells the two zeros apart; no other values are equal and distinct. */
function compareRates(a: number, b: number): number {
  if (a !== b) return a < b ? -1 : 1;
  return Number(Object.is(b, -0)) - Number(Object.is(a, -0));
}

function rateOf({ data }: OracleRow): number {
  return "ExchangeRate" in data ? data.ExchangeRate.rate : 0;
}
