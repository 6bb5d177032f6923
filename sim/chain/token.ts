/**
 * State of the token programs: mints (82 bytes) and token accounts (165 bytes), the same for both programs as
 * long as no extension is used. Source: the SPL Token program's published state layout.
 */

import type { Field } from "../../core/testing.ts";
import { pk, struct, u8, u32, u64 } from "../../core/testing.ts";

/** The mint whose tokens are lamports. Source: protocol 03 D.1. */
export const NATIVE_MINT = "So11111111111111111111111111111111111111112";
export const MINT_BYTES = 82;
export const TOKEN_ACCOUNT_BYTES = 165;

/** `state` of a token account. */
export const tokenStates = { uninitialized: 0, initialized: 1, frozen: 2 } as const;

/** An optional value as these programs store it: a u32 flag, and the value's place whether it is used or not. */
function optional<T>(item: Field<T>): Field<{ readonly some: number; readonly value: T }> {
  return struct({ some: u32, value: item });
}

const NOBODY = "11111111111111111111111111111111";

const mintFields = struct({
  mint_authority: optional(pk),
  supply: u64,
  decimals: u8,
  is_initialized: u8,
  freeze_authority: optional(pk),
});

const tokenFields = struct({
  mint: pk,
  owner: pk,
  amount: u64,
  delegate: optional(pk),
  state: u8,
  is_native: optional(u64),
  delegated_amount: u64,
  close_authority: optional(pk),
});

export interface TokenAccount {
  readonly mint: string;
  /** The wallet or derived address that may move the tokens. */
  readonly authority: string;
  readonly amount: bigint;
  readonly state: number;
  /** Lamports that are rent and no tokens, in an account of the native mint; else null. */
  readonly nativeReserve: bigint | null;
}

/** Bytes of an initialised mint without a freeze authority. */
export function mintBytes(authority: string | null, supply: bigint, decimals: number): Uint8Array {
  return mintFields.write({
    mint_authority: { some: authority === null ? 0 : 1, value: authority ?? NOBODY },
    supply,
    decimals,
    is_initialized: 1,
    freeze_authority: { some: 0, value: NOBODY },
  });
}

/** Decimals of an initialised mint; undefined when the bytes are none. */
export function readMintDecimals(data: Uint8Array): number | undefined {
  if (data.length !== MINT_BYTES) return undefined;
  const read = mintFields.read(data, 0);
  return read !== undefined && read.value.is_initialized === 1 ? read.value.decimals : undefined;
}

/** Bytes of a token account that nobody may move but its authority. */
export function tokenAccountBytes(account: Omit<TokenAccount, "state">): Uint8Array {
  const native = account.nativeReserve;
  return tokenFields.write({
    mint: account.mint,
    owner: account.authority,
    amount: account.amount,
    delegate: { some: 0, value: NOBODY },
    state: tokenStates.initialized,
    is_native: { some: native === null ? 0 : 1, value: native ?? 0n },
    delegated_amount: 0n,
    close_authority: { some: 0, value: NOBODY },
  });
}

/** An initialised or frozen token account; undefined when the bytes are none. */
export function readTokenAccount(data: Uint8Array): TokenAccount | undefined {
  if (data.length !== TOKEN_ACCOUNT_BYTES) return undefined;
  const read = tokenFields.read(data, 0);
  if (read === undefined || read.value.state === tokenStates.uninitialized) return undefined;
  const { mint, owner, amount, state, is_native } = read.value;
  return { mint, authority: owner, amount, state, nativeReserve: is_native.some === 0 ? null : is_native.value };
}

/** The same account with another amount, below 2^64; nothing else in the bytes changes. */
export function withAmount(data: Uint8Array, amount: bigint): Uint8Array {
  const changed = data.slice();
  changed.set(u64.write(amount), AMOUNT_OFFSET);
  return changed;
}

/** After the mint and the authority. */
const AMOUNT_OFFSET = 64;
