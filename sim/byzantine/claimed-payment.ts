/**
 * A claimed payment to win liquidity: whoever claims to have paid would hold a merchant's offer for ever, without
 * paying and without a word of the merchant.
 * Source: CONVERGENCE "Allocation".
 */
import type { Wallet } from "../wallet.ts";
import type { Attacker } from "./attacker.ts";
import { sayInitiate, sayPayment, sayRequest } from "./market-events.ts";

/** Requests, begins to settle, and claims to have paid. */
export function claimPayment(attacker: Attacker, merchant: Wallet, offer: string): Wallet {
  const { crypto } = attacker.world;
  const by = attacker.sybil("payer");
  const words = () => ({ origin: attacker.wallet, at: attacker.now() });
  const now = attacker.now();
  attacker.push(sayRequest(crypto, by, "666", offer, now)(words()));
  attacker.push(sayInitiate(crypto, by, merchant, "never-paid", "666", now)(words()));
  attacker.push(sayPayment(crypto, by, "never-paid", now)(words()));
  return by;
}
