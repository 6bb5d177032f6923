/**
 * What a validator writes into the log of a transaction: who was called and how it ended, what the programs said, what
 * each call cost, and nothing beyond 10,000 bytes. Whoever puts enough before an event hides it.
 *
 * The two virtual machines charge differently for one program, and the model charges nothing: figures of compute are
 * one flat table for all of them, so that a log has equal bytes whatever ran the transaction, its end included.
 * Source: Solana's log collector and compute budget; protocol 03 A.10.3 R3.
 */
import type { ParsedMessage } from "../../core/testing.ts";
import { systemProgram, token2022Program, tokenProgram } from "../../core/testing.ts";
import { budgetOf, builtins } from "./compute-budget.ts";
import type { ExecutionError, ExecutionResult } from "./executor.ts";

/** Bytes of a log; what does not fit is left out, and once it is said so. Source: Solana's log collector. */
export const LOG_BYTES_MAX = 10_000;
/** The program of memos. Source: the SPL Memo program. */
export const memoProgram = "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr";

const TRUNCATED = "Log truncated";
/**
 * What a call of a program costs beside what it calls, near what the machines charge. Source: DESIGN "Simulated world".
 */
const flatUnits: Readonly<Record<string, number>> = {
  [memoProgram]: 1_382,
  [tokenProgram]: 4_645,
  [token2022Program]: 4_645,
};
const OTHER_UNITS = 24_000;

const INVOKE = /^Program ([1-9A-HJ-NP-Za-km-z]{32,44}) invoke \[\d+\]$/;
const CONSUMED = /^Program [1-9A-HJ-NP-Za-km-z]{32,44} consumed (\d+) of \d+ compute units$/;
const BUILTIN_INVOKE = /^Program (?:1{32}|ComputeBudget1{30}) invoke/;
/** What a call of a program of the validator itself costs. Source: Solana's built-in programs. */
const BUILTIN_UNITS = 150;
/** A program cannot forge it: what it writes begins `Program log: `. Source: Solana's stable log. */
const RETURNED = /^Program return: ([1-9A-HJ-NP-Za-km-z]{32,44}) (\S*)$/;
const RETURN = /^Program ([1-9A-HJ-NP-Za-km-z]{32,44}) (?:success$|failed: )/;

/** The log of a transaction, as nodes are told it. */
export function logOf(result: ExecutionResult, message: ParsedMessage): readonly string[] {
  const called = message.instructions.map(({ programIndex }) => message.accounts[programIndex] ?? systemProgram);
  const lines = result.error === null ? result.logs : untilFailure(result.error, called);
  return cut(withUnits(lines, unitsFor(message)));
}

/** Keeps every line that still fits, in the manner of the log collector: a shorter one may fit after a longer one. */
export function cut(lines: readonly string[]): readonly string[] {
  const kept: string[] = [];
  let bytes = 0;
  let truncated = false;
  for (const line of lines) {
    const more = bytes + Buffer.byteLength(line);
    if (more < LOG_BYTES_MAX) {
      kept.push(line);
      bytes = more;
    } else if (!truncated) {
      kept.push(TRUNCATED);
      truncated = true;
    }
  }
  return kept;
}

/** A memo as the memo program has written it for years: its length in bytes, and its text in quotes. */
export function memoLine(text: string): string {
  return `Program log: Memo (len ${Buffer.byteLength(text)}): ${JSON.stringify(text)}`;
}

/** A transaction that failed kept nothing of what its programs said. */
function untilFailure(error: ExecutionError, called: readonly string[]): readonly string[] {
  if (error.instruction === null) return [];
  return called.slice(0, error.instruction + 1).flatMap((program, index) => {
    const end = index < (error.instruction ?? 0) ? "success" : `failed: ${reasonText(error)}`;
    return [`Program ${program} invoke [1]`, `Program ${program} ${end}`];
  });
}

/** Says before the end of each call what it and those that it made cost. */
function withUnits(lines: readonly string[], limit: number): readonly string[] {
  const told: string[] = [];
  const begun: number[] = [];
  let left = limit;
  for (const line of lines) {
    const ended = RETURN.exec(line)?.[1];
    if (INVOKE.test(line)) begun.push(left);
    if (ended !== undefined) {
      const before = begun.pop() ?? left;
      if (!builtins.includes(ended)) {
        left = Math.max(0, left - (flatUnits[ended] ?? OTHER_UNITS));
        told.push(`Program ${ended} consumed ${before - left} of ${before} compute units`);
      }
    }
    told.push(line);
  }
  return told;
}

function unitsFor(message: ParsedMessage): number {
  const budget = budgetOf(message);
  return "type" in budget ? 0 : budget.units;
}

/** Units that the calls of a message used in all, by what its log tells of them. */
export function unitsIn(logs: readonly string[]): number {
  const calls: number[] = [];
  let used = 0;
  let depth = 0;
  for (const line of logs) {
    const units = CONSUMED.exec(line)?.[1];
    if (INVOKE.test(line)) depth += 1;
    else if (RETURN.test(line)) depth -= 1;
    else if (units !== undefined && depth === 1) calls.push(Number(units));
    if (depth === 1 && BUILTIN_INVOKE.test(line)) used += BUILTIN_UNITS;
  }
  return calls.reduce((sum, each) => sum + each, used);
}

/** What the last call of a transaction returned, and which program did. */
export interface ReturnData {
  readonly program: string;
  /** Base64. */
  readonly data: string;
}

/** Each call begins with nothing returned. In a log that was cut it is unknown, and so is told as nothing. */
export function returnDataIn(logs: readonly string[]): ReturnData | undefined {
  let held: ReturnData | undefined;
  for (const line of logs) {
    if (line === TRUNCATED) return undefined;
    if (INVOKE.test(line)) held = undefined;
    const [, program, data] = RETURNED.exec(line) ?? [];
    // Whoever made the call leaves what it returned in place, and the log names each of them: the first one said it.
    if (program !== undefined && data !== undefined && data !== held?.data) held = { program, data };
  }
  return held;
}

function reasonText(error: ExecutionError): string {
  return error.type === "custom" ? `custom program error: 0x${error.code.toString(16)}` : error.name;
}
