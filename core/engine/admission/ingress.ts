/**
 * Ingresses: the ways on which statements come, each a set of values; and what is asked of a statement by itself.
 * Source: CONVERGENCE "Door policy"; protocol 01 §13.1, §15 W12.
 */

import type { SignedType, Statement } from "../../kernel/signed.ts";
import { hasControl, utf8 } from "../../kernel/text.ts";
import type { EpochMillis } from "../../kernel/values.ts";

/** How far apart honest clocks may be, in milliseconds. Source: protocol 01 §13.1. */
export const CLOCK_SKEW_MS_MAX = 300_000;
/** How long pushed statements may be late, in milliseconds: 7 days. Source: protocol 01 §13.1. */
export const STATEMENT_AGE_MS_MAX = 7 * 86_400_000;
/** How old a statement may be over RPC, in milliseconds: 24 h. Source: protocol 01 §13.1. */
export const RPC_AGE_MS_MAX = 86_400_000;
/** How old a statement may be that recovery brings, in milliseconds. Source: CONVERGENCE "Door policy". */
export const RECOVERY_AGE_MS_MAX = 2 * STATEMENT_AGE_MS_MAX;
/** Longest id over RPC, in bytes. Source: protocol 01 §15 W12. */
export const ID_BYTES_MAX = 128;
/** Longest id by gossip, in bytes. Source: protocol 01 §15 W12. */
export const GOSSIP_ID_BYTES_MAX = 1_024;
/**
 * Largest payload with its signature, in bytes, at every ingress: with an envelope around it, it must fit one answer of
 * recovery (786,432 bytes), or whoever missed its push would never get it. Source: DESIGN "Bounds"; protocol 01 §9.3.
 */
export const STATEMENT_BYTES_MAX = 782_336;

/** What brought a statement, by what it is held to. */
export interface Ingress {
  /** How far a date may lie back, in milliseconds; null where that is asked elsewhere, or not at all. */
  readonly ageMsMax: number | null;
}

/** How a statement may come. Source: protocol 01 §13.1; 05 §6.9. */
export const ingresses = {
  rpc: { ageMsMax: RPC_AGE_MS_MAX },
  /** Over RPC, once a method's validation order has answered: under parity it asks for no date. */
  checked: { ageMsMax: null },
  push: { ageMsMax: STATEMENT_AGE_MS_MAX },
  recovery: { ageMsMax: RECOVERY_AGE_MS_MAX },
  /** That it is old is what a file is for. */
  snapshot: { ageMsMax: null },
} as const satisfies Readonly<Record<string, Ingress>>;

/** Whether an ingress takes a date. */
export function isTimely(ingress: Ingress, timestamp: EpochMillis, now: EpochMillis): boolean {
  if (ingress.ageMsMax === null) return true;
  return timestamp <= now + BigInt(CLOCK_SKEW_MS_MAX) && !isTooOld(ingress, timestamp, now);
}

/** Whether a date is one that an ingress takes no more. */
export function isTooOld({ ageMsMax }: Ingress, timestamp: EpochMillis, now: EpochMillis): boolean {
  return ageMsMax !== null && timestamp < now - BigInt(ageMsMax);
}

/** Whether an ingress takes a statement by its date; one that bears none it always does. */
export function isInTime(ingress: Ingress, { type, timestamp }: Statement, now: EpochMillis): boolean {
  return !type.dated || isTimely(ingress, timestamp, now);
}

/** Whether every id of a payload keeps a length in bytes. */
export function idsWithin(type: SignedType, payload: unknown, bytesMax: number): boolean {
  return idsOf(type, payload).every((id) => isIdWithin(id, bytesMax));
}

/** Whether an id keeps a length in bytes. */
export function isIdWithin(id: string, bytesMax: number): boolean {
  return id.length <= bytesMax && utf8(id).length <= bytesMax;
}

/** Whether a text has the form of an id over RPC. Source: protocol 01 §15 W12, 02 O.24. */
export function isIdForm(id: string): boolean {
  return id !== "" && isIdWithin(id, ID_BYTES_MAX) && !hasControl(id);
}

/** The ids in a payload, its own and those of what it speaks about. */
export function idsOf(type: SignedType, payload: unknown): readonly string[] {
  return Object.keys(type.payload.fields).flatMap((member) => {
    const value = (payload as Readonly<Record<string, unknown>>)[member];
    return typeof value === "string" && isIdMember(member) ? [value] : [];
  });
}

/** Whether a member of a payload names a record, by a text that is bounded as an id. */
export function isIdMember(member: string): boolean {
  return member === "id" || member.endsWith("_id");
}
