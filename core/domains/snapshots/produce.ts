/**
 * Making a snapshot: every interval, once a slot was ever observed, the node's records and the signed statements
 * behind them become one file. They are encoded page by page, so that no step waits for all of them; the file is
 * announced when it is safe on disk. Source: protocol 05 §6.5; 14.28.
 */

import { Statements } from "../../engine/statements/table.ts";
import type { StepContext } from "../../engine/step-context.ts";
import type { ErrorCode } from "../../errors.ts";
import type { Fact } from "../../inputs.ts";
import { concat } from "../../kernel/bytes.ts";
import { compareText } from "../../kernel/text.ts";
import type { EpochMillis } from "../../kernel/values.ts";
import { later } from "../../kernel/values.ts";
import { wireOf } from "../../network/gossip/originate.ts";
import { publishOwn } from "../../network/gossip/own.ts";
import { FILE_BYTES_MAX } from "../../ports/snapshots.ts";
import { newestSlot } from "../chain-bridge/newest-slot.ts";
import { registerSnapshots } from "../providers/own.ts";
import { isListed } from "../providers/queries.ts";
import { encodeCarried, encodeEntry, STATE, STATEMENTS, statementsOf, stateOf } from "./contents.ts";
import { families } from "./families.ts";
import { locationOf } from "./locations.ts";
import { SNAPSHOT_SERVICES } from "./queries.ts";
import type { Location } from "./schema.ts";
import { LOCATIONS_MAX, SnapshotAnnounce } from "./schema.ts";
import type { Encoding } from "./tables.ts";
import { PRODUCTION, Productions } from "./tables.ts";
import { bytesOfTar, tarOf } from "./tar.ts";

/** Records of one page, and their bytes. Source: DESIGN L10. */
export const PAGE_RECORDS = 1_024;
export const PAGE_BYTES = 1_048_576;
/** Versions of what is written. Source: protocol 05 §6.2. */
export const SNAPSHOT_VERSION = 1;
export const PROTOCOL_VERSION = 2;

type Written = Extract<Fact, { readonly type: "snapshot.written" }>;

/** At start: the first file comes one whole interval later. Source: protocol 05 §6.5 (1). */
export function startProduction(context: StepContext): void {
  const { snapshots, listing } = context.configuration;
  if (snapshots?.produceEveryMs === undefined || (listing?.snapshotUrls ?? []).length === 0) return;
  context.emit({ type: "timer.set", timer: "snapshot-production", at: later(context.now, snapshots.produceEveryMs) });
}

/** The interval is over: begins a file, unless there is a reason not to, which the log says. */
export function produceSnapshot(context: StepContext): void {
  startProduction(context);
  const newest = newestSlot(context.draft);
  if (newest === undefined) return refuse(context, "no slot was ever observed");
  if (context.draft.get(Productions, PRODUCTION)?.phase === "encoding")
    return refuse(context, "the last one is under way");
  registerSnapshots(context);
  const { peerId } = context.configuration;
  if (!isListed(context.draft, peerId, context.now, SNAPSHOT_SERVICES))
    return refuse(context, "not registered as a provider");
  const begun = { id: `snap-${newest.slot}-${context.now}`, slot: newest.slot, created_at: context.now };
  context.draft.put(Productions, PRODUCTION, {
    phase: "encoding",
    ...begun,
    ...openPart(context, 0, context.now),
    parts: [],
    bytes: 0,
  });
  goOn(context);
}

/** One more page; the last one orders the file. */
export function producePage(context: StepContext): void {
  let production = context.draft.get(Productions, PRODUCTION);
  if (production?.phase !== "encoding") return;
  let room = { records: PAGE_RECORDS, bytes: PAGE_BYTES };
  while (room.records > 0 && room.bytes > 0 && production.part <= families.length) {
    const page: Page = encodePage(context, production, room);
    room = page.room;
    production = page.encoding;
  }
  if (production.bytes > FILE_BYTES_MAX) {
    context.draft.put(Productions, PRODUCTION, undefined);
    return refuse(context, "larger than a file may be", "SNAPSHOT_VERIFICATION_FAILED");
  }
  if (production.part > families.length) return order(context, production);
  context.draft.put(Productions, PRODUCTION, production);
  goOn(context);
}

/** The file is safe: it is announced, by this node and by gossip. Source: protocol 05 §6.5 (11, 12). */
export function onWritten(context: StepContext, { id, outcome }: Written): void {
  const production = context.draft.get(Productions, PRODUCTION);
  if (production?.phase !== "writing" || production.id !== id) return;
  context.draft.put(Productions, PRODUCTION, undefined);
  if (!outcome.ok) return refuse(context, outcome.reason, outcome.code);
  const { peerId, publicKey, listing } = context.configuration;
  const bases = listing?.snapshotUrls ?? [];
  publishOwn(context, SnapshotAnnounce, {
    id,
    snapshot_version: SNAPSHOT_VERSION,
    protocol_version: PROTOCOL_VERSION,
    slot: production.slot,
    created_at: production.created_at,
    state_root: production.state_root,
    size_bytes: BigInt(outcome.sizeBytes),
    compression: "Gzip",
    locations: bases.slice(0, LOCATIONS_MAX).map((base) => locationOf(base, id) as Location),
    producer: peerId,
    producer_public_key: publicKey,
  });
  const fields = { id, bytes: outcome.sizeBytes };
  context.emit({ type: "log", level: "info", event: "snapshot written", fields });
}

interface Page {
  readonly encoding: Encoding;
  readonly room: { readonly records: number; readonly bytes: number };
}

/** Encodes what fits of one part; a part that is over makes way for the next. */
function encodePage(context: StepContext, production: Encoding, room: Page["room"]): Page {
  const chunks: Uint8Array[] = [];
  let { at, count } = production;
  let [records, bytes] = [room.records, 0];
  while (at < production.names.length && records > 0 && bytes < room.bytes) {
    for (const entry of encodedUnder(context, production, production.names[at] ?? "")) {
      chunks.push(entry);
      bytes += entry.length;
      count += 1;
    }
    at += 1;
    records -= 1;
  }
  const encoded = { ...production, at, count, chunks: [...production.chunks, concat(...chunks)] };
  const left = { records, bytes: room.bytes - bytes };
  const grown = { ...encoded, bytes: production.bytes + bytes };
  if (at < production.names.length) return { encoding: grown, room: left };
  const parts = [...production.parts, { count, bytes: encoded.chunks }];
  return {
    encoding: { ...grown, parts, ...openPart(context, production.part + 1, production.created_at) },
    room: left,
  };
}

/**
 * A family of `state`, or at last the statements: names in order, nothing encoded yet. Sealed ones go along, or who
 * imports would hand out again what they sold.
 */
function openPart(context: StepContext, part: number, now: EpochMillis) {
  const at = { now, configuration: context.configuration };
  const all = part === families.length ? [...context.draft.keys(Statements)].sort(compareText) : [];
  return { part, names: families[part]?.names(context.draft, at) ?? all, at: 0, count: 0, chunks: [] };
}

/** What stands under a name now; nothing when its record went since the names were listed. */
function encodedUnder(context: StepContext, { part, created_at }: Encoding, name: string): readonly Uint8Array[] {
  const family = families[part];
  if (family !== undefined) {
    const at = { now: created_at, configuration: context.configuration };
    return family.entries(context.draft, name, at).map(encodeEntry);
  }
  const statement = context.draft.get(Statements, name);
  if (statement === undefined) return [];
  const event = statement.type.eventOf(statement.payload as never);
  return [encodeCarried({ event, wire: wireOf(statement) })];
}

function order(context: StepContext, { id, slot, created_at, parts }: Encoding): void {
  const state = stateOf(families.map(({ name }, part) => ({ name, ...(parts[part] ?? { count: 0, bytes: [] }) })));
  const statements = statementsOf(parts[families.length] ?? { count: 0, bytes: [] });
  if (bytesOfTar(state.length, statements.length) > FILE_BYTES_MAX) {
    context.draft.put(Productions, PRODUCTION, undefined);
    return refuse(context, "larger than a file may be", "SNAPSHOT_VERIFICATION_FAILED");
  }
  const archive = tarOf([
    { name: STATE, bytes: state },
    { name: STATEMENTS, bytes: statements },
  ]);
  const state_root = context.crypto.sha256(state);
  context.draft.put(Productions, PRODUCTION, { phase: "writing", id, slot, created_at, state_root });
  context.emit({ type: "snapshot.write", id, archive });
}

function goOn(context: StepContext): void {
  context.emit({ type: "timer.set", timer: "snapshot-page", at: context.now });
}

function refuse(context: StepContext, reason: string, code?: ErrorCode): void {
  const fields = { reason, ...(code !== undefined && { code }) };
  context.emit({ type: "log", level: "warn", event: "no snapshot", fields });
}
