/**
 * What providers sign in stories, with everything that a story does not care about filled in.
 */

import type { HealthUpdate, Registration, ServiceHealth, Withdrawal } from "../../core/domains/providers/schema.ts";
import type { EpochMillis, PeerId, PublicKey } from "../../core/kernel/values.ts";

/** Whoever has a key. */
interface Signer {
  readonly peer: PeerId;
  readonly key: PublicKey;
}

export function registration(by: Signer, timestamp: bigint, more: Partial<Registration> = {}): Registration {
  return {
    service_id: "svc-1",
    service_type: { MarketData: "FxOracle" },
    provider: by.peer,
    provider_public_key: by.key,
    endpoints: [],
    supported_ofs: [1500, 7000],
    region: null,
    capabilities: [],
    branding: null,
    pricing: null,
    payout_wallet: null,
    timestamp: timestamp as EpochMillis,
    ...more,
  };
}

export function health(by: Signer, timestamp: bigint, state: ServiceHealth = "Degraded", service_id = "svc-1") {
  return { service_id, provider: by.peer, state, timestamp: timestamp as EpochMillis } satisfies HealthUpdate;
}

export function withdrawal(by: Signer, timestamp: bigint, service_id = "svc-1") {
  return { service_id, provider: by.peer, timestamp: timestamp as EpochMillis } satisfies Withdrawal;
}
