/**
 * Which announcements are shown: of producers that hold a registration, of slots that the chain can have
 * reached, one for each id. Source: OFS-1300; protocol 05 §6.13, §14.5, §14.24.
 */

import type { ReadAt } from "../../engine/overrides.ts";
import { ruleOf } from "../../engine/overrides.ts";
import type { Reader } from "../../kernel/table.ts";
import { compareText } from "../../kernel/text.ts";
import { isPublisher } from "../providers/joins.ts";
import type { ServiceName } from "../providers/queries.ts";
import { hasPlausibleSlot } from "./bounds.ts";
import type { SnapshotMetadata } from "./schema.ts";
import { Snapshots } from "./tables.ts";

/** The service whose providers announce snapshots. Source: protocol 05 §6.3 (5). */
export const SNAPSHOT_SERVICES: readonly ServiceName[] = ["SnapshotProvider"];

/** The announcement that an id shows: the smallest (date, identity). */
export function snapshotById(reader: Reader, id: string, at: ReadAt): SnapshotMetadata | undefined {
  return shown(reader, reader.find(Snapshots, "id", id), at)[0];
}

/** Every announcement that its id shows, in order of id. */
export function allSnapshots(reader: Reader, at: ReadAt): readonly SnapshotMetadata[] {
  return snapshotsAmong(reader, [...reader.keys(Snapshots)], at);
}

/** The same as if some were all. */
export function snapshotsAmong(reader: Reader, identities: readonly string[], at: ReadAt): SnapshotMetadata[] {
  const byId = new Map<string, SnapshotMetadata>();
  for (const snapshot of shown(reader, identities, at)) {
    if (!byId.has(snapshot.id)) byId.set(snapshot.id, snapshot);
  }
  return [...byId.values()].sort((a, b) => compareText(a.id, b.id));
}

/** The one of the highest slot, of several the one of the greatest id. Source: protocol 05 §6.13. */
export function latestSnapshot(reader: Reader, at: ReadAt): SnapshotMetadata | undefined {
  let latest: SnapshotMetadata | undefined;
  for (const snapshot of allSnapshots(reader, at)) {
    if (latest === undefined || snapshot.slot >= latest.slot) latest = snapshot;
  }
  return latest;
}

/** In order of (date, identity). */
function shown(reader: Reader, identities: readonly string[], at: ReadAt): readonly SnapshotMetadata[] {
  const [reads, plausible] = [ruleOf(at, isPublisher), ruleOf(at, hasPlausibleSlot)];
  return identities
    .flatMap((identity) => {
      const snapshot = reader.get(Snapshots, identity);
      if (snapshot === undefined || !reads(reader, snapshot.producer, SNAPSHOT_SERVICES)) return [];
      return plausible(reader, snapshot, at.now) ? [{ identity, snapshot }] : [];
    })
    .sort((a, b) => {
      const [first, second] = [a.snapshot.created_at, b.snapshot.created_at];
      return first === second ? compareText(a.identity, b.identity) : first < second ? -1 : 1;
    })
    .map(({ snapshot }) => snapshot);
}
