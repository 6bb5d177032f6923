/**
 * A trade off chain: the offer, the reservation, the settlement, the payment and its confirmation. Everyone waits
 * until their own node shows what they act on. Source: protocol 02 B.5, C.3, D.3.
 */
import type { FiatCurrency, Infer, MintAddress, Schema } from "../../core/index.ts";
import { enumeration } from "../../core/index.ts";
import type { PaymentMethodId } from "../../core/testing.ts";
import {
  AdvertisementCreate,
  i32,
  PaymentSubmitted,
  ReservationRequest,
  SettlementApproved,
  SettlementInitiate,
} from "../../core/testing.ts";
import { plain } from "../data/optional.ts";
import { Name } from "../data/values.ts";
import type { Person } from "../person.ts";
import type { Scene } from "../scene.ts";
import type { Script } from "../script.ts";
import type { ActionRows } from "./action-row.ts";
import { actionForm, begins } from "./action-row.ts";
import type { Offer, TradeTerms, When } from "./trade-terms.ts";
import {
  Asset,
  amountOf,
  amountText,
  mintOf,
  OfferData,
  OTHERS_MS,
  sellerOf,
  TradeData,
  takerOf,
  told,
} from "./trade-terms.ts";

const TRANSFER = "builtin:bank-transfer" as PaymentMethodId;

/** An offer whose price follows a rate. */
export interface FloatingOffer {
  readonly id: string;
  readonly merchant: string;
  readonly asset: Asset;
  readonly fiatCurrency: string;
  readonly premiumBps: number;
}

const FloatingOfferData: Schema<FloatingOffer> = plain("floating offer", {
  id: Name,
  merchant: Name,
  asset: Asset,
  fiatCurrency: Name,
  premiumBps: i32,
});

export const tradeForms = {
  advertise: actionForm("advertise", { offer: OfferData }),
  "advertise-floating": actionForm("advertise-floating", { offer: FloatingOfferData }),
  reserve: actionForm("reserve", { trade: TradeData }),
  initiate: actionForm("initiate", { trade: TradeData }),
  "publish-funded": actionForm("publish-funded", { trade: TradeData }),
  pay: actionForm("pay", { trade: TradeData }),
  approve: actionForm("approve", { trade: TradeData }),
  "see-settlement": actionForm("see-settlement", { trade: TradeData, state: enumeration("Approved", "Completed") }),
};

type Of<K extends keyof typeof tradeForms> = Infer<(typeof tradeForms)[K]>;

/** Publishes the offer. */
export function advertise(offer: Offer, when: When): Of<"advertise"> {
  return { ...begins("advertise", offer.merchant, when), offer };
}

/** Publishes an offer at the current rate and a premium. */
export function advertiseFloating(offer: FloatingOffer, when: When): Of<"advertise-floating"> {
  return { ...begins("advertise-floating", offer.merchant, when), offer };
}

/** Reserves part of the offer. */
export function reserve(trade: TradeTerms, when: When): Of<"reserve"> {
  return { ...begins("reserve", takerOf(trade), when), trade };
}

/** Starts the settlement of a reserved trade. */
export function initiate(trade: TradeTerms, when: When): Of<"initiate"> {
  return { ...begins("initiate", trade.buyer, when), trade };
}

/** The merchant says that the escrow is funded, on a network without a chain, or without having done it. */
export function publishFunded(trade: TradeTerms, when: When): Of<"publish-funded"> {
  return { ...begins("publish-funded", trade.offer.merchant, when), trade };
}

/** Pays once the merchant said that the escrow holds the tokens, and says so. */
export function pay(trade: TradeTerms, when: When): Of<"pay"> {
  return { ...begins("pay", trade.buyer, when), trade };
}

/** Confirms the payment once the merchant's node shows it. */
export function approve(trade: TradeTerms, when: When): Of<"approve"> {
  return { ...begins("approve", sellerOf(trade), when), trade };
}

/** Reads the settlement until it shows a state; from a node with an endpoint, `Completed` comes from the chain. */
export function seeSettlement(
  trade: TradeTerms,
  actor: string,
  state: "Approved" | "Completed",
  when: When,
): Of<"see-settlement"> {
  return { ...begins("see-settlement", actor, when), trade, state };
}

export const tradeRows: ActionRows<typeof tradeForms> = {
  advertise: {
    title: () => "advertise",
    *run(person, scene, { offer }) {
      yield* person.send("sendAdvertisementCreate", AdvertisementCreate, {
        ...advertised(person, offer),
        direction: offer.direction ?? "Sell",
        fiat_currency: offer.fiatCurrency as FiatCurrency,
        min_trade: amountOf(offer, offer.minTrade),
        max_trade: amountOf(offer, offer.maxTrade),
        initial_liquidity: amountOf(offer, offer.liquidity),
        pricing: { Fixed: { price: priceOf(offer) } },
      });
      told(scene, person, `offers ${amountText(offer, offer.liquidity)} for ${offer.fiatCurrency}`);
    },
  },
  "advertise-floating": {
    title: ({ offer }) => `advertise ${offer.id}`,
    *run(person, scene, { offer }) {
      yield* person.send("sendAdvertisementCreate", AdvertisementCreate, {
        ...advertised(person, offer),
        direction: "Sell",
        fiat_currency: offer.fiatCurrency as FiatCurrency,
        min_trade: amountOf(offer, 1n),
        max_trade: amountOf(offer, 1_000_000_000n),
        initial_liquidity: amountOf(offer, 1_000_000_000n),
        pricing: { Floating: { oracle_provider: "any", premium_bps: offer.premiumBps, price_decimals: 2 } },
      });
      told(scene, person, `offers ${offer.asset} for ${offer.fiatCurrency} at the rate of the day`);
    },
  },
  reserve: {
    title: ({ trade }) => `reserve ${trade.reservation}`,
    *run(person, scene, { trade }) {
      const { offer, amount } = trade;
      const reservation = trade.reservation.toString();
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
  },
  initiate: { title: ({ trade }) => `initiate ${trade.settlement}`, run: initiateSettlement },
  "publish-funded": {
    title: ({ trade }) => `say that escrow ${trade.reservation} is funded`,
    // biome-ignore lint/correctness/useYield: it waits for nothing
    *run(_, scene, { trade }) {
      scene.share(escrowNews(trade), "published");
    },
  },
  pay: {
    title: ({ trade }) => `pay ${trade.settlement}`,
    *run(person, scene, { trade }) {
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
  },
  approve: {
    title: ({ trade }) => `approve ${trade.settlement}`,
    *run(person, scene, { trade }) {
      yield* settlementIs(person, trade, "PaymentSubmitted");
      yield* person.send("sendSettlementApproved", SettlementApproved, {
        settlement_id: trade.settlement,
        seller: person.wallet.peer,
        timestamp: person.now(),
      });
      told(scene, person, `confirms the payment for ${trade.settlement}`);
    },
  },
  "see-settlement": {
    title: ({ trade, state }) => `see ${trade.settlement} ${state}`,
    *run(person, scene, { trade, state }) {
      const seen = yield* settlementIs(person, trade, state);
      const signature = seen.escrow_release_signature;
      const how = typeof signature === "string" ? `, released by ${signature.slice(0, 8)}… on chain` : "";
      told(scene, person, `reads ${trade.settlement} ${state}${how}`);
    },
  },
};

/** What a merchant and a taker agree to pay for one unit. */
export function priceOf({ priceCents }: Offer) {
  return { base_units: priceCents, decimals: 2 };
}

/** What advertisements at any price say alike. */
function advertised({ wallet, now }: Person, { id, asset }: Offer | FloatingOffer) {
  return {
    id,
    merchant: wallet.peer,
    merchant_public_key: wallet.publicKey,
    asset_mint: mintOf(asset).mint as MintAddress,
    payment_methods: [TRANSFER],
    timestamp: now(),
  };
}

function* initiateSettlement(person: Person, scene: Scene, { trade }: Of<"initiate">): Script {
  const reservation = trade.reservation.toString();
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
