/**
 * Strangers on one advertisement: many keys, and many statements of one key, about an offer and the trade on it, so
 * that the record has no room left when its own parties speak.
 * Source: CONVERGENCE "Bounds"; DESIGN L10.
 */
import type { Wallet } from "../wallet.ts";
import type { Attacker } from "./attacker.ts";
import { approvalEvent, initiateEvent, offerEvent, paymentEvent, priceEvent, requestEvent } from "./market-events.ts";

/** Whose trade is flooded. */
export interface Aim {
  readonly merchant: Wallet;
  readonly offer: string;
  readonly reservation: string;
  readonly settlement: string;
}

/** Keys of the strangers: more than there is room for strangers. */
const KEYS = 70;

/** Says everything that a stranger can say about a trade, again and again. */
export function floodTrade(attacker: Attacker, aim: Aim, times: number, overMs: number): void {
  const { crypto } = attacker.world;
  attacker.repeat(times, overMs, (n) => {
    const by = attacker.sybil(n % 3 === 0 ? "one" : `stranger ${n % KEYS}`);
    const at = attacker.now();
    const options = { origin: attacker.wallet, at };
    const kinds = [
      requestEvent(crypto, by, `${1_000 + n}`, aim.offer, at),
      initiateEvent(crypto, by, aim.merchant, `fake-${n}`, aim.reservation, at),
      paymentEvent(crypto, by, aim.settlement, at, `fake ${n}`),
      approvalEvent(crypto, by, aim.settlement, at),
      priceEvent(crypto, by, aim.offer, at),
      offerEvent(crypto, by, aim.offer, at),
    ];
    const makeEvent = kinds[n % kinds.length];
    if (makeEvent !== undefined) attacker.push(makeEvent(options));
  });
}
