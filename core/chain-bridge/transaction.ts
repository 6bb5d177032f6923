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
export type TransactionFlaw =
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
export function acceptTransaction(bytes: Uint8Array, crypto: CryptoPort): Result<ParsedTransaction, TransactionFlaw> {
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
export function firstSignatureOf(bytes: Uint8Array): Result<Uint8Array | undefined, TransactionFlaw> {
  const signatures = readList(bytes, 0, (at) => take(bytes, at, 64));
  if (!signatures.ok) return signatures;
  const message = readMessage(bytes, signatures.value.next);
  return message.ok ? ok(signatures.value.value[0]) : message;
}

/** Structure and limits without the signatures. Source: protocol 03 C.3. */
export function parseTransaction(bytes: Uint8Array): Result<ParsedTransaction, TransactionFlaw> {
  if (bytes.length > TRANSACTION_BYTES_MAX) return err("TOO_LARGE");
  const signatures = readList(bytes, 0, (at) => take(bytes, at, 64));
  if (!signatures.ok) return signatures;
  const message = readMessage(bytes, signatures.value.next);
  if (!message.ok) return message;
  if (message.value.next !== bytes.length) return err("TRAILING_BYTES");
  const flaw = findFlaw(message.value.value, signatures.value.value.length);
  if (flaw !== undefined) return err(flaw);
  return ok({
    signatures: signatures.value.value,
    message: message.value.value,
    messageBytes: bytes.slice(signatures.value.next),
  });
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
type Step<T> = Result<At<T>, TransactionFlaw>;

function readMessage(bytes: Uint8Array, start: number): Step<ParsedMessage> {
  const first = bytes[start];
  if (first === undefined) return err("TRUNCATED");
  const versioned = (first & 0x80) !== 0;
  if (versioned && (first & 0x7f) !== 0) return err("UNKNOWN_VERSION");
  const header = take(bytes, versioned ? start + 1 : start, 3);
  if (!header.ok) return header;
  const accounts = readList(bytes, header.value.next, (at) => take(bytes, at, 32));
  if (!accounts.ok) return accounts;
  const blockhash = take(bytes, accounts.value.next, 32);
  if (!blockhash.ok) return blockhash;
  const instructions = readList(bytes, blockhash.value.next, (at) => readInstruction(bytes, at));
  if (!instructions.ok) return instructions;
  const lookups: Step<readonly AddressLookup[]> = versioned
    ? readList(bytes, instructions.value.next, (at) => readLookup(bytes, at))
    : ok({ value: [], next: instructions.value.next });
  if (!lookups.ok) return lookups;
  const [requiredSignatures = 0, readonlySigned = 0, readonlyUnsigned = 0] = header.value.value;
  const message: ParsedMessage = {
    version: versioned ? 0 : "legacy",
    requiredSignatures,
    readonlySigned,
    readonlyUnsigned,
    accounts: accounts.value.value.map((account) => addressText(account)),
    blockhash: addressText(blockhash.value.value),
    instructions: instructions.value.value,
    lookups: lookups.value.value,
  };
  return ok({ value: message, next: lookups.value.next });
}

function readInstruction(bytes: Uint8Array, at: number): Step<CompiledInstruction> {
  const programIndex = bytes[at];
  if (programIndex === undefined) return err("TRUNCATED");
  const accounts = readBlob(bytes, at + 1);
  if (!accounts.ok) return accounts;
  const data = readBlob(bytes, accounts.value.next);
  if (!data.ok) return data;
  return ok({
    value: { programIndex, accounts: [...accounts.value.value], data: data.value.value },
    next: data.value.next,
  });
}

function readLookup(bytes: Uint8Array, at: number): Step<AddressLookup> {
  const table = take(bytes, at, 32);
  if (!table.ok) return table;
  const writable = readBlob(bytes, table.value.next);
  if (!writable.ok) return writable;
  const readonly = readBlob(bytes, writable.value.next);
  if (!readonly.ok) return readonly;
  const value = {
    table: addressText(table.value.value),
    writable: [...writable.value.value],
    readonly: [...readonly.value.value],
  };
  return ok({ value, next: readonly.value.next });
}

/** What well-formed bytes still must not say. */
function findFlaw(message: ParsedMessage, signatures: number): TransactionFlaw | undefined {
  const { accounts, lookups, requiredSignatures, readonlySigned, readonlyUnsigned } = message;
  if (requiredSignatures < 1 || signatures !== requiredSignatures) return "SIGNATURE_COUNT";
  if (accounts.length < requiredSignatures + readonlyUnsigned) return "ACCOUNT_COUNT";
  if (readonlySigned >= requiredSignatures) return "ACCOUNT_COUNT"; // the payer, account 0, must be writable
  if (new Set(accounts).size !== accounts.length) return "DUPLICATE_ACCOUNT";
  const lookedUp = lookups.reduce((total, lookup) => total + lookup.writable.length + lookup.readonly.length, 0);
  const reachable = accounts.length + lookedUp;
  if (reachable > 256) return "ACCOUNT_COUNT";
  const inRange = message.instructions.every((instruction) => {
    const { programIndex } = instruction;
    if (programIndex === 0 || programIndex >= accounts.length) return false; // the payer is no program
    return instruction.accounts.every((index) => index < reachable);
  });
  return inRange ? undefined : "INDEX_OUT_OF_RANGE";
}

/** The raw key at `index`, taken from the message's bytes. */
function messageKey(messageBytes: Uint8Array, message: ParsedMessage, index: number): Uint8Array {
  const header = message.version === 0 ? 4 : 3;
  const at = header + compactU16(message.accounts.length).length + 32 * index;
  return messageBytes.subarray(at, at + 32);
}

function take(bytes: Uint8Array, at: number, length: number): Step<Uint8Array> {
  return at + length > bytes.length ? err("TRUNCATED") : ok({ value: bytes.slice(at, at + length), next: at + length });
}

function readBlob(bytes: Uint8Array, at: number): Step<Uint8Array> {
  const length = readCompactU16(bytes, at);
  return length.ok ? take(bytes, length.value.next, length.value.value) : length;
}

function readList<T>(bytes: Uint8Array, at: number, read: (at: number) => Step<T>): Step<readonly T[]> {
  const count = readCompactU16(bytes, at);
  if (!count.ok) return count;
  const values: T[] = [];
  let next = count.value.next;
  for (let index = 0; index < count.value.value; index += 1) {
    const item = read(next);
    if (!item.ok) return item;
    values.push(item.value.value);
    next = item.value.next;
  }
  return ok({ value: values, next });
}

function readCompactU16(bytes: Uint8Array, at: number): Step<number> {
  let value = 0;
  for (let index = 0; index < 3; index += 1) {
    const byte = bytes[at + index];
    if (byte === undefined) return err("TRUNCATED");
    if (index > 0 && byte === 0) return err("NOT_SHORTEST_FORM");
    if (index === 2 && byte > 3) return err("NOT_SHORTEST_FORM"); // beyond 16 bits
    value |= (byte & 0x7f) << (7 * index);
    if ((byte & 0x80) === 0) return ok({ value, next: at + index + 1 });
  }
  return err("NOT_SHORTEST_FORM");
}
