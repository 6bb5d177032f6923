/**
 * What people sign in attacks on a market: a small offer and one trade on it, dated as the signer likes.
 * Source: protocol 02 B.2, C.2, D.2.
 */
import type { EpochMillis, FiatCurrency, MintAddress } from "../../core/index.ts";
import type { CryptoPort } from "../../core/ports/crypto.ts";
import type { PaymentMethodId } from "../../core/testing.ts";
import {
  AdvertisementCreate,
  AdvertisementPriceUpdate,
  PaymentSubmitted,
  ReservationRequest,
  SettlementApproved,
  SettlementInitiate,
} from "../../core/testing.ts";
import type { Wallet } from "../wallet.ts";
import type { EventOptions } from "./attacker.ts";
import { eventAround } from "./attacker.ts";

/** A signed statement, ready to be wrapped in any event. */
export type EventMaker = (options: EventOptions) => ReturnType<typeof eventAround>;

const amount = (base_units: bigint) => ({ base_units, decimals: 6 });
/** What the offer sells, and the largest trade on it, in base units. */
export const LIQUIDITY = 100_000_000n;
export const TRADE = 60_000_000n;
const PRICE = { base_units: 13_000n, decimals: 2 };

export function offer(merchant: Wallet, id: string, timestamp: EpochMillis, liquidity = LIQUIDITY) {
  return {
    id,
    merchant: merchant.peer,
    merchant_public_key: merchant.publicKey,
    asset_mint: "2bHPi5hA4zrmPAfrvLmEexg3KJjpTjNkUcxWnzUPeRRU" as MintAddress,
    direction: "Sell" as const,
    fiat_currency: "KES" as FiatCurrency,
    min_trade: amount(1n),
    max_trade: amount(liquidity),
    initial_liquidity: amount(liquidity),
    pricing: { Fixed: { price: PRICE } },
    payment_methods: ["builtin:mpesa-kenya" as PaymentMethodId],
    timestamp,
  };
}

export function request(requester: Wallet, id: string, advertisement: string, timestamp: EpochMillis, units = TRADE) {
  return {
    id,
    advertisement_id: advertisement,
    requester: requester.peer,
    requester_public_key: requester.publicKey,
    amount: amount(units),
    agreed_price: PRICE,
    agreed_mid: null,
    timestamp,
  };
}

export function initiate(
  buyer: Wallet,
  seller: Wallet,
  id: string,
  reservation: string,
  timestamp: EpochMillis,
  units = TRADE,
) {
  return {
    id,
    reservation_id: reservation,
    buyer: buyer.peer,
    buyer_public_key: buyer.publicKey,
    seller: seller.peer,
    seller_public_key: seller.publicKey,
    amount: amount(units),
    timestamp,
  };
}

export function payment(buyer: Wallet, settlement: string, timestamp: EpochMillis, reference = "paid") {
  return { settlement_id: settlement, buyer: buyer.peer, payment_reference: reference, timestamp };
}

export function offerEvent(
  crypto: CryptoPort,
  by: Wallet,
  id: string,
  at: EpochMillis,
  liquidity?: bigint,
): EventMaker {
  return (options) => eventAround(crypto, AdvertisementCreate, offer(by, id, at, liquidity), by, options);
}

export function requestEvent(crypto: CryptoPort, by: Wallet, id: string, of: string, at: EpochMillis): EventMaker {
  return (options) => eventAround(crypto, ReservationRequest, request(by, id, of, at), by, options);
}

export function initiateEvent(
  crypto: CryptoPort,
  by: Wallet,
  seller: Wallet,
  id: string,
  reservation: string,
  at: EpochMillis,
): EventMaker {
  return (options) => eventAround(crypto, SettlementInitiate, initiate(by, seller, id, reservation, at), by, options);
}

export function paymentEvent(
  crypto: CryptoPort,
  by: Wallet,
  settlement: string,
  at: EpochMillis,
  reference?: string,
): EventMaker {
  return (options) => eventAround(crypto, PaymentSubmitted, payment(by, settlement, at, reference), by, options);
}

export function approvalEvent(crypto: CryptoPort, by: Wallet, settlement: string, at: EpochMillis): EventMaker {
  const payload = { settlement_id: settlement, seller: by.peer, timestamp: at };
  return (options) => eventAround(crypto, SettlementApproved, payload, by, options);
}

/** A price that no trade on the offer agreed to. */
export function priceEvent(crypto: CryptoPort, by: Wallet, id: string, at: EpochMillis): EventMaker {
  const pricing = { Fixed: { price: { base_units: 99_900n, decimals: 2 } } };
  const payload = { id, merchant: by.peer, pricing, timestamp: at };
  return (options) => eventAround(crypto, AdvertisementPriceUpdate, payload, by, options);
}
