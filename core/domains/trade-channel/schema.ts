/**
 * Trade channel: payment details and chat of one settlement, encrypted end to end. A node stores and serves what it
 * cannot read. Source: protocol 02 J, an extension of the reference.
 */

import type { Infer } from "../../kernel/schema.ts";
import { sized } from "../../kernel/schema.ts";
import { list, struct } from "../../kernel/schema-composites.ts";
import { byteArray, enumeration, u64 } from "../../kernel/schema-scalars.ts";
import type { Payload } from "../../kernel/signed.ts";
import { signed } from "../../kernel/signed.ts";
import { EpochMillis, PeerId, Text } from "../../kernel/values.ts";

/** Statements of one signer in one trade channel. Source: DESIGN L10. */
export const CHANNEL_STATEMENTS_MAX = 1_024;

const ABOUT = { kind: "settlement", member: "settlement_id" } as const;
const GOSSIP = { ofs: 2300, priority: 0 } as const;

/** Largest ciphertext of an entry, in bytes. Source: protocol 02 J.3. */
export const ENTRY_BYTES_MAX = 4_368;
/** Largest sealed key, in bytes: one of ours has 48. Source: DESIGN L10. */
export const SEALED_KEY_BYTES_MAX = 1_024;
/** Entries of one author in one channel. Source: DESIGN L10. */
export const ENTRIES_PER_AUTHOR_MAX = 512;
/** Largest payload over RPC, in bytes. Source: DESIGN L10. */
export const CHANNEL_PAYLOAD_BYTES_MAX = 16_384;

/** Source: protocol 02 J.2. */
export const EntryKind = enumeration("PaymentDetails", "Message");
/** Source: protocol 02 J.2. */
export const ChannelRole = enumeration("Party", "Arbitrator");
export type ChannelRole = Infer<typeof ChannelRole>;
/** Source: protocol 02 J.2. */
export const SealedKey = struct("SealedKey", {
  ephemeral_public: byteArray(32),
  nonce: byteArray(12),
  ciphertext: sized(byteArray(null), { items: SEALED_KEY_BYTES_MAX }),
});
/** Source: protocol 02 J.2. */
export const ChannelCiphertext = struct("ChannelCiphertext", {
  key_id: byteArray(8),
  nonce: byteArray(12),
  ciphertext: sized(byteArray(null), { items: ENTRY_BYTES_MAX }),
});
export type ChannelCiphertext = Infer<typeof ChannelCiphertext>;

/** Signed by the granter: his newest for one recipient in a settlement's life counts. Source: protocol 02 J.2, O.28. */
export const TradeChannelKeyGrant = signed("openfiat/tradechannel/TradeChannelKeyGrant/v1", {
  outer: "grant",
  signer: "granter",
  time: "timestamp",
  about: ABOUT,
  among: "signer",
  event: "TradeChannelKeyGranted",
  ...GOSSIP,
  ownDepth: 1,
  apart: (payload) => payload.recipient,
  fields: {
    settlement_id: Text,
    granter: PeerId,
    recipient: PeerId,
    key_id: byteArray(8),
    sealed_key: SealedKey,
    timestamp: EpochMillis,
  },
});
export type TradeChannelKeyGrant = Payload<typeof TradeChannelKeyGrant>;

/** Signed by the author. Source: protocol 02 J.2. */
export const TradeChannelEntryPost = signed("openfiat/tradechannel/TradeChannelEntryPost/v1", {
  outer: "post",
  signer: "author",
  time: "timestamp",
  about: ABOUT,
  among: "signer",
  event: "TradeChannelEntryPosted",
  ...GOSSIP,
  fields: {
    settlement_id: Text,
    author: PeerId,
    sequence: u64,
    kind: EntryKind,
    payload: ChannelCiphertext,
    timestamp: EpochMillis,
  },
});
export type TradeChannelEntryPost = Payload<typeof TradeChannelEntryPost>;

/** Source: protocol 02 J.4. */
export const ChannelGrant = struct("ChannelGrant", {
  settlement_id: Text,
  granter: PeerId,
  recipient: PeerId,
  role: ChannelRole,
  key_id: byteArray(8),
  sealed_key: SealedKey,
  granted_at: EpochMillis,
});
export type ChannelGrant = Infer<typeof ChannelGrant>;
/** Source: protocol 02 J.4. */
export const ChannelEntry = struct("ChannelEntry", {
  settlement_id: Text,
  author: PeerId,
  sequence: u64,
  kind: EntryKind,
  payload: ChannelCiphertext,
  posted_at: EpochMillis,
});
export type ChannelEntry = Infer<typeof ChannelEntry>;
/** Source: protocol 02 J.4. */
export const TradeChannel = struct("TradeChannel", {
  settlement_id: Text,
  grants: list(ChannelGrant),
  entries: list(ChannelEntry),
});
export type TradeChannel = Infer<typeof TradeChannel>;
