/**
 * The one list of domains; whatever enumerates them is a fold over it. Source: DESIGN "Shape of the code".
 */

import { advertisementFold, registersFold } from "./advertisements/fold.ts";
import {
  AdvertisementCreate,
  AdvertisementDisable,
  AdvertisementPriceUpdate,
  AdvertisementStatusSet,
  AdvertisementTermsUpdate,
} from "./advertisements/schema.ts";
import { Advertisements, Ledgers, RegistersInForce } from "./advertisements/tables.ts";
import { attachmentFold } from "./attachments/fold.ts";
import { AttachmentPublish } from "./attachments/schema.ts";
import { Attachments } from "./attachments/tables.ts";
import { disputeFold } from "./disputes/fold.ts";
import { ArbitratorJoin, DisputeOpen, MutualSettlementAgree, VoteCommit, VoteReveal } from "./disputes/schema.ts";
import { Disputes } from "./disputes/tables.ts";
import { governanceFolds } from "./governance/fold.ts";
import { ProposalActivate, ProposalCreate, ProposalWithdraw, VoteCast } from "./governance/schema.ts";
import { CastVotes, Proposals, Resolutions, StakeReadings } from "./governance/tables.ts";
import { claimFold } from "./identity/fold.ts";
import { ClaimPublish, ClaimRevoke, ClaimVerify } from "./identity/schema.ts";
import { Claims } from "./identity/tables.ts";
import type { SignedType } from "./kernel/signed.ts";
import type { Table } from "./kernel/table.ts";
import { receiptFold, subscriptionFold } from "./notifications/fold.ts";
import { DeliveryReport, SubscriptionUpdate } from "./notifications/schema.ts";
import { Receipts, Subscriptions } from "./notifications/tables.ts";
import { oracleFold } from "./oracles/fold.ts";
import { OraclePublish } from "./oracles/schema.ts";
import { OracleRecords } from "./oracles/tables.ts";
import { paymentMethodFold } from "./payment-methods/fold.ts";
import { PaymentMethodDefine } from "./payment-methods/schema.ts";
import { PaymentMethods } from "./payment-methods/tables.ts";
import type { CryptoPort } from "./ports/crypto.ts";
import { serviceFold } from "./providers/fold.ts";
import { FeeSettlement, HealthUpdate, Registration, Withdrawal } from "./providers/schema.ts";
import { Services } from "./providers/tables.ts";
import { reservationFold } from "./reservations/fold.ts";
import { ReservationCancel, ReservationRequest } from "./reservations/schema.ts";
import { Reservations } from "./reservations/tables.ts";
import { ReviewPublish } from "./reviews/schema.ts";
import { riskFold } from "./risk/fold.ts";
import { RiskPublish } from "./risk/schema.ts";
import { RiskRecords } from "./risk/tables.ts";
import { sessionFold } from "./sessions/fold.ts";
import { SessionCreate, SessionMigrate, SessionRenew, SessionRevoke } from "./sessions/schema.ts";
import { Sessions } from "./sessions/tables.ts";
import { settlementFold } from "./settlements/fold.ts";
import {
  PaymentReversed,
  PaymentSubmitted,
  SettlementApproved,
  SettlementCancelled,
  SettlementInitiate,
  SettlementRejected,
} from "./settlements/schema.ts";
import { ChainFacts, Settlements } from "./settlements/tables.ts";
import { snapshotFold } from "./snapshots/fold.ts";
import { SnapshotAnnounce } from "./snapshots/schema.ts";
import { Snapshots } from "./snapshots/tables.ts";
import type { FoldUnit } from "./statements/fold.ts";
import { Pending, Statements } from "./statements/table.ts";
import { TradeChannelEntryPost, TradeChannelKeyGrant } from "./trade-channel/schema.ts";

/** Signed payload types of all domains. */
export const signedTypes = [
  AdvertisementCreate,
  AdvertisementStatusSet,
  AdvertisementDisable,
  AdvertisementTermsUpdate,
  AdvertisementPriceUpdate,
  ReservationRequest,
  ReservationCancel,
  SettlementInitiate,
  PaymentSubmitted,
  PaymentReversed,
  SettlementApproved,
  SettlementRejected,
  SettlementCancelled,
  DisputeOpen,
  ArbitratorJoin,
  VoteCommit,
  VoteReveal,
  MutualSettlementAgree,
  PaymentMethodDefine,
  SubscriptionUpdate,
  DeliveryReport,
  AttachmentPublish,
  TradeChannelKeyGrant,
  TradeChannelEntryPost,
  ProposalCreate,
  VoteCast,
  ProposalWithdraw,
  ProposalActivate,
  SessionCreate,
  SessionRenew,
  SessionRevoke,
  SessionMigrate,
  ClaimPublish,
  ClaimVerify,
  ClaimRevoke,
  ReviewPublish,
  Registration,
  HealthUpdate,
  Withdrawal,
  FeeSettlement,
  OraclePublish,
  SnapshotAnnounce,
  RiskPublish,
] as unknown as readonly SignedType[];

/** Signed payload types by name, as stored rows name them. */
export const typesByName: ReadonlyMap<string, SignedType> = new Map(signedTypes.map((type) => [type.name, type]));
/** Signed payload types by the gossip event that carries them. */
export const typesByEvent: ReadonlyMap<string, SignedType> = new Map(
  signedTypes.flatMap((type) => type.events.map((event) => [event, type] as const)),
);

/** Tables of the folded set: what L2 speaks about. */
export const foldTables = [
  Statements,
  Pending,
  ChainFacts,
  Advertisements,
  Ledgers,
  RegistersInForce,
  Reservations,
  Settlements,
  Disputes,
  PaymentMethods,
  Subscriptions,
  Receipts,
  Attachments,
  Proposals,
  CastVotes,
  StakeReadings,
  Resolutions,
  Sessions,
  Services,
  OracleRecords,
  Snapshots,
  RiskRecords,
  Claims,
] as unknown as readonly Table<unknown>[];

/** The folds in dependency order: each unit reads only what stands before it. */
export function foldUnits(crypto: CryptoPort): readonly FoldUnit[] {
  const hash = (bytes: Uint8Array) => crypto.sha256(bytes);
  return [
    registersFold,
    settlementFold,
    reservationFold,
    advertisementFold,
    disputeFold(hash),
    subscriptionFold,
    receiptFold,
    attachmentFold,
    ...governanceFolds(hash),
    sessionFold,
    riskFold,
    serviceFold,
    oracleFold,
    snapshotFold,
    claimFold,
    paymentMethodFold(hash),
  ];
}
