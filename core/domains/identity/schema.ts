/**
 * Identity claims: what a wallet says about itself, in statements that are never edited. A change is a new claim
 * that may name the one it replaces.
 * Source: OFS-5000; protocol 04 §1.2, §1.3, §1.4.
 */

import { isObject } from "../../kernel/json.ts";
import type { Infer, Schema } from "../../kernel/schema.ts";
import { sized } from "../../kernel/schema.ts";
import { option, struct, variants } from "../../kernel/schema-composites.ts";
import { bool, enumeration } from "../../kernel/schema-scalars.ts";
import type { Payload } from "../../kernel/signed.ts";
import { signed } from "../../kernel/signed.ts";
import { EpochMillis, PeerId, PublicKey, Text } from "../../kernel/values.ts";

/** Longest value of a claim, in bytes. Source: protocol 04 §1.11. */
export const VALUE_BYTES_MAX = 1_024;
/** Longest label of a custom claim, in bytes. Source: protocol 04 §1.11. */
export const LABEL_BYTES_MAX = 64;

/** OFS number and wire index of the priority Reputation. Source: protocol 01 §7.5, §8.1. */
const GOSSIP = { ofs: 5000, priority: 3 } as const;
const ABOUT = { kind: "claim", member: "claim_id" } as const;

const NAMES = [
  "Email",
  "Phone",
  "Telegram",
  "Discord",
  "Twitter",
  "MerchantName",
  "BusinessName",
  "Avatar",
  "EncryptionKey",
] as const;
const Named = enumeration(...NAMES);
const Labelled = variants({ Custom: sized(Text, { bytes: LABEL_BYTES_MAX }) });

export type ClaimType = Infer<typeof Named> | Infer<typeof Labelled>;

/** A name, or `{"Custom": label}`, which is the last in compact order. Source: protocol 04 §1.3. */
export const ClaimType: Schema<ClaimType> = {
  shape: { type: "either", of: [Named, Labelled] as unknown as readonly Schema<unknown>[] },
  decode(node, decoder) {
    const labelled = isObject(node) && node.members.has("Custom");
    return labelled ? Labelled.decode(node, decoder) : Named.decode(node, decoder);
  },
  write: (value, style) => (typeof value === "string" ? Named.write(value, style) : Labelled.write(value, style)),
  encode(value, writer) {
    if (typeof value === "string") return Named.encode(value, writer);
    writer.varint(NAMES.length);
    Text.encode(value.Custom, writer);
  },
  read(reader) {
    const place = Number(reader.varint(32));
    if (place === NAMES.length) return { Custom: Text.read(reader) };
    const name = NAMES[place];
    if (name === undefined) reader.fail();
    return name ?? "Email";
  },
};

/** Source: protocol 04 §1.3. `SelfAttested` is the claimant's own word; nobody else attests a claim. */
export const VerificationStatus = enumeration("Unverified", "SelfAttested");

/** Signed by the wallet. Source: protocol 04 §1.4. */
export const ClaimPublish = signed("openfiat/identity/ClaimPublish/v1", {
  outer: "publish",
  signer: "wallet",
  key: "wallet_public_key",
  time: "timestamp",
  creates: "claim",
  naming: "identity",
  event: "ClaimCreated",
  ...GOSSIP,
  fields: {
    id: Text,
    wallet: PeerId,
    wallet_public_key: PublicKey,
    claim_type: ClaimType,
    value: sized(Text, { bytes: VALUE_BYTES_MAX }),
    verified: bool,
    supersedes: option(Text),
    expires_at: option(EpochMillis),
    timestamp: EpochMillis,
  },
});
export type ClaimPublish = Payload<typeof ClaimPublish>;

/** Signed by the wallet, under its tag only: a revocation has the same members. Source: protocol 04 §0.2, §1.4. */
export const ClaimVerify = signed("openfiat/identity/ClaimVerify/v1", {
  outer: "verify",
  signer: "wallet",
  time: "timestamp",
  forms: "tagged",
  about: ABOUT,
  register: (payload) => payload.claim_id,
  event: "ClaimVerified",
  ...GOSSIP,
  fields: { claim_id: Text, wallet: PeerId, timestamp: EpochMillis },
});
export type ClaimVerify = Payload<typeof ClaimVerify>;

/** Signed by the wallet, under its tag only. Source: protocol 04 §0.2, §1.4. */
export const ClaimRevoke = signed("openfiat/identity/ClaimRevoke/v1", {
  outer: "revoke",
  signer: "wallet",
  time: "timestamp",
  forms: "tagged",
  about: ABOUT,
  register: (payload) => payload.claim_id,
  event: "ClaimRevoked",
  ...GOSSIP,
  fields: { claim_id: Text, wallet: PeerId, timestamp: EpochMillis },
});
export type ClaimRevoke = Payload<typeof ClaimRevoke>;

/** The record of protocol 04 §1.2: wholly public, for its wallet published it about itself. */
export const Claim = struct("Claim", {
  id: Text,
  wallet: PeerId,
  wallet_public_key: PublicKey,
  claim_type: ClaimType,
  value: Text,
  verification_status: VerificationStatus,
  supersedes: option(Text),
  expires_at: option(EpochMillis),
  revoked: bool,
  created_at: EpochMillis,
  updated_at: EpochMillis,
});
export type Claim = Infer<typeof Claim>;
