/**
 * A node that knows one trade as far as its settlement: what the parties sign, and how it is sent.
 * Source: protocol 02 P.1, P.2.
 */

import type { AttachmentPublish as Attachment } from "../../core/domains/content/attachments/schema.ts";
import { AttachmentPublish } from "../../core/domains/content/attachments/schema.ts";
import type { PaymentMethodId } from "../../core/domains/payment-methods/schema.ts";
import { AdvertisementCreate } from "../../core/domains/trade/advertisements/schema.ts";
import { ArbitratorJoin, DisputeOpen } from "../../core/domains/trade/disputes/schema.ts";
import { ReservationRequest } from "../../core/domains/trade/reservations/schema.ts";
import { SettlementInitiate } from "../../core/domains/trade/settlements/schema.ts";
import type { Cid, Codec } from "../../core/kernel/cid.ts";
import { cidOfBlock } from "../../core/kernel/cid.ts";
import { toBase64 } from "../../core/kernel/text.ts";
import type { EpochMillis, FiatCurrency, MintAddress } from "../../core/kernel/values.ts";
import type { LoneNode, Person } from "./lone-node.ts";
import { crypto, person, signedData } from "./lone-node.ts";

/** Source: protocol 02 P.1. */
export const T = 1_786_000_000_000n as EpochMillis;
export const [merchant, buyer, third] = [person(0x11), person(0x22), person(0x33)];
export const at = (ms: number) => (T + BigInt(ms)) as EpochMillis;

const usdc = (base_units: number, decimals = 6) => ({ base_units: BigInt(base_units), decimals });

export const advertisement = {
  id: "ad-1",
  merchant: merchant.peer,
  merchant_public_key: merchant.key,
  asset_mint: "2bHPi5hA4zrmPAfrvLmEexg3KJjpTjNkUcxWnzUPeRRU" as MintAddress,
  direction: "Sell" as const,
  fiat_currency: "KES" as FiatCurrency,
  min_trade: usdc(5_000_000),
  max_trade: usdc(100_000_000),
  initial_liquidity: usdc(250_000_000),
  pricing: { Fixed: { price: usdc(13_000, 2) } },
  payment_methods: ["builtin:mpesa-kenya" as PaymentMethodId],
  timestamp: T,
};
export const request = {
  id: "4711001",
  advertisement_id: "ad-1",
  requester: buyer.peer,
  requester_public_key: buyer.key,
  amount: usdc(20_000_000),
  agreed_price: usdc(13_000, 2),
  agreed_mid: null,
  timestamp: at(240_000),
};
export const initiate = {
  id: "set-1",
  reservation_id: "4711001",
  buyer: buyer.peer,
  buyer_public_key: buyer.key,
  seller: merchant.peer,
  seller_public_key: merchant.key,
  amount: usdc(20_000_000),
  timestamp: at(300_000),
};

/** The three sends behind settlement `set-1`, in order, dated from an instant on. */
export function tradeSendsFrom(begin: EpochMillis): readonly { readonly method: string; readonly data: string }[] {
  const from = <P extends { readonly timestamp: EpochMillis }>(payload: P): P => ({
    ...payload,
    timestamp: payload.timestamp - T + begin,
  });
  return [
    { method: "sendAdvertisementCreate", data: signedData(AdvertisementCreate, from(advertisement), merchant) },
    { method: "sendReservationRequest", data: signedData(ReservationRequest, from(request), buyer) },
    { method: "sendSettlementInitiate", data: signedData(SettlementInitiate, from(initiate), buyer) },
  ];
}
export const tradeSends = tradeSendsFrom(T);

/** Brings `set-1` about; the node's clock goes to T + 400 s. */
export function trade(node: LoneNode): LoneNode {
  node.now = T + 400_000n;
  for (const { method, data } of tradeSends) node.call(method, { data });
  return node;
}

/** A dispute about `set-1`, opened by the buyer and joined by an arbitrator. */
export function dispute(node: LoneNode, arbitrator: Person): void {
  const open = {
    id: "dis-1",
    settlement_id: "set-1",
    opener: buyer.peer,
    opener_public_key: buyer.key,
    reason: "nothing came",
    timestamp: at(350_000),
  };
  node.call("sendDisputeOpen", { data: signedData(DisputeOpen, open, buyer) });
  const join = {
    dispute_id: "dis-1",
    arbitrator: arbitrator.peer,
    arbitrator_public_key: arbitrator.key,
    timestamp: at(360_000),
  };
  node.call("sendArbitratorJoin", { data: signedData(ArbitratorJoin, join, arbitrator) });
}

/** The bytes of a small PNG file, another for each text. */
export function png(text: string): Uint8Array {
  return Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, ...new TextEncoder().encode(text)]);
}

export function cidOf(bytes: Uint8Array, codec: Codec = "raw"): Cid {
  return cidOfBlock(crypto, codec, bytes);
}

/** What somebody attaches to `set-1`: a receipt, unless said otherwise. */
export function attachment(by: Person, change: Partial<Attachment> = {}): Attachment {
  const bytes = png("receipt");
  return {
    id: "att-1",
    subject: { Settlement: "set-1" },
    author: by.peer,
    author_public_key: by.key,
    cid: cidOf(bytes),
    media_type: "Png",
    size_bytes: BigInt(bytes.length),
    caption: "transfer receipt",
    created_at: at(370_000),
    ...change,
  };
}

export function attach(node: LoneNode, by: Person, change: Partial<Attachment> = {}, signer = by): unknown {
  return node.call("sendAttachmentPublish", {
    data: signedData(AttachmentPublish, attachment(by, change), signer),
  });
}

export function put(node: LoneNode, bytes: Uint8Array, codec: Codec = "raw"): unknown {
  return node.call("sendContentPut", { cid: cidOf(bytes, codec), content: toBase64(bytes) });
}

/** Ids of what a settlement shows. */
export function shown(node: LoneNode, id = "set-1"): readonly string[] {
  const rows = node.call("getSettlementAttachments", { id }) as readonly { readonly id: string }[];
  return rows.map((row) => row.id);
}
