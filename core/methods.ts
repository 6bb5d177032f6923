/**
 * The method table: one row per method. Source: protocol 01 §11.
 */

import { advertisementMethods } from "./advertisements/methods.ts";
import { chainBridgeMethods } from "./chain-bridge/methods.ts";
import { disputeMethods } from "./disputes/methods.ts";
import type { MethodRow } from "./method.ts";
import { nodeMethods } from "./node/methods.ts";
import { reservationMethods } from "./reservations/methods.ts";
import { settlementMethods } from "./settlements/methods.ts";
import { tradeMethods } from "./trades/methods.ts";
import { walletProofMethods } from "./wallet-proofs/methods.ts";

export const methods: Readonly<Record<string, MethodRow>> = {
  ...advertisementMethods,
  ...reservationMethods,
  ...settlementMethods,
  ...disputeMethods,
  ...tradeMethods,
  ...walletProofMethods,
  ...chainBridgeMethods,
  ...nodeMethods,
};
