/**
 * A claimed payment to win liquidity: whoever claims to have paid would hold a merchant's offer for ever, without
 * paying and without a word of the merchant.
 * Source: CONVERGENCE "Allocation".
 */
import type { Wallet } from "../wallet.ts";
import type { Attacker } from "./attacker.ts";
import { initiateEvent, paymentEvent, requestEvent } from "./market-events.ts";

/** Requests, begins to settle, and claims to have paid. */
export function claimPayment(attacker: Attacker, merchant: Wallet, offer: string): Wallet {
  const { crypto } = attacker.world;
  const by = attacker.sybil("payer");
  const options = () => ({ origin: attacker.wallet, at: attacker.now() });
  const now = attacker.now();
  attacker.push(requestEvent(crypto, by, "666", offer, now)(options()));
  attacker.push(initiateEvent(crypto, by, merchant, "never-paid", "666", now)(options()));
  attacker.push(paymentEvent(crypto, by, "never-paid", now)(options()));
  return by;
}
