/**
 * One instruction being executed by the model: its accounts, its data, what it sees of the chain, and the ways it
 * may refuse. Checks stand in one order for all instructions: data, number of accounts, rights in account order,
 * identity of each account, then the rules of protocol 03 D.7 and D.8.
 */

import type { Result } from "../../../core/index.ts";
import { err, ok } from "../../../core/index.ts";
import type { AccountLayout, ChainAddresses, Field } from "../../../core/testing.ts";
import { known, struct } from "../../../core/testing.ts";
import type { ExecutionContext } from "../executor.ts";
import type { HeldAccount } from "./held-account.ts";
import { withContent } from "./held-account.ts";
import type { Accounts } from "./ledger.ts";
import { decoded, overwritten } from "./program-accounts.ts";

/** A refusal: the program's own number, or a name of the runtime. */
export type Refusal =
  | { readonly type: "custom"; readonly code: number }
  | { readonly type: "other"; readonly name: string };

export interface CallAccount {
  readonly address: string;
  readonly signer: boolean;
  readonly writable: boolean;
}

export interface Call {
  readonly at: ChainAddresses;
  /** The program that runs. */
  readonly program: string;
  readonly ledger: Accounts<HeldAccount>;
  readonly accounts: readonly CallAccount[];
  /** All of the data, and where in it the arguments begin: behind the discriminator. */
  readonly data: Uint8Array;
  readonly argsAt: number;
  /** The chain's clock, Unix seconds. */
  readonly now: bigint;
  /** Newest slot-hash entry; undefined when the sysvar is empty. */
  readonly newestSlotHash: ExecutionContext["slotHashes"][number] | undefined;
  readonly sha256: (bytes: Uint8Array) => Uint8Array;
  /** Lines the program writes; they survive only if the transaction succeeds. */
  readonly logs: string[];
  /** Calls another program with the given accounts and rights. */
  readonly invoke: (program: string, accounts: readonly CallAccount[], data: Uint8Array) => Refusal | undefined;
}

/** Runs one instruction; undefined means success. */
export type Handler = (call: Call) => Refusal | undefined;

/** Numbers of protocol 03 D.6 that the rules answer; from 6100 on, the staking program's own. */
export const refusals = {
  Unauthorized: 6000,
  InvalidFeeSplit: 6001,
  ArbitratorBarredFromCase: 6002,
  InvalidFeeBps: 6003,
  InvalidTimeout: 6004,
  InsufficientAvailableLiquidity: 6005,
  InsufficientReservedLiquidity: 6006,
  InvalidVaultState: 6007,
  NotYetExpired: 6008,
  NotAPartyToThisTrade: 6009,
  CommitWindowClosed: 6010,
  NotInRevealWindow: 6011,
  DisputeCaseFull: 6012,
  AlreadyCommitted: 6013,
  NoCommitmentFound: 6014,
  AlreadyRevealed: 6015,
  CommitmentMismatch: 6016,
  RevealWindowStillOpen: 6017,
  DisputeAlreadyResolved: 6018,
  ArbitratorStakeBelowMinimum: 6020,
  DisputeWindowOutOfRange: 6021,
  DepositVaultAliasesSettlementVault: 6022,
  NoFeeConfigured: 6023,
  DisputeNotDecided: 6024,
  NotAWinningArbitrator: 6025,
  RewardAlreadyClaimed: 6026,
  Overflow: 6027,
  WalletBanned: 6028,
  ArbitratorStakeTooYoung: 6029,
  NotDrawnForThisCase: 6030,
  SlotHashesUnavailable: 6031,
  FeeConfigAlreadyMigrated: 6032,
  InvalidStakeAge: 6033,
  InvalidSortitionThreshold: 6034,
  SettlementMintNotAllowed: 6035,
  SettlementMintListFull: 6036,
  InvalidSettlementMint: 6037,
  EmptySettlementMintList: 6038,
  ArbitrationPoolNotInitialized: 6039,
  NothingToAbsorb: 6040,
  RecoveredTokensMissing: 6041,
  NoDepositShortfall: 6042,
  NoLiquidityForShortfall: 6043,
  InvalidArbitrationPolicy: 6044,
  NotADissentingArbitrator: 6045,
  AlreadySlashed: 6046,
  StakeBelowMinimum: 6100,
  InsufficientStake: 6101,
  StillUnbonding: 6102,
  NothingUnbonding: 6103,
} as const;

export const U64_MAX = (1n << 64n) - 1n;
export const I64_MAX = (1n << 63n) - 1n;

export function refuse(name: keyof typeof refusals): Refusal {
  return { type: "custom", code: refusals[name] };
}

/** An account that is not what the instruction needs. */
export const invalidAccount: Refusal = { type: "other", name: "InvalidAccountData" };
export const invalidData: Refusal = { type: "other", name: "InvalidInstructionData" };
export const alreadyInUse: Refusal = { type: "other", name: "AccountAlreadyInitialized" };

/** The first refusal of a validation order. */
export function first(...steps: readonly (() => Refusal | undefined)[]): Refusal | undefined {
  for (const step of steps) {
    const refusal = step();
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

/**
 * Number of accounts and their rights, one letter an account: `r` any, `w` writable, `s` signer, `b` both.
 * Source: protocol 03 D.4, column "Accounts".
 */
export function checkRights(call: Call, rights: string): Refusal | undefined {
  if (call.accounts.length < rights.length) return { type: "other", name: "NotEnoughAccountKeys" };
  for (let index = 0; index < rights.length; index += 1) {
    const letter = rights[index];
    const account = accountAt(call, index);
    if ((letter === "s" || letter === "b") && !account.signer)
      return { type: "other", name: "MissingRequiredSignature" };
    if ((letter === "w" || letter === "b") && !account.writable) return invalidAccount;
  }
  return undefined;
}

/** The account at `index`, whose presence `checkRights` has established. */
export function accountAt(call: Call, index: number): CallAccount {
  return known(call.accounts[index], "an account of the instruction");
}

export function addressAt(call: Call, index: number): string {
  return accountAt(call, index).address;
}

/** The stored account at `index`; undefined when nothing is there. */
export function stored(call: Call, index: number): HeldAccount | undefined {
  return call.ledger.get(addressAt(call, index));
}

/** The account at `index` read as one kind; undefined when it is none. Trailing bytes are allowed. */
export function load<T>(call: Call, index: number, kind: AccountLayout<T>): T | undefined {
  const account = stored(call, index);
  if (account === undefined || account.owner !== call.at.profile[kind.owner]) return undefined;
  return account.content.length < kind.bytesAllocated ? undefined : decoded(kind, account.content);
}

/** Writes a kind's fields; bytes beyond them stay as an earlier, longer value left them (protocol 03 A.10.2). */
export function save<T extends object>(call: Call, index: number, kind: AccountLayout<T>, value: T): void {
  const account = known(stored(call, index), "an account that is written");
  call.ledger.set(addressAt(call, index), withContent(account, overwritten(kind, account.content, value)));
}

/** The arguments, once their length, the number of accounts and the rights are right. */
export function begin<T>(call: Call, args: Field<T>, rights: string): Result<T, Refusal> {
  const read = args.read(call.data, call.argsAt);
  if (read === undefined || read.next !== call.data.length) return err(invalidData);
  const refusal = checkRights(call, rights);
  return refusal === undefined ? ok(read.value) : err(refusal);
}

/** For instructions without arguments. */
export const noArguments: Field<Readonly<Record<never, never>>> = struct({});
