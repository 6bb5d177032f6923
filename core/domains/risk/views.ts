/**
 * What risk reads: a wallet's records, and what of them is current. That a provider is registered is asked
 * when read, so a record may come before its registration, and stops counting when its provider leaves.
 * Source: protocol 04 §4.6, §4.11; CONVERGENCE "Joins".
 */

import type { Overrides, ReadAt } from "../../engine/overrides.ts";
import { ruleOf } from "../../engine/overrides.ts";
import type { Reader } from "../../kernel/table.ts";
import { compareText } from "../../kernel/text.ts";
import type { EpochMillis, PeerId } from "../../kernel/values.ts";
import { later } from "../../kernel/values.ts";
import type { ServiceName } from "../providers/queries.ts";
import { isListed, registrationsOf, serviceName } from "../providers/queries.ts";
import type { RiskRecord, RiskSeverity, ScreeningResult } from "./schema.ts";
import { severities } from "./schema.ts";
import { RiskRecords } from "./tables.ts";

/** How long a record is still read after it expired, in milliseconds: 7 days. Source: protocol 04 §4.8. */
export const RISK_GRACE_MS = 604_800_000;
/** How old a provider's newest registration may be for its records to count: 7 days. Source: protocol 04 §4.11. */
export const PROVIDER_AGE_MS_MAX = 604_800_000n;
/** Unexpired records of one provider about one wallet that count, in canonical order. Source: protocol 04 §4.11. */
export const RECORDS_PER_PROVIDER_MAX = 64;

const PUBLISHER: readonly ServiceName[] = ["RiskIntelligenceProvider"];

/** A record and its publishing statement. */
export interface Published {
  readonly identity: string;
  readonly record: RiskRecord;
}

/** Whether a provider may publish now: it has a risk service that has not lapsed. Source: protocol 04 §4.5. */
export function mayPublish(reader: Reader, provider: PeerId, now: EpochMillis): boolean {
  return isListed(reader, provider, now, PUBLISHER);
}

/** Every record about a wallet in order of id, those expired for more than the grace left out. */
export function recordsAbout(reader: Reader, wallet: PeerId, now: EpochMillis): readonly RiskRecord[] {
  return publishedAbout(reader, wallet)
    .filter(({ record }) => record.expires_at === null || now <= later(record.expires_at, RISK_GRACE_MS))
    .sort((a, b) => compareText(a.record.id, b.record.id) || compareCanonical(a, b))
    .map(({ record }) => record);
}

/** The active flags of a wallet and the greatest severity among them. Source: protocol 04 §4.6, §4.11. */
export function screeningOf(reader: Reader, wallet: PeerId, { now, rules }: ReadAt): ScreeningResult {
  const unexpired = publishedAbout(reader, wallet)
    .filter(({ record }) => isCurrent(record, now))
    .sort(compareCanonical);
  const counted = ruleOf({ rules }, countedOf)(reader, unexpired, now);
  const cuts = clearancesOf(counted, rules);
  const active_flags = counted
    .map(({ record }) => record)
    .filter((record) => record.outcome === "Flagged" && record.published_at > (cuts(record.provider) ?? -1n))
    .sort(comparePublished);
  return { wallet, highest_severity: highestOf(active_flags), active_flags };
}

/** Of each provider that is still registered, the first records that count; they stand in canonical order. */
export function countedOf(reader: Reader, unexpired: readonly Published[], now: EpochMillis): readonly Published[] {
  const counted = new Map<PeerId, Published[]>();
  for (const published of unexpired) {
    const { provider } = published.record;
    const own = counted.get(provider) ?? [];
    if (own.length === 0 && !isStillRegistered(reader, provider, now)) continue;
    if (own.length < RECORDS_PER_PROVIDER_MAX) counted.set(provider, [...own, published]);
  }
  return [...counted.values()].flat();
}

function isStillRegistered(reader: Reader, provider: PeerId, now: EpochMillis): boolean {
  return registrationsOf(reader, provider).some(
    (service) =>
      PUBLISHER.includes(serviceName(service.service_type)) && service.registered_at + PROVIDER_AGE_MS_MAX >= now,
  );
}

/** The newest clearance that cuts a provider's flags. One of the same instant cuts. */
function clearancesOf(counted: readonly Published[], rules: Overrides): (provider: PeerId) => bigint | undefined {
  const newest = new Map<string, bigint>();
  const whose = ruleOf({ rules }, clearanceOf);
  for (const { record } of counted) {
    if (record.outcome !== "Cleared") continue;
    const held = newest.get(whose(record.provider));
    if (held === undefined || record.published_at > held) newest.set(whose(record.provider), record.published_at);
  }
  return (provider) => newest.get(whose(provider));
}

/** Whose clearances cut a provider's flags: its own. Source: protocol 04 §4.11. */
export function clearanceOf(provider: PeerId): string {
  return provider;
}

function highestOf(flags: readonly RiskRecord[]): RiskSeverity | null {
  const ranks = flags.map((flag) => severities.indexOf(flag.severity));
  return severities[Math.max(-1, ...ranks)] ?? null;
}

function isCurrent({ expires_at }: RiskRecord, now: EpochMillis): boolean {
  return expires_at === null || now < expires_at;
}

function publishedAbout(reader: Reader, wallet: PeerId): Published[] {
  return reader.find(RiskRecords, "wallet", wallet).flatMap((identity) => {
    const record = reader.get(RiskRecords, identity);
    return record === undefined ? [] : [{ identity, record }];
  });
}

function compareCanonical(a: Published, b: Published): number {
  if (a.record.published_at !== b.record.published_at) return a.record.published_at < b.record.published_at ? -1 : 1;
  return a.identity < b.identity ? -1 : a.identity > b.identity ? 1 : 0;
}

/** By date, then by id; equal ones keep their canonical order. */
function comparePublished(a: RiskRecord, b: RiskRecord): number {
  if (a.published_at !== b.published_at) return a.published_at < b.published_at ? -1 : 1;
  return compareText(a.id, b.id);
}
