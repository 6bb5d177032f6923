/**
 * Hop counts, which nobody signs: inflated, an event would travel for ever; deflated, it would die with the nodes that
 * got it first, and the others would never know.
 * Source: protocol 01 §7.3, W7.
 */
import type { Attacker } from "./attacker.ts";
import type { EventMaker } from "./market-events.ts";

/** Pushes something that claims to have all hops left that a byte can hold. */
export function inflateHops(attacker: Attacker, statement: EventMaker): void {
  attacker.push(statement({ origin: attacker.wallet, at: attacker.now(), ttl: 255 }));
}

/** Pushes something that nobody is to pass on. */
export function deflateHops(attacker: Attacker, statement: EventMaker): void {
  for (const ttl of [0, 1]) attacker.push(statement({ origin: attacker.wallet, at: attacker.now(), ttl }));
}
