/**
 * The only public index of the core.
 */

export { BlockhashAnnounced, CHAIN_EVENT, TransactionRelayed } from "./domains/chain-bridge/gossip-events.ts";
export { converted, convertedExactly, type FeeQuote, feeQuote, feeSettlementFlaw } from "./domains/fees/fees.ts";
export { gaugesOf } from "./domains/node-info/gauges.ts";
export { Dispatches } from "./domains/notifications/tables.ts";
export { OraclePublish } from "./domains/oracles/schema.ts";
export type { PaymentMethodId } from "./domains/payment-methods/schema.ts";
export { isReservedEndpoint, isShowable } from "./domains/providers/listing.ts";
export { FeeSettlement, Registration, type ServiceRecord, Withdrawal } from "./domains/providers/schema.ts";
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
} from "./domains/rewards/schedule.ts";
export {
  type DecidedCase,
  type Slash,
  slashedAmount,
  slashingVerdict,
  verdictKey,
} from "./domains/rewards/slashing.ts";
export { SessionCreate, SessionRenew, SessionRevoke } from "./domains/sessions/schema.ts";
export { snapshotBases } from "./domains/snapshots/locations.ts";
export { SnapshotAnnounce } from "./domains/snapshots/schema.ts";
export { AdvertisementCreate, AdvertisementPriceUpdate } from "./domains/trade/advertisements/schema.ts";
export { commitmentOf } from "./domains/trade/disputes/rules.ts";
export {
  ArbitratorJoin,
  DisputeOpen,
  type DisputeStatus,
  MutualSettlementAgree,
  type Vote,
  VoteCommit,
  VoteReveal,
} from "./domains/trade/disputes/schema.ts";
export { disputeById } from "./domains/trade/disputes/views.ts";
export { ReservationCancel, ReservationRequest } from "./domains/trade/reservations/schema.ts";
export {
  PaymentReversed,
  PaymentSubmitted,
  type Resolution,
  SettlementApproved,
  SettlementCancelled,
  SettlementInitiate,
  SettlementRejected,
} from "./domains/trade/settlements/schema.ts";
export { createDriver, type Methods, marketplace, methods, type NodeOptions, tables } from "./domains.ts";
export { type Domain, defineDomain, type Network, networkOf, typeRow } from "./engine/domain.ts";
export { type DriverOptions, type NodeDriver, openDriver, type RootTexts } from "./engine/driver.ts";
export type { MethodRow } from "./engine/method.ts";
export { openRpcDocument } from "./engine/openrpc.ts";
export { type Facts, factsTo, type Outsides, route } from "./engine/router.ts";
export { BATCH_MEMBERS_MAX, busyAnswer } from "./engine/rpc.ts";
export { Statements } from "./engine/statements/table.ts";
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
} from "./network/gossip/envelope.ts";
export { FetchRequest, FetchResponse, SetRequest, SetResponse } from "./network/gossip/reconcile.ts";
export { devnetNetwork, profileText } from "./profile.ts";
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
} from "./solana/accounts.ts";
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
  acceptTransaction,
  type CompiledInstruction,
  compactU16,
  isSigner,
  isWritable,
  type ParsedMessage,
  parseMessage,
  parseTransaction,
  type TransactionFlaw,
} from "./solana/transaction.ts";
