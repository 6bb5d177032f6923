/**
 * A trade off chain: the offer, the reservation, the settlement, the payment and its confirmation. Everyone waits
 * until their own node shows what they act on. Source: protocol 02 B.5, C.3, D.3.
 */
import type { FiatCurrency, MintAddress } from "../../core/index.ts";
import type { PaymentMethodId } from "../../core/testing.ts";
import {
  AdvertisementCreate,
  PaymentSubmitted,
  ReservationRequest,
  SettlementApproved,
  SettlementInitiate,
} from "../../core/testing.ts";
import type { Mint } from "../chain/genesis.ts";
import type { Person } from "../person.ts";
import type { Action } from "../scenario.ts";
import type { Script } from "../script.ts";
import type { Offer, TradeTerms, When } from "./trade-terms.ts";
import { amountOf, amountText, OTHERS_MS, sellerOf, takerOf, told } from "./trade-terms.ts";

const TRANSFER = "builtin:bank-transfer" as PaymentMethodId;

/** What a merchant and a taker agree to pay for one unit. */
const priceOf = (offer: Offer) => ({ base_units: offer.priceCents, decimals: 2 });

/** Publishes the offer. */
export function advertise(offer: Offer, when: When): Action {
  return {
    ...{ name: "advertise", actor: offer.merchant, ...when },
    *run(person, scene) {
      yield* person.send("sendAdvertisementCreate", AdvertisementCreate, {
        id: offer.id,
        merchant: person.wallet.peer,
        merchant_public_key: person.wallet.publicKey,
        asset_mint: offer.mint.mint as MintAddress,
        direction: offer.direction ?? "Sell",
        fiat_currency: offer.fiatCurrency as FiatCurrency,
        min_trade: amountOf(offer, offer.minTrade),
        max_trade: amountOf(offer, offer.maxTrade),
        initial_liquidity: amountOf(offer, offer.liquidity),
        pricing: { Fixed: { price: priceOf(offer) } },
        payment_methods: [TRANSFER],
        timestamp: person.now(),
      });
      told(scene, person, `offers ${amountText(offer, offer.liquidity)} for ${offer.fiatCurrency}`);
    },
  };
}

/** An offer whose price follows a rate. */
export interface FloatingOffer {
  readonly id: string;
  readonly merchant: string;
  readonly mint: Mint;
  readonly fiatCurrency: string;
  readonly premiumBps: number;
}

/** Publishes an offer at the current rate and a premium. */
export function advertiseFloating(offer: FloatingOffer, when: When): Action {
  const amount = (units: bigint) => ({ base_units: units, decimals: offer.mint.decimals });
  return {
    ...{ name: `advertise ${offer.id}`, actor: offer.merchant, ...when },
    *run(person, scene) {
      yield* person.send("sendAdvertisementCreate", AdvertisementCreate, {
        id: offer.id,
        merchant: person.wallet.peer,
        merchant_public_key: person.wallet.publicKey,
        asset_mint: offer.mint.mint as MintAddress,
        direction: "Sell",
        fiat_currency: offer.fiatCurrency as FiatCurrency,
        min_trade: amount(1n),
        max_trade: amount(1_000_000_000n),
        initial_liquidity: amount(1_000_000_000n),
        pricing: { Floating: { oracle_provider: "any", premium_bps: offer.premiumBps, price_decimals: 2 } },
        payment_methods: [TRANSFER],
        timestamp: person.now(),
      });
      told(scene, person, `offers ${offer.mint.symbol} for ${offer.fiatCurrency} at the rate of the day`);
    },
  };
}

/** Reserves part of the offer and starts the settlement of it. */
export function reserve(trade: TradeTerms, when: When): Action {
  const { offer, amount } = trade;
  const reservation = trade.reservation.toString();
  return {
    ...{ name: `reserve ${reservation}`, actor: takerOf(trade), ...when },
    *run(person, scene) {
      yield* until(person, "getAdvertisement", offer.id, () => true);
      yield* person.send("sendReservationRequest", ReservationRequest, {
        id: reservation,
        advertisement_id: offer.id,
        requester: person.wallet.peer,
        requester_public_key: person.wallet.publicKey,
        amount: amountOf(offer, amount),
        agreed_price: priceOf(offer),
        agreed_mid: null,
        timestamp: person.now(),
      });
      told(scene, person, `reserves ${amountText(offer, amount)} (reservation ${reservation})`);
    },
  };
}

/** Starts the settlement of a reserved trade. */
export function initiate(trade: TradeTerms, when: When): Action {
  const reservation = trade.reservation.toString();
  return {
    ...{ name: `initiate ${trade.settlement}`, actor: trade.buyer, ...when },
    *run(person, scene) {
      const seller = scene.world.person(sellerOf(trade));
      yield* until(person, "getReservation", reservation, ({ state }) => state === "EscrowLocked");
      yield* person.send("sendSettlementInitiate", SettlementInitiate, {
        id: trade.settlement,
        reservation_id: reservation,
        buyer: person.wallet.peer,
        buyer_public_key: person.wallet.publicKey,
        seller: seller.peer,
        seller_public_key: seller.publicKey,
        amount: amountOf(trade.offer, trade.amount),
        timestamp: person.now(),
      });
    },
  };
}

/** The merchant says that the escrow is funded, on a network without a chain, or without having done it. */
export function publishFunded(trade: TradeTerms, when: When): Action {
  return {
    ...{ name: `say that escrow ${trade.reservation} is funded`, actor: trade.offer.merchant, ...when },
    // biome-ignore lint/correctness/useYield: it waits for nothing
    *run(_, scene) {
      scene.share(escrowNews(trade), "published");
    },
  };
}

/** Pays once the merchant said that the escrow holds the tokens, and says so. */
export function pay(trade: TradeTerms, when: When): Action {
  return {
    ...{ name: `pay ${trade.settlement}`, actor: trade.buyer, ...when },
    *run(person, scene) {
      if (trade.offChain !== true) yield* scene.learn(escrowNews(trade));
      yield* settlementIs(person, trade, "AwaitingPayment");
      yield* person.send("sendPaymentSubmitted", PaymentSubmitted, {
        settlement_id: trade.settlement,
        buyer: person.wallet.peer,
        payment_reference: null,
        timestamp: person.now(),
      });
      told(scene, person, `says that the payment for ${trade.settlement} was sent`);
    },
  };
}

/** Confirms the payment once the merchant's node shows it. */
export function approve(trade: TradeTerms, when: When): Action {
  return {
    ...{ name: `approve ${trade.settlement}`, actor: sellerOf(trade), ...when },
    *run(person, scene) {
      yield* settlementIs(person, trade, "PaymentSubmitted");
      yield* person.send("sendSettlementApproved", SettlementApproved, {
        settlement_id: trade.settlement,
        seller: person.wallet.peer,
        timestamp: person.now(),
      });
      told(scene, person, `confirms the payment for ${trade.settlement}`);
    },
  };
}

/** Reads the settlement until it shows a state; from a node with an endpoint, `Completed` comes from the chain. */
export function seeSettlement(trade: TradeTerms, actor: string, state: "Approved" | "Completed", when: When): Action {
  return {
    ...{ name: `see ${trade.settlement} ${state}`, actor, ...when },
    *run(person, scene) {
      const seen = yield* settlementIs(person, trade, state);
      const signature = seen.escrow_release_signature;
      const how = typeof signature === "string" ? `, released by ${signature.slice(0, 8)}… on chain` : "";
      told(scene, person, `reads ${trade.settlement} ${state}${how}`);
    },
  };
}

/** The name under which a merchant tells that an escrow was funded. */
export function escrowNews(trade: TradeTerms): string {
  return `escrow of ${trade.reservation}`;
}

export type Seen = Readonly<Record<string, unknown>>;

/** Reads a record by id until it is as wanted. */
export function until(person: Person, method: string, id: string, wanted: (seen: Seen) => boolean): Script<Seen> {
  const found = (result: unknown) => (result !== null && wanted(result as Seen) ? (result as Seen) : undefined);
  return person.poll(method, { id }, found, OTHERS_MS);
}

export function settlementIs(person: Person, trade: TradeTerms, state: string): Script<Seen> {
  return until(person, "getSettlement", trade.settlement, (seen) => seen.state === state);
}
