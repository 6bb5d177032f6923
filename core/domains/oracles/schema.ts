/**
 * Oracles: signed, expiring observations of market data. Information, never authority.
 * Source: OFS-7000; protocol 05 §3.2-3.4, §3.6.
 */

import { isObject } from "../../kernel/json.ts";
import type { Infer, Schema } from "../../kernel/schema.ts";
import { list, option, struct, variants } from "../../kernel/schema-composites.ts";
import { bool, enumeration, f64, u8, u64 } from "../../kernel/schema-scalars.ts";
import type { Payload } from "../../kernel/signed.ts";
import { signed } from "../../kernel/signed.ts";
import { EpochMillis, PeerId, PublicKey, Text } from "../../kernel/values.ts";

/** What is observed. `rate` is in units of quote for one unit of base. Source: protocol 05 §3.3. */
export const OracleData = variants({
  ExchangeRate: struct("ExchangeRateData", { base: Text, quote: Text, rate: f64 }),
  StablecoinMetadata: struct("StablecoinMetadata", {
    symbol: Text,
    name: Text,
    decimals: u8,
    blockchain: Text,
    mint_address: option(Text),
    website: option(Text),
    status: Text,
  }),
  PaymentInfrastructure: struct("PaymentInfrastructure", { rail: Text, available: bool, note: option(Text) }),
  RegionalMetadata: struct("RegionalMetadata", {
    country: Text,
    supported_fiat: list(Text),
    payment_methods: list(Text),
  }),
});
export type OracleData = Infer<typeof OracleData>;

/** Signed by the provider: a register of its own for each id, ordered by version. Source: protocol 05 §3.4, §14.11. */
export const OraclePublish = signed("openfiat/oracles/OraclePublish/v1", {
  outer: "publish",
  signer: "provider",
  key: "provider_public_key",
  time: "timestamp",
  creates: "oracle",
  register: (payload) => payload.id,
  rank: (payload) => payload.version,
  event: "OracleRecordPublished",
  ofs: 7000,
  priority: 3,
  fields: {
    id: Text,
    provider: PeerId,
    provider_public_key: PublicKey,
    data: OracleData,
    version: u64,
    timestamp: EpochMillis,
    expires_at: EpochMillis,
  },
});
export type OraclePublish = Payload<typeof OraclePublish>;

/** What everybody may read of a publication; all of it is public. Source: protocol 05 §3.2. */
export const OracleRecord = struct("OracleRecord", {
  id: Text,
  provider: PeerId,
  provider_public_key: PublicKey,
  data: OracleData,
  version: u64,
  published_at: EpochMillis,
  expires_at: EpochMillis,
});
export type OracleRecord = Infer<typeof OracleRecord>;

/** What a pair reads at an instant: a number only while it is current. Source: protocol 05 §3.6. */
export type ExchangeRate =
  | { readonly status: "current"; readonly rate: number; readonly expiresAt: EpochMillis }
  | { readonly status: "stale" | "noData" };

const CurrentRate = struct("CurrentRate", { status: enumeration("current"), rate: f64, expiresAt: EpochMillis });
const NoRate = struct("NoRate", { status: enumeration("stale", "noData") });

/** Answers only: never stored, never gossiped. */
export const ExchangeRate: Schema<ExchangeRate> = {
  shape: { type: "either", of: [CurrentRate, NoRate] as unknown as readonly Schema<unknown>[] },
  floats: true,
  decode(node, decoder) {
    const isCurrent = isObject(node) && node.members.get("status") === "current";
    return isCurrent ? CurrentRate.decode(node, decoder) : NoRate.decode(node, decoder);
  },
  write: (value, style) => (value.status === "current" ? CurrentRate.write(value, style) : NoRate.write(value, style)),
  encode(value, writer) {
    writer.byte(value.status === "current" ? 1 : 0);
    if (value.status === "current") CurrentRate.encode(value, writer);
    else NoRate.encode(value, writer);
  },
  read: (reader) => (reader.byte() === 1 ? CurrentRate : NoRate).read(reader),
};
