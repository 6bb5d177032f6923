/**
 * An old price: a stranger asks now, by gossip, for all of an offer at a price that its merchant gave up hours ago, so
 * that the offer is held at a price of the stranger's choice.
 * Source: CONVERGENCE B8.
 */
import { ReservationRequest } from "../../core/testing.ts";
import type { Attacker } from "./attacker.ts";
import { eventAround } from "./attacker.ts";
import { request } from "./market-events.ts";

/** What is asked for, of whom, and at which price, in the cents of its currency. */
export interface OldPrice {
  readonly offer: string;
  readonly priceCents: bigint;
  readonly units: bigint;
}

/** Requests once more, by another key. */
export function askOldPrice(attacker: Attacker, { offer, priceCents, units }: OldPrice, time: number): string {
  const by = attacker.sybil(`late asker ${time}`);
  const id = `${8_000 + time}`;
  const asked = request(by, id, offer, attacker.now(), units);
  const payload = { ...asked, agreed_price: { base_units: priceCents, decimals: 2 } };
  const options = { origin: attacker.wallet, at: attacker.now() };
  attacker.push(eventAround(attacker.world.crypto, ReservationRequest, payload, by, options));
  return id;
}
