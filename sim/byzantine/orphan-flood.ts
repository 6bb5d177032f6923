/**
 * Orphans: statements about records that do not exist, by many keys, so that the room where statements wait for their
 * parents is full when an honest one needs it.
 * Source: CONVERGENCE "Bounds"; protocol 01 §13.1.
 */
import type { Attacker } from "./attacker.ts";
import { paymentEvent } from "./market-events.ts";

/** Claims payments on settlements that nobody began: many of one key, and many of a record that is to come. */
export function floodOrphans(attacker: Attacker, awaited: string, times: number, overMs: number): void {
  const { crypto } = attacker.world;
  attacker.repeat(times, overMs, (n) => {
    const by = attacker.sybil(n % 4 === 0 ? "one" : `payer ${n}`);
    const settlement = n % 4 === 0 ? `none-${n}` : awaited;
    attacker.push(
      paymentEvent(crypto, by, settlement, attacker.now())({ origin: attacker.wallet, at: attacker.now() }),
    );
  });
}
