/**
 * How the chain runs a transaction around its instructions: the fee is taken first and kept even on failure, every
 * instruction runs on the others' results, all or nothing stays, and nobody ends below rent.
 * Source: protocol 03 E15; the chain's own rules for fees and rent.
 */

import type { ChainAddresses, CompiledInstruction, ParsedMessage } from "../../../core/index.ts";
import { concat, isSigner, isWritable, systemProgram, u64 } from "../../../core/index.ts";
import type { ExecutionContext, ExecutionError, ExecutionResult } from "../executor.ts";
import { rentExempt } from "../rent.ts";
import type { Call, Handler, Refusal } from "./call.ts";
import { escrowProgram } from "./escrow-program.ts";
import type { Accounts } from "./ledger.ts";
import { openDraft } from "./ledger.ts";
import { systemCall, tokenCall } from "./native-calls.ts";
import { isTokenProgram } from "./programs.ts";

/** Lamports a signature costs. Source: the chain's default fee. */
export const LAMPORTS_PER_SIGNATURE = 5_000n;

export interface Machine {
  readonly at: ChainAddresses;
  readonly sha256: (bytes: Uint8Array) => Uint8Array;
}

/** Runs one message on `ledger`, which afterwards holds its effects, or only its fee when it failed. */
export function runMessage(
  machine: Machine,
  ledger: Accounts,
  message: ParsedMessage,
  context: ExecutionContext,
): ExecutionResult {
  const payer = message.accounts[0] ?? systemProgram;
  const unpayable = takeFee(ledger, payer, BigInt(message.requiredSignatures) * LAMPORTS_PER_SIGNATURE);
  if (unpayable !== undefined) return failed(unpayable);
  const attempt = openDraft(ledger);
  const logs: string[] = [];
  for (const [index, instruction] of message.instructions.entries()) {
    const error = runInstruction(machine, attempt, message, context, instruction, index, logs);
    if (error !== undefined) return failed(error);
  }
  if (!message.accounts.every((address, index) => !isWritable(message, index) || keepsRent(ledger, attempt, address))) {
    return failed({ type: "other", instruction: null, name: "InsufficientFundsForRent" });
  }
  attempt.keep();
  return { ok: true, error: null, logs };
}

function runInstruction(
  machine: Machine,
  ledger: Accounts,
  message: ParsedMessage,
  context: ExecutionContext,
  instruction: CompiledInstruction,
  index: number,
  logs: string[],
): ExecutionError | undefined {
  const handler = programAt(machine, message.accounts[instruction.programIndex] ?? systemProgram);
  if (handler === undefined) return { type: "other", instruction: null, name: "ProgramAccountNotFound" };
  const refusal = handler(callOf(machine, ledger, message, context, instruction, logs));
  return refusal === undefined ? undefined : located(refusal, index);
}

function programAt(machine: Machine, address: string): Handler | undefined {
  if (address === machine.at.profile.escrowProgram) return escrowProgram;
  if (address === systemProgram) return systemCall;
  return isTokenProgram(address) ? tokenCall : undefined;
}

function callOf(
  machine: Machine,
  ledger: Accounts,
  message: ParsedMessage,
  context: ExecutionContext,
  instruction: CompiledInstruction,
  logs: string[],
): Call {
  const [newest] = context.slotHashes;
  return {
    at: machine.at,
    sha256: machine.sha256,
    ledger,
    logs,
    args: instruction.data,
    now: context.unixTimestamp,
    accounts: instruction.accounts.map((account) => ({
      address: message.accounts[account] ?? systemProgram,
      signer: isSigner(message, account),
      writable: isWritable(message, account),
    })),
    newestSlotHash: newest === undefined ? undefined : concat(u64.write(newest.slot), newest.hash),
  };
}

/** Takes the fee, or says why the payer cannot pay it. */
function takeFee(ledger: Accounts, payer: string, fee: bigint): ExecutionError | undefined {
  const account = ledger.get(payer);
  if (account === undefined) return whole("AccountNotFound");
  if (account.owner !== systemProgram || account.data.length > 0) return whole("InvalidAccountForFee");
  if (account.lamports < fee) return whole("InsufficientFundsForFee");
  const left = account.lamports - fee;
  if (left > 0n && left < rentExempt(0)) return whole("InsufficientFundsForRent");
  ledger.set(payer, { ...account, lamports: left });
  return undefined;
}

/** An account ends empty, exempt from rent, or no poorer than it began below rent. */
function keepsRent(before: Accounts, after: Accounts, address: string): boolean {
  const account = after.get(address);
  if (account === undefined || account.lamports >= rentExempt(account.data.length)) return true;
  const earlier = before.get(address);
  if (earlier === undefined || earlier.data.length !== account.data.length) return false;
  return earlier.lamports < rentExempt(earlier.data.length) && account.lamports <= earlier.lamports;
}

function located(refusal: Refusal, instruction: number): ExecutionError {
  return refusal.type === "custom"
    ? { type: "custom", instruction, code: refusal.code }
    : { type: "other", instruction, name: refusal.name };
}

function whole(name: string): ExecutionError {
  return { type: "other", instruction: null, name };
}

function failed(error: ExecutionError): ExecutionResult {
  return { ok: false, error, logs: [] };
}
