/**
 * Providers: who offers which infrastructure service, where, at what price, and whether it is up.
 * Source: OFS-1500; protocol 05 §1.2, §1.3, §1.6.
 */

import type { Infer } from "../../kernel/schema.ts";
import { sized } from "../../kernel/schema.ts";
import { list, option, struct, variants } from "../../kernel/schema-composites.ts";
import { enumeration, f64, u16 } from "../../kernel/schema-scalars.ts";
import type { Payload } from "../../kernel/signed.ts";
import { signed } from "../../kernel/signed.ts";
import { Amount, EpochMillis, PeerId, PublicKey, Text } from "../../kernel/values.ts";

/** Source: protocol 05 §14.4. */
export const ENDPOINTS_MAX = 16;
/** Source: protocol 05 §14.4. */
export const ENDPOINT_BYTES_MAX = 512;
/** Source: protocol 05 §14.4. */
export const CAPABILITIES_MAX = 32;
/** Source: protocol 05 §14.4. */
export const CAPABILITY_BYTES_MAX = 128;
/** Source: protocol 05 §14.4. */
export const REGION_BYTES_MAX = 64;
/** Source: protocol 05 §14.4. */
export const OFS_NUMBERS_MAX = 64;
/** Longest name, description and website, in characters. Source: protocol 05 §1.11. */
export const NAME_CHARACTERS_MAX = 64;
export const DESCRIPTION_CHARACTERS_MAX = 280;
export const WEBSITE_CHARACTERS_MAX = 256;

/** OFS number and wire priority of registry events: BackgroundSync. Source: protocol 05 §1.12. */
const GOSSIP = { ofs: 1500, priority: 6 } as const;
const ABOUT = { kind: "service", member: "service_id" } as const;

/** What a service does: a family and a name in it. Source: protocol 05 §1.3. */
export const ServiceType = variants({
  Infrastructure: enumeration("BootstrapNode", "SnapshotProvider", "PublicApiNode"),
  Marketplace: enumeration("MerchantGateway", "AnalyticsProvider"),
  Notifications: enumeration("Email", "Telegram", "Sms", "Push", "Webhook"),
  MarketData: enumeration("PriceOracle", "FxOracle"),
  Security: enumeration("RiskIntelligenceProvider", "WalletFlaggingProvider"),
});
export type ServiceType = Infer<typeof ServiceType>;

/** Source: protocol 05 §1.3. */
export const ServiceHealth = enumeration("Online", "Maintenance", "Degraded", "Offline");
export type ServiceHealth = Infer<typeof ServiceHealth>;

/** How a service presents itself. Source: protocol 05 §1.2. */
export const ServiceBranding = struct("ServiceBranding", {
  name: option(sized(Text, { points: NAME_CHARACTERS_MAX })),
  description: option(sized(Text, { points: DESCRIPTION_CHARACTERS_MAX })),
  logo: option(Text),
  website: option(sized(Text, { points: WEBSITE_CHARACTERS_MAX })),
});
export type ServiceBranding = Infer<typeof ServiceBranding>;

/** The declared price of one unit. Source: protocol 05 §1.2. */
export const ServicePricing = struct("ServicePricing", {
  token_mint: Text,
  amount: Amount,
  unit: enumeration("Request", "Trade", "Month"),
});
export type ServicePricing = Infer<typeof ServicePricing>;

/** Signed by the provider: the whole record of one of its services. Source: protocol 05 §1.6. */
export const Registration = signed("openfiat/registry/Registration/v1", {
  outer: "registration",
  signer: "provider",
  key: "provider_public_key",
  time: "timestamp",
  creates: "service",
  id: "service_id",
  register: (payload) => payload.service_id,
  event: "ServiceRegistered",
  ...GOSSIP,
  fields: {
    service_id: Text,
    service_type: ServiceType,
    provider: PeerId,
    provider_public_key: PublicKey,
    endpoints: sized(list(sized(Text, { bytes: ENDPOINT_BYTES_MAX })), { items: ENDPOINTS_MAX }),
    supported_ofs: sized(list(u16), { items: OFS_NUMBERS_MAX }),
    region: option(sized(Text, { bytes: REGION_BYTES_MAX })),
    capabilities: sized(list(sized(Text, { bytes: CAPABILITY_BYTES_MAX })), { items: CAPABILITIES_MAX }),
    branding: option(ServiceBranding),
    pricing: option(ServicePricing),
    payout_wallet: option(Text),
    timestamp: EpochMillis,
  },
});
export type Registration = Payload<typeof Registration>;

/** Signed by the provider. Source: protocol 05 §1.6. */
export const HealthUpdate = signed("openfiat/registry/HealthUpdate/v1", {
  outer: "update",
  signer: "provider",
  time: "timestamp",
  about: ABOUT,
  register: (payload) => payload.service_id,
  event: "ServiceUpdated",
  ...GOSSIP,
  fields: { service_id: Text, provider: PeerId, state: ServiceHealth, timestamp: EpochMillis },
});
export type HealthUpdate = Payload<typeof HealthUpdate>;

/** Signed by the provider. Source: protocol 05 §1.6. */
export const Withdrawal = signed("openfiat/registry/Withdrawal/v1", {
  outer: "withdrawal",
  signer: "provider",
  time: "timestamp",
  about: ABOUT,
  register: (payload) => payload.service_id,
  event: "ServiceUnregistered",
  ...GOSSIP,
  fields: { service_id: Text, provider: PeerId, timestamp: EpochMillis },
});
export type Withdrawal = Payload<typeof Withdrawal>;

/**
 * Signed by whoever pays a service's fee: the quote that it was paid by. No method and no event carries it,
 * so it names none; whoever is handed one verifies it. Source: protocol 05 §2.5.
 */
export const FeeSettlement = signed("openfiat/registry/FeeSettlement/v1", {
  outer: "settlement",
  signer: "payer",
  key: "payer_public_key",
  time: "quoted_at",
  forms: "tagged",
  event: "",
  ...GOSSIP,
  fields: {
    service_id: Text,
    payer: PeerId,
    payer_public_key: PublicKey,
    fee: Amount,
    fee_mint: Text,
    settlement_mint: Text,
    settlement_amount: Amount,
    rate: f64,
    quoted_at: EpochMillis,
    expires_at: EpochMillis,
    reference: Text,
  },
});
export type FeeSettlement = Payload<typeof FeeSettlement>;

/** What everybody may read of a service; all of it is public. Source: protocol 05 §1.2. */
export const ServiceRecord = struct("ServiceRecord", {
  service_id: Text,
  service_type: ServiceType,
  provider: PeerId,
  provider_public_key: PublicKey,
  endpoints: list(Text),
  supported_ofs: list(u16),
  region: option(Text),
  capabilities: list(Text),
  branding: option(ServiceBranding),
  pricing: option(ServicePricing),
  payout_wallet: option(Text),
  health: ServiceHealth,
  registered_at: EpochMillis,
  last_health_update: EpochMillis,
});
export type ServiceRecord = Infer<typeof ServiceRecord>;
