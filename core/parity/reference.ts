/**
 * The reference's rules and answers: what stands in the place of ours where the profile says `parity`. README.md
 * lists them with their reasons. Source: DESIGN §3.0, §7 #12.
 */

import type { OtherRules } from "../engine/domain.ts";
import { advertisementOverrides } from "./advertisements.ts";
import { chainBridgeOverrides } from "./chain-bridge.ts";
import { contentOverrides } from "./content.ts";
import { disputeOverrides } from "./disputes.ts";
import { governanceOverrides } from "./governance.ts";
import { identityOverrides } from "./identity.ts";
import { nodeInfoOverrides } from "./node-info.ts";
import { notificationOverrides } from "./notifications.ts";
import { oracleOverrides } from "./oracles.ts";
import { ParityTimestamps } from "./parity-timestamps.ts";
import { providerOverrides } from "./providers.ts";
import { reputationOverrides } from "./reputation.ts";
import { reservationOverrides } from "./reservations.ts";
import { reviewOverrides } from "./reviews.ts";
import { rewardOverrides } from "./rewards.ts";
import { riskOverrides } from "./risk.ts";
import { rpcOverrides } from "./rpc.ts";
import { sessionOverrides } from "./sessions.ts";
import { settlementOverrides } from "./settlements.ts";
import { snapshotOverrides } from "./snapshots.ts";
import { walletOverrides } from "./wallets.ts";

export const reference: OtherRules = {
  overrides: [
    ...rpcOverrides,
    ...walletOverrides,
    ...advertisementOverrides,
    ...reservationOverrides,
    ...settlementOverrides,
    ...disputeOverrides,
    ...contentOverrides,
    ...reviewOverrides,
    ...identityOverrides,
    ...reputationOverrides,
    ...governanceOverrides,
    ...riskOverrides,
    ...sessionOverrides,
    ...notificationOverrides,
    ...providerOverrides,
    ...rewardOverrides,
    ...oracleOverrides,
    ...snapshotOverrides,
    ...chainBridgeOverrides,
    ...nodeInfoOverrides,
  ],
  tables: [ParityTimestamps],
};
