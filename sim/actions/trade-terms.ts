/**
 * What people agreed on before they act: the offer, the trades on it, the case about one of them. Ids are their
 * authors' own; a reservation's is a decimal number, so that the chain can hold the trade.
 * Source: protocol 02 B.2, C.2, D.2; 03 A.2.1, A.10.3 R1.
 */
import type { Infer, Schema } from "../../core/index.ts";
import { bool, enumeration, Text, u64 } from "../../core/index.ts";
import type { Mint } from "../chain/genesis.ts";
import { settlementMints } from "../chain/genesis.ts";
import { may, plain } from "../data/optional.ts";
import { Name } from "../data/values.ts";
import type { Person } from "../person.ts";
import type { Scene } from "../scene.ts";

/** What is traded, by its symbol. Source: protocol 02 F.4. */
export type Asset = Infer<typeof Asset>;
export const Asset = enumeration("wSOL", "USDC", "USDT", "tUSDC");

/** A merchant's offer at a fixed price, to sell unless it says otherwise. */
export interface Offer {
  readonly id: string;
  readonly merchant: string;
  readonly direction?: "Sell" | "Buy";
  readonly asset: Asset;
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
  /** Base units of the offer's asset. */
  readonly amount: bigint;
  /** Whether nothing of it happens on chain: nobody waits for an escrow. */
  readonly offChain?: boolean;
}

export const OfferData: Schema<Offer> = plain("offer", {
  id: Name,
  merchant: Name,
  direction: may(enumeration("Sell", "Buy")),
  asset: Asset,
  fiatCurrency: Name,
  priceCents: u64,
  minTrade: u64,
  maxTrade: u64,
  liquidity: u64,
});

export const TradeData: Schema<TradeTerms> = plain("trade", {
  offer: OfferData,
  reservation: u64,
  settlement: Name,
  buyer: Name,
  seller: may(Name),
  amount: u64,
  offChain: may(bool),
});

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

export const CaseData: Schema<CaseTerms> = plain("case", {
  id: Name,
  trade: TradeData,
  reason: Text,
  commitSecs: u64,
  revealSecs: u64,
});

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

/** The mint of an asset on the simulated chain. */
export function mintOf(asset: Asset): Mint {
  const mint = settlementMints.find(({ symbol }) => symbol === asset);
  if (mint === undefined) throw new Error(`bug: the simulated chain has ${asset}`);
  return mint;
}

export function amountOf({ asset }: Pick<Offer, "asset">, units: bigint) {
  return { base_units: units, decimals: mintOf(asset).decimals };
}

/** An amount as people read it: whole units and symbol. */
export function amountText({ asset }: Pick<Offer, "asset">, units: bigint): string {
  const { decimals } = mintOf(asset);
  const whole = 10n ** BigInt(decimals);
  const rest = (units % whole).toString().padStart(decimals, "0").replace(/0+$/, "");
  return `${units / whole}${rest === "" ? "" : `.${rest}`} ${asset}`;
}
