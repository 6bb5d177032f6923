/**
 * A transaction as one endpoint tells it: checked against its own signatures, and as one text that two endpoints tell
 * alike when they tell the truth. Source: protocol 03 A.10.3 R3.
 */
import type { Connection, VersionedTransactionResponse } from "@solana/web3.js";
import bs58 from "bs58";
import type { ChainObservation, Commitment, InvokedInstruction, Result } from "../../core/index.ts";
import { acceptTransaction, compactU16, concat, err, ok, toBase64, toHex } from "../../core/index.ts";
import type { CryptoPort } from "../../core/ports/crypto.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Failure } from "./failures.ts";
import { EndpointError } from "./failures.ts";
import { slotNumber } from "./head.ts";

export interface SeenTransaction {
  readonly slot: bigint;
  readonly succeeded: boolean;
  readonly wire: Uint8Array;
  readonly logs: readonly string[];
  /** The message's own keys. */
  readonly keys: readonly string[];
  readonly loaded: readonly string[];
  readonly inner: readonly InvokedInstruction[];
}

/** What a vote says of a transaction that is not there. */
export const ABSENT = "absent";

/** Asks one endpoint; null when it does not hold the transaction, "unlogged" when it kept no logs of it. */
export async function askTransaction(
  endpoint: Endpoint,
  crypto: CryptoPort,
  signature: string,
  commitment: Commitment,
): Promise<Result<SeenTransaction | "unlogged" | null, Failure>> {
  return endpoint.ask(async (connection: Connection) => {
    const told = await connection.getTransaction(signature, { commitment, maxSupportedTransactionVersion: 0 });
    if (told === null) return null;
    if (told.meta?.logMessages === null || told.meta?.logMessages === undefined) return "unlogged";
    const seen = read(told, signature, crypto);
    if (!seen.ok) throw new EndpointError({ type: "nonsense" });
    return seen.value;
  });
}

/** One text for everything that counts. */
export function textOf({ slot, succeeded, wire, logs, loaded, inner }: SeenTransaction): string {
  const invoked = inner.map(({ program, accounts, data }) => [program, accounts, toHex(data)]);
  return JSON.stringify([slot.toString(), succeeded, toBase64(wire), logs, loaded, invoked]);
}

export function observationOf(
  { slot, succeeded, wire, logs, loaded, inner }: SeenTransaction,
  signature: string,
  address: string | null,
  commitment: Commitment,
): ChainObservation {
  return { type: "transaction", address, signature, slot, commitment, succeeded, wire, logs, loaded, inner };
}

function read(
  told: VersionedTransactionResponse,
  signature: string,
  crypto: CryptoPort,
): Result<SeenTransaction, null> {
  const { message, signatures } = told.transaction;
  const wire = concat(
    compactU16(signatures.length),
    ...signatures.map((text) => bs58.decode(text)),
    message.serialize(),
  );
  if (signatures[0] !== signature || !acceptTransaction(wire, crypto).ok) return err(null);
  const keys = message.staticAccountKeys.map((key) => key.toBase58());
  const { writable = [], readonly = [] } = told.meta?.loadedAddresses ?? {};
  const loaded = [...writable, ...readonly].map((key) => key.toBase58());
  return ok({
    slot: slotNumber(told.slot),
    succeeded: told.meta?.err === null,
    wire,
    logs: told.meta?.logMessages ?? [],
    keys,
    loaded,
    inner: invokedIn(told, [...keys, ...loaded]),
  });
}

/** Instructions that programs invoked, their accounts by address. */
function invokedIn(told: VersionedTransactionResponse, keys: readonly string[]): readonly InvokedInstruction[] {
  const all = (told.meta?.innerInstructions ?? []).flatMap((group) => group.instructions);
  return all.map(({ programIdIndex, accounts, data }) => ({
    program: keys[programIdIndex] ?? "",
    accounts: accounts.map((index) => keys[index] ?? ""),
    data: bs58.decode(data),
  }));
}
