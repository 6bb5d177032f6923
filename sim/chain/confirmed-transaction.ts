/**
 * A transaction that stands in a block, as a chain's RPC tells it: message, result, slot, time, log.
 * Source: protocol 03 A.10.3 R3, R4; D.9.
 */
import type { ParsedMessage } from "../../core/testing.ts";
import type { ExecutionError, ExecutionResult } from "./executor.ts";

export interface ConfirmedTransaction {
  /** Its first signature, base58. */
  readonly signature: string;
  readonly slot: bigint;
  /** Unix seconds. */
  readonly blockTime: bigint;
  readonly err: ExecutionError | null;
  /** Frame lines of the programs called, and the escrow program's own lines between its own. */
  readonly logs: readonly string[];
  readonly message: ParsedMessage;
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

/**
 * The log of one transaction. Executors give the escrow program's lines without saying which of its instructions
 * wrote them, so they all stand in one frame, which is what a reader of events needs.
 */
export function framedLogs(result: ExecutionResult, message: ParsedMessage, escrowProgram: string): readonly string[] {
  const called = message.instructions.map((instruction) => message.accounts[instruction.programIndex]);
  const others = [...new Set(called)].filter((program) => program !== undefined && program !== escrowProgram);
  const frames = others.flatMap((program) => [`Program ${program} invoke [1]`, `Program ${program} success`]);
  if (!called.includes(escrowProgram)) return result.ok ? frames : [];
  const end = result.error === null ? "success" : `failed: ${reasonText(result.error)}`;
  return [
    ...(result.ok ? frames : []),
    `Program ${escrowProgram} invoke [1]`,
    ...result.logs,
    `Program ${escrowProgram} ${end}`,
  ];
}

function reasonText(error: ExecutionError): string {
  return error.type === "custom" ? `custom program error: 0x${error.code.toString(16)}` : error.name;
}
