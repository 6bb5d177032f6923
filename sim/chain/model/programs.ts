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
import type { CallAccount, Refusal } from "./call.ts";
import { alreadyInUse, invalidAccount, U64_MAX } from "./call.ts";
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

/** Creates and initialises a token account. It is empty, but for wrapped SOL: lamports sent ahead are tokens there. */
export function createTokenAccount(
  ledger: Accounts<HeldAccount>,
  payer: string,
  address: string,
  program: string,
  mint: string,
  authority: string,
): Refusal | undefined {
  const nativeReserve = mint === NATIVE_MINT ? rentExempt(TOKEN_ACCOUNT_BYTES) : null;
  const reserve = nativeReserve ?? rentExempt(TOKEN_ACCOUNT_BYTES);
  const ahead = ledger.get(address)?.lamports ?? 0n;
  const amount = nativeReserve !== null && ahead > reserve ? ahead - reserve : 0n;
  const tokens = { mint, authority, amount, state: tokenStates.initialized, nativeReserve };
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

/** A move of tokens that somebody signed for, or did not. */
export interface TokenMove {
  /** The token program that is asked. */
  readonly program: string;
  readonly from: CallAccount;
  readonly to: CallAccount;
  readonly authority: CallAccount;
  readonly amount: bigint;
}

/** Moves tokens by order of `authority`, the native mint's lamports with them. Order of checks as the program's. */
export function transferTokens(ledger: Accounts<HeldAccount>, move: TokenMove): Refusal | undefined {
  const { program, from, to, amount } = move;
  const [payer, payee] = [ledger.get(from.address) ?? emptyAccount, ledger.get(to.address) ?? emptyAccount];
  const refusal = program === token2022Program ? refusal2022(payer, payee, move) : refusalOf(payer, payee, move);
  if (refusal !== undefined || from.address === to.address || amount === 0n) return refusal;
  const [source, target] = [tokensIn(payer), tokensIn(payee)];
  if (source === undefined || target === undefined) return invalidAccount;
  if (target.amount + amount > U64_MAX) return token("overflow");
  const moved = source.nativeReserve === null ? 0n : amount;
  const untouchable = written(from, payer, program, moved) ?? written(to, payee, program, moved);
  if (untouchable !== undefined) return untouchable;
  ledger.set(from.address, withTokens(payer, source, source.amount - amount, -moved));
  ledger.set(to.address, withTokens(payee, target, target.amount + amount, moved));
  return undefined;
}

/** Why the runtime takes no change of an account, after the program made it. */
function written(meta: CallAccount, account: HeldAccount, program: string, lamports: bigint): Refusal | undefined {
  if (!meta.writable) return { type: "other", name: lamports > 0n ? "ReadonlyLamportChange" : "ReadonlyDataModified" };
  return account.owner === program ? undefined : { type: "other", name: "ExternalAccountDataModified" };
}

/** The older program looks at both accounts first and at the signature last. */
function refusalOf(payer: HeldAccount, payee: HeldAccount, move: TokenMove): Refusal | undefined {
  const { program, from, to, authority, amount } = move;
  const [source, target] = [tokensIn(payer), tokensIn(payee)];
  if (source === undefined) return notTokens(payer);
  if (target === undefined) return notTokens(payee);
  if (source.state === tokenStates.frozen || target.state === tokenStates.frozen) return token("frozen");
  if (source.amount < amount) return token("insufficientFunds");
  if (source.mint !== target.mint) return token("mintMismatch");
  if (source.authority !== authority.address) return token("ownerMismatch");
  if (!authority.signer) return unsigned;
  const isForeign = payer.owner !== program || payee.owner !== program;
  return isForeign && (from.address === to.address || amount === 0n) ? incorrectProgram : undefined;
}

/** Token-2022 looks at whoever is paid last. */
function refusal2022(payer: HeldAccount, payee: HeldAccount, move: TokenMove): Refusal | undefined {
  const { program, from, to, authority, amount } = move;
  if (payer.owner !== program || payee.owner !== program) return incorrectProgram;
  const source = tokensIn(payer);
  if (source === undefined) return notTokens(payer);
  if (source.state === tokenStates.frozen) return token("frozen");
  if (source.amount < amount) return token("insufficientFunds");
  if (source.authority !== authority.address) return token("ownerMismatch");
  if (!authority.signer) return unsigned;
  if (from.address === to.address) return undefined;
  const target = tokensIn(payee);
  if (target === undefined) return notTokens(payee);
  if (target.state === tokenStates.frozen) return token("frozen");
  return source.mint === target.mint ? undefined : token("mintMismatch");
}

const unsigned: Refusal = { type: "other", name: "MissingRequiredSignature" };
const incorrectProgram: Refusal = { type: "other", name: "IncorrectProgramId" };

/** Bytes as long as a token account's that hold none yet, or other bytes. */
function notTokens({ content }: HeldAccount): Refusal {
  return content.length === TOKEN_ACCOUNT_BYTES ? { type: "other", name: "UninitializedAccount" } : invalidAccount;
}

/** Tokens in the bytes, whoever owns them. */
function tokensIn(account: HeldAccount): TokenAccount | undefined {
  return valueIn(tokenCodec, account.content);
}

/** Moves lamports between system accounts: the System program's transfer. */
export function transferLamports(
  ledger: Accounts<HeldAccount>,
  from: CallAccount,
  to: CallAccount,
  lamports: bigint,
): Refusal | undefined {
  const source = ledger.get(from.address) ?? emptyAccount;
  if (source.content.length > 0) return { type: "other", name: "InvalidArgument" };
  if (source.lamports < lamports) return { type: "custom", code: RESULT_WITH_NEGATIVE_LAMPORTS };
  if (source.owner !== systemProgram && lamports > 0n) return { type: "other", name: "ExternalAccountLamportSpend" };
  if (!from.writable || !to.writable) return { type: "other", name: "ReadonlyLamportChange" };
  ledger.set(from.address, withLamports(source, source.lamports - lamports));
  const target = ledger.get(to.address) ?? emptyAccount;
  if (target.lamports + lamports > U64_MAX) return { type: "other", name: "ArithmeticOverflow" };
  ledger.set(to.address, withLamports(target, target.lamports + lamports));
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
