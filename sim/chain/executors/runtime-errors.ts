/**
 * Names of the runtime's own refusals, so that both virtual machines answer alike: LiteSVM gives their number in
 * this order, bankrun their sentence. Source: the Solana runtime's InstructionError and TransactionError.
 */
import type { ExecutionError } from "../executor.ts";

/** Name and sentence, in the runtime's order without `Custom` and `BorshIoError`, which carry a value. */
const instructionErrors: readonly (readonly [name: string, sentence: string])[] = [
  ["GenericError", "generic instruction error"],
  ["InvalidArgument", "invalid program argument"],
  ["InvalidInstructionData", "invalid instruction data"],
  ["InvalidAccountData", "invalid account data for instruction"],
  ["AccountDataTooSmall", "account data too small for instruction"],
  ["InsufficientFunds", "insufficient funds for instruction"],
  ["IncorrectProgramId", "incorrect program id for instruction"],
  ["MissingRequiredSignature", "missing required signature for instruction"],
  ["AccountAlreadyInitialized", "instruction requires an uninitialized account"],
  ["UninitializedAccount", "instruction requires an initialized account"],
  ["UnbalancedInstruction", "sum of account balances before and after instruction do not match"],
  ["ModifiedProgramId", "instruction illegally modified the program id of an account"],
  ["ExternalAccountLamportSpend", "instruction spent from the balance of an account it does not own"],
  ["ExternalAccountDataModified", "instruction modified data of an account it does not own"],
  ["ReadonlyLamportChange", "instruction changed the balance of a read-only account"],
  ["ReadonlyDataModified", "instruction modified data of a read-only account"],
  ["DuplicateAccountIndex", "instruction contains duplicate accounts"],
  ["ExecutableModified", "instruction changed executable bit of an account"],
  ["RentEpochModified", "instruction modified rent epoch of an account"],
  ["NotEnoughAccountKeys", "insufficient account keys for instruction"],
  ["AccountDataSizeChanged", "program other than the account's owner changed the size of the account data"],
  ["AccountNotExecutable", "instruction expected an executable account"],
  ["AccountBorrowFailed", "instruction tries to borrow reference for an account which is already borrowed"],
  ["AccountBorrowOutstanding", "instruction left account with an outstanding borrowed reference"],
  ["DuplicateAccountOutOfSync", "instruction modifications of multiply-passed account differ"],
  ["InvalidError", "program returned invalid error code"],
  ["ExecutableDataModified", "instruction changed executable accounts data"],
  ["ExecutableLamportChange", "instruction changed the balance of an executable account"],
  ["ExecutableAccountNotRentExempt", "executable accounts must be rent exempt"],
  ["UnsupportedProgramId", "Unsupported program id"],
  ["CallDepth", "Cross-program invocation call depth too deep"],
  ["MissingAccount", "An account required by the instruction is missing"],
  ["ReentrancyNotAllowed", "Cross-program invocation reentrancy not allowed for this instruction"],
  ["MaxSeedLengthExceeded", "Length of the seed is too long for address generation"],
  ["InvalidSeeds", "Provided seeds do not result in a valid address"],
  ["InvalidRealloc", "Failed to reallocate account data"],
  ["ComputationalBudgetExceeded", "Computational budget exceeded"],
  ["PrivilegeEscalation", "Cross-program invocation with unauthorized signer or writable account"],
  ["ProgramEnvironmentSetupFailure", "Failed to create program execution environment"],
  ["ProgramFailedToComplete", "Program failed to complete"],
  ["ProgramFailedToCompile", "Program failed to compile"],
  ["Immutable", "Account is immutable"],
  ["IncorrectAuthority", "Incorrect authority provided"],
  ["AccountNotRentExempt", "An account does not have enough lamports to be rent-exempt"],
  ["InvalidAccountOwner", "Invalid account owner"],
  ["ArithmeticOverflow", "Program arithmetic overflowed"],
  ["UnsupportedSysvar", "Unsupported sysvar"],
  ["IllegalOwner", "Provided owner is not allowed"],
];

/** The same for a transaction as a whole, in the runtime's order up to what a transaction can meet. */
const transactionErrors: readonly (readonly [name: string, sentence: string])[] = [
  ["AccountInUse", "Account in use"],
  ["AccountLoadedTwice", "Account loaded twice"],
  ["AccountNotFound", "Attempt to debit an account but found no record of a prior credit."],
  ["ProgramAccountNotFound", "Attempt to load a program that does not exist"],
  ["InsufficientFundsForFee", "Insufficient funds for fee"],
  ["InvalidAccountForFee", "This account may not be used to pay transaction fees"],
  ["AlreadyProcessed", "This transaction has already been processed"],
  ["BlockhashNotFound", "Blockhash not found"],
  ["CallChainTooDeep", "Loader call chain is too deep"],
  ["MissingSignatureForFee", "Transaction requires a fee but has no signature present"],
  ["InvalidAccountIndex", "Transaction contains an invalid account reference"],
  ["SignatureFailure", "Transaction did not pass signature verification"],
  ["InvalidProgramForExecution", "This program may not be used for executing instructions"],
  ["SanitizeFailure", "Transaction failed to sanitize accounts offsets correctly"],
  ["ClusterMaintenance", "Transactions are currently disabled due to cluster maintenance"],
  ["AccountBorrowOutstanding", "Transaction processing left an account with an outstanding borrowed reference"],
  ["WouldExceedMaxBlockCostLimit", "Transaction would exceed max Block Cost Limit"],
  ["UnsupportedVersion", "Transaction version is unsupported"],
  ["InvalidWritableAccount", "Transaction loads a writable account that cannot be written"],
  ["WouldExceedMaxAccountCostLimit", "Transaction would exceed max account limit within the block"],
  ["WouldExceedAccountDataBlockLimit", "Transaction would exceed account data limit within the block"],
  ["TooManyAccountLocks", "Transaction locked too many accounts"],
  ["AddressLookupTableNotFound", "Transaction loads an address table account that doesn't exist"],
  ["InvalidAddressLookupTableOwner", "Transaction loads an address table account with an invalid owner"],
  ["InvalidAddressLookupTableData", "Transaction loads an address table account with invalid data"],
  ["InvalidAddressLookupTableIndex", "Transaction address table lookup uses an invalid index"],
  ["InvalidRentPayingAccount", "Transaction leaves an account with a lower balance than rent-exempt minimum"],
  ["WouldExceedMaxVoteCostLimit", "Transaction would exceed max Vote Cost Limit"],
  ["WouldExceedAccountDataTotalLimit", "Transaction would exceed total account data limit"],
  ["MaxLoadedAccountsDataSizeExceeded", "Transaction exceeded max loaded accounts data size cap"],
  ["ResanitizationNeeded", "ResanitizationNeeded"],
  ["InvalidLoadedAccountsDataSizeLimit", "LoadedAccountsDataSizeLimit set for transaction must be greater than 0."],
];

/** A wish of the compute budget stands there twice. Source: the Solana runtime. */
export const DUPLICATE_INSTRUCTION = "DuplicateInstruction";
/** An account would be left with less than its rent. Source: the Solana runtime. */
export const INSUFFICIENT_FUNDS_FOR_RENT = "InsufficientFundsForRent";
/**
 * For what no executor has been seen to answer; the sentence or number follows the colon. Source: DESIGN "Simulated
 * world".
 */
const UNNAMED = "Unnamed";

const INSTRUCTION_FAILED = /Error processing Instruction (\d+): (.*)$/;
const CUSTOM = /^custom program error: 0x([0-9a-f]+)$/;

/** LiteSVM: the number of an instruction's refusal. */
export function instructionError(instruction: number, number: number): ExecutionError {
  return { type: "other", instruction, name: instructionErrors[number]?.[0] ?? `${UNNAMED}: ${number}` };
}

/** LiteSVM: the number of a transaction's refusal. */
export function transactionError(number: number): ExecutionError {
  return { type: "other", instruction: null, name: transactionErrors[number]?.[0] ?? `${UNNAMED}: ${number}` };
}

/** What the runtime says of a refusal with this name; the name itself where it has no words. */
export function sentenceOf(name: string, isWhole: boolean): string {
  return (isWhole ? transactionErrors : instructionErrors).find(([known]) => known === name)?.[1] ?? name;
}

/** bankrun: the sentence of either. */
export function errorOfSentence(sentence: string): ExecutionError {
  const failed = INSTRUCTION_FAILED.exec(sentence);
  if (failed === null) return { type: "other", instruction: null, name: transactionName(sentence) };
  const [instruction, reason] = [Number(failed[1]), failed[2] ?? ""];
  const custom = CUSTOM.exec(reason)?.[1];
  if (custom !== undefined) return { type: "custom", instruction, code: Number.parseInt(custom, 16) };
  const named = instructionErrors.find(([, known]) => known === reason);
  return { type: "other", instruction, name: named?.[0] ?? `${UNNAMED}: ${reason}` };
}

function transactionName(sentence: string): string {
  if (/contains a duplicate instruction/.test(sentence)) return DUPLICATE_INSTRUCTION;
  if (sentence.includes("with insufficient funds for rent")) return INSUFFICIENT_FUNDS_FOR_RENT;
  return transactionErrors.find(([, known]) => sentence.endsWith(known))?.[0] ?? `${UNNAMED}: ${sentence}`;
}
