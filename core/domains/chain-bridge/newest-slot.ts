/**
 * The newest slot that this node holds for true, which outlives restarts, and the one bound on slots that it gives:
 * for slots announced by peers, for announced snapshots, and for what is imported. Always a slot that somebody
 * observed, never an extrapolated one. Source: protocol 03 C8, C9, C11; 05 §6.4, §6.9.
 */

import type { StepContext } from "../../engine/step-context.ts";
import type { Infer } from "../../kernel/schema.ts";
import { struct } from "../../kernel/schema-composites.ts";
import { enumeration, u64 } from "../../kernel/schema-scalars.ts";
import type { Reader } from "../../kernel/table.ts";
import { table } from "../../kernel/table.ts";
import type { PeerId } from "../../kernel/values.ts";
import { EpochMillis, Text } from "../../kernel/values.ts";
import type { OriginObservation, SlotObservation } from "./view.ts";
import { freshObservations, freshOwn, isReachable, ORIGINS_MAX, OWN, SlotObservations, secondHighest } from "./view.ts";

/** How soon after one another two origins must report what seems too high. Source: protocol 05 §6.9. */
const AGREE_WITHIN_MS = 60_000n;
/** Origins that must agree before what they say counts against what is held. Source: protocol 05 §6.9; 03 C8. */
const AGREEING_MIN = 2;

/** Who attests a slot: one origin (provisionally), several, or this node's own endpoint. */
const Attestation = enumeration("one", "several", "own");
/** The newest slot that is taken for true, when and by whom it was attested. */
const NewestSlot = struct("NewestSlot", { slot: u64, taken_at: EpochMillis, by: Attestation, origin: Text });
/** The newest slot that a node takes for true. */
export type NewestSlot = Infer<typeof NewestSlot>;

/** One row, `held`: node-local, in no root, kept in the store. Source: protocol 05 §11.1. */
export const NewestSlots = table<NewestSlot>("newest_slot", NewestSlot, { root: "local", durable: true });
const HELD = "held";

const FarReport = struct("FarReport", {
  slot: u64,
  blockhash: Text,
  observed_at: EpochMillis,
  reported_at: EpochMillis,
});
/** The newest report of each origin that was above the bound. */
export const FarReports = table<Infer<typeof FarReport>>("far_slots", FarReport, { root: "local" });

/** The newest slot that this node holds for true, however old; nothing when it never observed one. */
export function newestSlot(reader: Reader): NewestSlot | undefined {
  return reader.get(NewestSlots, HELD);
}

/** Whether the chain can have reached a slot by now, given the newest one that is held, fresh or not. */
export function isPlausible(reader: Reader, slot: bigint, now: EpochMillis): boolean {
  const newest = newestSlot(reader);
  return isReachable(newest && { slot: newest.slot, observed_at: newest.taken_at }, slot, now);
}

/** A report above the bound waits for a second origin: then both count. Answers whether this one does. */
export function agreesWithAnother(context: StepContext, origin: PeerId, reported: SlotObservation): boolean {
  const { draft, now } = context;
  if (newestSlot(draft)?.by === "own" && context.configuration.chain === "RpcConnected") return false;
  if (!isReachable(undefined, reported.slot, now)) return false;
  for (const other of [...draft.keys(FarReports)]) {
    const report = draft.get(FarReports, other);
    if (report !== undefined && now - report.reported_at > AGREE_WITHIN_MS) draft.put(FarReports, other, undefined);
  }
  if (draft.size(FarReports) >= ORIGINS_MAX && draft.get(FarReports, origin) === undefined) return false;
  draft.put(FarReports, origin, { ...reported, reported_at: now });
  if (draft.size(FarReports) < AGREEING_MIN) return false;
  for (const other of [...draft.keys(FarReports)]) {
    const report = draft.get(FarReports, other);
    draft.put(FarReports, other, undefined);
    if (report === undefined || other === origin) continue;
    const { slot, blockhash, observed_at } = report;
    draft.put(SlotObservations, other, { slot, blockhash, observed_at, passed_on: false });
  }
  return true;
}

/** Takes what has just been observed: a newer slot, or what shows that the one held is untrue. */
export function holdNewest(context: StepContext): void {
  const { draft, now } = context;
  const held = newestSlot(draft);
  const own = freshOwn(draft, now);
  const reported = freshObservations(draft, now);
  const seen =
    own === undefined ? reportedNow(reported, held, now) : newestOf({ origin: OWN, observation: own }, "own");
  if (seen === undefined) return;
  const belied = held !== undefined && (seen.by === "own" || held.by !== "own") && isBeyond(held, seen, now);
  if (held === undefined || seen.slot > held.slot || belied) draft.put(NewestSlots, HELD, seen);
}

/**
 * What origins say: those who belie what is held, when they are several and more than the others, its own provisional
 * origin aside; else what no single liar can have raised.
 */
function reportedNow(
  reported: readonly OriginObservation[],
  held: NewestSlot | undefined,
  now: EpochMillis,
): NewestSlot | undefined {
  const others = held?.by === "one" ? reported.filter(({ origin }) => origin !== held.origin) : reported;
  const against = held === undefined ? [] : others.filter((each) => isBeyond(held, newestOf(each, "one"), now));
  const untrue = against.length >= AGREEING_MIN && 2 * against.length > others.length;
  const newest = secondHighest(untrue ? against : reported);
  if (newest === undefined || (!untrue && held !== undefined && newest.observation.slot <= held.slot)) return undefined;
  return newestOf(newest, reported.length >= AGREEING_MIN ? "several" : "one");
}

/** Whether a slot is one that the chain cannot have reached, when another is true. */
function isBeyond(held: NewestSlot, seen: NewestSlot, now: EpochMillis): boolean {
  return !isReachable({ slot: seen.slot, observed_at: seen.taken_at }, held.slot, now);
}

function newestOf({ origin, observation }: OriginObservation, by: NewestSlot["by"]): NewestSlot {
  return { slot: observation.slot, taken_at: observation.observed_at, by, origin };
}
