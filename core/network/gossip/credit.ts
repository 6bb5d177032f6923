/**
 * What a peer may cost this node: each link has allowances that fill up again with time. Pushed events are shed when
 * theirs is used up, which costs the sender nothing and loses nothing, because a comparison of sets brings them. They
 * are counted, and so are their bytes, or a link would carry the largest as often as the smallest. Only what no honest
 * node of this software sends (undecodable, wrongly signed or over-bound messages) counts towards cutting the link.
 * Requests are paid for by the bytes of their answers. Answers to this node's own requests are free. A link that
 * somebody else opened has a small part of its own at first, and the rest from what all such links share.
 * Source: protocol 01 §7.3, §13.1, W2, W4; CONVERGENCE "Three layers", B3.
 */

import type { StepContext } from "../../engine/step-context.ts";
import type { Infer } from "../../kernel/schema.ts";
import { struct } from "../../kernel/schema-composites.ts";
import { bool, u64 } from "../../kernel/schema-scalars.ts";
import { firstOf, recordsOf, table } from "../../kernel/table.ts";
import type { EpochMillis, PeerId } from "../../kernel/values.ts";
import { PeerId as Id, EpochMillis as Instant, later } from "../../kernel/values.ts";
import { peerOf } from "../peers/peers.ts";
import type { Allowance } from "./newcomers.ts";
import { advanceLeft, drawAdvance } from "./newcomers.ts";

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
/**
 * What a link that somebody else opened has of its own at first, in milliseconds of what it gets: a transport takes
 * five links a second from one address, so that peers who come and go have no more of these than one who stays.
 * Source: CONVERGENCE B3.
 */
export const FIRST_MS = 200;
/** Links among which the one that makes room for another is chosen. Source: DESIGN "Work at once". */
const LOOKED_AT = 64;

/** In thousandths of an event, in milliseconds of forgiveness, in bytes. */
const ALLOWANCES = {
  credit: { max: BigInt(CREDIT_MAX) * 1_000n, perMs: BigInt(CREDIT_PER_SECOND) },
  patience: { max: BigInt(FAULTS_MAX) * FAULT_FORGIVEN_MS, perMs: 1n },
  pushed: { max: BigInt(PUSHED_BYTES_MAX), perMs: BigInt(PUSHED_BYTES_PER_SECOND / 1_000) },
  work: { max: BigInt(WORK_BYTES_MAX), perMs: BigInt(WORK_BYTES_PER_SECOND / 1_000) },
} as const satisfies Record<string, Allowance>;
type AllowanceName = keyof typeof ALLOWANCES;
/** What a link from outside has at once only as far as what all of them share allows. */
const ADVANCED = ["credit", "pushed", "work"] as const satisfies readonly AllowanceName[];
type AdvancedName = (typeof ADVANCED)[number];
const NO_ADVANCE: Record<AdvancedName, bigint> = { credit: 0n, pushed: 0n, work: 0n };

export const Link = struct("Link", {
  peer: Id,
  /** What is left of each allowance, as of `at`. */
  credit: u64,
  pushed: u64,
  patience: u64,
  work: u64,
  /** Which part of what is left it has not been here long enough to have been given. */
  unearned: struct("Unearned", { credit: u64, pushed: u64, work: u64 }),
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
  const isPaid = BigInt(bytes) <= leftOf(context, peer, "pushed") && take(context, peer, "credit", 1_000n);
  if (isPaid) chargePushed(context, peer, bytes);
  else fallBehind(context, peer);
  return isPaid;
}

/** Takes bytes that came because the peer had named them, as many as there are. */
export function chargePushed(context: StepContext, peer: PeerId, bytes: number): void {
  const pushed = leftOf(context, peer, "pushed");
  take(context, peer, "pushed", BigInt(bytes) < pushed ? BigInt(bytes) : pushed);
}

/** Whether so many bytes are left of what a peer may push. */
export function mayPush(context: StepContext, peer: PeerId, bytes: number): boolean {
  return leftOf(context, peer, "pushed") >= BigInt(bytes);
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

/** A peer is connected: from now on its link earns what it may cost. */
export function beginLink(context: StepContext, peer: PeerId): void {
  if (context.draft.get(Links, peer) === undefined) context.draft.put(Links, peer, linkOf(context, peer));
}

/** Forgets so many links of absent peers whose allowances are whole again; whether those were all. */
export function sweepLinks(context: StepContext, most: number): boolean {
  const { draft } = context;
  const whole: string[] = [];
  for (const peer of draft.keys(Links)) {
    const link = draft.get(Links, peer);
    if (link !== undefined && !peerOf(draft, link.peer).connected && isWhole(context, link)) whole.push(peer);
    if (whole.length > most) break;
  }
  for (const peer of whole.slice(0, most)) draft.put(Links, peer, undefined);
  return whole.length <= most;
}

/** Takes so much of an allowance: what the link has earned first, then what newcomers share. */
function take(context: StepContext, peer: PeerId, name: AllowanceName, cost: bigint): boolean {
  const link = linkOf(context, peer);
  if (link[name] < cost) return false;
  const taken = { ...link, [name]: link[name] - cost };
  if (name === "patience") context.draft.put(Links, peer, taken);
  else {
    const unearned = smaller(link.unearned[name], taken[name]);
    const advance = link.unearned[name] - unearned;
    if (advance > 0n && !drawAdvance(context, name, ALLOWANCES[name], advance)) return false;
    context.draft.put(Links, peer, { ...taken, unearned: { ...link.unearned, [name]: unearned } });
  }
  return true;
}

/** What a peer may take of an allowance now. */
function leftOf(context: StepContext, peer: PeerId, name: AdvancedName): bigint {
  const { [name]: level, unearned } = linkOf(context, peer);
  const advance = unearned[name] === 0n ? 0n : advanceLeft(context, name, ALLOWANCES[name]);
  return level - unearned[name] + smaller(unearned[name], advance);
}

/** A link's allowances as they are now. */
function linkOf(context: StepContext, peer: PeerId): Link {
  const link = context.draft.get(Links, peer);
  if (link === undefined) {
    if (context.draft.size(Links) >= LINKS_MAX) forgetOne(context);
    const whole = allowances((name) => ALLOWANCES[name].max);
    const unearned = peerOf(context.draft, peer).dialled ? NO_ADVANCE : advances(unearnedAtFirst);
    return { peer, ...whole, unearned, at: context.now, behind: false, barred_until: 0n as EpochMillis };
  }
  if (link.at >= context.now) return link;
  const given = (name: AllowanceName) => (context.now - link.at) * ALLOWANCES[name].perMs;
  const filled = allowances((name) => smaller(link[name] + given(name), ALLOWANCES[name].max));
  const unearned = advances((name) => {
    const earned = link[name] - link.unearned[name] + given(name);
    const most = ALLOWANCES[name].max;
    return earned < most ? smaller(link.unearned[name], most - earned) : 0n;
  });
  return { ...link, ...filled, unearned, at: context.now };
}

function unearnedAtFirst(name: AdvancedName): bigint {
  const { max, perMs }: Allowance = ALLOWANCES[name];
  return max - perMs * BigInt(FIRST_MS);
}

function allowances(level: (name: AllowanceName) => bigint): Record<AllowanceName, bigint> {
  return { patience: level("patience"), ...advances(level) };
}

function advances(level: (name: AdvancedName) => bigint): Record<AdvancedName, bigint> {
  return { credit: level("credit"), pushed: level("pushed"), work: level("work") };
}

function isWhole(context: StepContext, held: Link): boolean {
  const link = linkOf(context, held.peer);
  const names = Object.keys(ALLOWANCES) as AllowanceName[];
  return !link.behind && link.barred_until <= context.now && names.every((name) => link[name] === ALLOWANCES[name].max);
}

/**
 * Of the links that were first known, the one of an absent peer that was used least lately makes room; if none is
 * absent, one of a peer that is there, which then counts as a newcomer. One that was cut stays remembered.
 */
function forgetOne(context: StepContext): void {
  const { draft } = context;
  const links = firstOf(draft.keys(Links), LOOKED_AT).flatMap((peer) => draft.get(Links, peer) ?? []);
  const open = links.filter(({ barred_until }) => barred_until <= context.now);
  const absent = open.filter(({ peer }) => !peerOf(draft, peer).connected);
  const [first, ...others] = absent.length > 0 ? absent : open.length > 0 ? open : links;
  if (first === undefined) return;
  const oldest = others.reduce((held, link) => (link.at < held.at ? link : held), first);
  draft.put(Links, oldest.peer, undefined);
}

function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
