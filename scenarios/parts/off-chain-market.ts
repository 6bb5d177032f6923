/**
 * What scenarios about ordinary trade begin with: merchants who sell, buyers who take part of an offer, and deals in
 * which nobody looks at the chain: the seller's word that the money came is the end. Source: protocol 02 B, C, D.
 */
import type { Action } from "../../sim/action-kinds.ts";
import { approve, initiate, pay, reserve } from "../../sim/actions/trade.ts";
import type { Offer, TradeTerms, When } from "../../sim/actions/trade-terms.ts";
import type { ScenarioPlan } from "../../sim/scenario.ts";
import { minutes } from "../../sim/scenario.ts";

/** A whole USDC. */
export const WHOLE = 1_000_000n;

/** A merchant sells so many USDC for euros. */
export function sells(merchant: string, whole: bigint): Offer {
  return {
    ...{ id: `${merchant}-usdc-for-eur`, merchant, asset: "USDC", fiatCurrency: "EUR", priceCents: 92n },
    ...{ minTrade: 10n * WHOLE, maxTrade: whole * WHOLE, liquidity: whole * WHOLE },
  };
}

/** A buyer takes so many USDC of an offer. */
export function dealOf(offer: Offer, buyer: string, reservation: bigint, whole: bigint): TradeTerms {
  return {
    ...{ offer, buyer, reservation, settlement: `settlement-${reservation}` },
    ...{ amount: whole * WHOLE, offChain: true },
  };
}

/** The buyer reserves, settles, and says that he paid. */
export function buys(deal: TradeTerms, when: When): readonly Action[] {
  return [reserve(deal, when), initiate(deal, when), pay(deal, when)];
}

/** The same, and the seller confirms at a node of his own. */
export function trades(deal: TradeTerms, when: When, sellerAt: number): readonly Action[] {
  return [...buys(deal, when), approve(deal, { ...when, via: sellerAt })];
}

/** What every scenario without a chain starts from: laws, and time to come right. */
export const offChain = {
  chain: "none",
  safety: [
    { kind: "equal-sets-equal-states" },
    { kind: "reads-change-nothing" },
    { kind: "no-resolution-without-execution" },
    { kind: "no-party-leaks" },
    { kind: "rates-are-tagged" },
  ],
  liveness: { within: minutes(8), checks: [{ kind: "replicas-converge" }] },
} as const satisfies Partial<ScenarioPlan>;
