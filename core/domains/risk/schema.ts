/**
 * Risk intelligence: registered providers flag or clear a wallet. Advisory: nothing refuses a trade for it.
 * Source: OFS-7100; protocol 04 §4.2-4.4.
 */

import type { Infer } from "../../kernel/schema.ts";
import { sized } from "../../kernel/schema.ts";
import { list, option, struct } from "../../kernel/schema-composites.ts";
import { enumeration } from "../../kernel/schema-scalars.ts";
import type { Payload } from "../../kernel/signed.ts";
import { signed } from "../../kernel/signed.ts";
import { utf8 } from "../../kernel/text.ts";
import { EpochMillis, PeerId, PublicKey, Text } from "../../kernel/values.ts";

/** Longest reason, in bytes. Source: protocol 04 §4.11. */
export const RISK_REASON_BYTES_MAX = 1_024;
/** References of a record at most. Source: protocol 04 §4.11. */
export const RISK_EVIDENCE_MAX = 16;
/** Longest reference, in bytes. Source: protocol 04 §4.11. */
export const RISK_EVIDENCE_BYTES_MAX = 256;

/** Source: protocol 04 §4.3. */
export const RiskCategory = enumeration(
  "BlockchainAnalytics",
  "FraudIntelligence",
  "Compliance",
  "CommunityIntelligence",
  "InfrastructureIntelligence",
);
/** Source: protocol 04 §4.3. */
export const RiskOutcome = enumeration("Flagged", "Cleared");
/** Severities, the least first. Source: protocol 04 §4.3. */
export const severities = ["Informational", "Low", "Medium", "High", "Critical"] as const;
/** Source: protocol 04 §4.3. */
export const RiskSeverity = enumeration(...severities);
export type RiskSeverity = Infer<typeof RiskSeverity>;
/** Source: protocol 04 §4.3. */
export const RiskConfidence = enumeration("Unknown", "Low", "Medium", "High", "VeryHigh");

/** Source: protocol 04 §4.11. */
const Evidence = sized(list(sized(Text, { bytes: RISK_EVIDENCE_BYTES_MAX })), { items: RISK_EVIDENCE_MAX });

/** Signed by the provider. Source: protocol 04 §4.4. */
export const RiskPublish = signed("openfiat/risk/RiskPublish/v1", {
  outer: "publish",
  signer: "provider",
  key: "provider_public_key",
  time: "timestamp",
  creates: "risk",
  event: {
    names: ["WalletFlagged", "WalletCleared"],
    of: (publish) => (publish.outcome === "Flagged" ? "WalletFlagged" : "WalletCleared"),
  },
  ofs: 7100,
  priority: 3,
  fields: {
    id: Text,
    provider: PeerId,
    provider_public_key: PublicKey,
    wallet: PeerId,
    category: RiskCategory,
    outcome: RiskOutcome,
    severity: RiskSeverity,
    confidence: RiskConfidence,
    reason: sized(Text, { bytes: RISK_REASON_BYTES_MAX }),
    evidence: Evidence,
    timestamp: EpochMillis,
    expires_at: option(EpochMillis),
  },
});
export type RiskPublish = Payload<typeof RiskPublish>;

/** The record of protocol 04 §4.2. The wallet is the one that was asked about; the provider published it. */
export const RiskRecord = struct("RiskRecord", {
  id: Text,
  provider: PeerId,
  provider_public_key: PublicKey,
  wallet: PeerId,
  category: RiskCategory,
  outcome: RiskOutcome,
  severity: RiskSeverity,
  confidence: RiskConfidence,
  reason: Text,
  evidence: list(Text),
  published_at: EpochMillis,
  expires_at: option(EpochMillis),
});
export type RiskRecord = Infer<typeof RiskRecord>;

/** What is current about a wallet; no severity means no active flag. Source: protocol 04 §4.2. */
export const ScreeningResult = struct("ScreeningResult", {
  wallet: PeerId,
  highest_severity: option(RiskSeverity),
  active_flags: list(RiskRecord),
});
export type ScreeningResult = Infer<typeof ScreeningResult>;

/** Whether a record's texts keep their bounds, at every ingress alike. Source: protocol 04 §4.11. */
export function isWithinBounds({ reason, evidence }: RiskPublish): boolean {
  if (utf8(reason).length > RISK_REASON_BYTES_MAX || evidence.length > RISK_EVIDENCE_MAX) return false;
  return evidence.every((reference) => utf8(reference).length <= RISK_EVIDENCE_BYTES_MAX);
}
