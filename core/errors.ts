/**
 * The one registry of domain errors: RPC error data, documentation and client constants derive from it.
 * A code exists because clients react to it; numbers are never reused.
 * Source: OFS-8000; protocol 01 §6.2 (85 codes; 2007 is in no specification, but on the wire).
 */

import type { Reason } from "./reasons.ts";

/** Number and whether the same request may succeed later. Source: protocol 01 §6.2. */
export const errorCodes = {
  // general
  UNKNOWN_ERROR: { number: 0, retryable: false },
  INTERNAL_ERROR: { number: 1, retryable: true },
  INVALID_REQUEST: { number: 2, retryable: false },
  INVALID_PARAMETER: { number: 3, retryable: false },
  UNSUPPORTED_OPERATION: { number: 4, retryable: false },
  NOT_IMPLEMENTED: { number: 5, retryable: false },
  RESOURCE_NOT_FOUND: { number: 6, retryable: false },
  RESOURCE_ALREADY_EXISTS: { number: 7, retryable: false },
  OPERATION_TIMEOUT: { number: 8, retryable: true },
  RATE_LIMIT_EXCEEDED: { number: 9, retryable: true },
  DECRYPTION_FAILED: { number: 10, retryable: false },
  // network
  NETWORK_ERROR: { number: 1_000, retryable: true },
  PEER_NOT_FOUND: { number: 1_001, retryable: true },
  PROTOCOL_VERSION_MISMATCH: { number: 1_002, retryable: false },
  INVALID_SIGNATURE: { number: 1_003, retryable: false },
  REPLAY_ATTACK_DETECTED: { number: 1_004, retryable: false },
  SNAPSHOT_VERIFICATION_FAILED: { number: 1_005, retryable: true },
  SESSION_EXPIRED: { number: 1_006, retryable: false },
  MESSAGE_OUT_OF_ORDER: { number: 1_007, retryable: false },
  NODE_NOT_SYNCHRONIZED: { number: 1_008, retryable: true },
  NETWORK_UNAVAILABLE: { number: 1_009, retryable: true },
  CHAIN_UNAVAILABLE: { number: 1_010, retryable: true },
  BLOCKHASH_EXPIRED: { number: 1_011, retryable: true },
  MALFORMED_TRANSACTION: { number: 1_012, retryable: false },
  TRANSACTION_SUBMISSION_FAILED: { number: 1_013, retryable: true },
  SESSION_REVOKED: { number: 1_014, retryable: false },
  REQUEST_EXPIRED: { number: 1_015, retryable: false },
  // identity
  IDENTITY_NOT_FOUND: { number: 2_000, retryable: false },
  INVALID_IDENTITY_CLAIM: { number: 2_001, retryable: false },
  IDENTITY_ALREADY_EXISTS: { number: 2_002, retryable: false },
  IDENTITY_REVOKED: { number: 2_003, retryable: false },
  CLAIM_VERIFICATION_FAILED: { number: 2_004, retryable: false },
  INVALID_SIGNATURE_CHAIN: { number: 2_005, retryable: false },
  IDENTITY_IN_USE_ELSEWHERE: { number: 2_006, retryable: false },
  CLAIM_LIMIT_REACHED: { number: 2_007, retryable: false },
  // advertisements
  ADVERTISEMENT_NOT_FOUND: { number: 3_000, retryable: false },
  ADVERTISEMENT_DISABLED: { number: 3_001, retryable: false },
  ADVERTISEMENT_EXPIRED: { number: 3_002, retryable: false },
  INVALID_ADVERTISEMENT: { number: 3_003, retryable: false },
  DUPLICATE_ADVERTISEMENT: { number: 3_004, retryable: false },
  UNSUPPORTED_PAYMENT_METHOD: { number: 3_005, retryable: false },
  PAYMENT_METHOD_LIMIT_REACHED: { number: 3_006, retryable: false },
  // reservations
  RESERVATION_NOT_FOUND: { number: 4_000, retryable: false },
  RESERVATION_ALREADY_EXISTS: { number: 4_001, retryable: false },
  RESERVATION_EXPIRED: { number: 4_002, retryable: false },
  RESERVATION_CANCELLED: { number: 4_003, retryable: false },
  INSUFFICIENT_AVAILABLE_LIQUIDITY: { number: 4_004, retryable: true },
  MERCHANT_OFFLINE: { number: 4_005, retryable: true },
  INVALID_RESERVATION_STATE: { number: 4_006, retryable: false },
  PRICE_DISAGREEMENT: { number: 4_007, retryable: true },
  // settlement
  SETTLEMENT_FAILED: { number: 5_000, retryable: true },
  VAULT_INSUFFICIENT_BALANCE: { number: 5_001, retryable: true },
  INVALID_DEPOSIT: { number: 5_002, retryable: false },
  UNSUPPORTED_STABLECOIN: { number: 5_003, retryable: false },
  BLOCKCHAIN_CONFIRMATION_TIMEOUT: { number: 5_004, retryable: true },
  SETTLEMENT_ALREADY_COMPLETED: { number: 5_005, retryable: false },
  SETTLEMENT_ALREADY_CANCELLED: { number: 5_006, retryable: false },
  FLAGGED_DEPOSIT_ADDRESS: { number: 5_007, retryable: false },
  SETTLEMENT_NOT_FOUND: { number: 5_008, retryable: false },
  INVALID_SETTLEMENT_STATE: { number: 5_009, retryable: false },
  SETTLEMENT_ALREADY_EXISTS: { number: 5_010, retryable: false },
  // disputes
  DISPUTE_NOT_FOUND: { number: 6_000, retryable: false },
  DISPUTE_ALREADY_OPEN: { number: 6_001, retryable: false },
  DISPUTE_CLOSED: { number: 6_002, retryable: false },
  INVALID_EVIDENCE: { number: 6_003, retryable: false },
  DISPUTE_TIMEOUT: { number: 6_004, retryable: false },
  INVALID_DISPUTE_STATE: { number: 6_005, retryable: false },
  // governance
  PROPOSAL_NOT_FOUND: { number: 7_000, retryable: false },
  VOTING_CLOSED: { number: 7_001, retryable: false },
  DUPLICATE_VOTE: { number: 7_002, retryable: false },
  INSUFFICIENT_VOTING_POWER: { number: 7_003, retryable: false },
  INVALID_PROPOSAL: { number: 7_004, retryable: false },
  PROPOSAL_ALREADY_EXISTS: { number: 7_005, retryable: false },
  INVALID_PROPOSAL_STATE: { number: 7_006, retryable: false },
  // notifications
  NOTIFICATION_PROVIDER_UNAVAILABLE: { number: 8_000, retryable: true },
  DELIVERY_FAILED: { number: 8_001, retryable: true },
  INVALID_DESTINATION: { number: 8_002, retryable: false },
  UNSUPPORTED_NOTIFICATION_TYPE: { number: 8_003, retryable: false },
  SUBSCRIPTION_NOT_FOUND: { number: 8_004, retryable: false },
  // internal
  DATABASE_ERROR: { number: 9_000, retryable: true },
  STORAGE_CORRUPTED: { number: 9_001, retryable: false },
  CONFIGURATION_ERROR: { number: 9_002, retryable: false },
  SERIALIZATION_ERROR: { number: 9_003, retryable: false },
  DESERIALIZATION_ERROR: { number: 9_004, retryable: false },
  UNKNOWN_IMPLEMENTATION_ERROR: { number: 9_005, retryable: false },
} as const satisfies Record<string, { readonly number: number; readonly retryable: boolean }>;

/** The name of a registered error. */
export type ErrorCode = keyof typeof errorCodes;

/** Codes with so many causes that a refusal names which. Source: DESIGN §7 #23. */
export type SeveralCauses = "INVALID_REQUEST" | "INVALID_PARAMETER";

/** A refused call: its code, why where the code has several causes, and whether to try again if the code misleads. */
export type Refusal =
  | { readonly code: Exclude<ErrorCode, SeveralCauses>; readonly reason?: Reason; readonly retryable?: boolean }
  | { readonly code: ErrorCode; readonly reason: Reason; readonly retryable?: boolean };

/** A refusal that a rule or an ingress returns. */
export interface Failure<C extends ErrorCode = ErrorCode> {
  readonly code: C;
}

/** What stands in `error.data` of a refused call (protocol 01 §6.1). */
export interface ErrorData {
  readonly ofsErrorCode: number;
  readonly ofsErrorName: ErrorCode;
  readonly ofsRetryable: boolean;
  /** Which of the code's causes it was. Source: DESIGN §7 #23. */
  readonly reason?: Reason;
}

/** The `data` member of a JSON-RPC error for a registered code. */
export function errorData(code: ErrorCode, { reason, retryable }: Partial<Refusal> = {}): ErrorData {
  const { number, retryable: usual } = errorCodes[code];
  return {
    ofsErrorCode: number,
    ofsErrorName: code,
    ofsRetryable: retryable ?? usual,
    ...(reason !== undefined && { reason }),
  };
}
