/**
 * What a wallet of the simulation does: turns instructions into a message, signs it, serialises it. With lookup tables
 * the message is of version 0, without any it is a legacy one.
 * Account order: payer, other writable signers, read-only signers, writable, read-only; by first use in each.
 * Source: protocol 03 C.3 (layout); reading a transaction back is core/solana/transaction.ts.
 */

import { compactU16, concat, toBase58 } from "../../core/index.ts";
import type { CryptoPort } from "../../core/ports/crypto.ts";
import { addressBytes, known } from "../../core/testing.ts";
import type { Keypair } from "./executor.ts";
import type { LookupTable } from "./lookup-tables.ts";

/** One account as an instruction names it. */
export interface AccountMeta {
  readonly address: string;
  readonly signer: boolean;
  readonly writable: boolean;
}

export interface Instruction {
  readonly program: string;
  readonly accounts: readonly AccountMeta[];
  readonly data: Uint8Array;
}

export interface TransactionPlan {
  readonly payer: string;
  readonly instructions: readonly Instruction[];
  /** Base58; the chain takes it for 150 slots. */
  readonly blockhash: string;
  /** Where accounts are named by their place, unless they sign or are called. */
  readonly tables?: readonly LookupTable[];
}

/** The first byte of a message of version 0. Source: protocol 03 C.3. */
const VERSION_0 = 0x80;

/** Compiles, signs and serialises. Every account that must sign needs its keypair here; the payer always signs. */
export function signTransaction(plan: TransactionPlan, signers: readonly Keypair[], crypto: CryptoPort): Uint8Array {
  const message = compileMessage(plan);
  const secrets = new Map(signers.map((signer) => [toBase58(signer.publicKey), signer.secretKey]));
  const signatures = message.signers.map((address) => {
    return crypto.sign(known(secrets.get(address), `keypair of ${address}`), message.bytes);
  });
  return serializeTransaction(signatures, message.bytes);
}

/** The signatures, counted, then the message. */
export function serializeTransaction(signatures: readonly Uint8Array[], message: Uint8Array): Uint8Array {
  return concat(compactU16(signatures.length), ...signatures, message);
}

/** A message's bytes and the addresses that must sign it, in order. */
export function compileMessage(plan: TransactionPlan): {
  readonly bytes: Uint8Array;
  readonly signers: readonly string[];
} {
  const { tables = [] } = plan;
  const all = orderedAccounts(plan);
  const lookups = lookupsOf(plan, all);
  const metas = all.filter(({ address }) => !lookups.some(({ found }) => found.has(address)));
  const keys = [
    ...metas.map(({ address }) => address),
    ...lookups.flatMap(({ writable }) => writable.map(({ address }) => address)),
    ...lookups.flatMap(({ readonly }) => readonly.map(({ address }) => address)),
  ];
  const index = new Map(keys.map((address, position) => [address, position]));
  const indexOf = (address: string) => known(index.get(address), address);
  const signers = metas.filter((meta) => meta.signer);
  const header = Uint8Array.of(
    signers.length,
    signers.filter((meta) => !meta.writable).length,
    metas.filter((meta) => !meta.signer && !meta.writable).length,
  );
  const instructions = plan.instructions.map((instruction) =>
    concat(
      Uint8Array.of(indexOf(instruction.program)),
      compactU16(instruction.accounts.length),
      Uint8Array.from(instruction.accounts, (meta) => indexOf(meta.address)),
      compactU16(instruction.data.length),
      instruction.data,
    ),
  );
  const bytes = concat(
    ...(tables.length > 0 ? [Uint8Array.of(VERSION_0)] : []),
    header,
    compactU16(metas.length),
    ...metas.map((meta) => addressBytes(meta.address)),
    addressBytes(plan.blockhash),
    compactU16(instructions.length),
    ...instructions,
    ...(tables.length > 0 ? [compactU16(lookups.length), ...lookups.map(lookupBytes)] : []),
  );
  return { bytes, signers: signers.map((meta) => meta.address) };
}

/** What a message takes from one table. */
interface Lookup {
  readonly table: LookupTable;
  readonly found: ReadonlySet<string>;
  readonly writable: readonly AccountMeta[];
  readonly readonly: readonly AccountMeta[];
}

/** Each account from the first table that lists it; what signs or is called stands in the message itself. */
function lookupsOf({ tables = [], instructions }: TransactionPlan, metas: readonly AccountMeta[]): readonly Lookup[] {
  const programs = new Set(instructions.map(({ program }) => program));
  const free = metas.filter(({ address, signer }) => !signer && !programs.has(address));
  const taken = new Set<string>();
  const lookups: Lookup[] = [];
  for (const table of tables) {
    const found = free.filter(({ address }) => table.addresses.includes(address) && !taken.has(address));
    for (const { address } of found) taken.add(address);
    const [writable, readonly] = [found.filter((meta) => meta.writable), found.filter((meta) => !meta.writable)];
    const names = new Set(found.map(({ address }) => address));
    if (found.length > 0) lookups.push({ table, found: names, writable, readonly });
  }
  return lookups;
}

function lookupBytes({ table, writable, readonly }: Lookup): Uint8Array {
  const places = (metas: readonly AccountMeta[]) => {
    return concat(
      compactU16(metas.length),
      Uint8Array.from(metas, ({ address }) => table.addresses.indexOf(address)),
    );
  };
  return concat(addressBytes(table.address), places(writable), places(readonly));
}

/** Each account once, with the widest rights any instruction asks for, in the order the message demands. */
function orderedAccounts(plan: TransactionPlan): readonly AccountMeta[] {
  const merged = new Map<string, AccountMeta>();
  const add = (meta: AccountMeta) => {
    const held = merged.get(meta.address);
    merged.set(meta.address, {
      address: meta.address,
      signer: meta.signer || held?.signer === true,
      writable: meta.writable || held?.writable === true,
    });
  };
  add({ address: plan.payer, signer: true, writable: true });
  for (const instruction of plan.instructions) {
    for (const meta of instruction.accounts) add(meta);
    add({ address: instruction.program, signer: false, writable: false });
  }
  const rank = (meta: AccountMeta) => (meta.signer ? 0 : 2) + (meta.writable ? 0 : 1);
  return [...merged.values()].sort((a, b) => rank(a) - rank(b)); // a stable sort keeps first use within a rank
}
