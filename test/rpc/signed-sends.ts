/**
 * Signed sends of the people of one trade: each is a payload with everything filled in, any member of which can be
 * given otherwise, signed by whoever is named. Dates are the node's own unless said. Answers are whole bodies.
 */

import { PaymentMethodDefine } from "../../core/domains/payment-methods/schema.ts";
import {
  AdvertisementCreate,
  AdvertisementDisable,
  AdvertisementPriceUpdate,
  AdvertisementStatusSet,
  AdvertisementTermsUpdate,
} from "../../core/domains/trade/advertisements/schema.ts";
import { commitmentOf } from "../../core/domains/trade/disputes/rules.ts";
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
import type { LoneNode, Person } from "./lone-node.ts";
import { crypto, person, signedData } from "./lone-node.ts";

export const [merchant, buyer, third] = [person(0x11), person(0x22), person(0x33)];
export const arbitrators = [person(0x41), person(0x42), person(0x43), person(0x44)] as const;
export const secret = new Uint8Array(32).fill(7);

/** An amount of the asset. */
export function usdc(base_units: number | bigint, decimals = 6) {
  return { base_units: BigInt(base_units), decimals };
}

const USDC = "2bHPi5hA4zrmPAfrvLmEexg3KJjpTjNkUcxWnzUPeRRU";

const fixed = { Fixed: { price: usdc(13_000, 2) } };
const terms = {
  min_trade: usdc(5_000_000),
  max_trade: usdc(100_000_000),
  payment_methods: ["builtin:mpesa-kenya"],
};

type Members = Readonly<Record<string, unknown>>;

const owner = { merchant: merchant.peer, merchant_public_key: merchant.key };
const edit = { id: "ad-1", merchant: merchant.peer };
const trade = { settlement_id: "set-1" };
const parties = {
  ...{ buyer: buyer.peer, buyer_public_key: buyer.key },
  ...{ seller: merchant.peer, seller_public_key: merchant.key },
};
const offer = { asset_mint: USDC, direction: "Sell", fiat_currency: "KES", initial_liquidity: usdc(250_000_000) };
const bid = { amount: usdc(20_000_000), agreed_price: usdc(13_000, 2), agreed_mid: null };

type SenderOf = ReturnType<typeof senderOf>;

/** Sends to one node: signed by who usually signs them, dated now, unless a change says otherwise. */
function senderOf(node: LoneNode) {
  return (method: string, type: { readonly outer: string }, usual: Members, signer: Person) =>
    (change: Members = {}, by: Person = signer): string => {
      const payload = { ...usual, ...(type === PaymentMethodDefine ? {} : { timestamp: node.now }), ...change };
      const data = signedData(type as never, payload as never, by);
      return node.body(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { data } })) ?? "";
    };
}

/** The sends, each to one node. */
export function signedSends(node: LoneNode) {
  const sendOf = senderOf(node);
  return { ...offersOf(sendOf), ...tradesOf(sendOf), ...casesOf(sendOf) };
}

function offersOf(sendOf: SenderOf) {
  const created = { id: "ad-1", ...owner, ...offer, ...terms, pricing: fixed };
  const defined = { ...owner, name: "Chipper Cash", category: "Fintech" };
  return {
    create: sendOf("sendAdvertisementCreate", AdvertisementCreate, created, merchant),
    price: sendOf("sendAdvertisementPriceUpdate", AdvertisementPriceUpdate, { ...edit, pricing: fixed }, merchant),
    terms: sendOf("sendAdvertisementTermsUpdate", AdvertisementTermsUpdate, { ...edit, ...terms }, merchant),
    status: sendOf("sendAdvertisementStatusSet", AdvertisementStatusSet, { ...edit, status: "Active" }, merchant),
    disable: sendOf("sendAdvertisementDisable", AdvertisementDisable, edit, merchant),
    disableBySet: sendOf("sendAdvertisementDisable", AdvertisementStatusSet, { ...edit, status: "Disabled" }, merchant),
    define: sendOf("sendPaymentMethodDefine", PaymentMethodDefine, defined, merchant),
  };
}

function tradesOf(sendOf: SenderOf) {
  const requester = { requester: buyer.peer, requester_public_key: buyer.key };
  const asked = { id: "1", advertisement_id: "ad-1", ...requester, ...bid };
  const begun = { id: "set-1", reservation_id: "1", ...parties, amount: usdc(20_000_000) };
  const paid = { ...trade, buyer: buyer.peer, payment_reference: null };
  const rejected = { ...trade, seller: merchant.peer, reason: "short", discrepancy: "IncorrectAmount" };
  return {
    reserve: sendOf("sendReservationRequest", ReservationRequest, asked, buyer),
    release: sendOf("sendReservationCancel", ReservationCancel, { id: "1", requester: buyer.peer }, buyer),
    initiate: sendOf("sendSettlementInitiate", SettlementInitiate, begun, buyer),
    pay: sendOf("sendPaymentSubmitted", PaymentSubmitted, paid, buyer),
    reverse: sendOf("sendPaymentReversed", PaymentReversed, { ...trade, buyer: buyer.peer }, buyer),
    approve: sendOf("sendSettlementApproved", SettlementApproved, { ...trade, seller: merchant.peer }, merchant),
    reject: sendOf("sendSettlementRejected", SettlementRejected, rejected, merchant),
    cancel: sendOf("sendSettlementCancelled", SettlementCancelled, { ...trade, canceller: buyer.peer }, buyer),
  };
}

function casesOf(sendOf: SenderOf) {
  const opened = {
    id: "d-1",
    settlement_id: "set-1",
    opener: buyer.peer,
    opener_public_key: buyer.key,
    reason: "late",
  };
  const seat = (by: Person) => ({ dispute_id: "d-1", arbitrator: by.peer });
  return {
    open: sendOf("sendDisputeOpen", DisputeOpen, opened, buyer),
    agree: sendOf("sendMutualSettlementAgree", MutualSettlementAgree, { dispute_id: "d-1", party: buyer.peer }, buyer),
    panel: (by: Person) => ({
      join: sendOf("sendArbitratorJoin", ArbitratorJoin, { ...seat(by), arbitrator_public_key: by.key }, by),
      commit: sendOf("sendVoteCommit", VoteCommit, { ...seat(by), commitment: commitmentTo("BuyerWins") }, by),
      reveal: sendOf("sendVoteReveal", VoteReveal, { ...seat(by), vote: "BuyerWins", secret }, by),
    }),
  };
}

/** A commitment with the usual secret. */
export function commitmentTo(vote: "BuyerWins" | "MerchantWins" | "Invalid"): Uint8Array {
  return commitmentOf((bytes) => crypto.sha256(bytes), vote, secret);
}

/** The result of a body, or the registered number or JSON-RPC code of its refusal. */
export function resultOf(body: string): unknown {
  const answer = JSON.parse(body) as { result?: unknown; error?: { code: number; data?: { ofsErrorCode: number } } };
  return answer.error === undefined ? answer.result : (answer.error.data?.ofsErrorCode ?? answer.error.code);
}
