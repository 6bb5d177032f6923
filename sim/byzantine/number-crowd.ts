/**
 * A crowd under a number: two strangers begin settlements with each other under the reservation number of others, again
 * and again, so that whatever these say of theirs costs ranking all of them.
 * Source: CONVERGENCE B2, B5.
 */
import type { Attacker } from "./attacker.ts";
import { initiateEvent, offerEvent, requestEvent } from "./market-events.ts";

/** Publishes an offer and a request on it under the number, then settlements of it. */
export function crowdNumber(attacker: Attacker, reservation: string, times: number, overMs: number): void {
  const { crypto } = attacker.world;
  const [by, seller] = [attacker.sybil("beginner"), attacker.sybil("seller")];
  attacker.repeat(times, overMs, (n) => {
    const at = attacker.now();
    const own = `offer beside ${reservation}`;
    const made =
      n === 0
        ? offerEvent(crypto, seller, own, at)
        : n === 1
          ? requestEvent(crypto, by, reservation, own, at)
          : initiateEvent(crypto, by, seller, `begun-${n}`, reservation, at);
    attacker.push(made({ origin: attacker.wallet, at }));
  });
}
