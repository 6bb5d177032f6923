/**
 * How the refusals of the trade channel come about. Source: protocol 02 J.3, J.4; 03 B.5.
 */
import {
  ENTRIES_PER_AUTHOR_MAX,
  TradeChannelEntryPost,
  TradeChannelKeyGrant,
} from "../../core/domains/trade-channel/schema.ts";
import { fromBase58, toBase64 } from "../../core/kernel/text.ts";
import type { LoneNode, Person } from "../rpc/lone-node.ts";
import { loneNode, signedData } from "../rpc/lone-node.ts";
import { at, buyer, merchant, T, third, trade } from "../rpc/node-with-settlement.ts";
import { proofOf } from "../rpc/prove.ts";
import { tiredNode } from "../rpc/tired-node.ts";
import { entry, grant, sealedBytes, sendEntry } from "../trade-channel/channel.ts";
import type { Refusal } from "./refusal.ts";

type RpcNode = Pick<LoneNode, "body">;
const inBase64 = (base58: string) => toBase64(fromBase58(base58) ?? new Uint8Array(0));
const node = () => trade(loneNode(T));
const ask = (at: RpcNode, method: string, params: unknown) =>
  at.body(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }));

const [read, give, post] = ["getMyTradeChannel", "sendTradeChannelKeyGrant", "sendTradeChannelEntry"];
const prove = (at: RpcNode, by: Person) => proofOf(at, "openfiat-my-trade-channel", by);
const readAs = (at: RpcNode, by: Person, change: object = {}, id = "set-1") =>
  ask(at, read, { id, ...prove(at, by), ...change });
const granting = (payload: TradeChannelKeyGrant, signer: Person, at = node()) =>
  ask(at, give, { data: signedData(TradeChannelKeyGrant, payload, signer) });
const posting = (payload: TradeChannelEntryPost, signer: Person, at = node()) =>
  ask(at, post, { data: signedData(TradeChannelEntryPost, payload, signer) });

export const refusals: readonly Refusal[] = [
  {
    method: read,
    code: "INVALID_IDENTITY_CLAIM",
    provoke: () => readAs(node(), third, { public_key: inBase64(merchant.key) }),
  },
  { method: read, code: "RESOURCE_NOT_FOUND", provoke: () => readAs(node(), buyer, { nonce: "ab".repeat(32) }) },
  { method: read, code: "RATE_LIMIT_EXCEEDED", provoke: () => readAs(tiredNode(T), buyer) },
  {
    method: read,
    code: "INVALID_REQUEST",
    provoke: () => {
      const late = node();
      const proof = prove(late, buyer);
      late.now += 300_001n;
      return ask(late, read, { id: "set-1", ...proof });
    },
  },
  {
    method: read,
    code: "INVALID_SIGNATURE",
    provoke: () => {
      const at = node();
      return readAs(at, buyer, { signature: prove(at, buyer).signature });
    },
  },
  { method: read, code: "SETTLEMENT_NOT_FOUND", provoke: () => readAs(node(), third, {}, "nope") },
  { method: read, code: "INVALID_IDENTITY_CLAIM", provoke: () => readAs(node(), third) },

  {
    method: give,
    code: "SETTLEMENT_NOT_FOUND",
    provoke: () => granting(grant(third, { settlement_id: "nope" }), merchant),
  },
  {
    method: give,
    code: "INVALID_SIGNATURE",
    provoke: () => granting(grant(merchant, { recipient: third.peer }), buyer),
  },
  {
    method: give,
    code: "INVALID_PARAMETER",
    parity: "taken",
    provoke: () => granting(grant(merchant, { timestamp: at(700_001) }), merchant),
  },
  {
    method: give,
    code: "INVALID_SIGNATURE",
    parity: "INVALID_IDENTITY_CLAIM",
    provoke: () => granting(grant(third), merchant),
  },
  {
    method: give,
    code: "INVALID_PARAMETER",
    parity: "INVALID_IDENTITY_CLAIM",
    provoke: () => granting(grant(third, { timestamp: at(700_001) }), third),
  },
  { method: give, code: "INVALID_IDENTITY_CLAIM", provoke: () => granting(grant(third), third) },
  {
    method: give,
    code: "INVALID_PARAMETER",
    provoke: () => {
      const { sealed_key } = grant(merchant);
      return granting(grant(merchant, { sealed_key: { ...sealed_key, ciphertext: new Uint8Array(1_025) } }), merchant);
    },
  },
  {
    method: give,
    code: "INVALID_IDENTITY_CLAIM",
    provoke: () => granting(grant(merchant, { recipient: third.peer }), merchant),
  },

  {
    method: post,
    code: "SETTLEMENT_NOT_FOUND",
    provoke: () => posting(entry(third, { settlement_id: "nope" }), merchant),
  },
  {
    method: post,
    code: "INVALID_SIGNATURE",
    provoke: () => posting(entry(merchant, { payload: sealedBytes(1, 4_369) }), buyer),
  },
  {
    method: post,
    code: "INVALID_PARAMETER",
    parity: "taken",
    provoke: () => posting(entry(merchant, { timestamp: at(700_001) }), merchant),
  },
  {
    method: post,
    code: "INVALID_SIGNATURE",
    parity: "INVALID_IDENTITY_CLAIM",
    provoke: () => posting(entry(third), merchant),
  },
  {
    method: post,
    code: "INVALID_PARAMETER",
    parity: "INVALID_IDENTITY_CLAIM",
    provoke: () => posting(entry(third, { timestamp: at(700_001) }), third),
  },
  { method: post, code: "INVALID_IDENTITY_CLAIM", provoke: () => posting(entry(third), third) },
  {
    method: post,
    code: "INVALID_PARAMETER",
    provoke: () => posting(entry(merchant, { payload: sealedBytes(1, 4_369) }), merchant),
  },
  {
    method: post,
    code: "RESOURCE_ALREADY_EXISTS",
    provoke: () => {
      const at = node();
      sendEntry(at, entry(merchant));
      return posting(entry(merchant, { payload: sealedBytes(1) }), merchant, at);
    },
  },
  {
    method: post,
    code: "RATE_LIMIT_EXCEEDED",
    provoke: () => {
      const at = node();
      for (let i = 0; i < ENTRIES_PER_AUTHOR_MAX; i++) sendEntry(at, entry(merchant, { sequence: BigInt(i) }));
      return posting(entry(merchant, { sequence: 9_999n }), merchant, at);
    },
  },
];
