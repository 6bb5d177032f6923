/**
 * Doors: what may enter the set. Decoding and the verdict are the same at every door; here is the policy
 * that is not: clocks, sizes, and the RPC ladder's common rungs. A fold never sees any of it.
 * Source: CONVERGENCE "Three layers"; protocol 01 §13.1, §15 W12; 03 W-7.
 */

import type { ErrorCode } from "../../errors.ts";
import type { NodeConfiguration } from "../../inputs.ts";
import type { SignedType, Statement, Verdict } from "../../kernel/signed.ts";
import type { Reader } from "../../kernel/table.ts";
import { hasControl, utf8 } from "../../kernel/text.ts";
import type { EpochMillis } from "../../kernel/values.ts";
import type { CryptoPort } from "../../ports/crypto.ts";
import type { Registry } from "../turn.ts";

/** How far apart honest clocks may be, in milliseconds. Source: protocol 01 §13.1. */
export const CLOCK_SKEW_MS_MAX = 300_000;
/** How long pushed statements may be late, in milliseconds: 7 days. Source: protocol 01 §13.1. */
export const STATEMENT_AGE_MS_MAX = 7 * 86_400_000;
/** How old a statement may be over RPC, in milliseconds: 24 h. Source: protocol 01 §13.1. */
export const RPC_AGE_MS_MAX = 86_400_000;
/** Longest id over RPC, in bytes. Source: protocol 01 §15 W12. */
export const ID_BYTES_MAX = 128;
/** Longest id by gossip, in bytes. Source: protocol 01 §15 W12. */
export const GOSSIP_ID_BYTES_MAX = 1_024;
/**
 * Largest payload with its signature, in bytes, at every door: with an envelope around it, it must fit one answer of
 * recovery (786,432 bytes), or whoever missed its push would never get it. Source: DESIGN "Bounds"; protocol 01 §9.3.
 */
export const STATEMENT_BYTES_MAX = 782_336;
/** Longest reason of a dispute, in bytes. Source: protocol 03 W-7. */
export const REASON_BYTES_MAX = 4_096;

/** A payload that was decoded and judged, before anything else looked at it. */
export interface Candidate<P = unknown> {
  readonly type: SignedType;
  readonly payload: P;
  readonly verdict: Verdict;
  readonly statement: Statement<P>;
}

/** What a ladder may look at. */
export interface DoorView {
  readonly reader: Reader;
  readonly now: EpochMillis;
  readonly crypto: CryptoPort;
  readonly configuration: NodeConfiguration;
  readonly registry: Registry;
}

/** A refusal; `unchanged` is a success that adds nothing; nothing at all lets the statement in. */
export type Rung = ErrorCode | "unchanged" | undefined;
export type Ladder = (view: DoorView, candidate: Candidate) => Rung;

/** Which door a statement came through. */
export type Door = "rpc" | "push" | "recovery";

const AGE_MS_MAX: Readonly<Record<Door, number>> = {
  rpc: RPC_AGE_MS_MAX,
  push: STATEMENT_AGE_MS_MAX,
  recovery: 2 * STATEMENT_AGE_MS_MAX,
};

/** Whether a statement's date is one that a door takes. */
export function isTimely(door: Door, timestamp: EpochMillis, now: EpochMillis): boolean {
  return timestamp <= now + BigInt(CLOCK_SKEW_MS_MAX) && !isTooOld(door, timestamp, now);
}

/** Whether a statement's date is one that a door takes no more. */
export function isTooOld(door: Door, timestamp: EpochMillis, now: EpochMillis): boolean {
  return timestamp < now - BigInt(AGE_MS_MAX[door]);
}

/** Whether a statement is one that a door takes by its date; one that bears none always is. */
export function isInTime(door: Door, { type, timestamp }: Statement, now: EpochMillis): boolean {
  return !type.dated || isTimely(door, timestamp, now);
}

/**
 * The rungs at which a verdict answers, for payloads that carry a key; `unbound` answers a key of another peer.
 * Source: protocol 02 A.4; 04 §0.2.
 */
export function keyRungs({ verdict }: Candidate, unbound: ErrorCode = "INVALID_IDENTITY_CLAIM"): Rung {
  if (!verdict.point) return "INVALID_SIGNATURE";
  if (!verdict.bound) return unbound;
  return signatureRung(verdict);
}

export function signatureRung(verdict: Verdict): Rung {
  return verdict.form === undefined ? "INVALID_SIGNATURE" : undefined;
}

/** When and for whom something is looked at. */
export type Viewer = Pick<DoorView, "now" | "configuration">;

/** Whether this node plays the reference: its ladders and answers, without our strict extras. Source: DESIGN §7 #12. */
export function isParity({ configuration }: Pick<DoorView, "configuration">): boolean {
  return configuration.profile.parity;
}

/**
 * What every payload must keep over RPC: ids of a sane form, a date near this node's clock. Under parity only an id
 * that would be inert for ever is refused: the reference would take it, and nothing of ours could ever show it.
 */
export function commonRungs(view: DoorView, { statement, payload, type }: Candidate): Rung {
  if (statement.standing === "void") return "INVALID_PARAMETER";
  if (isParity(view)) return undefined;
  if (!isInTime("rpc", statement, view.now)) return "INVALID_PARAMETER";
  return idsWithin(type, payload, ID_BYTES_MAX, true) ? undefined : "INVALID_PARAMETER";
}

/** Whether every id of a payload keeps a length, and over RPC holds no control character. */
export function idsWithin(type: SignedType, payload: unknown, bytesMax: number, strict: boolean): boolean {
  return Object.keys(type.payload.fields).every((member) => {
    const value = (payload as Readonly<Record<string, unknown>>)[member];
    if (typeof value !== "string" || !(member === "id" || member.endsWith("_id"))) return true;
    if (value.length > bytesMax || utf8(value).length > bytesMax) return false;
    return !strict || (value !== "" && !hasControl(value));
  });
}

/** The first rung that answers. */
export function firstOf(...rungs: readonly (() => Rung)[]): Rung {
  for (const rung of rungs) {
    const answer = rung();
    if (answer !== undefined) return answer;
  }
  return undefined;
}

export function refuseWhen(condition: boolean, code: ErrorCode): Rung {
  return condition ? code : undefined;
}
