/**
 * A crowd of requests: many keys ask for nothing, and at a price that nobody signed, of one offer, so that it has no
 * room for those who want to trade.
 * Source: CONVERGENCE B2, B3.
 */
import { ReservationRequest } from "../../core/testing.ts";
import type { Attacker } from "./attacker.ts";
import { eventAround } from "./attacker.ts";
import { request } from "./market-events.ts";

/** Requests of one key. */
const OF_ONE_KEY = 16;

/** Asks for nothing of an offer. */
export function crowdRequests(attacker: Attacker, offer: string, times: number, overMs: number): void {
  const { crypto } = attacker.world;
  attacker.repeat(times, overMs, (n) => {
    const by = attacker.sybil(`asker ${Math.floor(n / OF_ONE_KEY)}`);
    const payload = request(by, `${700_000 + n}`, offer, attacker.now(), 0n);
    const options = { origin: attacker.wallet, at: attacker.now() };
    attacker.push(eventAround(crypto, ReservationRequest, payload, by, options));
  });
}
