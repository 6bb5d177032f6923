/**
 * Taking a snapshot: which file a node asks for, when, and what it must keep before it is asked for and again before
 * it counts. A node searches while it never imported one, and after it was away for longer than H.
 * Source: protocol 05 §6.9, §6.11; CONVERGENCE "Snapshots".
 */

import { STATEMENT_AGE_MS_MAX } from "../../engine/admission/ingress.ts";
import { readAt, ruleOf } from "../../engine/overrides.ts";
import { Statements } from "../../engine/statements/table.ts";
import type { Turn } from "../../engine/step-context.ts";
import type { ErrorCode } from "../../errors.ts";
import type { LogLevel } from "../../inputs.ts";
import type { Statement } from "../../kernel/signed.ts";
import type { EpochMillis } from "../../kernel/values.ts";
import { later } from "../../kernel/values.ts";
import { FILE_BYTES_MAX } from "../../ports/snapshots.ts";
import { isListed } from "../providers/queries.ts";
import { hasPlausibleSlot } from "./bounds.ts";
import { PROTOCOL_VERSION } from "./produce.ts";
import { allSnapshots, SNAPSHOT_SERVICES } from "./queries.ts";
import type { SnapshotMetadata } from "./schema.ts";
import type { Freshness, Search } from "./tables.ts";
import { CHECKPOINT, Checkpoints, FRESHNESS, Freshnesses, IMPORT, Imports } from "./tables.ts";
import { isAnchor, standingOf } from "./trust.ts";

/** Between two searches unless the configuration says otherwise, in milliseconds. Source: protocol 05 §6.11. */
export const SEARCH_EVERY_MS = 30_000;
/** How long one search goes on, in milliseconds. Source: protocol 05 §14.22. */
export const SEARCH_MS_MAX = 900_000;
/** H. */
const AWAY_MS = BigInt(STATEMENT_AGE_MS_MAX);

/** At start: how old what this node holds is; then the first search. */
export function startSearching(turn: Turn): void {
  if (turn.configuration.snapshots === undefined) return;
  let newest = 0n as EpochMillis;
  for (const key of turn.draft.keys(Statements)) newest = newestOf(turn, newest, turn.draft.get(Statements, key));
  turn.draft.put(Freshnesses, FRESHNESS, aged(turn, { newest, behind: false }));
  searchSnapshot(turn);
}

/** A reaction: what others signed lately shows that this node is not away, and that it was. */
export function noteFreshness(turn: Turn): void {
  const held = turn.draft.get(Freshnesses, FRESHNESS);
  if (held === undefined) return;
  let { newest } = held;
  for (const { table, record } of turn.draft.changes())
    if (table === Statements.name) newest = newestOf(turn, newest, record as Statement | undefined);
  if (newest > held.newest) turn.draft.put(Freshnesses, FRESHNESS, { ...aged(turn, held), newest });
}

/** The timer: asks for the best file, while there is a reason to and none is under way. */
export function searchSnapshot(turn: Turn): void {
  const { snapshots } = turn.configuration;
  if (snapshots === undefined) return;
  const again = later(turn.now, snapshots.searchEveryMs ?? SEARCH_EVERY_MS);
  turn.emit({ type: "timer.set", timer: "snapshot-bootstrap", at: again });
  if (turn.draft.get(Imports, IMPORT) !== undefined || !mayImport(turn)) return;
  askNext(turn, { until: later(turn.now, SEARCH_MS_MAX), locations: [], candidates: candidatesOf(turn) });
}

/**
 * Why a file is not taken, as far as its announcement tells: rows 2 to 7, and whether it can hold statements.
 * Source: protocol 05 §6.7, §6.9.
 */
export function announcedFlaw(turn: Turn, metadata: SnapshotMetadata): ErrorCode | undefined {
  const { draft, now, configuration } = turn;
  const checkpoint = draft.get(Checkpoints, CHECKPOINT);
  if (metadata.protocol_version !== PROTOCOL_VERSION) return "PROTOCOL_VERSION_MISMATCH";
  if (!isListed(draft, metadata.producer, now, SNAPSHOT_SERVICES)) return "INVALID_REQUEST";
  if (!isAnchor(configuration, metadata.producer_public_key)) {
    if (checkpoint === undefined) return "SNAPSHOT_VERIFICATION_FAILED";
    const standing = standingOf(draft, configuration, metadata.producer_public_key, now);
    if (standing === "short") return "INVALID_REQUEST";
    if (standing !== "qualified") return "SNAPSHOT_VERIFICATION_FAILED";
  }
  if (checkpoint !== undefined && metadata.slot <= checkpoint) return "INVALID_REQUEST";
  const isBounded = ruleOf(configuration, hasPlausibleSlot)(draft, metadata, now);
  if (!isBounded || metadata.size_bytes > BigInt(FILE_BYTES_MAX)) return "SNAPSHOT_VERIFICATION_FAILED";
  return metadata.compression === "Gzip" ? undefined : "UNSUPPORTED_OPERATION";
}

/** Asks for the next location of a search, or of its next candidate; ends the search when there is none. */
export function askNext(turn: Turn, search: Pick<Search, "until" | "locations" | "candidates">): void {
  turn.draft.put(Imports, IMPORT, undefined);
  if (turn.now > search.until) return;
  let { locations, candidates } = search;
  while (candidates.length > 0) {
    const [candidate, ...others] = candidates;
    const [location, ...rest] = locations.length > 0 ? locations : (candidate?.locations ?? []);
    const flaw = candidate === undefined ? undefined : announcedFlaw(turn, candidate);
    if (candidate !== undefined && location !== undefined && flaw === undefined) {
      const { id, size_bytes } = candidate;
      const asked = { until: search.until, candidate, location, locations: rest, candidates };
      turn.draft.put(Imports, IMPORT, { phase: "fetching", ...asked });
      return turn.emit({ type: "snapshot.fetch", id, location, sizeBytes: size_bytes });
    }
    if (candidate !== undefined) tellRefused(turn, "debug", candidate, flaw ?? "RESOURCE_NOT_FOUND", "");
    [locations, candidates] = [[], others];
  }
}

/** The file at one location was refused: the next location, or else the next candidate. */
export function giveUp(turn: Turn, search: Search, code: ErrorCode, reason: string): void {
  const { candidate, locations, candidates, until } = search;
  tellRefused(turn, "warn", candidate, code, reason);
  if (locations.length > 0) return askNext(turn, { until, locations, candidates });
  askNext(turn, { until, locations: [], candidates: candidates.slice(1) });
}

/** Whether there is a reason to import: never did, or was away. Source: protocol 05 §6.11. */
function mayImport(turn: Turn): boolean {
  const held = turn.draft.get(Freshnesses, FRESHNESS);
  const now = held === undefined ? undefined : aged(turn, held);
  if (held !== undefined && now !== undefined && now.behind !== held.behind)
    turn.draft.put(Freshnesses, FRESHNESS, now);
  return turn.draft.get(Checkpoints, CHECKPOINT) === undefined || now?.behind === true;
}

/** Every announcement but its own, highest slot first, then in order of id. Source: protocol 05 §6.11. */
function candidatesOf({ draft, now, configuration }: Turn): readonly SnapshotMetadata[] {
  const others = allSnapshots(draft, readAt({ now, configuration })).filter(
    ({ producer }) => producer !== configuration.peerId,
  );
  // Sorting keeps the order of ids among equal slots.
  return others.sort((a, b) => (a.slot === b.slot ? 0 : a.slot > b.slot ? -1 : 1));
}

function tellRefused(turn: Turn, level: LogLevel, { id }: SnapshotMetadata, code: ErrorCode, reason: string): void {
  const fields = { id, code, ...(reason !== "" && { reason }) };
  turn.emit({ type: "log", level, event: "snapshot not taken", fields });
}

/** What this node signed itself says nothing about how much it missed. */
function newestOf(turn: Turn, newest: EpochMillis, statement: Statement | undefined): EpochMillis {
  if (statement === undefined || statement.signer === turn.configuration.peerId) return newest;
  return statement.timestamp > newest ? statement.timestamp : newest;
}

function aged({ now }: Turn, held: Freshness): Freshness {
  return held.behind || now - held.newest <= AWAY_MS ? held : { ...held, behind: true };
}
