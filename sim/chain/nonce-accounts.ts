/**
 * Nonce accounts: what stands in one, what it moves on to, and which transactions live by one where others live by a
 * blockhash of the last minute. The instructions about them are in model/nonce-calls.ts.
 * Source: Solana's system program, its durable nonces.
 */
import { concat, equalBytes, toBase58, utf8 } from "../../core/index.ts";
import type { Field, ParsedMessage } from "../../core/testing.ts";
import { isSigner, pk, raw, struct, systemProgram, u32, u64 } from "../../core/testing.ts";
import type { ChainAccount, ExecutionContext } from "./executor.ts";

/** Bytes of a nonce account. Source: Solana's system program. */
export const NONCE_BYTES = 80;
/** What instructions that advance a nonce name. Source: Solana's system program. */
export const RECENT_BLOCKHASHES = "SysvarRecentB1ockHashes11111111111111111111";
/** Numbers of the system program's instructions about nonces. Source: Solana's system program. */
export const nonceCalls = { advance: 4, withdraw: 5, initialize: 6, authorize: 7 } as const;

/** What an initialised nonce account holds. */
export interface Nonce {
  readonly authority: string;
  /** 32 bytes: what a transaction names in the place of a blockhash. */
  readonly value: Uint8Array;
  readonly lamportsPerSignature: bigint;
}

/** What a nonce account holds, and whether it is of the present kind: one of the old kind no transaction lives by. */
export interface NonceState {
  readonly isCurrent: boolean;
  /** Undefined before it is initialised. */
  readonly nonce: Nonce | undefined;
}

const tagFields: Field<{ readonly version: number; readonly state: number }> = struct({ version: u32, state: u32 });
const nonceFields: Field<Nonce> = struct({ authority: pk, value: raw(32), lamportsPerSignature: u64 });
const [OLD, CURRENT] = [0, 1];
const [EMPTY, INITIALIZED] = [0, 1];
/** What the hash of a nonce begins with, so that none is a blockhash. Source: Solana's durable nonces. */
const NONCE_DOMAIN = utf8("DURABLE_NONCE");

/** What account data say as a nonce account; undefined when they are none. Bytes behind are not looked at. */
export function readNonce(data: Uint8Array): NonceState | undefined {
  const tags = tagFields.read(data, 0);
  if (tags === undefined || tags.value.version > CURRENT || tags.value.state > INITIALIZED) return undefined;
  const isCurrent = tags.value.version !== OLD;
  if (tags.value.state === EMPTY) return { isCurrent, nonce: undefined };
  const nonce = nonceFields.read(data, tags.next);
  return nonce && { isCurrent, nonce: nonce.value };
}

/** Data in which another nonce stands, or none; undefined when they are too short for it. */
export function withNonce(data: Uint8Array, nonce: Nonce | undefined): Uint8Array | undefined {
  const tags = tagFields.write({ version: CURRENT, state: nonce === undefined ? EMPTY : INITIALIZED });
  const written = nonce === undefined ? tags : concat(tags, nonceFields.write(nonce));
  if (written.length > data.length) return undefined;
  const changed = data.slice();
  changed.set(written);
  return changed;
}

/** What nonces move on to in the slots after a blockhash. Source: Solana's durable nonces. */
export function nonceAfter(sha256: (bytes: Uint8Array) => Uint8Array, blockhash: Uint8Array): Uint8Array {
  return sha256(concat(NONCE_DOMAIN, blockhash));
}

/** What nonces move on to in a slot. On a chain without a block nothing does: a hash that nothing else is. */
export function nextNonce({ slotHashes }: ExecutionContext, sha256: (bytes: Uint8Array) => Uint8Array): Uint8Array {
  return nonceAfter(sha256, slotHashes[0]?.hash ?? new Uint8Array(0));
}

/**
 * The nonce account that a message would live by: the first account, if it may change, of a first instruction that
 * advances a nonce. Source: Solana's durable nonces.
 */
export function nonceAccountOf(message: ParsedMessage, writable: (index: number) => boolean): string | undefined {
  const [first] = message.instructions;
  if (first === undefined || message.accounts[first.programIndex] !== systemProgram) return undefined;
  if (u32.read(first.data, 0)?.value !== nonceCalls.advance) return undefined;
  const [index] = first.accounts;
  // What is looked up in a table is none: its key does not stand in the message.
  return index !== undefined && writable(index) ? message.accounts[index] : undefined;
}

/**
 * Whether a message lives by what its nonce account holds: that is the hash that it names, whoever may advance it
 * signs, and it can be advanced in this slot, after whose blockhash `next` comes.
 */
export function livesByNonce(message: ParsedMessage, account: ChainAccount | undefined, next: Uint8Array): boolean {
  if (account === undefined || account.owner !== systemProgram) return false;
  const state = readNonce(account.data);
  if (state?.nonce === undefined || !state.isCurrent) return false;
  const { authority, value } = state.nonce;
  const signers = (message.instructions[0]?.accounts ?? []).filter((index) => isSigner(message, index));
  const isAllowed = signers.some((index) => message.accounts[index] === authority);
  return isAllowed && toBase58(value) === message.blockhash && !equalBytes(value, next);
}

/** The account with its nonce moved on; undefined when it holds none. */
export function advanced(account: ChainAccount, value: Uint8Array): ChainAccount | undefined {
  const nonce = readNonce(account.data)?.nonce;
  const data = nonce && withNonce(account.data, { ...nonce, value });
  return data && { ...account, data };
}

/** What an account holds as a nonce account; undefined where it holds none. */
export function nonceValue({ owner, data }: ChainAccount): Uint8Array | undefined {
  if (owner !== systemProgram || data.length < NONCE_BYTES) return undefined;
  return readNonce(data)?.nonce?.value;
}

/** The account with a nonce in the place of another, where it holds that one: how a machine's own becomes ours. */
export function exchanged(account: ChainAccount, from: Uint8Array, to: Uint8Array): ChainAccount | undefined {
  const value = nonceValue(account);
  return value !== undefined && equalBytes(value, from) ? advanced(account, to) : undefined;
}
