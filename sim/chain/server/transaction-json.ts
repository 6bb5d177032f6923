/**
 * Transactions as a Solana node tells them: `json`, `base58` or `base64`, with what became of them.
 * `jsonParsed` names accounts and leaves instructions as they are. Source: Solana's JSON-RPC, `getTransaction`.
 */

import { toBase58, toBase64 } from "../../../core/index.ts";
import type { ParsedMessage } from "../../../core/testing.ts";
import { isSigner, parseTransaction } from "../../../core/testing.ts";
import { feeOf } from "../compute-budget.ts";
import type { ConfirmedTransaction } from "../confirmed-transaction.ts";
import type { ChainAccount, Invoked } from "../executor.ts";
import { keysOf, mayWrite } from "../lookup-tables.ts";
import { returnDataIn, unitsIn } from "../transaction-log.ts";
import { tokensOf } from "./account-json.ts";
import type { JsonValue } from "./json-text.ts";
import type { Balances, Recorder } from "./recorder.ts";
import { errorJson } from "./rpc-errors.ts";

export const transactionEncodings = ["json", "jsonParsed", "base58", "base64"] as const;
export type TransactionEncoding = (typeof transactionEncodings)[number];

interface Told {
  readonly encoding: TransactionEncoding;
  /** Whether the caller said which versions it understands. */
  readonly versioned: boolean;
  readonly recorder: Recorder;
  readonly mintAccount: (mint: string) => ChainAccount | undefined;
}

export function transactionJson(found: ConfirmedTransaction, told: Told): JsonValue {
  return {
    blockTime: found.blockTime,
    meta: metaJson(found, told),
    slot: found.slot,
    transaction: bodyJson(found, told.encoding),
    version: told.versioned ? found.message.version : undefined,
  };
}

function bodyJson(found: ConfirmedTransaction, encoding: TransactionEncoding): JsonValue {
  const { wire, message } = found;
  if (encoding === "base58") return [toBase58(wire), encoding];
  if (encoding === "base64") return [toBase64(wire), encoding];
  const parsed = parseTransaction(wire);
  const signatures = parsed.ok ? parsed.value.signatures.map((signature) => toBase58(signature)) : [];
  return { message: encoding === "json" ? messageJson(message) : parsedMessageJson(found), signatures };
}

function messageJson(message: ParsedMessage): JsonValue {
  return {
    accountKeys: message.accounts,
    addressTableLookups: lookupsJson(message),
    header: {
      numReadonlySignedAccounts: message.readonlySigned,
      numReadonlyUnsignedAccounts: message.readonlyUnsigned,
      numRequiredSignatures: message.requiredSignatures,
    },
    instructions: message.instructions.map(({ accounts, data, programIndex }) => ({
      accounts,
      data: toBase58(data),
      programIdIndex: programIndex,
      stackHeight: null,
    })),
    recentBlockhash: message.blockhash,
  };
}

/** A legacy message has no such member. */
function lookupsJson({ version, lookups }: ParsedMessage): JsonValue | undefined {
  if (version === "legacy") return undefined;
  return lookups.map(({ table, writable, readonly }) => ({
    accountKey: table,
    readonlyIndexes: readonly,
    writableIndexes: writable,
  }));
}

function parsedMessageJson({ message, loaded }: ConfirmedTransaction): JsonValue {
  const keys = keysOf(message, loaded);
  const named = (index: number) => keys[index] ?? null;
  return {
    accountKeys: keys.map((pubkey, index) => ({
      pubkey,
      signer: isSigner(message, index),
      source: index < message.accounts.length ? "transaction" : "lookupTable",
      writable: mayWrite(message, loaded, index),
    })),
    addressTableLookups: lookupsJson(message),
    instructions: message.instructions.map(({ accounts, data, programIndex }) => ({
      accounts: accounts.map(named),
      data: toBase58(data),
      programId: named(programIndex),
      stackHeight: null,
    })),
    recentBlockhash: message.blockhash,
  };
}

function metaJson(found: ConfirmedTransaction, { recorder, mintAccount }: Told): JsonValue {
  const err = errorJson(found.err);
  const balances = recorder.balancesOf(found.signature);
  const lamports = (held: Balances["before"] | undefined) => (held ?? []).map((each) => each?.lamports ?? 0n);
  return {
    computeUnitsConsumed: unitsIn(found.logs),
    err,
    fee: feeOf(found.message),
    innerInstructions: innerJson(found.invoked, keysOf(found.message, found.loaded)),
    loadedAddresses: { readonly: found.loaded.readonly, writable: found.loaded.writable },
    logMessages: found.logs,
    postBalances: lamports(balances?.after),
    postTokenBalances: tokenBalancesJson(balances?.after, mintAccount),
    preBalances: lamports(balances?.before),
    preTokenBalances: tokenBalancesJson(balances?.before, mintAccount),
    returnData: returnDataJson(found.logs),
    rewards: [],
    status: err === null ? { Ok: null } : { Err: err },
  };
}

/** What the last call returned; no member where it returned nothing. */
export function returnDataJson(logs: readonly string[]): JsonValue | undefined {
  const returned = returnDataIn(logs);
  return returned && { data: [returned.data, "base64"], programId: returned.program };
}

/** What programs called, under the instruction of the message that it came of. */
export function innerJson(invoked: readonly Invoked[], keys: readonly string[]): JsonValue {
  return grouped(invoked, ({ program, accounts, data, height }) => ({
    accounts: accounts.map((address) => keys.indexOf(address)),
    data: toBase58(data),
    programIdIndex: keys.indexOf(program),
    stackHeight: height,
  }));
}

/** The same by address, as a simulation tells it. */
export function namedInnerJson(invoked: readonly Invoked[]): JsonValue {
  return grouped(invoked, ({ program, accounts, data, height }) => ({
    accounts,
    data: toBase58(data),
    programId: program,
    stackHeight: height,
  }));
}

function grouped(invoked: readonly Invoked[], json: (call: Invoked) => JsonValue): JsonValue {
  return [...new Set(invoked.map(({ instruction }) => instruction))].map((index) => ({
    index,
    instructions: invoked.filter(({ instruction }) => instruction === index).map(json),
  }));
}

function tokenBalancesJson(held: Balances["before"] | undefined, mintAccount: Told["mintAccount"]): JsonValue {
  return (held ?? []).flatMap((account, accountIndex) => {
    const tokens = tokensOf(account, mintAccount);
    if (tokens === undefined || account === undefined) return [];
    const { mint, authority, amount } = tokens;
    return [{ accountIndex, mint, owner: authority, programId: account.owner, uiTokenAmount: amount }];
  });
}
