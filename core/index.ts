/**
 * The only public index of the core.
 */

export { AdvertisementCreate, AdvertisementPriceUpdate } from "./advertisements/schema.ts";
export {
  type AccountLayout,
  arbitrationPolicy,
  BARRED_MAX,
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
} from "./chain-bridge/accounts.ts";
export {
  type ChainAddresses,
  chainAddresses,
  type DerivedAddress,
  rentSysvar,
  simulatedProfile,
  slotHashesSysvar,
  stakeRoles,
  systemProgram,
  token2022Program,
  tokenProgram,
} from "./chain-bridge/addresses.ts";
export { encodeEventLine } from "./chain-bridge/events.ts";
export { BlockhashAnnounced, CHAIN_EVENT, TransactionRelayed } from "./chain-bridge/gossip-events.ts";
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
} from "./chain-bridge/layout.ts";
export {
  acceptTransaction,
  type CompiledInstruction,
  compactU16,
  isSigner,
  isWritable,
  type ParsedMessage,
  parseMessage,
  parseTransaction,
  type TransactionFlaw,
} from "./chain-bridge/transaction.ts";
export { commitmentOf } from "./disputes/rules.ts";
export {
  ArbitratorJoin,
  DisputeOpen,
  type DisputeStatus,
  MutualSettlementAgree,
  type Vote,
  VoteCommit,
  VoteReveal,
} from "./disputes/schema.ts";
export { disputeById } from "./disputes/views.ts";
export { type Domain, defineDomain, type Network, networkOf, typeRow } from "./domain.ts";
export { createDriver, type Methods, marketplace, methods, type NodeOptions, tables } from "./domains.ts";
export { type DriverOptions, type NodeDriver, openDriver, type RootTexts } from "./driver.ts";
export { converted, convertedExactly, type FeeQuote, feeQuote, feeSettlementFlaw } from "./fees/fees.ts";
export {
  eventId,
  Frame,
  frameOf,
  GossipEvent,
  OFS_GOSSIP,
  OFS_PEER_EXCHANGE,
  PeerExchangeResponse,
  RecoveryResponse,
  signedBytes,
} from "./gossip/envelope.ts";
export { FetchRequest, FetchResponse, SetRequest, SetResponse } from "./gossip/reconcile.ts";
export type {
  ChainAccountBytes,
  ChainObservation,
  ChainSubject,
  Commitment,
  DispatchKey,
  Effect,
  Fact,
  Input,
  InvokedInstruction,
  LogLevel,
  NamedMint,
  NetworkProfile,
  NodeConfiguration,
  NodeListing,
  NotificationDelivery,
  ReplyHandle,
  RequestNumber,
  SnapshotFailure,
  SnapshotFetched,
  SnapshotWritten,
  StoredRow,
  TimerName,
} from "./inputs.ts";
export { assert, known } from "./kernel/assert.ts";
export type { Unbranded } from "./kernel/brand.ts";
export { concat, equalBytes, fromHex, toHex } from "./kernel/bytes.ts";
export { cidOfBlock } from "./kernel/cid.ts";
export { isNumber, isObject, type Json, parseJson } from "./kernel/json.ts";
export { err, ok, type Result } from "./kernel/result.ts";
export {
  decodeCompact,
  decodeJson,
  encodeCompact,
  type Schema,
  type Shape,
  type TextForm,
  TRANSCRIPT,
  TRANSCRIPT_ECMASCRIPT,
} from "./kernel/schema.ts";
export type { Fields, RecordOf } from "./kernel/schema-composites.ts";
export { earnedId, earnedNumber, type SignedType, tagged, transcript } from "./kernel/signed.ts";
export type { Change, Reader, Table } from "./kernel/table.ts";
export { fromBase58, fromBase64, toBase58, toBase64, utf8 } from "./kernel/text.ts";
export {
  type EpochMillis,
  type FiatCurrency,
  type MintAddress,
  type PeerId,
  type PublicKey,
  peerBytesOfKey,
  peerOfKey,
  publicKeyText,
  type Signature,
  type WalletForm,
} from "./kernel/values.ts";
export type { MethodRow } from "./method.ts";
export { gaugesOf } from "./node-info/gauges.ts";
export { Dispatches } from "./notifications/tables.ts";
export { openRpcDocument } from "./openrpc.ts";
export { OraclePublish } from "./oracles/schema.ts";
export type { PaymentMethodId } from "./payment-methods/schema.ts";
export { devnetNetwork, profileText } from "./profile.ts";
export { isReservedEndpoint, isShowable } from "./providers/listing.ts";
export { FeeSettlement, Registration, type ServiceRecord, Withdrawal } from "./providers/schema.ts";
export { ReservationCancel, ReservationRequest } from "./reservations/schema.ts";
export {
  areUsable,
  type Eligibility,
  effectiveStake,
  payableEpochs,
  type RewardParameters,
  rewardParameters,
  rewardSchedule,
  type Schedule,
  stakeAccountOf,
} from "./rewards/schedule.ts";
export { type DecidedCase, type Slash, slashedAmount, slashingVerdict, verdictKey } from "./rewards/slashing.ts";
export { BATCH_MEMBERS_MAX, busyAnswer } from "./rpc.ts";
export { SessionCreate, SessionRenew, SessionRevoke } from "./sessions/schema.ts";
export {
  PaymentReversed,
  PaymentSubmitted,
  type Resolution,
  SettlementApproved,
  SettlementCancelled,
  SettlementInitiate,
  SettlementRejected,
} from "./settlements/schema.ts";
export { snapshotBases } from "./snapshots/locations.ts";
export { SnapshotAnnounce } from "./snapshots/schema.ts";
export { Statements } from "./statements/table.ts";
