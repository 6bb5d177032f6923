/**
 * What people agreed on before they act: the offer, the trades on it, the case about one of them. Ids are their
 * authors' own; a reservation's is a decimal number, so that the chain can hold the trade.
 * Source: protocol 02 B.2, C.2, D.2; 03 A.2.1, A.10.3 R1.
 */
import type { Mint } from "../chain/genesis.ts";
import type { Person } from "../person.ts";
import type { Scene } from "../scene.ts";

/** A merchant's offer at a fixed price, to sell unless it says otherwise. */
export interface Offer {
  readonly id: string;
  readonly merchant: string;
  readonly direction?: "Sell" | "Buy";
  readonly mint: Mint;
  readonly fiatCurrency: string;
  /** Per whole unit, in hundredths of the currency. */
  readonly priceCents: bigint;
  readonly minTrade: bigint;
  readonly maxTrade: bigint;
  readonly liquidity: bigint;
}

/** Who trades what with whom, and the numbers that name it. */
export interface TradeTerms {
  readonly offer: Offer;
  readonly reservation: bigint;
  readonly settlement: string;
  readonly buyer: string;
  /** Who sells, where that is not the merchant. */
  readonly seller?: string;
  /** Base units of the offer's mint. */
  readonly amount: bigint;
  /** Whether nothing of it happens on chain: nobody waits for an escrow. */
  readonly offChain?: boolean;
}

/** Who takes the offer: the buyer of one who sells, the seller to one who buys. */
export function takerOf({ buyer, seller }: TradeTerms): string {
  return seller ?? buyer;
}

export function sellerOf({ seller, offer }: TradeTerms): string {
  return seller ?? offer.merchant;
}

/** A dispute about a trade, and how long its votes take. */
export interface CaseTerms {
  readonly id: string;
  readonly trade: TradeTerms;
  readonly reason: string;
  /** Windows of the case on chain, in seconds; the chain takes 60 and more. Source: protocol 03 D.8. */
  readonly commitSecs: bigint;
  readonly revealSecs: bigint;
}

/** When an action begins, and the node its actor's client talks to. */
export interface When {
  readonly at: number;
  readonly via: number;
}

/**
 * How long people wait for what others do before they give up, in virtual milliseconds. Source: DESIGN "Simulated
 * world".
 */
export const OTHERS_MS = 10 * 60_000;

/** One line of the story: who, at which node, did what. */
export function told(scene: Scene, person: Person, text: string): void {
  scene.tell(`${person.wallet.name.padEnd(8)}  node ${person.via}  ${text}`);
}

export function amountOf(offer: Offer, units: bigint): { readonly base_units: bigint; readonly decimals: number } {
  return { base_units: units, decimals: offer.mint.decimals };
}

/** An amount as people read it: whole units and symbol. */
export function amountText(offer: Offer, units: bigint): string {
  const whole = 10n ** BigInt(offer.mint.decimals);
  const rest = (units % whole).toString().padStart(offer.mint.decimals, "0").replace(/0+$/, "");
  return `${units / whole}${rest === "" ? "" : `.${rest}`} ${offer.mint.symbol}`;
}
