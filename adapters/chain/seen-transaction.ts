/**
 * A transaction as one endpoint tells it, checked against its own signatures. Source: protocol 03 A.10.3 R3.
 */
import type { Connection, VersionedTransactionResponse } from "@solana/web3.js";
import type { ChainObservation, Commitment, InvokedInstruction, Result } from "../../core/index.ts";
import { acceptTransaction, compactU16, concat, err, ok } from "../../core/index.ts";
import type { CryptoPort } from "../../core/ports/crypto.ts";
import { INVOKED_DATA_CHARACTERS_MAX, readBase58, SIGNATURE_CHARACTERS_MAX } from "./answer-texts.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Failure } from "./failures.ts";
import { EndpointError } from "./failures.ts";
import { slotNumber } from "./head.ts";

export interface SeenTransaction {
  readonly slot: bigint;
  readonly succeeded: boolean;
  readonly wire: Uint8Array;
  /** The message's own keys. */
  readonly keys: readonly string[];
  /** What it logged; undefined when the endpoint does not tell, which is not the same as nothing. */
  readonly logs: readonly string[] | undefined;
  /** Addresses that it looked up and instructions that its programs invoked; undefined in the same way. */
  readonly invoked: Invoked | undefined;
}

interface Invoked {
  readonly loaded: readonly string[];
  readonly inner: readonly InvokedInstruction[];
}

/** Asks one endpoint; null when it does not hold the transaction. */
export async function askTransaction(
  endpoint: Endpoint,
  crypto: CryptoPort,
  signature: string,
  commitment: Commitment,
): Promise<Result<SeenTransaction | null, Failure>> {
  return endpoint.ask(async (connection: Connection) => {
    const told = await connection.getTransaction(signature, { commitment, maxSupportedTransactionVersion: 0 });
    if (told === null) return null;
    const seen = read(told, signature, crypto);
    if (!seen.ok) throw new EndpointError({ type: "nonsense" });
    return seen.value;
  });
}

export function observationOf(
  { slot, succeeded, wire, logs = [], invoked }: SeenTransaction,
  signature: string,
  address: string | null,
  commitment: Commitment,
): ChainObservation {
  return { type: "transaction", address, signature, slot, commitment, succeeded, wire, logs, ...invoked };
}

function read(
  told: VersionedTransactionResponse,
  signature: string,
  crypto: CryptoPort,
): Result<SeenTransaction, null> {
  const { message, signatures } = told.transaction;
  const wire = concat(
    compactU16(signatures.length),
    ...signatures.map((text) => readBase58(text, SIGNATURE_CHARACTERS_MAX)),
    message.serialize(),
  );
  if (signatures[0] !== signature || !acceptTransaction(wire, crypto).ok) return err(null);
  const keys = message.staticAccountKeys.map((key) => key.toBase58());
  const logs = told.meta?.logMessages ?? undefined;
  // Nobody who keeps no logs knows what was invoked.
  const invoked = logs === undefined ? undefined : invokedIn(told, keys);
  return ok({ slot: slotNumber(told.slot), succeeded: told.meta?.err === null, wire, keys, logs, invoked });
}

function invokedIn({ meta, transaction }: VersionedTransactionResponse, keys: readonly string[]): Invoked | undefined {
  const looksUp = transaction.message.addressTableLookups.length > 0;
  const { innerInstructions, loadedAddresses } = meta ?? {};
  if (!innerInstructions || (looksUp && !loadedAddresses)) return undefined;
  const { writable = [], readonly = [] } = loadedAddresses ?? {};
  const loaded = [...writable, ...readonly].map((key) => key.toBase58());
  return { loaded, inner: instructionsIn(innerInstructions, [...keys, ...loaded]) };
}

type Groups = NonNullable<NonNullable<VersionedTransactionResponse["meta"]>["innerInstructions"]>;

/** Instructions that programs invoked, their accounts by address. */
function instructionsIn(groups: Groups, keys: readonly string[]): readonly InvokedInstruction[] {
  const all = groups.flatMap((group) => group.instructions);
  return all.map(({ programIdIndex, accounts, data }) => ({
    program: keys[programIdIndex] ?? "",
    accounts: accounts.map((index) => keys[index] ?? ""),
    data: readBase58(data, INVOKED_DATA_CHARACTERS_MAX),
  }));
}
