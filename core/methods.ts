/**
 * The method table: one row per method. Source: protocol 01 §11.
 */

import { advertisementMethods } from "./advertisements/methods.ts";
import { attachmentMethods } from "./attachments/methods.ts";
import { chainBridgeMethods } from "./chain-bridge/methods.ts";
import { contentMethods } from "./content/methods.ts";
import { disputeMethods } from "./disputes/methods.ts";
import { governanceMethods } from "./governance/methods.ts";
import { identityMethods } from "./identity/methods.ts";
import type { MethodRow } from "./method.ts";
import { nodeMethods } from "./node/methods.ts";
import { notificationMethods } from "./notifications/methods.ts";
import { oracleMethods } from "./oracles/methods.ts";
import { paymentMethodMethods } from "./payment-methods/methods.ts";
import { providerMethods } from "./providers/methods.ts";
import { reputationMethods } from "./reputation/methods.ts";
import { reservationMethods } from "./reservations/methods.ts";
import { reviewMethods } from "./reviews/methods.ts";
import { rewardMethods } from "./rewards/methods.ts";
import { riskMethods } from "./risk/methods.ts";
import { sessionMethods } from "./sessions/methods.ts";
import { settlementMethods } from "./settlements/methods.ts";
import { snapshotMethods } from "./snapshots/methods.ts";
import { tradeChannelMethods } from "./trade-channel/methods.ts";
import { tradeMethods } from "./trades/methods.ts";
import { volumeMethods } from "./volume/methods.ts";
import { walletProofMethods } from "./wallet-proofs/methods.ts";

const rows = {
  ...advertisementMethods,
  ...reservationMethods,
  ...settlementMethods,
  ...disputeMethods,
  ...governanceMethods,
  ...tradeMethods,
  ...attachmentMethods,
  ...contentMethods,
  ...tradeChannelMethods,
  ...sessionMethods,
  ...riskMethods,
  ...volumeMethods,
  ...identityMethods,
  ...reputationMethods,
  ...reviewMethods,
  ...walletProofMethods,
  ...chainBridgeMethods,
  ...notificationMethods,
  ...providerMethods,
  ...rewardMethods,
  ...oracleMethods,
  ...snapshotMethods,
  ...nodeMethods,
  ...paymentMethodMethods,
};

/** Every row by the name that a request says. */
export const methods: Readonly<Record<string, MethodRow>> = rows;
/** The rows with their types, for typed clients. */
export type Methods = typeof rows;
