/**
 * Refusals of a Solana node, with its own numbers and words. Source: JSON-RPC 2.0; Solana's custom RPC errors.
 */
import type { Result } from "../../../core/index.ts";
import { err } from "../../../core/index.ts";
import type { ExecutionError } from "../executor.ts";
import { sentenceOf } from "../executors/runtime-errors.ts";
import type { JsonValue } from "./json-text.ts";

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: JsonValue;
}

export type Answer = Result<JsonValue, RpcError>;

export const parseError: RpcError = { code: -32700, message: "Parse error" };
export const invalidRequest: RpcError = { code: -32600, message: "Invalid request" };
export const methodNotFound: RpcError = { code: -32601, message: "Method not found" };
export const signatureFailure: RpcError = {
  code: -32003,
  message: "Transaction signature verification failure",
};
export const unsupportedVersion: RpcError = {
  code: -32015,
  message:
    "Transaction version (0) is not supported by the requesting client. Please try the request again with the " +
    'following configuration parameter: "maxSupportedTransactionVersion": 0',
};

export function invalidParams(message: string): { readonly ok: false; readonly error: RpcError } {
  return err({ code: -32602, message });
}

/** A read asked for a slot that this server has not reached. */
export function minContextSlotNotReached(contextSlot: bigint): { readonly ok: false; readonly error: RpcError } {
  return err({ code: -32016, message: "Minimum context slot has not been reached", data: { contextSlot } });
}

/** A transaction would not land. */
export function preflightFailure(
  sentence: string,
  told: Readonly<Record<string, JsonValue>>,
): { readonly ok: false; readonly error: RpcError } {
  const data = { accounts: null, innerInstructions: null, logs: [], returnData: null, unitsConsumed: 0, ...told };
  return err({ code: -32002, message: `Transaction simulation failed: ${sentence}`, data });
}

/** Why a transaction failed, in the words of a validator. */
export function errorSentence(error: ExecutionError): string {
  if (error.type === "custom") {
    return `Error processing Instruction ${error.instruction}: custom program error: 0x${error.code.toString(16)}`;
  }
  const sentence = sentenceOf(error.name, error.instruction === null);
  return error.instruction === null ? sentence : `Error processing Instruction ${error.instruction}: ${sentence}`;
}

/** Why a transaction failed, as `err` of a status or a transaction. */
export function errorJson(error: ExecutionError | null): JsonValue {
  if (error === null) return null;
  if (error.type === "custom") return { InstructionError: [error.instruction, { Custom: error.code }] };
  return error.instruction === null ? error.name : { InstructionError: [error.instruction, error.name] };
}
