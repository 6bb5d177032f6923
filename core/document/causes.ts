/**
 * What each registered error says to who called, and which reasons each method gives. Source: protocol 01 §6.2, §6.3;
 * DESIGN §7 #23.
 */

import type { MethodRow } from "../engine/method.ts";
import type { ErrorCode } from "../errors.ts";
import type { Reason } from "../reasons.ts";

/** Why a method refuses, and what to do about it. Source: protocol 01 §6.2. */
export const causes = {
  ADVERTISEMENT_NOT_FOUND: "No such advertisement is known here, or it takes nothing now.",
  CHAIN_UNAVAILABLE: "This node observed no chain yet; another node may have.",
  CLAIM_LIMIT_REACHED: "The wallet has as many claims as it may.",
  DATABASE_ERROR: "The node could not store it; nothing happened.",
  DESERIALIZATION_ERROR: "A value is not of the form that its type has.",
  DISPUTE_ALREADY_OPEN: "A case of this id exists.",
  DISPUTE_NOT_FOUND: "No such case is known here.",
  DUPLICATE_ADVERTISEMENT: "An advertisement of this id exists.",
  DUPLICATE_VOTE: "The wallet has voted on this proposal.",
  IDENTITY_ALREADY_EXISTS: "A claim of this id exists.",
  IDENTITY_NOT_FOUND: "No such claim is known here.",
  INSUFFICIENT_AVAILABLE_LIQUIDITY: "The advertisement has less left than is asked for.",
  INVALID_ADVERTISEMENT: "The terms are none that an advertisement may have.",
  INVALID_DISPUTE_STATE: "The case does not take this step now.",
  INVALID_EVIDENCE: "The vote and the secret do not give the commitment.",
  INVALID_IDENTITY_CLAIM: "The signer is not who may say this.",
  INVALID_PARAMETER: "A member is outside its bounds.",
  INVALID_PROPOSAL_STATE: "The proposal does not take this step now.",
  INVALID_REQUEST: "The request does not fit what is known here.",
  INVALID_RESERVATION_STATE: "The reservation does not take this step now.",
  INVALID_SETTLEMENT_STATE: "The settlement does not take this step now.",
  INVALID_SIGNATURE: "The signature does not verify.",
  MALFORMED_TRANSACTION: "The bytes are no transaction that can land.",
  PAYMENT_METHOD_LIMIT_REACHED: "The merchant has as many methods of his own as he may.",
  PRICE_DISAGREEMENT: "The agreed price is not today's.",
  PROPOSAL_ALREADY_EXISTS: "A proposal of this id exists.",
  PROPOSAL_NOT_FOUND: "No such proposal is known here.",
  RATE_LIMIT_EXCEEDED: "Too much at once; wait and try again.",
  RESERVATION_ALREADY_EXISTS: "A reservation of this id exists.",
  RESERVATION_NOT_FOUND: "No such reservation is known here.",
  RESOURCE_ALREADY_EXISTS: "A record of this id exists.",
  RESOURCE_NOT_FOUND: "No such record is known here.",
  SESSION_EXPIRED: "The session has expired.",
  SESSION_REVOKED: "The session was revoked.",
  SETTLEMENT_ALREADY_EXISTS: "A settlement of this id exists.",
  SETTLEMENT_NOT_FOUND: "No such settlement is known here.",
  SNAPSHOT_VERIFICATION_FAILED: "The snapshot is of a slot that the chain cannot have reached.",
  UNSUPPORTED_PAYMENT_METHOD: "The name may not be used, or is taken for a known method's.",
  VOTING_CLOSED: "The proposal is not voted on now.",
} as const satisfies Partial<Readonly<Record<ErrorCode, string>>>;

type Given = Partial<Readonly<Record<ErrorCode, readonly Reason[]>>>;

/** What every signed payload may be refused for. */
const ofPayloads: Given = {
  INVALID_PARAMETER: ["id-form", "id-not-its-own", "date-ahead", "date-behind", "too-large", "ambiguous"],
  INVALID_SIGNATURE: ["no-curve-point", "other-bytes"],
  INVALID_IDENTITY_CLAIM: ["key-of-another", "not-a-party"],
  INVALID_REQUEST: ["sealed", "life"],
  RATE_LIMIT_EXCEEDED: ["no-room"],
};
/** What every proof may be refused for. */
const ofProofs: Given = {
  INVALID_IDENTITY_CLAIM: ["key-of-another"],
  RESOURCE_NOT_FOUND: ["challenge-unknown"],
  RATE_LIMIT_EXCEEDED: ["no-room"],
  INVALID_REQUEST: ["challenge-expired"],
  INVALID_SIGNATURE: ["other-bytes"],
};
const bounded: Given = { INVALID_PARAMETER: ["out-of-bounds"] };
const terms: Given = {
  INVALID_PARAMETER: ["out-of-bounds"],
  INVALID_ADVERTISEMENT: ["payment-methods", "trade-limits"],
};
const followUp: Given = { INVALID_REQUEST: ["not-a-party"] };

/** What a method is refused for beside these. */
const ofMethods: Readonly<Record<string, Given>> = {
  sendAdvertisementCreate: {
    INVALID_PARAMETER: ["out-of-bounds"],
    INVALID_ADVERTISEMENT: ["payment-methods", "trade-limits", "liquidity-decimals"],
  },
  sendAdvertisementTermsUpdate: terms,
  sendAdvertisementPriceUpdate: bounded,
  sendAdvertisementDisable: { INVALID_PARAMETER: ["not-disabled"] },
  sendReservationRequest: {
    INVALID_REQUEST: ["amount-zero", "amount-outside-terms"],
    PRICE_DISAGREEMENT: ["price-differs", "rate-moved"],
  },
  sendSettlementInitiate: { INVALID_REQUEST: ["amount-above-reserved"], RESERVATION_NOT_FOUND: ["not-yet-known"] },
  sendDisputeOpen: bounded,
  sendClaimPublish: bounded,
  sendProposalCreate: bounded,
  sendReviewPublish: { INVALID_SIGNATURE: ["key-of-another"], INVALID_PARAMETER: ["out-of-bounds"] },
  sendTradeChannelKeyGrant: bounded,
  sendTradeChannelEntry: bounded,
  sendAttachmentPublish: {
    INVALID_PARAMETER: ["out-of-bounds"],
    DESERIALIZATION_ERROR: ["out-of-bounds"],
    RATE_LIMIT_EXCEEDED: ["too-many"],
  },
  sendContentPut: { INVALID_PARAMETER: ["content-differs"] },
  getContentFile: { INVALID_PARAMETER: ["content-differs"] },
  sendProviderRegister: {
    INVALID_REQUEST: ["price-without-wallet", "outdated"],
    INVALID_PARAMETER: ["branding", "endpoint", "out-of-bounds", "too-many"],
    INVALID_IDENTITY_CLAIM: ["id-of-another"],
  },
  sendProviderHealthUpdate: { INVALID_REQUEST: ["outdated"] },
  sendProviderWithdraw: { INVALID_REQUEST: ["outdated"] },
  sendRiskPublish: {
    INVALID_REQUEST: ["key-of-another", "date-ahead", "date-behind", "not-listed"],
    INVALID_PARAMETER: ["out-of-bounds"],
  },
  sendOraclePublish: {
    INVALID_REQUEST: ["key-of-another", "not-listed", "outdated", "too-many"],
    INVALID_PARAMETER: ["out-of-bounds"],
  },
  sendSnapshotAnnounce: {
    INVALID_REQUEST: ["key-of-another", "not-listed", "too-little-stake", "outdated"],
    INVALID_PARAMETER: ["out-of-bounds"],
    SNAPSHOT_VERIFICATION_FAILED: ["out-of-bounds"],
  },
  sendSubscriptionUpdate: { INVALID_REQUEST: ["key-of-another"], INVALID_PARAMETER: ["out-of-bounds"] },
  sendDeliveryReport: { INVALID_REQUEST: ["key-of-another", "not-the-provider", "report-differs"] },
  sendSessionEstablish: {
    INVALID_REQUEST: ["key-of-another"],
    INVALID_PARAMETER: ["ends-too-late", "out-of-bounds"],
  },
  sendSessionRenew: { INVALID_REQUEST: ["not-a-party", "version-not-greater"], INVALID_PARAMETER: ["ends-too-late"] },
  sendSessionRevoke: followUp,
  sendSessionMigrate: { INVALID_REQUEST: ["not-a-party", "version-not-greater"] },
  getProviderEarningsChallenge: { RESOURCE_NOT_FOUND: ["service-unknown"] },
  getProviderEarnings: { RESOURCE_NOT_FOUND: ["service-unknown"] },
};

/** The reasons that a method may give with a code of its row. */
export function reasonsOf(name: string, row: MethodRow, code: ErrorCode): readonly Reason[] {
  const usual = row.mutation !== undefined ? ofPayloads : row.proof !== undefined ? ofProofs : {};
  return [...new Set([...(usual[code] ?? []), ...(ofMethods[name]?.[code] ?? [])])];
}
