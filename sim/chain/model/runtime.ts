/**
 * How the chain runs a transaction around its instructions: the fee is taken first and kept even on failure, every
 * instruction runs on the others' results, all or nothing stays, and nobody ends below rent.
 * Source: protocol 03 E15; the chain's own rules for fees and rent.
 */

import type { ChainAddresses, CompiledInstruction, ParsedMessage } from "../../../core/testing.ts";
import { isSigner, systemProgram } from "../../../core/testing.ts";
import { budgetOf, computeBudgetProgram, feeOf } from "../compute-budget.ts";
import { forwarderProgram } from "../disguises.ts";
import type { ExecutionContext, ExecutionError, ExecutionResult, Invoked, LoadedAddresses } from "../executor.ts";
import { keysOf, mayWrite } from "../lookup-tables.ts";
import { NONCE_BYTES, readNonce } from "../nonce-accounts.ts";
import { rentExempt } from "../rent.ts";
import { sysvarAddresses } from "../reserved-addresses.ts";
import { memoProgram } from "../transaction-log.ts";
import type { CallAccount, Handler, Refusal } from "./call.ts";
import { escrowProgram } from "./escrow-program.ts";
import type { CallOf } from "./forwarder.ts";
import { CALL_HEIGHT_MAX, FORWARDED_ACCOUNTS_MAX, forwardedCall } from "./forwarder.ts";
import type { HeldAccount } from "./held-account.ts";
import { bytesOf, withLamports } from "./held-account.ts";
import type { Accounts } from "./ledger.ts";
import { openDraft } from "./ledger.ts";
import { memoCall, systemCall, tokenCall } from "./native-calls.ts";
import { DISCRIMINATOR_BYTES } from "./program-table.ts";
import { isTokenProgram } from "./programs.ts";
import { stakingProgram } from "./staking-program.ts";

/** What a wallet must keep. */
const EMPTY_RENT = rentExempt(0);

export interface Machine {
  readonly at: ChainAddresses;
  readonly sha256: (bytes: Uint8Array) => Uint8Array;
}

/** Runs one message on `ledger`, which afterwards holds its effects, or only its fee when it failed. */
export function runMessage(
  machine: Machine,
  ledger: Accounts<HeldAccount>,
  message: ParsedMessage,
  loaded: LoadedAddresses,
  context: ExecutionContext,
): ExecutionResult {
  const failed = (error: ExecutionError): ExecutionResult => ({ ok: false, error, logs: [], invoked: [], loaded });
  const keys = keysOf(message, loaded);
  const writable = (index: number) => mayWrite(message, loaded, index);
  const payer = message.accounts[0] ?? systemProgram;
  const budget = budgetOf(message);
  if ("type" in budget) return failed(budget);
  const paying = openDraft(ledger);
  const unbegun = takeFee(paying, payer, feeOf(message)) ?? uncalled(machine, ledger, message);
  if (unbegun !== undefined) return failed(unbegun);
  paying.keep();
  const attempt = openDraft(ledger);
  const run: Run = { machine, ledger: attempt, context, keys, writable, logs: [], invoked: [] };
  let index = 0;
  for (const instruction of message.instructions) {
    const error = runInstruction(run, message, instruction, index);
    if (error !== undefined) return failed(error);
    index += 1;
  }
  if (!keys.every((key, at) => !writable(at) || keepsRent(ledger.get(key), attempt.get(key)))) {
    return failed({ type: "other", instruction: null, name: "InsufficientFundsForRent" });
  }
  attempt.keep();
  return { ok: true, error: null, logs: run.logs, invoked: run.invoked, loaded };
}

/** What a transaction does while it runs. */
interface Run {
  readonly machine: Machine;
  readonly ledger: Accounts<HeldAccount>;
  readonly context: ExecutionContext;
  /** Addresses by index, and which of them may change. */
  readonly keys: readonly string[];
  readonly writable: (index: number) => boolean;
  readonly logs: string[];
  readonly invoked: Invoked[];
}

function runInstruction(
  run: Run,
  message: ParsedMessage,
  instruction: CompiledInstruction,
  index: number,
): ExecutionError | undefined {
  const accounts: CallAccount[] = [];
  for (const account of instruction.accounts) {
    const address = run.keys[account] ?? systemProgram;
    accounts.push({ address, signer: isSigner(message, account), writable: run.writable(account) });
  }
  const program = message.accounts[instruction.programIndex] ?? systemProgram;
  const refusal = runCall(run, { program, accounts, data: instruction.data }, index, 1);
  return refusal === undefined ? undefined : located(refusal, index);
}

/** Runs one call, and those that it makes. */
function runCall(run: Run, call: CallOf<CallAccount>, instruction: number, height: number): Refusal | undefined {
  const { program, accounts, data } = call;
  if (height > CALL_HEIGHT_MAX) return { type: "other", name: "CallDepth" };
  if (!isProgram(run.machine, program)) return { type: "other", name: "UnsupportedProgramId" };
  run.logs.push(`Program ${program} invoke [${height}]`);
  if (height > 1) {
    run.invoked.push({ instruction, height, program, accounts: accounts.map(({ address }) => address), data });
  }
  const refusal = program === forwarderProgram ? forward(run, call, instruction, height) : handle(run, call, height);
  if (refusal !== undefined) return refusal;
  run.logs.push(`Program ${program} success`);
  return undefined;
}

function forward(run: Run, call: CallOf<CallAccount>, instruction: number, height: number): Refusal | undefined {
  if (call.accounts.length > FORWARDED_ACCOUNTS_MAX) return { type: "other", name: "InvalidArgument" };
  const next = forwardedCall(call);
  if (next === undefined) return { type: "other", name: "NotEnoughAccountKeys" };
  const before = next.accounts.map(({ address }) => run.ledger.get(address));
  const refusal = runCall(run, next, instruction, height + 1);
  if (refusal !== undefined) return refusal;
  // What a callee pays to a program never reaches the caller's own copy of it, and what differs there is refused.
  const isPaid = before.some((held, place) => {
    const now = run.ledger.get(next.accounts[place]?.address ?? "");
    return held?.executable === true && held.lamports !== now?.lamports;
  });
  return isPaid ? { type: "other", name: "ExternalAccountLamportSpend" } : undefined;
}

function handle(run: Run, call: CallOf<CallAccount>, height: number): Refusal | undefined {
  const { machine, ledger, context, logs } = run;
  const { program, accounts, data } = call;
  const { escrowProgram: escrow, stakingProgram: staking } = machine.at.profile;
  return programAt(
    machine,
    program,
  )?.({
    at: machine.at,
    program,
    sha256: machine.sha256,
    ledger,
    logs,
    data,
    argsAt: [escrow, staking].includes(program) ? DISCRIMINATOR_BYTES : 0,
    now: context.unixTimestamp,
    accounts,
    newestSlotHash: context.slotHashes[0],
    invoke: (called, passed, bytes) => invoked(run, { program: called, accounts: passed, data: bytes }, height + 1),
  });
}

/** A call that a program of the model makes. Like its calls of the chain's own programs, it is told by no record. */
function invoked(run: Run, call: CallOf<CallAccount>, height: number): Refusal | undefined {
  if (height > CALL_HEIGHT_MAX) return { type: "other", name: "CallDepth" };
  run.logs.push(`Program ${call.program} invoke [${height}]`);
  const refusal = handle(run, call, height);
  if (refusal !== undefined) return refusal;
  run.logs.push(`Program ${call.program} success`);
  return undefined;
}

function isProgram(machine: Machine, address: string): boolean {
  return address === forwarderProgram || programAt(machine, address) !== undefined;
}

function programAt(machine: Machine, address: string): Handler | undefined {
  if (address === machine.at.profile.escrowProgram) return escrowProgram;
  if (address === machine.at.profile.stakingProgram) return stakingProgram;
  if (address === systemProgram) return systemCall;
  if (address === computeBudgetProgram) return () => undefined; // what it asked for was read before the fee
  if (address === memoProgram) return memoCall;
  return isTokenProgram(address) ? tokenCall : undefined;
}

/** Every program that the message calls must be one before anything is paid or run. */
function uncalled(machine: Machine, ledger: Accounts<HeldAccount>, message: ParsedMessage): ExecutionError | undefined {
  for (const { programIndex } of message.instructions) {
    const program = message.accounts[programIndex] ?? systemProgram;
    if (isProgram(machine, program)) continue;
    const isThere = ledger.get(program) !== undefined || sysvarAddresses.has(program);
    return whole(isThere ? "InvalidProgramForExecution" : "ProgramAccountNotFound");
  }
  return undefined;
}

/** Takes the fee, or says why the payer cannot pay it. */
function takeFee(ledger: Accounts<HeldAccount>, payer: string, fee: bigint): ExecutionError | undefined {
  const account = ledger.get(payer);
  if (account === undefined) return whole("AccountNotFound");
  const isEmpty = account.content.length === 0;
  if (account.owner !== systemProgram || !(isEmpty || holdsNonce(account))) return whole("InvalidAccountForFee");
  const kept = isEmpty ? 0n : rentExempt(NONCE_BYTES);
  if (account.lamports < kept + fee) return whole("InsufficientFundsForFee");
  const left = account.lamports - fee;
  if (isEmpty && left > 0n && left < EMPTY_RENT) return whole("InsufficientFundsForRent");
  ledger.set(payer, withLamports(account, left));
  return undefined;
}

/** A nonce account may pay, out of what it need not keep. */
function holdsNonce({ content }: HeldAccount): boolean {
  return content.length === NONCE_BYTES && readNonce(bytesOf(content))?.nonce !== undefined;
}

/** An account ends empty, exempt from rent, or no poorer than it began below rent. */
function keepsRent(earlier: HeldAccount | undefined, account: HeldAccount | undefined): boolean {
  if (account === undefined || account === earlier) return true;
  const { length } = account.content;
  const rent = rentExempt(length);
  if (account.lamports >= rent) return true;
  if (earlier === undefined || earlier.content.length !== length) return false;
  return earlier.lamports < rent && account.lamports <= earlier.lamports;
}

function located(refusal: Refusal, instruction: number): ExecutionError {
  return refusal.type === "custom"
    ? { type: "custom", instruction, code: refusal.code }
    : { type: "other", instruction, name: refusal.name };
}

function whole(name: string): ExecutionError {
  return { type: "other", instruction: null, name };
}
