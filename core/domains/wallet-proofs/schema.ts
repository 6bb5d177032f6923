/**
 * Wallet proofs: a single-use challenge answered with a signature. Source: OFS-8200 §7; protocol 03 B.
 */

import type { Infer } from "../../kernel/schema.ts";
import { struct } from "../../kernel/schema-composites.ts";
import { table } from "../../kernel/table.ts";
import { EpochMillis, Text } from "../../kernel/values.ts";

/** The four members of a proof. Source: protocol 03 B.4. */
export const ProofParams = struct("WalletProof", { wallet: Text, public_key: Text, nonce: Text, signature: Text });
export type ProofParams = Infer<typeof ProofParams>;

/** Source: protocol 03 B.2. */
export const WalletChallenge = struct("WalletChallenge", { subject: Text, nonce: Text, expires_at: EpochMillis });
export type WalletChallenge = Infer<typeof WalletChallenge>;

/** A nonce that was used, until it expires. Node-local, in no root. Source: protocol 03 B.6. */
export const SpentNonce = struct("SpentNonce", { expires_at: EpochMillis });
/** Spent nonces by their text. */
export const SpentNonces = table<Infer<typeof SpentNonce>>("spent_nonces", SpentNonce, { root: "local" });
