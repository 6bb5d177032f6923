/**
 * What the people of one trade send, in order, each signed when it is sent: an offer and its edits, three reservations
 * of it, one that is given back, one that is paid for and approved, one that ends as a case with votes.
 */
import { PaymentMethodDefine } from "../../core/domains/payment-methods/schema.ts";
import {
  AdvertisementCreate,
  AdvertisementPriceUpdate,
  AdvertisementStatusSet,
  AdvertisementTermsUpdate,
} from "../../core/domains/trade/advertisements/schema.ts";
import {
  ArbitratorJoin,
  DisputeOpen,
  MutualSettlementAgree,
  VoteCommit,
  VoteReveal,
} from "../../core/domains/trade/disputes/schema.ts";
import { ReservationCancel, ReservationRequest } from "../../core/domains/trade/reservations/schema.ts";
import {
  PaymentReversed,
  PaymentSubmitted,
  SettlementApproved,
  SettlementCancelled,
  SettlementInitiate,
  SettlementRejected,
} from "../../core/domains/trade/settlements/schema.ts";
import type { Fields } from "../../core/kernel/schema-composites.ts";
import type { SignedType } from "../../core/kernel/signed.ts";
import { identityOf } from "../../core/kernel/signed.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import type { Person } from "../rpc/lone-node.ts";
import { crypto, person, signedData } from "../rpc/lone-node.ts";
import { commitmentTo, secret, usdc } from "../rpc/signed-sends.ts";

/** A statement as it goes to a node, and the name under which a node keeps it. */
export interface Sent {
  readonly method: string;
  readonly data: string;
  readonly identity: string;
}

export type Send = (now: EpochMillis) => Sent;

const [buyer, arbitrator] = [person(0x52), person(0x53)];
/** A merchant may define few payment methods, so there are many. */
const merchants = Array.from({ length: 128 }, (_, n) => person(0x60 + n));
const USDC = "2bHPi5hA4zrmPAfrvLmEexg3KJjpTjNkUcxWnzUPeRRU";
const price = { Fixed: { price: usdc(13_000, 2) } };
const terms = {
  ...{ min_trade: usdc(5_000_000), max_trade: usdc(100_000_000) },
  payment_methods: ["builtin:mpesa-kenya"],
};
const buyers = { buyer: buyer.peer, buyer_public_key: buyer.key };

function send<F extends Fields>(method: string, type: SignedType<F>, by: Person, members: object): Send {
  return (timestamp) => {
    const dated = type === (PaymentMethodDefine as unknown) ? {} : { timestamp };
    const payload = { ...members, ...dated } as never;
    return { method, data: signedData(type, payload, by), identity: identityOf(crypto, type, payload) };
  };
}

/** The sends of one round of a trader whose number nobody else has. */
export function tradeOf(number: number, round: number): readonly Send[] {
  const place = number * 1_000 + round;
  const merchant = merchants[(number * 31 + round) % merchants.length] ?? buyer;
  const ad = { id: `ad-${place}`, merchant: merchant.peer };
  const owner = { merchant: merchant.peer, merchant_public_key: merchant.key };
  const offer = { asset_mint: USDC, direction: "Sell", fiat_currency: "KES", initial_liquidity: usdc(250_000_000) };
  const created = { id: ad.id, ...owner, ...offer, ...terms, pricing: price };
  return [
    send("sendPaymentMethodDefine", PaymentMethodDefine, merchant, {
      ...owner,
      name: `Stall ${place}`,
      category: "Cash",
    }),
    send("sendAdvertisementCreate", AdvertisementCreate, merchant, created),
    send("sendAdvertisementPriceUpdate", AdvertisementPriceUpdate, merchant, { ...ad, pricing: price }),
    send("sendAdvertisementTermsUpdate", AdvertisementTermsUpdate, merchant, { ...ad, ...terms }),
    send("sendAdvertisementStatusSet", AdvertisementStatusSet, merchant, { ...ad, status: "Active" }),
    ...givenBack(place, merchant),
    ...paidFor(place, merchant),
    ...rejected(place, merchant),
    ...disputed(place, merchant),
  ];
}

/** A reservation, and the settlement that begins it; four to an offer. */
function begun(
  place: number,
  merchant: Person,
  which: number,
): { readonly id: string; readonly settlement: string; readonly sends: readonly Send[] } {
  const id = `${place * 4 + which + 1}`;
  const settlement = `set-${id}`;
  const amount = usdc(20_000_000);
  const requester = { requester: buyer.peer, requester_public_key: buyer.key };
  const asked = {
    id,
    advertisement_id: `ad-${place}`,
    ...requester,
    amount,
    agreed_price: usdc(13_000, 2),
    agreed_mid: null,
  };
  const sellers = { seller: merchant.peer, seller_public_key: merchant.key };
  const initiated = { id: settlement, reservation_id: id, ...buyers, ...sellers, amount };
  const sends = [
    send("sendReservationRequest", ReservationRequest, buyer, asked),
    send("sendSettlementInitiate", SettlementInitiate, buyer, initiated),
  ];
  return { id, settlement, sends };
}

function paid(settlement: string): Send {
  const payment = { settlement_id: settlement, buyer: buyer.peer, payment_reference: null };
  return send("sendPaymentSubmitted", PaymentSubmitted, buyer, payment);
}

function givenBack(place: number, merchant: Person): readonly Send[] {
  const { id, settlement, sends } = begun(place, merchant, 0);
  const trade = { settlement_id: settlement };
  return [
    ...sends,
    paid(settlement),
    send("sendPaymentReversed", PaymentReversed, buyer, { ...trade, buyer: buyer.peer }),
    send("sendSettlementCancelled", SettlementCancelled, buyer, { ...trade, canceller: buyer.peer }),
    send("sendReservationCancel", ReservationCancel, buyer, { id, requester: buyer.peer }),
  ];
}

function paidFor(place: number, merchant: Person): readonly Send[] {
  const { settlement, sends } = begun(place, merchant, 1);
  const approved = { settlement_id: settlement, seller: merchant.peer };
  return [...sends, paid(settlement), send("sendSettlementApproved", SettlementApproved, merchant, approved)];
}

function rejected(place: number, merchant: Person): readonly Send[] {
  const { settlement, sends } = begun(place, merchant, 2);
  const refusal = { settlement_id: settlement, seller: merchant.peer, reason: "short", discrepancy: "IncorrectAmount" };
  return [...sends, paid(settlement), send("sendSettlementRejected", SettlementRejected, merchant, refusal)];
}

function disputed(place: number, merchant: Person): readonly Send[] {
  const { settlement, sends } = begun(place, merchant, 3);
  const dispute_id = `case-${settlement}`;
  const seat = { dispute_id, arbitrator: arbitrator.peer };
  const opener = { opener: buyer.peer, opener_public_key: buyer.key };
  return [
    ...sends,
    paid(settlement),
    send("sendDisputeOpen", DisputeOpen, buyer, {
      id: dispute_id,
      settlement_id: settlement,
      ...opener,
      reason: "late",
    }),
    send("sendArbitratorJoin", ArbitratorJoin, arbitrator, { ...seat, arbitrator_public_key: arbitrator.key }),
    send("sendVoteCommit", VoteCommit, arbitrator, { ...seat, commitment: commitmentTo("BuyerWins") }),
    send("sendVoteReveal", VoteReveal, arbitrator, { ...seat, vote: "BuyerWins", secret }),
    send("sendMutualSettlementAgree", MutualSettlementAgree, buyer, { dispute_id, party: buyer.peer }),
  ];
}
