/**
 * Executes transactions with LiteSVM: the programs as they would run on chain, fast, with nothing to clean up.
 * Transactions run as their wallets signed them; signatures and blockhash age were judged by the caller.
 * Source: DESIGN section 4.
 */
import bs58 from "bs58";
import { Clock, FailedTransactionMetadata, LiteSVM } from "litesvm";
import { openNativeCrypto } from "../../../adapters/crypto/native.ts";
import { parseMessage } from "../../../core/testing.ts";
import { forwarderProgram } from "../disguises.ts";
import type {
  ChainAccount,
  ChainExecutor,
  ExecutionContext,
  ExecutionError,
  ExecutionResult,
  LoadedAddresses,
  OpenExecutor,
} from "../executor.ts";
import { keysOf, loadAddresses, nothingLoaded } from "../lookup-tables.ts";
import { exchanged, nextNonce, nonceAfter, RECENT_BLOCKHASHES } from "../nonce-accounts.ts";
import { recordedCalls } from "./invoked.ts";
import { escrowProgramBytes, forwarderProgramBytes, stakingProgramBytes } from "./program-file.ts";
import { toldLines } from "./program-logs.ts";
import {
  DUPLICATE_INSTRUCTION,
  INSUFFICIENT_FUNDS_FOR_RENT,
  instructionError,
  transactionError,
} from "./runtime-errors.ts";
import {
  ESCROW_PROGRAM,
  SLOT_HASHES_ADDRESS,
  STAKING_PROGRAM,
  SYSVAR_LAMPORTS,
  SYSVAR_OWNER,
  slotHashesBytes,
} from "./sysvars.ts";
import { splitWire } from "./wire.ts";

const { sha256 } = openNativeCrypto();

type Transaction = Parameters<LiteSVM["sendTransaction"]>[0];
type Address = Parameters<LiteSVM["getAccount"]>[0];
type EncodedAccount = Parameters<LiteSVM["setAccount"]>[0];

/** Opens a machine with these accounts. Wallets' keys are not needed: their own signatures travel with the bytes. */
export async function openLitesvm(genesis: Parameters<OpenExecutor>[0]): Promise<ChainExecutor> {
  return litesvmOf({}, genesis);
}

/** Other builds of the programs; what is absent is the committed one. */
export interface Programs {
  readonly escrow?: Uint8Array;
  readonly staking?: Uint8Array;
}

/** The same with other builds of the programs. Throws when the machine does not load one. */
export function litesvmOf(programs: Programs, genesis: Parameters<OpenExecutor>[0]): ChainExecutor {
  const svm = new LiteSVM().withSigverify(false).withBlockhashCheck(false).withTransactionHistory(0n);
  svm.withLogBytesLimit(); // without one: the log is cut once its figures are those of every executor
  svm.addProgram(ESCROW_PROGRAM as Address, programs.escrow ?? escrowProgramBytes());
  svm.addProgram(STAKING_PROGRAM as Address, programs.staking ?? stakingProgramBytes());
  svm.addProgram(forwarderProgram as Address, forwarderProgramBytes());
  for (const { address, account } of genesis) putAccount(svm, address, account);
  let shownSlotHashes: ExecutionContext["slotHashes"] | undefined;
  /** The machine takes the message's own blockhash for that of the newest block, so its nonces are others. */
  const exchangeNonces = (named: readonly string[], from: Uint8Array, to: Uint8Array) => {
    if (!named.includes(RECENT_BLOCKHASHES)) return;
    for (const address of named) {
      const account = readAccount(svm, address);
      const changed = account && exchanged(account, from, to);
      if (changed !== undefined) putAccount(svm, address, changed);
    }
  };
  return {
    name: "litesvm",
    replays: true,
    execute: async (wire, context) => {
      svm.setClock(new Clock(context.slot, 0n, 0n, 0n, context.unixTimestamp));
      if (context.slotHashes !== shownSlotHashes) {
        shownSlotHashes = context.slotHashes;
        putAccount(svm, SLOT_HASHES_ADDRESS, {
          lamports: SYSVAR_LAMPORTS,
          owner: SYSVAR_OWNER,
          data: slotHashesBytes(context.slotHashes),
          executable: false,
        });
      }
      const parsed = parseMessage(wire);
      // As it is before the transaction: nothing that it does changes what it looked up.
      const loaded = parsed.ok ? loadAddresses(parsed.value, (address) => readAccount(svm, address), context) : parsed;
      const told = { message: parsed, loaded: loaded.ok ? loaded.value : nothingLoaded };
      const named = parsed.ok ? keysOf(parsed.value, told.loaded) : [];
      const own = nonceAfter(sha256, parsed.ok ? bs58.decode(parsed.value.blockhash) : new Uint8Array(0));
      const ours = nextNonce(context, sha256);
      exchangeNonces(named, ours, own);
      const result = resultOf(svm.sendTransaction(transactionOf(wire)), told);
      exchangeNonces(named, own, ours);
      return result;
    },
    account: async (address) => readAccount(svm, address),
    putAccount: async (address, account) => putAccount(svm, address, account),
    close: async () => {},
  };
}

/** Signatures by address, in the order of the message. */
function transactionOf(wire: Uint8Array): Transaction {
  const { signatures, message, signers } = splitWire(wire);
  const named = signers.map((signer, index) => [bs58.encode(signer), signatures[index] ?? null] as const);
  return { messageBytes: message, signatures: Object.fromEntries(named) } as unknown as Transaction;
}

function resultOf(
  outcome: ReturnType<LiteSVM["sendTransaction"]>,
  { message, loaded }: { readonly message: ReturnType<typeof parseMessage>; readonly loaded: LoadedAddresses },
): ExecutionResult {
  if (outcome instanceof FailedTransactionMetadata)
    return { ok: false, error: errorOf(outcome.err()), logs: [], invoked: [], loaded };
  const invoked = message.ok ? recordedCalls(outcome, message.value, loaded) : [];
  return { ok: true, error: null, logs: toldLines(outcome.logs()), invoked, loaded };
}

/** The machine tells its errors apart by shape: a bare number, or an object with what the error carries. */
function errorOf(error: ReturnType<FailedTransactionMetadata["err"]>): ExecutionError {
  if (typeof error === "number") return transactionError(error);
  if ("accountIndex" in error) return { type: "other", instruction: null, name: INSUFFICIENT_FUNDS_FOR_RENT };
  if (!("err" in error)) {
    const text = error.toString();
    const isDuplicate = text.includes(DUPLICATE_INSTRUCTION);
    return { type: "other", instruction: null, name: isDuplicate ? DUPLICATE_INSTRUCTION : text };
  }
  const reason = error.err();
  if (typeof reason === "number") return instructionError(error.index, reason);
  if ("code" in reason) return { type: "custom", instruction: error.index, code: reason.code };
  return { type: "other", instruction: error.index, name: "BorshIoError" };
}

function readAccount(svm: LiteSVM, address: string): ChainAccount | undefined {
  const found = svm.getAccount(address as Address);
  if (!found.exists || found.lamports === 0n) return undefined;
  return {
    lamports: BigInt(found.lamports),
    owner: found.programAddress,
    data: new Uint8Array(found.data),
    executable: found.executable,
  };
}

function putAccount(svm: LiteSVM, address: string, account: ChainAccount): void {
  svm.setAccount({
    address,
    lamports: account.lamports,
    programAddress: account.owner,
    data: account.data,
    executable: account.executable,
    space: BigInt(account.data.length),
  } as unknown as EncodedAccount);
}
