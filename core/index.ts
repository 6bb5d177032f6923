/**
 * The public index of the core: opening a node, the marketplace and what it is made of, and the means to define another
 * network over the same engine. What only the simulator and tests need stands in testing.ts.
 */

export type { Story, StoryCall } from "./document/examples.ts";
export { openRpcDocument } from "./document/openrpc.ts";
export { converted, convertedExactly, type FeeQuote, feeQuote, feeSettlementError } from "./domains/fees/fees.ts";
export { gaugesOf } from "./domains/node-info/gauges.ts";
export { isReservedEndpoint, isShowable } from "./domains/providers/listing.ts";
export { FeeSettlement, type ServiceRecord } from "./domains/providers/schema.ts";
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
export { SessionRenew } from "./domains/sessions/schema.ts";
export { snapshotBases } from "./domains/snapshots/locations.ts";
export { commitmentOf } from "./domains/trade/disputes/rules.ts";
export { createDriver, type Methods, marketplace, methods, type NodeOptions, tables } from "./domains.ts";
export { COMMON_LIMITS } from "./engine/admission/bounds.ts";
export type { CallAhead } from "./engine/admission/payload.ts";
export { readAhead } from "./engine/ahead.ts";
export { isAmended } from "./engine/amendments.ts";
export { type CatchUp, openCatchUp, rowsOf } from "./engine/catch-up.ts";
export { type CheckpointTerms, checkpointOf, checkpointRules, isFolded, openCheckpoint } from "./engine/checkpoint.ts";
export { type Domain, defineDomain, type Network, networkOf, typeRow } from "./engine/domain.ts";
export { type DriverOptions, type HeldDriver, type NodeDriver, openDriver, type RootTexts } from "./engine/driver.ts";
export type { MethodRow } from "./engine/method.ts";
export { type CallFailure, call, idParams, mutation, noParams, query, signedTypes } from "./engine/method.ts";
export { openPlayer, type Player } from "./engine/player.ts";
export { type Facts, factsTo, type Outsides, route } from "./engine/router.ts";
export { BATCH_MEMBERS_MAX, refusalBody } from "./engine/rpc.ts";
export type { FoldUnit, Mark } from "./engine/statements/fold.ts";
export { childrenOfType, contenders, parentsOf, Statements } from "./engine/statements/table.ts";
export { type ErrorCode, type ErrorData, errorCodes, errorData } from "./errors.ts";
export { foundation } from "./foundation.ts";
export type {
  Amendment,
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
export { RETENTION_DAYS } from "./inputs.ts";
export type { Unbranded } from "./kernel/brand.ts";
export { concat, equalBytes, fromHex, toHex } from "./kernel/bytes.ts";
export { cidOfBlock } from "./kernel/cid.ts";
export { type IpNetworks, networksOf, networksOfMultiaddr } from "./kernel/ip-address.ts";
export { isNumber, isObject, type Json, parseJson } from "./kernel/json.ts";
export { countElements } from "./kernel/json-elements.ts";
export { err, ok, type Result } from "./kernel/result.ts";
export {
  decodeCompact,
  decodeJson,
  encodeCompact,
  type Infer,
  type Schema,
  type Shape,
  TRANSCRIPT,
} from "./kernel/schema.ts";
export type { Fields, RecordOf } from "./kernel/schema-composites.ts";
export { list, option, struct } from "./kernel/schema-composites.ts";
export { bool, enumeration, u32, u64 } from "./kernel/schema-scalars.ts";
export {
  earnedId,
  earnedNumber,
  type Payload,
  type SignedType,
  type Statement,
  signed,
  tagged,
  transcript,
} from "./kernel/signed.ts";
export type { Change, Reader, Table } from "./kernel/table.ts";
export { recordsOf, table } from "./kernel/table.ts";
export { compareText, fromBase58, fromBase64, toBase58, toBase64, utf8 } from "./kernel/text.ts";
export {
  Amount,
  EpochMillis,
  FiatCurrency,
  MintAddress,
  PeerId,
  PublicKey,
  peerBytesOfKey,
  peerOfKey,
  publicKeyText,
  Signature,
  Text,
} from "./kernel/values.ts";
export { absenceOf, isNewcomer } from "./network/gossip/absence.ts";
export { rulesLacked } from "./network/gossip/rule-changes.ts";
export {
  bringerOf,
  type InboundBounds,
  type InboundLink,
  type InboundRefusal,
  type InboundVerdict,
  inboundVerdict,
  type Origin,
} from "./network/peers/inbound.ts";
export type { ChainPort, ObserveChain } from "./ports/chain.ts";
export type { CryptoPort } from "./ports/crypto.ts";
export type { GatewayPort, TellDelivered } from "./ports/gateway.ts";
export type { ApiHandlers, ApiPort } from "./ports/http.ts";
export type { SnapshotEvents, SnapshotPort } from "./ports/snapshots.ts";
export type { StoreFailure, StorePage, StorePort, StoreRow, StoreWrite } from "./ports/store.ts";
export type { TransportEvents, TransportPort } from "./ports/transport.ts";
export { devnetNetwork, profileText, simulatedNetwork } from "./profile.ts";
export type { Reason } from "./reasons.ts";
export { acceptTransaction, compactU16 } from "./solana/transaction.ts";
