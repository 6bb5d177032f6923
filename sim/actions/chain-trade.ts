/**
 * A trade on chain: the merchant's liquidity, the escrow of a trade, its release. Source: protocol 03 D.4, D.7.
 */
import type { Infer } from "../../core/index.ts";
import { bool } from "../../core/index.ts";
import { treasuriesFor } from "../chain/genesis.ts";
import {
  approveSettlement,
  createLiquidityVault,
  createTradeEscrow,
  depositLiquidity,
  fundTradeEscrow,
  releaseEscrow,
  reserveLiquidity,
} from "../chain/instructions.ts";
import { may } from "../data/optional.ts";
import type { Scene } from "../scene.ts";
import type { ActionRows } from "./action-row.ts";
import { actionForm, begins } from "./action-row.ts";
import { chainOf, transact, transactAndSucceed } from "./chain.ts";
import { escrowNews, settlementIs, until } from "./trade.ts";
import type { Offer, TradeTerms, When } from "./trade-terms.ts";
import { amountText, mintOf, OfferData, TradeData, told } from "./trade-terms.ts";

/**
 * How long an escrow may wait for its trade, in seconds. Source: DESIGN "Simulated world"; the fee configuration's own
 * is 1,800.
 */
const ESCROW_SECS = 1_800n;

/** The name under which a merchant tells that an offer's liquidity is set aside on chain. */
export const liquidityNews = (offer: Offer) => `liquidity of ${offer.id}`;

export const chainTradeForms = {
  "provide-liquidity": actionForm("provide-liquidity", { offer: OfferData }),
  "fund-escrow": actionForm("fund-escrow", { trade: TradeData }),
  release: actionForm("release", { trade: TradeData, unasked: may(bool) }),
};

type Of<K extends keyof typeof chainTradeForms> = Infer<(typeof chainTradeForms)[K]>;

/** Makes the vault of an offer, fills it, and sets all of it aside for trades. */
export function provideLiquidity(offer: Offer, when: When): Of<"provide-liquidity"> {
  return { ...begins("provide-liquidity", offer.merchant, when), offer };
}

/** Creates and funds the escrow of a trade that the merchant's node shows as reserved. */
export function fundEscrow(trade: TradeTerms, when: When): Of<"fund-escrow"> {
  return { ...begins("fund-escrow", trade.offer.merchant, when), trade };
}

/** Releases the escrow on chain once the merchant's node shows the settlement approved, or `unasked` at once. */
export function release(trade: TradeTerms, when: When, how: { readonly unasked?: true } = {}): Of<"release"> {
  return { ...begins("release", trade.offer.merchant, when), trade, ...how };
}

export const chainTradeRows: ActionRows<typeof chainTradeForms> = {
  "provide-liquidity": {
    title: ({ offer }) => `provide liquidity of ${offer.id}`,
    *run(person, scene, { offer }) {
      const at = chainOf(scene);
      const { liquidity } = offer;
      const mint = mintOf(offer.asset);
      const owner = person.wallet.address;
      const from = at.tokenAccount(owner, mint.mint, mint.tokenProgram).address;
      yield* transactAndSucceed(person, scene, [
        createLiquidityVault(at, owner, mint),
        depositLiquidity(at, owner, mint, from, liquidity),
        reserveLiquidity(at, owner, mint.mint, liquidity),
      ]);
      told(scene, person, `deposits ${amountText(offer, liquidity)} in a vault on chain`);
      scene.share(liquidityNews(offer), "reserved");
    },
  },
  "fund-escrow": {
    title: ({ trade }) => `fund escrow ${trade.reservation}`,
    *run(person, scene, { trade }) {
      yield* scene.learn(liquidityNews(trade.offer));
      yield* until(person, "getReservation", trade.reservation.toString(), () => true);
      const at = chainOf(scene);
      const ref = tradeRefOf(scene, trade);
      const buyer = scene.world.person(trade.buyer).address;
      yield* transactAndSucceed(person, scene, [
        createTradeEscrow(at, ref, buyer, trade.amount, ESCROW_SECS),
        fundTradeEscrow(at, ref),
      ]);
      told(scene, person, `locks ${amountText(trade.offer, trade.amount)} in the escrow of ${trade.reservation}`);
      scene.share(escrowNews(trade), "funded");
      scene.share(ownEscrowNews(trade), "funded");
    },
  },
  release: {
    title: ({ trade }) => `release ${trade.reservation}`,
    *run(person, scene, { trade, unasked }) {
      if (unasked === true) yield* scene.learn(ownEscrowNews(trade));
      else yield* settlementIs(person, trade, "Approved");
      const at = chainOf(scene);
      const ref = tradeRefOf(scene, trade);
      yield* transact(person, [
        approveSettlement(at, person.wallet.address, trade.reservation),
        releaseEscrow(at, ref, buyerTokensOf(scene, trade), treasuriesFor(at, mintOf(trade.offer.asset))),
      ]);
      told(scene, person, `sends the release of escrow ${trade.reservation}`);
    },
  },
};

/** The name under which it is told that the escrow of this merchant was funded: a number may have others of others. */
function ownEscrowNews(trade: TradeTerms): string {
  return `${escrowNews(trade)} by ${trade.offer.merchant}`;
}

/** The trade as the instructions name it. */
export function tradeRefOf(scene: Scene, { reservation, offer }: TradeTerms) {
  const { mint, tokenProgram } = mintOf(offer.asset);
  return { reservation, mint, tokenProgram, merchant: scene.world.person(offer.merchant).address };
}

/** Where the buyer gets the tokens. */
export function buyerTokensOf(scene: Scene, { buyer, offer }: TradeTerms): string {
  const { mint, tokenProgram } = mintOf(offer.asset);
  return chainOf(scene).tokenAccount(scene.world.person(buyer).address, mint, tokenProgram).address;
}
