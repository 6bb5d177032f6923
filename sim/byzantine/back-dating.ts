/**
 * Back-dating: statements signed now and dated before what everybody agreed on: a rival request that was first, a price
 * that was never the one agreed, by those who would gain if dates decided.
 * Source: CONVERGENCE "No retroactive veto".
 */
import type { EpochMillis } from "../../core/index.ts";
import type { Wallet } from "../wallet.ts";
import type { Attacker } from "./attacker.ts";
import { priceEvent, requestEvent } from "./market-events.ts";

/** Rivals who were always first, and a merchant who never agreed to the price. */
export function backDate(attacker: Attacker, merchant: Wallet, offer: string, before: EpochMillis): void {
  const { crypto } = attacker.world;
  const options = () => ({ origin: attacker.wallet, at: attacker.now() });
  for (let n = 0; n < 4; n++) {
    const by = attacker.sybil(`rival ${n}`);
    attacker.push(requestEvent(crypto, by, `${900 + n}`, offer, (before - 1_000n) as EpochMillis)(options()));
  }
  attacker.push(priceEvent(crypto, merchant, offer, (before - 500n) as EpochMillis)(options()));
}
