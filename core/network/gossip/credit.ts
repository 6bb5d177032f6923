/**
 * What a peer may cost this node: each link has allowances that fill up again with time. Pushed events are shed when
 * theirs is used up, which costs the sender nothing and loses nothing, because a comparison of sets brings them. They
 * are counted, and so are their bytes, or a link would carry the largest as often as the smallest. Only what no honest
 * node of this software sends (undecodable, wrongly signed or over-bound messages) counts towards cutting the link.
 * Requests are paid for by the bytes of their answers. Answers to this node's own requests are free.
 * Source: protocol 01 §7.3, §13.1, W2, W4; CONVERGENCE "Three layers".
 */

import type { StepContext } from "../../engine/step-context.ts";
import type { Infer } from "../../kernel/schema.ts";
import { struct } from "../../kernel/schema-composites.ts";
import { bool, u64 } from "../../kernel/schema-scalars.ts";
import { recordsOf, table } from "../../kernel/table.ts";
import type { EpochMillis, PeerId } from "../../kernel/values.ts";
import { PeerId as Id, EpochMillis as Instant, later } from "../../kernel/values.ts";

/** Events that a peer may push at once, and each second. Source: protocol 01 §13.1. */
export const CREDIT_MAX = 200;
export const CREDIT_PER_SECOND = 20;
/**
 * Bytes of statements that a peer may push, or have this node fetch by naming them, at once and each second: two
 * answers, or 200 statements of ten kilobytes; a second's twenty may have 1,600 each.
 * Source: CONVERGENCE B3; DESIGN L10.
 */
export const PUSHED_BYTES_MAX = 2 * 1_048_576;
export const PUSHED_BYTES_PER_SECOND = 32_000;
/**
 * Messages that no honest node sends, until the link is cut; one is forgiven every ten seconds.
 * Source: DESIGN "Bounds"; the number is that of protocol 01 §13.1.
 */
export const FAULTS_MAX = 1_000;
const FAULT_FORGIVEN_MS = 10_000n;
/** How long a peer whose link was cut is not taken back, in milliseconds. Source: protocol 05 Part 9. */
export const BARRED_MS = 600_000;
/** Bytes that a peer may have this node read and answer for it at once, and each second. Source: DESIGN L10. */
export const WORK_BYTES_MAX = 16 * 1_048_576;
export const WORK_BYTES_PER_SECOND = 1_048_000;
/** What the smallest request costs, in bytes. Source: DESIGN "Formats". */
export const REQUEST_COST_BYTES = 512;
/** Links remembered, those of absent peers included. Source: DESIGN L10. */
export const LINKS_MAX = 4_096;

interface Allowance {
  readonly max: bigint;
  readonly perMs: bigint;
}

/** In thousandths of an event, in milliseconds of forgiveness, in bytes. */
const ALLOWANCES = {
  credit: { max: BigInt(CREDIT_MAX) * 1_000n, perMs: BigInt(CREDIT_PER_SECOND) },
  patience: { max: BigInt(FAULTS_MAX) * FAULT_FORGIVEN_MS, perMs: 1n },
  pushed: { max: BigInt(PUSHED_BYTES_MAX), perMs: BigInt(PUSHED_BYTES_PER_SECOND / 1_000) },
  work: { max: BigInt(WORK_BYTES_MAX), perMs: BigInt(WORK_BYTES_PER_SECOND / 1_000) },
} as const satisfies Record<string, Allowance>;
type AllowanceName = keyof typeof ALLOWANCES;

export const Link = struct("Link", {
  peer: Id,
  /** What is left of each allowance, as of `at`. */
  credit: u64,
  pushed: u64,
  patience: u64,
  work: u64,
  at: Instant,
  /** Whether something was shed since the sets were compared last. */
  behind: bool,
  barred_until: Instant,
});
export type Link = Infer<typeof Link>;
/** Allowances by peer. */
export const Links = table<Link>("links", Link, {
  root: "local",
  indexes: { behind: ({ behind }) => (behind ? ["yes"] : []) },
});

/** Takes the credit of one event with a payload of so many bytes; false when the event is to be shed. */
export function spendCredit(context: StepContext, peer: PeerId, bytes: number): boolean {
  const isPaid = BigInt(bytes) <= linkOf(context, peer).pushed && take(context, peer, "credit", 1_000n);
  if (isPaid) chargePushed(context, peer, bytes);
  else fallBehind(context, peer);
  return isPaid;
}

/** Takes bytes that came because the peer had named them, as many as there are. */
export function chargePushed(context: StepContext, peer: PeerId, bytes: number): void {
  const { pushed } = linkOf(context, peer);
  take(context, peer, "pushed", BigInt(bytes) < pushed ? BigInt(bytes) : pushed);
}

/** Whether so many bytes are left of what a peer may push. */
export function mayPush(context: StepContext, peer: PeerId, bytes: number): boolean {
  return linkOf(context, peer).pushed >= BigInt(bytes);
}

/** Something of a peer's was left: its set is compared with the sooner. */
export function fallBehind(context: StepContext, peer: PeerId): void {
  const link = linkOf(context, peer);
  if (!link.behind) context.draft.put(Links, peer, { ...link, behind: true });
}

/** Pays for a request and its answer; false when the peer has to wait. */
export function spendWork(context: StepContext, peer: PeerId, bytes: number): boolean {
  return spendBytes(context, peer, REQUEST_COST_BYTES + bytes);
}

/** Pays for more bytes of an answer. */
export function spendBytes(context: StepContext, peer: PeerId, bytes: number): boolean {
  return take(context, peer, "work", BigInt(bytes));
}

/** A message that no honest node sends: at the last one forgiven, the link is cut. */
export function chargeFault(context: StepContext, peer: PeerId): void {
  if (isBarred(context, peer) || take(context, peer, "patience", FAULT_FORGIVEN_MS)) return;
  const { max } = ALLOWANCES.patience;
  context.draft.put(Links, peer, {
    ...linkOf(context, peer),
    patience: max,
    barred_until: later(context.now, BARRED_MS),
  });
  context.emit({ type: "peer.disconnect", peer });
  context.emit({
    type: "log",
    level: "warn",
    event: "link cut: limit of faults reached",
    fields: { peer, limit: FAULTS_MAX },
  });
}

/** Whether a peer's link was cut and its time is not over. */
export function isBarred(context: StepContext, peer: PeerId): boolean {
  return barredUntil(context, peer) > context.now;
}

export function barredUntil(context: StepContext, peer: PeerId): EpochMillis {
  return context.draft.get(Links, peer)?.barred_until ?? (0n as EpochMillis);
}

/** Peers whose pushes were shed since their sets were compared. */
export function peersBehind(context: StepContext): readonly PeerId[] {
  return recordsOf(context.draft, Links, "behind", "yes").map(({ peer }) => peer);
}

/** The sets are being compared: what was shed comes that way. */
export function catchUp(context: StepContext, peer: PeerId): void {
  const link = context.draft.get(Links, peer);
  if (link?.behind === true) context.draft.put(Links, peer, { ...link, behind: false });
}

/** Forgets links whose allowances are whole again. */
export function sweepLinks(context: StepContext): void {
  for (const peer of context.draft.keys(Links)) {
    const link = context.draft.get(Links, peer);
    if (link !== undefined && isWhole(context, link)) context.draft.put(Links, peer, undefined);
  }
}

function take(context: StepContext, peer: PeerId, name: AllowanceName, cost: bigint): boolean {
  const link = linkOf(context, peer);
  if (link[name] < cost) return false;
  context.draft.put(Links, peer, { ...link, [name]: link[name] - cost });
  return true;
}

/** A link's allowances as they are now. */
function linkOf(context: StepContext, peer: PeerId): Link {
  const link = context.draft.get(Links, peer);
  if (link === undefined) {
    if (context.draft.size(Links) >= LINKS_MAX) forgetOldest(context);
    const whole = allowances((name) => ALLOWANCES[name].max);
    return { peer, ...whole, at: context.now, behind: false, barred_until: 0n as EpochMillis };
  }
  if (link.at >= context.now) return link;
  const filled = (name: AllowanceName) => {
    const level = link[name] + (context.now - link.at) * ALLOWANCES[name].perMs;
    return level < ALLOWANCES[name].max ? level : ALLOWANCES[name].max;
  };
  return { ...link, ...allowances(filled), at: context.now };
}

function allowances(level: (name: AllowanceName) => bigint): Record<AllowanceName, bigint> {
  return { credit: level("credit"), pushed: level("pushed"), patience: level("patience"), work: level("work") };
}

function isWhole(context: StepContext, held: Link): boolean {
  const link = linkOf(context, held.peer);
  const names = Object.keys(ALLOWANCES) as AllowanceName[];
  return !link.behind && link.barred_until <= context.now && names.every((name) => link[name] === ALLOWANCES[name].max);
}

/** The link that was used least lately makes room; one that was cut stays remembered. */
function forgetOldest(context: StepContext): void {
  let oldest: Link | undefined;
  for (const peer of context.draft.keys(Links)) {
    const link = context.draft.get(Links, peer);
    if (link === undefined || link.barred_until > context.now) continue;
    if (oldest === undefined || link.at < oldest.at) oldest = link;
  }
  if (oldest !== undefined) context.draft.put(Links, oldest.peer, undefined);
}
