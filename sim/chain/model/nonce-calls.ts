/**
 * The system program's instructions that make accounts and keep nonces in them, as wallets send them. Checks in the
 * program's own order. Source: Solana's system program.
 */
import { equalBytes } from "../../../core/index.ts";
import { pk, rentSysvar, struct, systemProgram, u32, u64 } from "../../../core/testing.ts";
import { LAMPORTS_PER_SIGNATURE } from "../compute-budget.ts";
import type { Nonce, NonceState } from "../nonce-accounts.ts";
import { nonceAfter, RECENT_BLOCKHASHES, readNonce, withNonce } from "../nonce-accounts.ts";
import { rentExempt } from "../rent.ts";
import type { Call, CallAccount, Handler, Refusal } from "./call.ts";
import { invalidAccount, invalidData, U64_MAX } from "./call.ts";
import type { HeldAccount } from "./held-account.ts";
import { bytesOf, contentOf, withContent, withLamports } from "./held-account.ts";
import { emptyAccount } from "./programs.ts";

const createArgs = struct({ kind: u32, lamports: u64, space: u64, owner: pk });
const lamportsArgs = struct({ kind: u32, lamports: u64 });
const addressArgs = struct({ kind: u32, authority: pk });

/** Numbers that the system program refuses with. Source: Solana's system program. */
const systemError = { inUse: 0, tooLittle: 1, tooLong: 3, noBlockhashes: 6, notExpired: 7 } as const;
/** Bytes of the largest account. Source: Solana's limit. */
const LARGEST_ACCOUNT_BYTES = 10_485_760n;

const custom = (code: number): Refusal => ({ type: "custom", code });
const other = (name: string): Refusal => ({ type: "other", name });
const unsigned = other("MissingRequiredSignature");
const invalidArgument = other("InvalidArgument");
const missing = other("MissingAccount");

/** from (signer, pays), the new account (signer). */
export const createCall: Handler = (call) => {
  const read = createArgs.read(call.data, call.argsAt);
  if (read === undefined) return invalidData;
  const { lamports, space, owner } = read.value;
  const [from, to] = call.accounts;
  if (from === undefined || to === undefined) return missing;
  const held = heldAt(call, to);
  if (held.lamports > 0n) return custom(systemError.inUse);
  if (!to.signer) return unsigned;
  if (held.content.length > 0 || held.owner !== systemProgram) return custom(systemError.inUse);
  if (space > LARGEST_ACCOUNT_BYTES) return custom(systemError.tooLong);
  if (!to.writable && space > 0n) return other("ReadonlyDataModified");
  if (!to.writable && owner !== systemProgram) return other("ModifiedProgramId");
  if (!from.signer) return unsigned;
  const source = heldAt(call, from);
  if (source.content.length > 0) return invalidArgument;
  if (source.lamports < lamports) return custom(systemError.tooLittle);
  const refusal = move(call, from, to, lamports);
  if (refusal !== undefined) return refusal;
  // An account without lamports is none, so what it holds is written once it has them.
  const content = contentOf(new Uint8Array(Number(space)));
  call.ledger.set(to.address, { lamports: heldAt(call, to).lamports, owner, content, executable: false });
  return undefined;
};

/** nonce account, recent blockhashes, authority (signer). */
export const advanceCall: Handler = (call) => {
  const [account] = call.accounts;
  if (account === undefined) return missing;
  const refusal = isSysvar(call, 1, RECENT_BLOCKHASHES);
  if (refusal !== undefined) return refusal;
  const next = nextOf(call);
  if (next === undefined) return custom(systemError.noBlockhashes);
  if (!account.writable) return invalidArgument;
  const nonce = stateOf(call, account)?.nonce;
  if (nonce === undefined) return invalidAccount;
  if (!hasSigned(call, nonce.authority)) return unsigned;
  if (equalBytes(nonce.value, next)) return custom(systemError.notExpired);
  return saved(call, account, { ...nonce, value: next, lamportsPerSignature: LAMPORTS_PER_SIGNATURE });
};

/** nonce account, to, recent blockhashes, rent, authority (signer). */
export const withdrawCall: Handler = (call) => {
  const read = lamportsArgs.read(call.data, call.argsAt);
  if (read === undefined) return invalidData;
  const { lamports } = read.value;
  const [from, to] = call.accounts;
  if (from === undefined || to === undefined) return missing;
  const refusal = isSysvar(call, 2, RECENT_BLOCKHASHES) ?? isSysvar(call, 3, rentSysvar);
  if (refusal !== undefined) return refusal;
  if (!from.writable) return invalidArgument;
  const state = stateOf(call, from);
  if (state === undefined) return invalidAccount;
  const held = heldAt(call, from);
  const isAll = lamports === held.lamports;
  if (state.nonce === undefined) {
    if (lamports > held.lamports) return other("InsufficientFunds");
  } else if (isAll) {
    const next = nextOf(call);
    if (next !== undefined && equalBytes(state.nonce.value, next)) return custom(systemError.notExpired);
    const emptied = saved(call, from, undefined);
    if (emptied !== undefined) return emptied;
  } else if (lamports + rentExempt(held.content.length) > held.lamports) return other("InsufficientFunds");
  if (!hasSigned(call, state.nonce?.authority ?? from.address)) return unsigned;
  return move(call, from, to, lamports);
};

/** nonce account, recent blockhashes, rent. */
export const initializeCall: Handler = (call) => {
  const read = addressArgs.read(call.data, call.argsAt);
  if (read === undefined) return invalidData;
  const [account] = call.accounts;
  if (account === undefined) return missing;
  const refusal = isSysvar(call, 1, RECENT_BLOCKHASHES);
  if (refusal !== undefined) return refusal;
  const value = nextOf(call);
  if (value === undefined) return custom(systemError.noBlockhashes);
  const unlike = isSysvar(call, 2, rentSysvar);
  if (unlike !== undefined) return unlike;
  if (!account.writable) return invalidArgument;
  const state = stateOf(call, account);
  if (state === undefined || state.nonce !== undefined) return invalidAccount;
  const held = heldAt(call, account);
  if (held.lamports < rentExempt(held.content.length)) return other("InsufficientFunds");
  const { authority } = read.value;
  return saved(call, account, { authority, value, lamportsPerSignature: LAMPORTS_PER_SIGNATURE });
};

/** nonce account, authority (signer). */
export const authorizeCall: Handler = (call) => {
  const read = addressArgs.read(call.data, call.argsAt);
  if (read === undefined) return invalidData;
  const [account] = call.accounts;
  if (account === undefined) return missing;
  if (!account.writable) return invalidArgument;
  const nonce = stateOf(call, account)?.nonce;
  if (nonce === undefined) return invalidAccount;
  if (!hasSigned(call, nonce.authority)) return unsigned;
  return saved(call, account, { ...nonce, authority: read.value.authority });
};

function heldAt(call: Call, { address }: CallAccount): HeldAccount {
  return call.ledger.get(address) ?? emptyAccount;
}

function stateOf(call: Call, account: CallAccount): NonceState | undefined {
  return readNonce(bytesOf(heldAt(call, account).content));
}

/** What a nonce moves on to in this slot; undefined on a chain without a block. */
function nextOf({ newestSlotHash, sha256 }: Call): Uint8Array | undefined {
  return newestSlotHash && nonceAfter(sha256, newestSlotHash.hash);
}

function isSysvar(call: Call, index: number, address: string): Refusal | undefined {
  const account = call.accounts[index];
  if (account === undefined) return missing;
  return account.address === address ? undefined : invalidArgument;
}

/** Whether somebody signed, at whatever place of the instruction. */
function hasSigned(call: Call, address: string): boolean {
  return call.accounts.some((account) => account.signer && account.address === address);
}

function saved(call: Call, account: CallAccount, nonce: Nonce | undefined): Refusal | undefined {
  const held = heldAt(call, account);
  const data = withNonce(bytesOf(held.content), nonce);
  if (held.owner !== systemProgram) return other("ExternalAccountDataModified");
  if (data === undefined) return other("AccountDataTooSmall");
  call.ledger.set(account.address, withContent(held, contentOf(data)));
  return undefined;
}

function move(call: Call, from: CallAccount, to: CallAccount, lamports: bigint): Refusal | undefined {
  const source = heldAt(call, from);
  if (source.owner !== systemProgram && lamports > 0n) return other("ExternalAccountLamportSpend");
  if (!from.writable || !to.writable) return lamports > 0n ? other("ReadonlyLamportChange") : undefined;
  call.ledger.set(from.address, withLamports(source, source.lamports - lamports));
  const target = heldAt(call, to);
  if (target.lamports + lamports > U64_MAX) return other("ArithmeticOverflow");
  call.ledger.set(to.address, withLamports(target, target.lamports + lamports));
  return undefined;
}
