/**
 * Withholding: a peer that takes everything, passes nothing on, and claims to hold nothing, so that those who have only
 * it between them never hear of each other's trades.
 * Source: DESIGN section 5 "Faults".
 */
import type { Attacker } from "./attacker.ts";

/** Connects to everybody and is silent; an attacker's usual answers do the rest. */
export function withhold(attacker: Attacker, addresses: readonly string[]): void {
  for (const address of addresses) attacker.dial(address);
}
