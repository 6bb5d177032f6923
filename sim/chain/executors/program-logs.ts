/**
 * What executors tell of a transaction's log: the frame of every call, the own lines of the escrow program and the
 * staking program, memos, and what other programs return. What the two virtual machines write differently is left out,
 * or brought into one form: what the chain's own programs log when those two call them, figures of compute, and the
 * words around a memo.
 * Source: DESIGN "Simulated world".
 */
import { memoLine, memoProgram } from "../transaction-log.ts";
import { ownPrograms } from "./sysvars.ts";

const INVOKE = /^Program ([1-9A-HJ-NP-Za-km-z]{32,44}) invoke \[\d+\]$/;
const RETURN = /^Program [1-9A-HJ-NP-Za-km-z]{32,44} (success|failed.*)$/;
const RETURNED = /^Program return: /;
const PROGRAM_LOG = /^Program log: /;
/** The newer memo program writes the length first and then, in a line of its own, the text as it is. */
const MEMO_LENGTH = /^Program log: Memo \(len \d+\)$/;
const MEMO = /^Program log: Memo \(len \d+\): "/;

/** Walks the calls a log tells of. A program cannot forge the frame lines: what it writes begins `Program log: `. */
export function toldLines(lines: readonly string[]): readonly string[] {
  const kept: string[] = [];
  const callers: string[] = [];
  for (const [place, line] of lines.entries()) {
    const invoked = INVOKE.exec(line)?.[1];
    const caller = callers.at(-1);
    if (invoked !== undefined) {
      if (isTold(invoked, callers)) kept.push(line);
      callers.push(invoked);
    } else if (RETURN.test(line)) {
      callers.pop();
      if (isTold(caller, callers)) kept.push(line);
    } else if (isOwn(caller) && /^Program (data|log): /.test(line)) kept.push(line);
    else if (caller !== undefined && !callers.some(isOwn) && RETURNED.test(line)) kept.push(line);
    else if (caller === memoProgram && MEMO.test(line)) kept.push(line);
    else if (caller === memoProgram && MEMO_LENGTH.test(lines[place - 1] ?? "") && PROGRAM_LOG.test(line)) {
      kept.push(memoLine(line.replace(PROGRAM_LOG, "")));
    }
  }
  return kept;
}

/** Whether the frame of a call is told: of calls that an own program makes, only those of own programs. */
function isTold(program: string | undefined, callers: readonly string[]): boolean {
  return isOwn(program) || !callers.some(isOwn);
}

function isOwn(program: string | undefined): boolean {
  return program !== undefined && ownPrograms.includes(program);
}
