/**
 * What a peer may cost this node: each link has allowances that fill up again with time. Pushed events are shed when
 * theirs is used up, which costs the sender nothing and loses nothing, because a comparison of sets brings them. Only
 * what no honest node of this software sends (undecodable, wrongly signed or over-bound messages) counts towards
 * cutting the link. Requests are paid for by the bytes of their answers. Answers to this node's own requests are free.
 * Source: protocol 01 §7.3, §13.1, W2, W4; CONVERGENCE "Three layers".
 */

import type { Turn } from "../../engine/step-context.ts";
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
  work: { max: BigInt(WORK_BYTES_MAX), perMs: BigInt(WORK_BYTES_PER_SECOND / 1_000) },
} as const satisfies Record<string, Allowance>;
type AllowanceName = keyof typeof ALLOWANCES;

export const Link = struct("Link", {
  peer: Id,
  /** What is left of each allowance, as of `at`. */
  credit: u64,
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

/** Takes one event's credit; false when the event is to be shed. */
export function spendCredit(turn: Turn, peer: PeerId): boolean {
  if (take(turn, peer, "credit", 1_000n)) return true;
  const link = linkOf(turn, peer);
  if (!link.behind) turn.draft.put(Links, peer, { ...link, behind: true });
  return false;
}

/** Pays for a request and its answer; false when the peer has to wait. */
export function spendWork(turn: Turn, peer: PeerId, bytes: number): boolean {
  return spendBytes(turn, peer, REQUEST_COST_BYTES + bytes);
}

/** Pays for more bytes of an answer. */
export function spendBytes(turn: Turn, peer: PeerId, bytes: number): boolean {
  return take(turn, peer, "work", BigInt(bytes));
}

/** A message that no honest node sends: at the last one forgiven, the link is cut. */
export function chargeFault(turn: Turn, peer: PeerId): void {
  if (isBarred(turn, peer) || take(turn, peer, "patience", FAULT_FORGIVEN_MS)) return;
  const { max } = ALLOWANCES.patience;
  turn.draft.put(Links, peer, { ...linkOf(turn, peer), patience: max, barred_until: later(turn.now, BARRED_MS) });
  turn.emit({ type: "peer.disconnect", peer });
  turn.emit({ type: "log", level: "warn", event: "link cut", fields: { peer, faults: FAULTS_MAX } });
}

/** Whether a peer's link was cut and its time is not over. */
export function isBarred(turn: Turn, peer: PeerId): boolean {
  return barredUntil(turn, peer) > turn.now;
}

export function barredUntil(turn: Turn, peer: PeerId): EpochMillis {
  return turn.draft.get(Links, peer)?.barred_until ?? (0n as EpochMillis);
}

/** Peers whose pushes were shed since their sets were compared. */
export function peersBehind(turn: Turn): readonly PeerId[] {
  return recordsOf(turn.draft, Links, "behind", "yes").map(({ peer }) => peer);
}

/** The sets are being compared: what was shed comes that way. */
export function catchUp(turn: Turn, peer: PeerId): void {
  const link = turn.draft.get(Links, peer);
  if (link?.behind === true) turn.draft.put(Links, peer, { ...link, behind: false });
}

/** Forgets links whose allowances are whole again. */
export function sweepLinks(turn: Turn): void {
  for (const peer of turn.draft.keys(Links)) {
    const link = turn.draft.get(Links, peer);
    if (link !== undefined && isWhole(turn, link)) turn.draft.put(Links, peer, undefined);
  }
}

function take(turn: Turn, peer: PeerId, name: AllowanceName, cost: bigint): boolean {
  const link = linkOf(turn, peer);
  if (link[name] < cost) return false;
  turn.draft.put(Links, peer, { ...link, [name]: link[name] - cost });
  return true;
}

/** A link's allowances as they are now. */
function linkOf(turn: Turn, peer: PeerId): Link {
  const link = turn.draft.get(Links, peer);
  if (link === undefined) {
    if (turn.draft.size(Links) >= LINKS_MAX) forgetOldest(turn);
    const [credit, patience, work] = [ALLOWANCES.credit.max, ALLOWANCES.patience.max, ALLOWANCES.work.max];
    return { peer, credit, patience, work, at: turn.now, behind: false, barred_until: 0n as EpochMillis };
  }
  if (link.at >= turn.now) return link;
  const filled = (name: AllowanceName) => {
    const level = link[name] + (turn.now - link.at) * ALLOWANCES[name].perMs;
    return level < ALLOWANCES[name].max ? level : ALLOWANCES[name].max;
  };
  return { ...link, credit: filled("credit"), patience: filled("patience"), work: filled("work"), at: turn.now };
}

function isWhole(turn: Turn, held: Link): boolean {
  const link = linkOf(turn, held.peer);
  const names = Object.keys(ALLOWANCES) as AllowanceName[];
  return !link.behind && link.barred_until <= turn.now && names.every((name) => link[name] === ALLOWANCES[name].max);
}

/** The link that was used least lately makes room; one that was cut stays remembered. */
function forgetOldest(turn: Turn): void {
  let oldest: Link | undefined;
  for (const peer of turn.draft.keys(Links)) {
    const link = turn.draft.get(Links, peer);
    if (link === undefined || link.barred_until > turn.now) continue;
    if (oldest === undefined || link.at < oldest.at) oldest = link;
  }
  if (oldest !== undefined) turn.draft.put(Links, oldest.peer, undefined);
}
