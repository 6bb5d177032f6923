/**
 * The chain's own programs as far as the escrow calls them: creating accounts, token accounts, token transfers.
 * Their refusals carry their own numbers. Source: the System and SPL Token programs' published behaviour.
 */
import { systemProgram, token2022Program, tokenProgram } from "../../../core/testing.ts";
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
import type { Codec, Content, HeldAccount } from "./held-account.ts";
import { contentOf, contentOfValue, replaced, valueIn, withLamports } from "./held-account.ts";
import type { Accounts } from "./ledger.ts";

/** Numbers the token programs refuse with. */
const tokenError = { insufficientFunds: 1, mintMismatch: 3, ownerMismatch: 4, overflow: 14, frozen: 17 } as const;
/** The System program's number for a payer that cannot pay. */
const RESULT_WITH_NEGATIVE_LAMPORTS = 1;

export function isTokenProgram(address: string): boolean {
  return address === tokenProgram || address === token2022Program;
}

/**
 * Creates an account with `content`, owned by `owner`, rent paid by `payer`. Lamports that somebody sent ahead count:
 * nobody can block an address by paying into it.
 */
export function createAccount(
  ledger: Accounts<HeldAccount>,
  payer: string,
  address: string,
  owner: string,
  content: Content,
): Refusal | undefined {
  const held = ledger.get(address) ?? emptyAccount;
  if (held.owner !== systemProgram || held.content.length > 0) return alreadyInUse;
  const rent = rentExempt(content.length);
  const missing = held.lamports < rent ? rent - held.lamports : 0n;
  const source = ledger.get(payer) ?? emptyAccount; // the fee may have taken all that it had
  if (source.lamports < missing) return { type: "custom", code: RESULT_WITH_NEGATIVE_LAMPORTS };
  ledger.set(payer, withLamports(source, source.lamports - missing));
  ledger.set(address, { lamports: held.lamports + missing, owner, content, executable: false });
  return undefined;
}

/** Creates and initialises an empty token account. */
export function createTokenAccount(
  ledger: Accounts<HeldAccount>,
  payer: string,
  address: string,
  program: string,
  mint: string,
  authority: string,
): Refusal | undefined {
  const nativeReserve = mint === NATIVE_MINT ? rentExempt(TOKEN_ACCOUNT_BYTES) : null;
  const tokens = { mint, authority, amount: 0n, state: tokenStates.initialized, nativeReserve };
  return createAccount(ledger, payer, address, program, contentOfValue(tokenCodec, TOKEN_ACCOUNT_BYTES, tokens));
}

/** A token account under either token program; undefined when the address holds none. */
export function tokensAt(ledger: Accounts<HeldAccount>, address: string): TokenAccount | undefined {
  const account = ledger.get(address);
  return account === undefined ? undefined : tokensOf(account);
}

function tokensOf(account: HeldAccount): TokenAccount | undefined {
  return isTokenProgram(account.owner) ? valueIn(tokenCodec, account.content) : undefined;
}

/** Whether `mint` is an initialised mint of `program`. */
export function isMint(ledger: Accounts<HeldAccount>, mint: string, program: string): boolean {
  const account = ledger.get(mint);
  return account !== undefined && account.owner === program && valueIn(mintCodec, account.content) !== undefined;
}

/** Moves tokens by order of `authority`, the native mint's lamports with them. Order of checks as the program's. */
export function transferTokens(
  ledger: Accounts<HeldAccount>,
  from: string,
  to: string,
  authority: string,
  amount: bigint,
): Refusal | undefined {
  const [payer, payee] = [ledger.get(from), ledger.get(to)];
  if (payer === undefined || payee === undefined) return { type: "other", name: "InvalidAccountData" };
  const [source, target] = [tokensOf(payer), tokensOf(payee)];
  if (source === undefined || target === undefined) return { type: "other", name: "InvalidAccountData" };
  const refusal = refusalOf(payer.owner, source, target, authority, amount);
  if (refusal !== undefined) return token(refusal);
  if (from === to) return undefined;
  if (target.amount + amount > U64_MAX) return token("overflow");
  const moved = source.nativeReserve === null ? 0n : amount;
  ledger.set(from, withTokens(payer, source, source.amount - amount, -moved));
  ledger.set(to, withTokens(payee, target, target.amount + amount, moved));
  return undefined;
}

/** Token-2022 looks at whoever is paid last, the older program before the authority. */
function refusalOf(
  program: string,
  source: TokenAccount,
  target: TokenAccount,
  authority: string,
  amount: bigint,
): keyof typeof tokenError | undefined {
  const older = program !== token2022Program;
  const targetFrozen = target.state === tokenStates.frozen;
  if (source.state === tokenStates.frozen || (older && targetFrozen)) return "frozen";
  if (source.amount < amount) return "insufficientFunds";
  if (older && source.mint !== target.mint) return "mintMismatch";
  if (source.authority !== authority) return "ownerMismatch";
  if (targetFrozen) return "frozen";
  return source.mint === target.mint ? undefined : "mintMismatch";
}

/** Moves lamports between system accounts: the System program's transfer. */
export function transferLamports(
  ledger: Accounts<HeldAccount>,
  from: string,
  to: string,
  lamports: bigint,
): Refusal | undefined {
  const source = ledger.get(from);
  if (source !== undefined && source.content.length > 0) return { type: "other", name: "InvalidArgument" };
  if (source === undefined || source.lamports < lamports)
    return { type: "custom", code: RESULT_WITH_NEGATIVE_LAMPORTS };
  ledger.set(from, withLamports(source, source.lamports - lamports));
  const target = ledger.get(to) ?? emptyAccount;
  ledger.set(to, withLamports(target, target.lamports + lamports));
  return undefined;
}

/** What an address without an account looks like to a program. */
export const emptyAccount: HeldAccount = {
  lamports: 0n,
  owner: systemProgram,
  content: contentOf(new Uint8Array(0)),
  executable: false,
};

function token(name: keyof typeof tokenError): Refusal {
  return { type: "custom", code: tokenError[name] };
}

/** The account with another amount of tokens and so many lamports more. */
function withTokens(account: HeldAccount, tokens: TokenAccount, amount: bigint, lamports: bigint): HeldAccount {
  const { mint, authority, state, nativeReserve } = tokens;
  const content = replaced(tokenCodec, account.content, { mint, authority, amount, state, nativeReserve });
  return { lamports: account.lamports + lamports, owner: account.owner, content, executable: account.executable };
}

const tokenCodec: Codec<TokenAccount> = {
  read: readTokenAccount,
  write: (tokens, below) => (below === undefined ? tokenAccountBytes(tokens) : withAmount(below, tokens.amount)),
};

/** Mints are read, never written. */
const mintCodec: Codec<number> = { read: readMintDecimals, write: (_decimals, below) => below ?? new Uint8Array(0) };
