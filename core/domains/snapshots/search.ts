/**
 * Taking a snapshot: which file a node asks for, when, and what it must keep before it is asked for and again before
 * it counts. A node searches while it never imported one, and after it was away for longer than H.
 * Source: protocol 05 §6.9, §6.11; CONVERGENCE "Snapshots".
 */

import { STATEMENT_AGE_MS_MAX } from "../../engine/admission/ingress.ts";
import { readAt, ruleOf } from "../../engine/overrides.ts";
import { Statements } from "../../engine/statements/table.ts";
import type { StepContext } from "../../engine/step-context.ts";
import type { ErrorCode } from "../../errors.ts";
import type { LogLevel } from "../../inputs.ts";
import type { Statement } from "../../kernel/signed.ts";
import { compareText } from "../../kernel/text.ts";
import type { EpochMillis } from "../../kernel/values.ts";
import { later } from "../../kernel/values.ts";
import { watchAttendance } from "../../network/gossip/absence.ts";
import { FILE_BYTES_MAX } from "../../ports/snapshots.ts";
import { isListed } from "../providers/queries.ts";
import { hasPlausibleSlot } from "./bounds.ts";
import { PROTOCOL_VERSION } from "./produce.ts";
import { SNAPSHOT_SERVICES, snapshotsAmong } from "./queries.ts";
import type { SnapshotMetadata } from "./schema.ts";
import type { Freshness, Search } from "./tables.ts";
import { CHECKPOINT, Checkpoints, FRESHNESS, Freshnesses, highestAnnounced, IMPORT, Imports } from "./tables.ts";
import { isAnchor, stakeStatusOf, trustedAnnouncements } from "./trust.ts";

/** Between two searches unless the configuration says otherwise, in milliseconds. Source: protocol 05 §6.11. */
export const SEARCH_EVERY_MS = 30_000;
/** How long one search goes on, in milliseconds. Source: protocol 05 §14.22. */
export const SEARCH_MS_MAX = 900_000;
/** Announcements by others than those whose files may be taken, of which it is told why not. Source: DESIGN L10. */
export const OTHERS_TOLD_AT_ONCE = 64;
/** H. */
const AWAY_MS = BigInt(STATEMENT_AGE_MS_MAX);

/** At start: how old what this node holds is; then the first search. */
export function startSearching(context: StepContext): void {
  if (context.configuration.snapshots === undefined) return;
  const newest = context.draft.get(Freshnesses, FRESHNESS)?.newest ?? newestHeld(context);
  context.draft.put(Freshnesses, FRESHNESS, aged(context, { newest, behind: false }));
  watchAttendance(context, newest);
  searchSnapshot(context);
}

function newestHeld(context: StepContext): EpochMillis {
  let newest = 0n as EpochMillis;
  for (const key of context.draft.keys(Statements))
    newest = newestOf(context, newest, context.draft.get(Statements, key));
  return newest;
}

/** A reaction: what others signed lately shows that this node is not away, and that it was. */
export function noteFreshness(context: StepContext): void {
  const held = context.draft.get(Freshnesses, FRESHNESS);
  if (held === undefined) return;
  let { newest } = held;
  for (const { table, record } of context.draft.changes())
    if (table === Statements.name) newest = newestOf(context, newest, record as Statement | undefined);
  if (newest > held.newest) context.draft.put(Freshnesses, FRESHNESS, { ...aged(context, held), newest });
}

/** The same of rows that were written since a checkpoint; whether the node was away is said at its start. */
export function noteNewest(context: StepContext): void {
  const held = context.draft.get(Freshnesses, FRESHNESS) ?? { newest: 0n as EpochMillis, behind: false };
  let { newest } = held;
  for (const { table, record } of context.draft.changes())
    if (table === Statements.name) newest = newestOf(context, newest, record as Statement | undefined);
  if (newest > held.newest) context.draft.put(Freshnesses, FRESHNESS, { ...held, newest });
}

/** The timer: asks for the best file, while there is a reason to and none is under way. */
export function searchSnapshot(context: StepContext): void {
  const { snapshots } = context.configuration;
  if (snapshots === undefined) return;
  const again = later(context.now, snapshots.searchEveryMs ?? SEARCH_EVERY_MS);
  context.emit({ type: "timer.set", timer: "snapshot-bootstrap", at: again });
  if (context.draft.get(Imports, IMPORT) !== undefined || !mayImport(context)) return;
  askNext(context, { until: later(context.now, SEARCH_MS_MAX), locations: [], candidates: candidatesOf(context) });
}

/**
 * Why a file is not taken, as far as its announcement tells: rows 2 to 7, and whether it can hold statements.
 * Source: protocol 05 §6.7, §6.9.
 */
export function announcementError(context: StepContext, metadata: SnapshotMetadata): ErrorCode | undefined {
  const { draft, now, configuration } = context;
  const checkpoint = draft.get(Checkpoints, CHECKPOINT);
  if (metadata.protocol_version !== PROTOCOL_VERSION) return "PROTOCOL_VERSION_MISMATCH";
  if (!isListed(draft, metadata.producer, now, SNAPSHOT_SERVICES)) return "INVALID_REQUEST";
  if (!isAnchor(configuration, metadata.producer_public_key)) {
    if (checkpoint === undefined) return "SNAPSHOT_VERIFICATION_FAILED";
    const stakeStatus = stakeStatusOf(draft, configuration, metadata.producer_public_key, now);
    if (stakeStatus === "short") return "INVALID_REQUEST";
    if (stakeStatus !== "qualified") return "SNAPSHOT_VERIFICATION_FAILED";
  }
  if (checkpoint !== undefined && metadata.slot <= checkpoint) return "INVALID_REQUEST";
  const isBounded = ruleOf(configuration, hasPlausibleSlot)(draft, metadata, now);
  if (!isBounded || metadata.size_bytes > BigInt(FILE_BYTES_MAX)) return "SNAPSHOT_VERIFICATION_FAILED";
  return metadata.compression === "Gzip" ? undefined : "UNSUPPORTED_OPERATION";
}

/** Asks for the next location of a search, or of its next candidate; ends the search when there is none. */
export function askNext(context: StepContext, search: Pick<Search, "until" | "locations" | "candidates">): void {
  context.draft.put(Imports, IMPORT, undefined);
  if (context.now > search.until) return;
  let { locations, candidates } = search;
  while (candidates.length > 0) {
    const [candidate, ...others] = candidates;
    const [location, ...rest] = locations.length > 0 ? locations : (candidate?.locations ?? []);
    const validationError = candidate === undefined ? undefined : announcementError(context, candidate);
    if (candidate !== undefined && location !== undefined && validationError === undefined) {
      const { id, size_bytes } = candidate;
      const asked = { until: search.until, candidate, location, locations: rest, candidates };
      context.draft.put(Imports, IMPORT, { phase: "fetching", ...asked });
      return context.emit({ type: "snapshot.fetch", id, location, sizeBytes: size_bytes });
    }
    if (candidate !== undefined) tellRefused(context, "debug", candidate, validationError ?? "RESOURCE_NOT_FOUND", "");
    [locations, candidates] = [[], others];
  }
}

/** The file at one location was refused: the next location, or else the next candidate. */
export function giveUp(context: StepContext, search: Search, code: ErrorCode, reason: string): void {
  const { candidate, locations, candidates, until } = search;
  tellRefused(context, "warn", candidate, code, reason);
  if (locations.length > 0) return askNext(context, { until, locations, candidates });
  askNext(context, { until, locations: [], candidates: candidates.slice(1) });
}

/** Whether there is a reason to import: never did, or was away. Source: protocol 05 §6.11. */
function mayImport(context: StepContext): boolean {
  const held = context.draft.get(Freshnesses, FRESHNESS);
  const now = held === undefined ? undefined : aged(context, held);
  if (held !== undefined && now !== undefined && now.behind !== held.behind)
    context.draft.put(Freshnesses, FRESHNESS, now);
  return context.draft.get(Checkpoints, CHECKPOINT) === undefined || now?.behind === true;
}

/**
 * Announcements but its own, highest slot first, then in order of id: of those whose files may be taken all, and of the
 * others, which are only told of, those of the highest slots. Source: protocol 05 §6.11.
 */
function candidatesOf(context: StepContext): readonly SnapshotMetadata[] {
  const { draft, now, configuration } = context;
  const at = readAt({ now, configuration });
  const trusted = snapshotsAmong(draft, trustedAnnouncements(context), at);
  // Whoever takes the id of a file that may be taken keeps nobody from it.
  const ids = new Set(trusted.map(({ id }) => id));
  const told = snapshotsAmong(draft, highestAnnounced(draft, OTHERS_TOLD_AT_ONCE), at).filter(({ id }) => !ids.has(id));
  const byId = [...trusted, ...told].sort((a, b) => compareText(a.id, b.id));
  const others = byId.filter(({ producer }) => producer !== configuration.peerId);
  // Sorting keeps the order of ids among equal slots.
  return others.sort((a, b) => (a.slot === b.slot ? 0 : a.slot > b.slot ? -1 : 1));
}

function tellRefused(
  context: StepContext,
  level: LogLevel,
  { id }: SnapshotMetadata,
  code: ErrorCode,
  reason: string,
): void {
  const fields = { id, code, ...(reason !== "" && { reason }) };
  context.emit({ type: "log", level, event: "snapshot not taken", fields });
}

/** What this node signed itself says nothing about how much it missed. */
function newestOf(context: StepContext, newest: EpochMillis, statement: Statement | undefined): EpochMillis {
  if (statement === undefined || statement.signer === context.configuration.peerId) return newest;
  return statement.timestamp > newest ? statement.timestamp : newest;
}

function aged({ now }: StepContext, held: Freshness): Freshness {
  return held.behind || now - held.newest <= AWAY_MS ? held : { ...held, behind: true };
}
