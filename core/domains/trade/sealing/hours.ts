/**
 * When something seals: at the first full hour at which its last date is so old that no ingress, whatever its clock,
 * takes what bears it. Source: CONVERGENCE B7.
 */

import { STATEMENT_AGE_MS_MAX } from "../../../engine/admission/ingress.ts";
import { RESERVATION_WINDOW_MS } from "../reservations/schema.ts";

/**
 * How long after the last date that could still count a record is sealed, in milliseconds: 2H, after which no ingress
 * takes what bears it, and a reservation's window. Source: CONVERGENCE B7.
 */
export const SEAL_AGE_MS = BigInt(2 * STATEMENT_AGE_MS_MAX + RESERVATION_WINDOW_MS);
/**
 * Nodes seal by the hour, each by its own clock, so that they differ for as long as their clocks do. Source: DESIGN
 * "Waiting times".
 */
export const SEAL_EVERY_MS = 3_600_000n;

/** The last full hour at an instant, as a number of hours. */
export function hourAt(now: bigint): bigint {
  return now / SEAL_EVERY_MS;
}

/** The first hour at which a last date is old enough. */
export function hourAfter(end: bigint): bigint {
  return (end + SEAL_AGE_MS) / SEAL_EVERY_MS + 1n;
}
