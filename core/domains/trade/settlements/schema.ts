/**
 * Settlements: the fiat leg of a trade, from initiation to the escrow's release.
 * Source: OFS-2300; protocol 02 D.
 */

import type { Infer } from "../../../kernel/schema.ts";
import { extend, option, reveal, struct } from "../../../kernel/schema-composites.ts";
import { bool, enumeration, u64 } from "../../../kernel/schema-scalars.ts";
import type { Payload } from "../../../kernel/signed.ts";
import { signed } from "../../../kernel/signed.ts";
import { Amount, EpochMillis, MintAddress, PeerId, PublicKey, Text } from "../../../kernel/values.ts";

const GOSSIP = { ofs: 2300, priority: 0 } as const;
const ABOUT = { kind: "settlement", member: "settlement_id" } as const;

/** Source: protocol 02 D.2. */
export const SettlementState = enumeration(
  "AwaitingPayment",
  "PaymentSubmitted",
  "Approved",
  "Completed",
  "Rejected",
  "Cancelled",
  "Disputed",
);
export type SettlementState = Infer<typeof SettlementState>;
/** Source: protocol 02 D.2. */
export const PaymentDiscrepancy = enumeration(
  "IncorrectAmount",
  "WrongReference",
  "DuplicatePayment",
  "IncorrectAccount",
  "Other",
);
export type PaymentDiscrepancy = Infer<typeof PaymentDiscrepancy>;

/** How long after its initiate what is said about a settlement counts, in milliseconds. Source: CONVERGENCE B6. */
export const SETTLEMENT_LIFE_MS = 30 * 86_400_000;

/** Signed by the buyer. Source: protocol 02 D.3. */
export const SettlementInitiate = signed("openfiat/settlement/SettlementInitiate/v1", {
  outer: "initiate",
  signer: "buyer",
  key: "buyer_public_key",
  time: "timestamp",
  creates: "settlement",
  naming: "identity",
  lifeMs: SETTLEMENT_LIFE_MS,
  about: { kind: "reservation", member: "reservation_id" },
  among: ({ buyer, seller }) => [buyer, seller],
  parties: ({ buyer, seller }) => [buyer, seller],
  event: "SettlementInitiated",
  ...GOSSIP,
  fields: {
    id: Text,
    reservation_id: Text,
    buyer: PeerId,
    buyer_public_key: PublicKey,
    seller: PeerId,
    seller_public_key: PublicKey,
    amount: Amount,
    timestamp: EpochMillis,
  },
});
export type SettlementInitiate = Payload<typeof SettlementInitiate>;

/** Signed by the buyer. Source: protocol 02 D.3. */
export const PaymentSubmitted = signed("openfiat/settlement/PaymentSubmitted/v1", {
  outer: "action",
  signer: "buyer",
  time: "timestamp",
  about: ABOUT,
  among: "signer",
  ownDepth: 4,
  event: "PaymentSubmitted",
  ...GOSSIP,
  fields: { settlement_id: Text, buyer: PeerId, payment_reference: option(Text), timestamp: EpochMillis },
});
export type PaymentSubmitted = Payload<typeof PaymentSubmitted>;

/** Signed by the buyer. Source: protocol 02 D.3. */
export const PaymentReversed = signed("openfiat/settlement/PaymentReversed/v1", {
  outer: "action",
  signer: "buyer",
  time: "timestamp",
  about: ABOUT,
  among: "signer",
  ownDepth: 4,
  event: "PaymentReversed",
  ...GOSSIP,
  fields: { settlement_id: Text, buyer: PeerId, timestamp: EpochMillis },
});
export type PaymentReversed = Payload<typeof PaymentReversed>;

/** Signed by the seller. Source: protocol 02 D.3. */
export const SettlementApproved = signed("openfiat/settlement/SettlementApproved/v1", {
  outer: "action",
  signer: "seller",
  time: "timestamp",
  about: ABOUT,
  among: "signer",
  ownDepth: 1,
  event: "SettlementApproved",
  ...GOSSIP,
  fields: { settlement_id: Text, seller: PeerId, timestamp: EpochMillis },
});
export type SettlementApproved = Payload<typeof SettlementApproved>;

/** Signed by the seller. Source: protocol 02 D.3. */
export const SettlementRejected = signed("openfiat/settlement/SettlementRejected/v1", {
  outer: "action",
  signer: "seller",
  time: "timestamp",
  about: ABOUT,
  among: "signer",
  ownDepth: 1,
  event: "SettlementRejected",
  ...GOSSIP,
  fields: {
    settlement_id: Text,
    seller: PeerId,
    reason: Text,
    discrepancy: PaymentDiscrepancy,
    timestamp: EpochMillis,
  },
});
export type SettlementRejected = Payload<typeof SettlementRejected>;

/** Signed by either party. Source: protocol 02 D.3. */
export const SettlementCancelled = signed("openfiat/settlement/SettlementCancelled/v1", {
  outer: "action",
  signer: "canceller",
  time: "timestamp",
  about: ABOUT,
  among: "signer",
  ownDepth: 1,
  event: "SettlementCancelled",
  ...GOSSIP,
  fields: { settlement_id: Text, canceller: PeerId, timestamp: EpochMillis },
});
export type SettlementCancelled = Payload<typeof SettlementCancelled>;

/** The record of protocol 02 D.2. */
export const Settlement = struct("Settlement", {
  id: Text,
  reservation_id: Text,
  buyer: PeerId,
  buyer_public_key: PublicKey,
  seller: PeerId,
  seller_public_key: PublicKey,
  amount: Amount,
  state: SettlementState,
  payment_reference: option(Text),
  escrow_release_signature: option(Text),
  payment_submitted_at: option(EpochMillis),
  merchant_responded_at: option(EpochMillis),
  payment_discrepancy: option(PaymentDiscrepancy),
  disputed_at: option(EpochMillis),
  created_at: EpochMillis,
  updated_at: EpochMillis,
});
export type Settlement = Infer<typeof Settlement>;

/** What a stranger may read. Source: protocol 02 K. */
export const PublicSettlement = reveal(
  "PublicSettlement",
  Settlement,
  "id",
  "reservation_id",
  "amount",
  "state",
  "escrow_release_signature",
  "payment_submitted_at",
  "merchant_responded_at",
  "payment_discrepancy",
  "created_at",
  "updated_at",
);
export type PublicSettlement = Infer<typeof PublicSettlement>;

/** What the chain decided about a dispute. Source: protocol 03 A.3. */
export const Resolution = enumeration("BuyerWins", "MerchantWins", "MutualSettlement", "Invalid");
export type Resolution = Infer<typeof Resolution>;
/** Why the chain closed a case without a verdict. Source: protocol 03 A.2.2. */
export const TerminalSplit = enumeration("NoConsensus", "QuorumNotReached", "RoundUnstaffed", "PoolExhausted");
export type TerminalSplit = Infer<typeof TerminalSplit>;

/**
 * What nodes keep of a settlement, under its initiate's identity: the record and what it hangs on.
 * Source: CONVERGENCE "Settlement".
 */
export const SettlementRow = extend("SettlementRow", Settlement, {
  /** The pair it belongs to: identities of the advertisement and of the request. */
  advertisement: Text,
  request: Text,
  /** State from statements alone: what its reservation follows, and what a fact is bound by. */
  signed_state: SettlementState,
  ever_paid: bool,
  /** An approve or reject that counts, and a cancel or reject that was signed, counted or not. */
  approved: bool,
  rejected: bool,
  reject_signed: bool,
  cancelled_by_buyer: bool,
  cancelled_by_seller: bool,
  /** Whether the escrow reached its buyer, wholly or in part, and whether a case was decided, as this node read it. */
  released: bool,
  decided: bool,
  resolution: option(Resolution),
  terminal_split: option(TerminalSplit),
  execution_signature: option(Text),
  /** When the chain closed its escrow, where that is known. */
  closed_at: option(EpochMillis),
  /** When its parties took its last turn: approved, rejected or cancelled. The chain's turns have no date here. */
  turned_at: option(EpochMillis),
  /** The last date that what is said about it may bear, its disputes counted. From then on it holds nothing. */
  ends_at: EpochMillis,
});
export type SettlementRow = Infer<typeof SettlementRow>;

/** What a chain fact says. Source: protocol 03 D.5. */
export const ChainFactKind = enumeration("released", "decided");

/**
 * How the escrow program closed an escrow, bound to a reservation number and to the trade by keys, mint and amount. Its
 * key is SHA-256(program ‖ account of the case or escrow ‖ round ‖ outcome): what was decided, however it was read.
 * Transaction and chain time are there when they are known, and only decorate reads.
 * Source: protocol 03 A.10.3 R11; CONVERGENCE "Chain facts".
 */
export const ChainFact = struct("ChainFact", {
  kind: ChainFactKind,
  reservation: u64,
  buyer: PublicKey,
  seller: PublicKey,
  mint: MintAddress,
  amount: u64,
  resolution: option(Resolution),
  terminal_split: option(TerminalSplit),
  transaction: option(Text),
  timestamp: option(EpochMillis),
});
export type ChainFact = Infer<typeof ChainFact>;
