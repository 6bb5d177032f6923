/**
 * What the simulator, its scenarios and tests need of the core beside the public index: account layouts and events as
 * the chain writes them, frames between peers, payload types, and looks into a node's memory. No promise is made to
 * others.
 */

export { BlockhashAnnounced, CHAIN_EVENT, TransactionRelayed } from "./domains/chain-bridge/gossip-events.ts";
export { type NewestSlot, NewestSlots } from "./domains/chain-bridge/newest-slot.ts";
export { Looks, PendingFacts, Watches } from "./domains/chain-bridge/tables.ts";
export { ANNOUNCED, OWN, SlotObservations } from "./domains/chain-bridge/view.ts";
export { ProposalCreate, ProposalWithdraw, VoteCast } from "./domains/governance/schema.ts";
export { StakeReadings, type VoteCheck, VoteChecks } from "./domains/governance/tables.ts";
export { Dispatches } from "./domains/notifications/tables.ts";
export { OraclePublish } from "./domains/oracles/schema.ts";
export type { PaymentMethodId } from "./domains/payment-methods/schema.ts";
export { Registration, Withdrawal } from "./domains/providers/schema.ts";
export { ReviewPublish } from "./domains/reviews/schema.ts";
export { SessionCreate, SessionMigrate, SessionRenew, SessionRevoke } from "./domains/sessions/schema.ts";
export { SnapshotAnnounce } from "./domains/snapshots/schema.ts";
export { Checkpoints } from "./domains/snapshots/tables.ts";
export {
  AdvertisementCreate,
  AdvertisementPriceUpdate,
  AdvertisementStatusSet,
  AdvertisementTermsUpdate,
} from "./domains/trade/advertisements/schema.ts";
export { disputeIn } from "./domains/trade/disputes/panels.ts";
export { commitmentOf } from "./domains/trade/disputes/rules.ts";
export {
  ArbitratorJoin,
  Dispute,
  DisputeOpen,
  type DisputeStatus,
  MutualSettlementAgree,
  Vote,
  VoteCommit,
  VoteReveal,
} from "./domains/trade/disputes/schema.ts";
export { type CaseRow, Disputes } from "./domains/trade/disputes/tables.ts";
export { casesNamed, disputeById } from "./domains/trade/disputes/views.ts";
export { ReservationCancel, ReservationRequest } from "./domains/trade/reservations/schema.ts";
export { reservationAt, reservationById } from "./domains/trade/reservations/views.ts";
export {
  type ChainFact,
  PaymentReversed,
  PaymentSubmitted,
  Resolution,
  SettlementApproved,
  SettlementCancelled,
  SettlementInitiate,
  SettlementRejected,
  type SettlementRow,
} from "./domains/trade/settlements/schema.ts";
export { ChainFacts, Settlements } from "./domains/trade/settlements/tables.ts";
export { readPayload, signingsOfPayload } from "./engine/admission/payload.ts";
export { schemaOf } from "./engine/json-schema.ts";
export { Spaces } from "./engine/statements/space.ts";
export { isOutsideLife, namesOf, Pending, Seals, Statements, slot } from "./engine/statements/table.ts";
export { known } from "./kernel/assert.ts";
export { cidOfBlock } from "./kernel/cid.ts";
export { isList } from "./kernel/json.ts";
export { type TextForm, TRANSCRIPT_ECMASCRIPT } from "./kernel/schema.ts";
export { kinds, toldApartBy } from "./kernel/schema-composites.ts";
export { f64, i32, plainText, small, text } from "./kernel/schema-scalars.ts";
export { identityOf, type Statement } from "./kernel/signed.ts";
export { isHeldStore, openStore, withoutPages } from "./kernel/state.ts";
export { bytesOfRecord } from "./kernel/table.ts";
export type { WalletForm } from "./kernel/values.ts";
export { verify } from "./kernel/verification.ts";
export { Attendances } from "./network/gossip/absence.ts";
export { Links } from "./network/gossip/credit.ts";
export {
  Events,
  eventId,
  eventKey,
  Frame,
  frameOf,
  GossipEvent,
  OFS_GOSSIP,
  OFS_PEER_EXCHANGE,
  PeerExchangeResponse,
  RecoveryResponse,
  signedBytes,
} from "./network/gossip/envelope.ts";
export { FetchRequest, FetchResponse, Have, SetRequest, SetResponse } from "./network/gossip/reconcile.ts";
export { Refusals } from "./network/gossip/refused.ts";
export { Trees } from "./network/gossip/trees.ts";
export { Peers } from "./network/peers/peers.ts";
export {
  type AccountLayout,
  arbitrationPolicy,
  BARRED_MAX,
  banRecord,
  type DisputeCase,
  decodeAccount,
  disputeCase,
  encodeAccount,
  type FeeConfig,
  feeConfig,
  type LiquidityVault,
  liquidityVault,
  outcomes,
  SEATS_MAX,
  SETTLEMENT_MINTS_MAX,
  type StakeAccount,
  type StakingConfig,
  stakeAccount,
  stakeRecoveryClaim,
  stakeRecoveryReceipt,
  stakingConfig,
  type TerminalReason,
  type TradeEscrow,
  terminalReasons,
  tradeEscrow,
  type VaultState,
  vaultStates,
} from "./solana/accounts.ts";
export { parseAddress } from "./solana/address-text.ts";
export {
  type ChainAddresses,
  chainAddresses,
  type DerivedAddress,
  rentSysvar,
  reservationNumber,
  simulatedProfile,
  slotHashesSysvar,
  stakeRoles,
  systemProgram,
  token2022Program,
  tokenProgram,
} from "./solana/addresses.ts";
export { encodeEventLine } from "./solana/events.ts";
export {
  addressBytes,
  array,
  type Field,
  i64,
  pk,
  raw,
  startsWith,
  struct,
  u8,
  u16,
  u32,
  u64,
  vec,
} from "./solana/layout.ts";
export {
  type CompiledInstruction,
  isSigner,
  isWritable,
  type ParsedMessage,
  parseMessage,
  parseTransaction,
  type TransactionDefect,
} from "./solana/transaction.ts";
