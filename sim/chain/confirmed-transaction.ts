/**
 * A transaction that stands in a block, as a chain's RPC tells it: message, result, slot, time, log.
 * Source: protocol 03 A.10.3 R3, R4; D.9.
 */
import type { ChainObservation, Commitment } from "../../core/index.ts";
import type { ParsedMessage } from "../../core/testing.ts";
import type { ExecutionError, ExecutionResult, Invoked, LoadedAddresses } from "./executor.ts";

export interface ConfirmedTransaction {
  /** Its first signature, base58. */
  readonly signature: string;
  readonly slot: bigint;
  /** Unix seconds. */
  readonly blockTime: bigint;
  readonly err: ExecutionError | null;
  /** As a validator keeps it: cut where it is too long. */
  readonly logs: readonly string[];
  /** What programs called, but for the escrow program. */
  readonly invoked: readonly Invoked[];
  readonly message: ParsedMessage;
  /** What the message looked up. */
  readonly loaded: LoadedAddresses;
  readonly wire: Uint8Array;
}

/**
 * Whether the result stands in a block. A payer that cannot pay, or a program that is not there, leaves no trace;
 * a failing instruction does, and keeps its fee.
 */
export function landed(result: ExecutionResult): boolean {
  if (result.error === null || result.error.type === "custom") return true;
  return result.error.instruction !== null;
}

/** A transaction as an endpoint that keeps everything tells it. */
export function observationOf(
  address: string | null,
  transaction: ConfirmedTransaction,
  commitment: Commitment,
): ChainObservation {
  const { signature, slot, err, logs, wire, invoked, loaded } = transaction;
  return {
    type: "transaction",
    address,
    signature,
    slot,
    commitment,
    succeeded: err === null,
    wire,
    logs,
    loaded: [...loaded.writable, ...loaded.readonly],
    inner: invoked.map(({ program, accounts, data }) => ({ program, accounts, data })),
  };
}
