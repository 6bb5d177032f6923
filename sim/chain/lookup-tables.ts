/**
 * Address lookup tables: accounts that list addresses, so that a version 0 message names an account by its place in a
 * table. What a message looks up stands in no byte of it. Tables are read, never written here: they are there from the
 * first day. Source: Solana's address lookup table program; protocol 03 C.3.
 */
import type { Result } from "../../core/index.ts";
import { concat, err, ok, toBase58 } from "../../core/index.ts";
import type { ParsedMessage } from "../../core/testing.ts";
import { addressBytes, isWritable } from "../../core/testing.ts";
import type { ChainAccount, ExecutionContext, LoadedAddresses } from "./executor.ts";
import { rentExempt } from "./rent.ts";
import { reservedAddresses, UPGRADEABLE_LOADER } from "./reserved-addresses.ts";

/** The program that owns tables. Source: Solana's address lookup table program. */
export const lookupTableProgram = "AddressLookupTab1e1111111111111111111111111";

/** Bytes before the addresses: kind, deactivation slot, last extension (slot, first index), authority, padding. */
const META_BYTES = 56;
const DEACTIVATED_AT = 4;
const EXTENDED_AT = 12;
const EXTENDED_FROM_AT = 20;
const KEY_BYTES = 32;
/** The kind of an account that is a table. */
const TABLE = 1;
/** The deactivation slot of a table that is in use. */
const IN_USE = 2n ** 64n - 1n;

/** A table as wallets know it. */
export interface LookupTable {
  readonly address: string;
  readonly addresses: readonly string[];
}

/** Of a message that looks nothing up. */
export const nothingLoaded: LoadedAddresses = { writable: [], readonly: [] };

/** The account of a table that nobody can change any more. */
export function lookupTableAccount(addresses: readonly string[]): ChainAccount {
  const meta = new Uint8Array(META_BYTES);
  const view = new DataView(meta.buffer);
  view.setUint32(0, TABLE, true);
  view.setBigUint64(DEACTIVATED_AT, IN_USE, true);
  const data = concat(meta, ...addresses.map((address) => addressBytes(address)));
  return { lamports: rentExempt(data.length), owner: lookupTableProgram, data, executable: false };
}

/**
 * Looks up what a message names by tables, as a transaction of the context's slot sees them. The error is the
 * runtime's name for it. Source: Solana's address lookup table program.
 */
export function loadAddresses(
  message: ParsedMessage,
  accountOf: (address: string) => ChainAccount | undefined,
  context: ExecutionContext,
): Result<LoadedAddresses, string> {
  if (message.lookups.length === 0) return ok(nothingLoaded);
  const [writable, readonly]: [string[], string[]] = [[], []];
  for (const lookup of message.lookups) {
    const table = readTable(accountOf(lookup.table), context);
    if (!table.ok) return table;
    for (const [indexes, found] of [[lookup.writable, writable] as const, [lookup.readonly, readonly] as const]) {
      for (const index of indexes) {
        const address = table.value(index);
        if (address === undefined) return err("InvalidAddressLookupTableIndex");
        found.push(address);
      }
    }
  }
  const keys = [...message.accounts, ...writable, ...readonly];
  return new Set(keys).size === keys.length ? ok({ writable, readonly }) : err("AccountLoadedTwice");
}

/** The same for whoever has to wait for accounts. */
export async function loadAddressesFrom(
  message: ParsedMessage,
  accountOf: (address: string) => Promise<ChainAccount | undefined>,
  context: ExecutionContext,
): Promise<Result<LoadedAddresses, string>> {
  const tables = new Map<string, ChainAccount | undefined>();
  for (const { table } of message.lookups) tables.set(table, await accountOf(table));
  return loadAddresses(message, (address) => tables.get(address), context);
}

/** Every address of a message, in the order of its indexes. */
export function keysOf(message: ParsedMessage, loaded: LoadedAddresses): readonly string[] {
  if (message.lookups.length === 0) return message.accounts;
  return [...message.accounts, ...loaded.writable, ...loaded.readonly];
}

/**
 * Whether the message lets the account at `index` of its keys change. The validator's own programs and sysvars never
 * do, nor does a program that the message calls, wherever it stands. Source: Solana's runtime, its reserved addresses.
 */
export function mayWrite(message: ParsedMessage, loaded: LoadedAddresses, index: number): boolean {
  const own = message.accounts.length;
  const asked = index < own ? isWritable(message, index) : index < own + loaded.writable.length;
  if (!asked || index === 0) return asked;
  const keys = keysOf(message, loaded);
  if (reservedAddresses.has(keys[index] ?? "")) return false;
  const isCalled = message.instructions.some(({ programIndex }) => programIndex === index);
  return !isCalled || keys.includes(UPGRADEABLE_LOADER);
}

/** The address at a place of a table, once it may be used. */
function readTable(
  account: ChainAccount | undefined,
  { slot, slotHashes }: ExecutionContext,
): Result<(index: number) => string | undefined, string> {
  if (account === undefined) return err("AddressLookupTableNotFound");
  if (account.owner !== lookupTableProgram) return err("InvalidAddressLookupTableOwner");
  const { data } = account;
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  if (data.length < META_BYTES || view.getUint32(0, true) !== TABLE) return err("InvalidAddressLookupTableData");
  if ((data.length - META_BYTES) % KEY_BYTES !== 0) return err("InvalidAddressLookupTableData");
  const ended = view.getBigUint64(DEACTIVATED_AT, true);
  const active = ended === IN_USE || ended === slot || slotHashes.some((entry) => entry.slot === ended);
  if (!active) return err("AddressLookupTableNotFound");
  // What was added in a slot is known from the next one on.
  const extended = view.getBigUint64(EXTENDED_AT, true) >= slot;
  const count = extended ? view.getUint8(EXTENDED_FROM_AT) : (data.length - META_BYTES) / KEY_BYTES;
  const at = (index: number) => META_BYTES + KEY_BYTES * index;
  return ok((index) => (index < count ? toBase58(data.slice(at(index), at(index + 1))) : undefined));
}
