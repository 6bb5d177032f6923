/**
 * What people leave in the channel of `set-1`, through the real ingress. Source: protocol 02 J.2.
 */
import type { TradeChannel } from "../../core/domains/trade-channel/schema.ts";
import { TradeChannelEntryPost, TradeChannelKeyGrant } from "../../core/domains/trade-channel/schema.ts";
import type { LoneNode, Person } from "../rpc/lone-node.ts";
import { signedData } from "../rpc/lone-node.ts";
import { at, buyer, merchant } from "../rpc/node-with-settlement.ts";
import { proofOf } from "../rpc/prove.ts";

const bytes = (length: number, fill: number) => new Uint8Array(length).fill(fill);

export function grant(by: Person, change: Partial<TradeChannelKeyGrant> = {}): TradeChannelKeyGrant {
  return {
    settlement_id: "set-1",
    granter: by.peer,
    recipient: buyer.peer,
    key_id: bytes(8, 1),
    sealed_key: { ephemeral_public: bytes(32, 2), nonce: bytes(12, 3), ciphertext: bytes(48, 4) },
    timestamp: at(310_000),
    ...change,
  };
}

export function entry(by: Person, change: Partial<TradeChannelEntryPost> = {}): TradeChannelEntryPost {
  return {
    settlement_id: "set-1",
    author: by.peer,
    sequence: 0n,
    kind: "PaymentDetails",
    payload: { key_id: bytes(8, 1), nonce: bytes(12, 5), ciphertext: bytes(272, 6) },
    timestamp: at(320_000),
    ...change,
  };
}

/** An entry's words: another text for each number. */
export function sealedBytes(fill: number, length = 272): TradeChannelEntryPost["payload"] {
  return { key_id: bytes(8, 1), nonce: bytes(12, 5), ciphertext: bytes(length, fill) };
}

export function sendGrant(node: LoneNode, payload: TradeChannelKeyGrant, signer: Person = merchant): unknown {
  return node.call("sendTradeChannelKeyGrant", { data: signedData(TradeChannelKeyGrant, payload, signer) });
}

export function sendEntry(node: LoneNode, payload: TradeChannelEntryPost, signer: Person = merchant): unknown {
  return node.call("sendTradeChannelEntry", { data: signedData(TradeChannelEntryPost, payload, signer) });
}

/** The channel as a wallet reads it, or the number of the refusal. */
export function read(node: LoneNode, by: Person, id = "set-1"): TradeChannel | number {
  return node.call("getMyTradeChannel", { id, ...proofOf(node, "openfiat-my-trade-channel", by) }) as
    | TradeChannel
    | number;
}
