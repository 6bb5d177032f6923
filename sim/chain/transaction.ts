/**
 * What a wallet of the simulation does: turns instructions into a legacy message, signs it, serialises it.
 * Account order: payer, other writable signers, read-only signers, writable, read-only; by first use in each.
 * Source: protocol 03 C.3 (layout); reading a transaction back is core/solana/transaction.ts.
 */

import { compactU16, concat, toBase58 } from "../../core/index.ts";
import type { CryptoPort } from "../../core/ports/crypto.ts";
import { addressBytes, known } from "../../core/testing.ts";
import type { Keypair } from "./executor.ts";

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
}

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
  const metas = orderedAccounts(plan);
  const index = new Map(metas.map((meta, position) => [meta.address, position]));
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
    header,
    compactU16(metas.length),
    ...metas.map((meta) => addressBytes(meta.address)),
    addressBytes(plan.blockhash),
    compactU16(instructions.length),
    ...instructions,
  );
  return { bytes, signers: signers.map((meta) => meta.address) };
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
