/**
 * What risk providers sign, with everything that a story does not care about filled in.
 * Source: protocol 04 §4.4; 05 §1.6.
 */

import type { ServiceType } from "../../core/domains/providers/schema.ts";
import { Registration, Withdrawal } from "../../core/domains/providers/schema.ts";
import type { RiskSeverity } from "../../core/domains/risk/schema.ts";
import { RiskPublish } from "../../core/domains/risk/schema.ts";
import type { EpochMillis, PeerId } from "../../core/kernel/values.ts";
import type { Actor } from "../convergence/actors.ts";
import { sign } from "../convergence/actors.ts";

interface PublishFields {
  readonly id?: string;
  readonly outcome?: "Flagged" | "Cleared";
  readonly severity?: RiskSeverity;
  readonly until?: EpochMillis | null;
  readonly reason?: string;
  readonly evidence?: readonly string[];
}

/** A provider, by its key and peer id. */
type Provider = Pick<Actor, "key" | "peer">;

export function publishPayload(by: Provider, wallet: PeerId, timestamp: EpochMillis, fields: PublishFields = {}) {
  return {
    id: fields.id ?? "r",
    provider: by.peer,
    provider_public_key: by.key,
    wallet,
    category: "FraudIntelligence" as const,
    outcome: fields.outcome ?? ("Flagged" as const),
    severity: fields.severity ?? ("Medium" as const),
    confidence: "Unknown" as const,
    reason: fields.reason ?? "",
    evidence: fields.evidence ?? [],
    timestamp,
    expires_at: fields.until ?? null,
  };
}

export function publish(by: Provider, wallet: PeerId, timestamp: EpochMillis, fields?: PublishFields) {
  return sign(RiskPublish, publishPayload(by, wallet, timestamp, fields));
}

const RISK_SERVICE: ServiceType = { Security: "RiskIntelligenceProvider" };

export function registrationPayload(by: Provider, timestamp: EpochMillis, service_type = RISK_SERVICE) {
  return {
    service_id: `risk of ${by.peer.slice(-6)}`,
    service_type,
    provider: by.peer,
    provider_public_key: by.key,
    endpoints: [],
    supported_ofs: [7100],
    region: null,
    capabilities: [],
    branding: null,
    pricing: null,
    payout_wallet: null,
    timestamp,
  };
}

export function register(by: Provider, timestamp: EpochMillis, service_type?: ServiceType) {
  return sign(Registration, registrationPayload(by, timestamp, service_type));
}

export function withdraw(by: Provider, timestamp: EpochMillis) {
  const { service_id, provider } = registrationPayload(by, timestamp);
  return sign(Withdrawal, { service_id, provider, timestamp });
}
