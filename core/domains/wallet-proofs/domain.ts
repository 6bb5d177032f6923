/**
 * Wallet proofs: challenges, and what only their subject may read. Source: protocol 03 B.
 */

import { defineDomain } from "../../engine/domain.ts";
import { walletProofMethods } from "./methods.ts";
import { SpentNonces } from "./schema.ts";

export const walletProofs = defineDomain({ name: "wallet-proofs", tables: [SpentNonces], methods: walletProofMethods });
