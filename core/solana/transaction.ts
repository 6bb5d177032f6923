/**
 * Chain transactions as bytes: the structural acceptance test of `sendTransaction`, and reading a message.
 * Ours is stricter than the reference: no trailing bytes, at most 1,232 in all, indexes in range, signature
 * count equal to the required signatures and at least one, every signature valid. Source: protocol 03 C.3.
 */

import type { Result } from "../kernel/result.ts";
import { err, ok } from "../kernel/result.ts";
import type { CryptoPort } from "../ports/crypto.ts";
import { addressText } from "./address-text.ts";
import { hex, startsWith } from "./layout.ts";

/** Largest transaction that the chain carries, in bytes. Source: protocol 03 C.3. */
export const TRANSACTION_BYTES_MAX = 1232;

/** Instructions that a node looks for in an observed transaction. Source: protocol 03 D.4. */
export const executeDisputeOutcome = hex("9e38eebbdbdfd463");
export const releaseEscrow = hex("92fd81e91491b5ce");

/** One instruction of a message; accounts are indexes into the message's own keys, then its lookups. */
export interface CompiledInstruction {
  readonly programIndex: number;
  readonly accounts: readonly number[];
  readonly data: Uint8Array;
}

/** An address table reference of a version 0 message. */
export interface AddressLookup {
  readonly table: string;
  readonly writable: readonly number[];
  readonly readonly: readonly number[];
}

/** What a transaction's signers signed, taken apart. */
export interface ParsedMessage {
  readonly version: "legacy" | 0;
  readonly requiredSignatures: number;
  readonly readonlySigned: number;
  readonly readonlyUnsigned: number;
  /** The message's own keys, base58, in order. */
  readonly accounts: readonly string[];
  readonly blockhash: string;
  readonly instructions: readonly CompiledInstruction[];
  readonly lookups: readonly AddressLookup[];
}

export interface ParsedTransaction {
  readonly signatures: readonly Uint8Array[];
  readonly message: ParsedMessage;
  /** What was signed. */
  readonly messageBytes: Uint8Array;
}

/** Why bytes are not a transaction that can land; all answer MALFORMED_TRANSACTION (1012). */
export type TransactionDefect =
  | "TOO_LARGE"
  | "TRUNCATED"
  | "NOT_SHORTEST_FORM"
  | "UNKNOWN_VERSION"
  | "TRAILING_BYTES"
  | "SIGNATURE_COUNT"
  | "ACCOUNT_COUNT"
  | "INDEX_OUT_OF_RANGE"
  | "DUPLICATE_ACCOUNT"
  | "SIGNATURE_INVALID";

/** The whole acceptance test: structure, limits, signatures. Source: protocol 03 C.3. */
export function acceptTransaction(bytes: Uint8Array, crypto: CryptoPort): Result<ParsedTransaction, TransactionDefect> {
  const parsed = parseTransaction(bytes);
  if (!parsed.ok) return parsed;
  const { message, messageBytes, signatures } = parsed.value;
  const genuine = signatures.every((signature, index) => {
    const account = messageKey(messageBytes, message, index);
    return crypto.verify(account, messageBytes, signature);
  });
  return genuine ? parsed : err("SIGNATURE_INVALID");
}

/**
 * What the reference takes for a transaction: the structure alone, of any size, whatever follows it. Answers its first
 * signature, if it has one. Source: protocol 03 C.3.
 */
export function firstSignatureOf(bytes: Uint8Array): Result<Uint8Array | undefined, TransactionDefect> {
  const walk = readWalk(bytes);
  if (!walk.ok) return walk;
  return ok(walk.value.signatureCount === 0 ? undefined : signatureAt(bytes, walk.value, 0));
}

/** Structure and limits without the signatures. Source: protocol 03 C.3. */
export function parseTransaction(bytes: Uint8Array): Result<ParsedTransaction, TransactionDefect> {
  const walk = checkedWalk(bytes);
  if (!walk.ok) return walk;
  const { signatureCount, messageAt, message } = walk.value;
  const signatures: Uint8Array[] = [];
  for (let index = 0; index < signatureCount; index += 1) signatures.push(signatureAt(bytes, walk.value, index));
  return ok({ signatures, message, messageBytes: bytes.slice(messageAt) });
}

/** The message alone, of bytes that pass the same test. */
export function parseMessage(bytes: Uint8Array): Result<ParsedMessage, TransactionDefect> {
  const walk = checkedWalk(bytes);
  return walk.ok ? ok(walk.value.message) : walk;
}

/** Whether a message contains `discriminator` for `program` with the given accounts at the given positions. */
export function findInstruction(
  message: ParsedMessage,
  program: string,
  discriminator: Uint8Array,
  expected: Readonly<Record<number, string>>,
): CompiledInstruction | undefined {
  return message.instructions.find((instruction) => {
    if (message.accounts[instruction.programIndex] !== program) return false;
    if (!startsWith(instruction.data, discriminator)) return false;
    return Object.entries(expected).every(([position, address]) => {
      const index = instruction.accounts[Number(position)];
      return index !== undefined && message.accounts[index] === address;
    });
  });
}

/** Whether the message grants the account at `index` the right to sign. */
export function isSigner(message: ParsedMessage, index: number): boolean {
  return index < message.requiredSignatures;
}

/** Whether the message lets the account at `index` (one of its own keys) change. */
export function isWritable(message: ParsedMessage, index: number): boolean {
  if (index < message.requiredSignatures) return index < message.requiredSignatures - message.readonlySigned;
  return index < message.accounts.length - message.readonlyUnsigned;
}

/** Writes a compact-u16: 7 bits a byte, low groups first, shortest form. Source: protocol 03 C.3. */
export function compactU16(value: number): Uint8Array {
  if (value < 0x80) return Uint8Array.of(value);
  if (value < 0x4000) return Uint8Array.of((value & 0x7f) | 0x80, value >> 7);
  return Uint8Array.of((value & 0x7f) | 0x80, ((value >> 7) & 0x7f) | 0x80, value >> 14);
}

interface At<T> {
  readonly value: T;
  readonly next: number;
}
type Step<T> = Result<At<T>, TransactionDefect>;

/** Where the parts of a transaction stand. */
interface Walk {
  readonly signaturesAt: number;
  readonly signatureCount: number;
  readonly messageAt: number;
  readonly message: ParsedMessage;
  /** The offset after the message. */
  readonly next: number;
}

/** Structure, limits, and what well-formed bytes still must not say. */
function checkedWalk(bytes: Uint8Array): Result<Walk, TransactionDefect> {
  if (bytes.length > TRANSACTION_BYTES_MAX) return err("TOO_LARGE");
  const walk = readWalk(bytes);
  if (!walk.ok) return walk;
  if (walk.value.next !== bytes.length) return err("TRAILING_BYTES");
  const validationError = findDefect(walk.value.message, walk.value.signatureCount);
  return validationError === undefined ? walk : err(validationError);
}

function readWalk(bytes: Uint8Array): Result<Walk, TransactionDefect> {
  const signatureCount = countAt(bytes, 0);
  if (signatureCount < 0) return err(validationErrorOf(signatureCount));
  const signaturesAt = afterCount(signatureCount, 0);
  const messageAt = signaturesAt + 64 * signatureCount;
  const message = readMessage(bytes, messageAt);
  if (!message.ok) return message;
  const { value, next } = message.value;
  return ok({ signaturesAt, signatureCount, messageAt, message: value, next });
}

function signatureAt(bytes: Uint8Array, walk: Walk, index: number): Uint8Array {
  const at = walk.signaturesAt + 64 * index;
  return bytes.slice(at, at + 64);
}

function readMessage(bytes: Uint8Array, start: number): Step<ParsedMessage> {
  const first = bytes[start];
  if (first === undefined) return err("TRUNCATED");
  const versioned = (first & 0x80) !== 0;
  if (versioned && (first & 0x7f) !== 0) return err("UNKNOWN_VERSION");
  const headerAt = versioned ? start + 1 : start;
  const countedAt = headerAt + 3;
  const accountCount = countAt(bytes, countedAt);
  if (accountCount < 0) return err(validationErrorOf(accountCount));
  const accountsAt = afterCount(accountCount, countedAt);
  const blockhashAt = accountsAt + 32 * accountCount;
  if (blockhashAt + 32 > bytes.length) return err("TRUNCATED");
  const instructions = readList(bytes, blockhashAt + 32, readInstruction);
  if (!instructions.ok) return instructions;
  const lookups = versioned ? readList(bytes, instructions.value.next, readLookup) : undefined;
  if (lookups?.ok === false) return lookups;
  const message: ParsedMessage = {
    version: versioned ? 0 : "legacy",
    requiredSignatures: bytes[headerAt] as number,
    readonlySigned: bytes[headerAt + 1] as number,
    readonlyUnsigned: bytes[headerAt + 2] as number,
    accounts: addressTexts(bytes, accountsAt, accountCount),
    blockhash: addressText(bytes, blockhashAt),
    instructions: instructions.value.value,
    lookups: lookups?.value.value ?? [],
  };
  return ok({ value: message, next: lookups?.value.next ?? instructions.value.next });
}

function addressTexts(bytes: Uint8Array, at: number, count: number): readonly string[] {
  const texts: string[] = [];
  for (let index = 0; index < count; index += 1) texts.push(addressText(bytes, at + 32 * index));
  return texts;
}

function readInstruction(bytes: Uint8Array, at: number): Step<CompiledInstruction> {
  const programIndex = bytes[at];
  if (programIndex === undefined) return err("TRUNCATED");
  const accounts = readIndexes(bytes, at + 1);
  if (!accounts.ok) return accounts;
  const length = countAt(bytes, accounts.value.next);
  if (length < 0) return err(validationErrorOf(length));
  const from = afterCount(length, accounts.value.next);
  const next = from + length;
  if (next > bytes.length) return err("TRUNCATED");
  return ok({ value: { programIndex, accounts: accounts.value.value, data: bytes.slice(from, next) }, next });
}

function readLookup(bytes: Uint8Array, at: number): Step<AddressLookup> {
  if (at + 32 > bytes.length) return err("TRUNCATED");
  const writable = readIndexes(bytes, at + 32);
  if (!writable.ok) return writable;
  const readonly = readIndexes(bytes, writable.value.next);
  if (!readonly.ok) return readonly;
  const value = { table: addressText(bytes, at), writable: writable.value.value, readonly: readonly.value.value };
  return ok({ value, next: readonly.value.next });
}

/** What well-formed bytes still must not say. */
function findDefect(message: ParsedMessage, signatures: number): TransactionDefect | undefined {
  const { accounts, lookups, requiredSignatures, readonlySigned, readonlyUnsigned } = message;
  if (requiredSignatures < 1 || signatures !== requiredSignatures) return "SIGNATURE_COUNT";
  if (accounts.length < requiredSignatures + readonlyUnsigned) return "ACCOUNT_COUNT";
  if (readonlySigned >= requiredSignatures) return "ACCOUNT_COUNT"; // the payer, account 0, must be writable
  if (hasTwice(accounts)) return "DUPLICATE_ACCOUNT";
  let reachable = accounts.length;
  for (const lookup of lookups) reachable += lookup.writable.length + lookup.readonly.length;
  if (reachable > 256) return "ACCOUNT_COUNT";
  for (const instruction of message.instructions) {
    const { programIndex } = instruction;
    if (programIndex === 0 || programIndex >= accounts.length) return "INDEX_OUT_OF_RANGE"; // the payer is no program
    for (const index of instruction.accounts) if (index >= reachable) return "INDEX_OUT_OF_RANGE";
  }
  return undefined;
}

/** A set costs more than comparing the few addresses that a transaction has room for. */
function hasTwice(accounts: readonly string[]): boolean {
  for (let index = 1; index < accounts.length; index += 1) {
    for (let before = 0; before < index; before += 1) if (accounts[before] === accounts[index]) return true;
  }
  return false;
}

/** The raw key at `index`, taken from the message's bytes. */
function messageKey(messageBytes: Uint8Array, message: ParsedMessage, index: number): Uint8Array {
  const header = message.version === 0 ? 4 : 3;
  const at = header + compactU16(message.accounts.length).length + 32 * index;
  return messageBytes.subarray(at, at + 32);
}

/** Counted bytes, each an index of an account. */
function readIndexes(bytes: Uint8Array, at: number): Step<readonly number[]> {
  const count = countAt(bytes, at);
  if (count < 0) return err(validationErrorOf(count));
  const from = afterCount(count, at);
  if (from + count > bytes.length) return err("TRUNCATED");
  const indexes: number[] = [];
  for (let place = from; place < from + count; place += 1) indexes.push(bytes[place] as number);
  return ok({ value: indexes, next: from + count });
}

function readList<T>(
  bytes: Uint8Array,
  at: number,
  read: (bytes: Uint8Array, at: number) => Step<T>,
): Step<readonly T[]> {
  const count = countAt(bytes, at);
  if (count < 0) return err(validationErrorOf(count));
  const values: T[] = [];
  let next = afterCount(count, at);
  for (let index = 0; index < count; index += 1) {
    const item = read(bytes, next);
    if (!item.ok) return item;
    values.push(item.value.value);
    next = item.value.next;
  }
  return ok({ value: values, next });
}

/** What `countAt` answers where no count stands. */
const TRUNCATED = -1;
const NOT_SHORTEST_FORM = -2;

/** The compact-u16 at an offset; below zero where none stands. A transaction has a dozen, so they make no objects. */
function countAt(bytes: Uint8Array, at: number): number {
  let value = 0;
  for (let index = 0; index < 3; index += 1) {
    const byte = bytes[at + index];
    if (byte === undefined) return TRUNCATED;
    if (index > 0 && byte === 0) return NOT_SHORTEST_FORM;
    if (index === 2 && byte > 3) return NOT_SHORTEST_FORM; // beyond 16 bits
    value |= (byte & 0x7f) << (7 * index);
    if ((byte & 0x80) === 0) return value;
  }
  return NOT_SHORTEST_FORM;
}

function validationErrorOf(count: number): TransactionDefect {
  return count === TRUNCATED ? "TRUNCATED" : "NOT_SHORTEST_FORM";
}

/** The offset after a count at `at`: there is only one form of each. */
function afterCount(count: number, at: number): number {
  return at + (count < 0x80 ? 1 : count < 0x4000 ? 2 : 3);
}
