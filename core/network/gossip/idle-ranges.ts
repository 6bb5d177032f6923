/**
 * Idle ranges: parts of two sets that differ, though a comparison found nothing in them to move, because what one side
 * lacks was refused there or is too old for every ingress. As long as neither side changes below its prefix, a
 * comparison passes over such a range, so that a difference which cannot close costs a comparison once. What is
 * remembered of one peer makes room for more of it; where all together are too many, the peer with most gives way, so
 * that no number of peers keeps another from being remembered. Source: CONVERGENCE B2, B4.
 */

import type { StepContext } from "../../engine/step-context.ts";
import { equalBytes } from "../../kernel/bytes.ts";
import { struct } from "../../kernel/schema-composites.ts";
import { bool, byteArray } from "../../kernel/schema-scalars.ts";
import { table } from "../../kernel/table.ts";
import { EpochMillis, minuteOf, PeerId, Text } from "../../kernel/values.ts";
import { Peers } from "../peers/peers.ts";

/** Ranges remembered of one peer, and of all. Source: DESIGN L10. */
export const RANGES_PER_PEER_MAX = 8_192;
export const RANGES_MAX = 65_536;
/** Ranges of one peer that give way together. Source: DESIGN "Work at once". */
const GIVE_WAY_AT_ONCE = 64;
/** How long a range stays idle, in milliseconds: then it is compared once more. Source: CONVERGENCE B4. */
export const IDLE_MS = 600_000;

const ComparedRange = struct("ComparedRange", {
  peer: PeerId,
  prefix: Text,
  /** The digests of both sides when they were compared. */
  own: byteArray(null),
  theirs: byteArray(null),
  /** Whether nothing was left to be asked for or to be told. */
  idle: bool,
  until: EpochMillis,
});

/** What a comparison with a peer looked into, by peer and prefix. */
export const ComparedRanges = table("compared_ranges", ComparedRange, {
  root: "local",
  indexes: {
    peer: ({ peer }) => [peer],
    prefix: ({ prefix }) => [prefix],
    minute: ({ until }) => [`${minuteOf(until)}`],
  },
});

/** A part of two sets: the peer, what identities begin with, and the digests of both sides. */
export interface Range {
  readonly peer: PeerId;
  readonly prefix: string;
  readonly own: Uint8Array;
  readonly theirs: Uint8Array;
}

/** What is known of a range: nothing, that these digests were compared before, or that nothing came of it. */
export function rangeOf(context: StepContext, { peer, prefix, own, theirs }: Range): "new" | "compared" | "idle" {
  const held = context.draft.get(ComparedRanges, keyOf(peer, prefix));
  const isSame = held !== undefined && equalBytes(held.own, own) && equalBytes(held.theirs, theirs);
  if (!isSame || held.until <= context.now) return "new";
  return held.idle ? "idle" : "compared";
}

/** Notes that a range is being looked into, or that there is nothing more in it to look for. */
export function noteRange(context: StepContext, range: Range, idle: boolean): void {
  const key = keyOf(range.peer, range.prefix);
  if (context.draft.get(ComparedRanges, key) === undefined) makeRoom(context, range.peer);
  context.draft.put(ComparedRanges, key, { ...range, idle, until: (context.now + BigInt(IDLE_MS)) as EpochMillis });
}

/** A range that was looked into, as it is now on this side, turned out to be idle. */
export function endRange(context: StepContext, peer: PeerId, prefix: string, own: Uint8Array): void {
  const held = context.draft.get(ComparedRanges, keyOf(peer, prefix));
  if (held !== undefined && equalBytes(held.own, own)) noteRange(context, { ...held, own }, true);
}

/** What a peer that connects holds is compared from the beginning. */
export function forgetRangesOf(context: StepContext, peer: PeerId): void {
  for (const key of context.draft.find(ComparedRanges, "peer", peer)) context.draft.put(ComparedRanges, key, undefined);
}

/** An identity may be asked for again: whatever it lies in is looked into. */
export function forgetRangesOver(context: StepContext, identity: string): void {
  if (context.draft.size(ComparedRanges) === 0) return;
  for (let digits = 0; digits <= identity.length; digits++)
    for (const key of context.draft.find(ComparedRanges, "prefix", identity.slice(0, digits)))
      context.draft.put(ComparedRanges, key, undefined);
}

/** The oldest of a peer's own go beyond its part; beyond the whole, the oldest of whichever peer has most. */
function makeRoom({ draft }: StepContext, peer: PeerId): void {
  const held = (of: PeerId) => draft.count(ComparedRanges, "peer", of);
  const own = held(peer);
  if (own < RANGES_PER_PEER_MAX && draft.size(ComparedRanges) < RANGES_MAX) return;
  let [from, most] = [peer, own];
  if (own < RANGES_PER_PEER_MAX)
    for (const each of draft.keys(Peers))
      if (held(each as PeerId) > most) [from, most] = [each as PeerId, held(each as PeerId)];
  const many = from === peer ? GIVE_WAY_AT_ONCE : Math.min(GIVE_WAY_AT_ONCE, most - own);
  for (const key of draft.find(ComparedRanges, "peer", from, many)) draft.put(ComparedRanges, key, undefined);
}

function keyOf(peer: PeerId, prefix: string): string {
  return `${peer}/${prefix}`;
}
