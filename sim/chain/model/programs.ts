/**
 * The chain's own programs as far as the escrow calls them: creating accounts, token accounts, token transfers.
 * Their refusals carry their own numbers. Source: the System and SPL Token programs' published behaviour.
 */
import { systemProgram, token2022Program, tokenProgram } from "../../../core/index.ts";
import type { ChainAccount } from "../executor.ts";
import { rentExempt } from "../rent.ts";
import type { TokenAccount } from "../token.ts";
import {
  NATIVE_MINT,
  readMintDecimals,
  readTokenAccount,
  TOKEN_ACCOUNT_BYTES,
  tokenAccountBytes,
  tokenStates,
  withAmount,
} from "../token.ts";
import type { Refusal } from "./call.ts";
import { alreadyInUse, U64_MAX } from "./call.ts";
import type { Accounts } from "./ledger.ts";

/** Numbers the token programs refuse with. */
const tokenError = { insufficientFunds: 1, mintMismatch: 3, ownerMismatch: 4, overflow: 14, frozen: 17 } as const;
/** The System program's number for a payer that cannot pay. */
const RESULT_WITH_NEGATIVE_LAMPORTS = 1;

export function isTokenProgram(address: string): boolean {
  return address === tokenProgram || address === token2022Program;
}

/**
 * Creates an account with `data`, owned by `owner`, rent paid by `payer`. Lamports that somebody sent ahead count:
 * nobody can block an address by paying into it.
 */
export function createAccount(
  ledger: Accounts,
  payer: string,
  address: string,
  owner: string,
  data: Uint8Array,
): Refusal | undefined {
  const held = ledger.get(address) ?? emptyAccount;
  if (held.owner !== systemProgram || held.data.length > 0) return alreadyInUse;
  const rent = rentExempt(data.length);
  const missing = held.lamports < rent ? rent - held.lamports : 0n;
  const source = ledger.get(payer);
  if (source === undefined || source.lamports < missing) return { type: "custom", code: RESULT_WITH_NEGATIVE_LAMPORTS };
  ledger.set(payer, { ...source, lamports: source.lamports - missing });
  ledger.set(address, { lamports: held.lamports + missing, owner, data, executable: false });
  return undefined;
}

/** Creates and initialises an empty token account. */
export function createTokenAccount(
  ledger: Accounts,
  payer: string,
  address: string,
  program: string,
  mint: string,
  authority: string,
): Refusal | undefined {
  const nativeReserve = mint === NATIVE_MINT ? rentExempt(TOKEN_ACCOUNT_BYTES) : null;
  return createAccount(
    ledger,
    payer,
    address,
    program,
    tokenAccountBytes({ mint, authority, amount: 0n, nativeReserve }),
  );
}

/** A token account under either token program; undefined when the address holds none. */
export function tokensAt(ledger: Accounts, address: string): (TokenAccount & { readonly program: string }) | undefined {
  const account = ledger.get(address);
  if (account === undefined || !isTokenProgram(account.owner)) return undefined;
  const tokens = readTokenAccount(account.data);
  return tokens === undefined ? undefined : { ...tokens, program: account.owner };
}

/** Whether `mint` is an initialised mint of `program`. */
export function isMint(ledger: Accounts, mint: string, program: string): boolean {
  const account = ledger.get(mint);
  return account !== undefined && account.owner === program && readMintDecimals(account.data) !== undefined;
}

/** Moves tokens by order of `authority`, the native mint's lamports with them. Order of checks as the program's. */
export function transferTokens(
  ledger: Accounts,
  from: string,
  to: string,
  authority: string,
  amount: bigint,
): Refusal | undefined {
  const [source, target] = [tokensAt(ledger, from), tokensAt(ledger, to)];
  if (source === undefined || target === undefined) return { type: "other", name: "InvalidAccountData" };
  if (source.state === tokenStates.frozen || target.state === tokenStates.frozen) return token("frozen");
  if (source.amount < amount) return token("insufficientFunds");
  if (source.mint !== target.mint) return token("mintMismatch");
  if (source.authority !== authority) return token("ownerMismatch");
  if (from === to) return undefined;
  if (target.amount + amount > U64_MAX) return token("overflow");
  const moved = source.nativeReserve === null ? 0n : amount;
  change(ledger, from, source.amount - amount, -moved);
  change(ledger, to, target.amount + amount, moved);
  return undefined;
}

/** Moves lamports between system accounts: the System program's transfer. */
export function transferLamports(ledger: Accounts, from: string, to: string, lamports: bigint): Refusal | undefined {
  const source = ledger.get(from);
  if (source !== undefined && source.data.length > 0) return { type: "other", name: "InvalidArgument" };
  if (source === undefined || source.lamports < lamports)
    return { type: "custom", code: RESULT_WITH_NEGATIVE_LAMPORTS };
  ledger.set(from, { ...source, lamports: source.lamports - lamports });
  const target = ledger.get(to) ?? emptyAccount;
  ledger.set(to, { ...target, lamports: target.lamports + lamports });
  return undefined;
}

/** What an address without an account looks like to a program. */
export const emptyAccount: ChainAccount = {
  lamports: 0n,
  owner: systemProgram,
  data: new Uint8Array(0),
  executable: false,
};

function token(name: keyof typeof tokenError): Refusal {
  return { type: "custom", code: tokenError[name] };
}

function change(ledger: Accounts, address: string, amount: bigint, lamports: bigint): void {
  const account = ledger.get(address) ?? emptyAccount;
  ledger.set(address, { ...account, lamports: account.lamports + lamports, data: withAmount(account.data, amount) });
}
