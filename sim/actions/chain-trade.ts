/**
 * A trade on chain: the merchant's liquidity, the escrow of a trade, its release. Source: protocol 03 D.4, D.7.
 */
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
import type { Action } from "../scenario.ts";
import type { Scene } from "../scene.ts";
import { chainOf, transact, transactAndSucceed } from "./chain.ts";
import { escrowNews, settlementIs, until } from "./trade.ts";
import type { Offer, TradeTerms, When } from "./trade-terms.ts";
import { amountText, told } from "./trade-terms.ts";

/**
 * How long an escrow may wait for its trade, in seconds. Source: DESIGN "Simulated world"; the fee configuration's own
 * is 1,800.
 */
const ESCROW_SECS = 1_800n;

const liquidityNews = (offer: Offer) => `liquidity of ${offer.id}`;

/** Makes the vault of an offer, fills it, and sets all of it aside for trades. */
export function provideLiquidity(offer: Offer, when: When): Action {
  return {
    ...{ name: `provide liquidity of ${offer.id}`, actor: offer.merchant, ...when },
    *run(person, scene) {
      const at = chainOf(scene);
      const { mint, liquidity } = offer;
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
  };
}

/** Creates and funds the escrow of a trade that the merchant's node shows as reserved. */
export function fundEscrow(trade: TradeTerms, when: When): Action {
  return {
    ...{ name: `fund escrow ${trade.reservation}`, actor: trade.offer.merchant, ...when },
    *run(person, scene) {
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
    },
  };
}

/** Releases the escrow on chain once the merchant's node shows the settlement approved. */
export function release(trade: TradeTerms, when: When): Action {
  return {
    ...{ name: `release ${trade.reservation}`, actor: trade.offer.merchant, ...when },
    *run(person, scene) {
      yield* settlementIs(person, trade, "Approved");
      const at = chainOf(scene);
      const ref = tradeRefOf(scene, trade);
      yield* transact(person, [
        approveSettlement(at, person.wallet.address, trade.reservation),
        releaseEscrow(at, ref, buyerTokensOf(scene, trade), treasuriesFor(at, trade.offer.mint)),
      ]);
      told(scene, person, `sends the release of escrow ${trade.reservation}`);
    },
  };
}

/** The trade as the instructions name it. */
export function tradeRefOf(scene: Scene, { reservation, offer }: TradeTerms) {
  const { mint, tokenProgram } = offer.mint;
  return { reservation, mint, tokenProgram, merchant: scene.world.person(offer.merchant).address };
}

/** Where the buyer gets the tokens. */
export function buyerTokensOf(scene: Scene, { buyer, offer }: TradeTerms): string {
  const { mint, tokenProgram } = offer.mint;
  return chainOf(scene).tokenAccount(scene.world.person(buyer).address, mint, tokenProgram).address;
}
