/**
 * What executors tell of a transaction's log: the frame of every call, the escrow program's own lines, and memos. What
 * the two virtual machines write differently is left out, or brought into one form: what the escrow program's callees
 * log, figures of compute, and the words around a memo. Source: DESIGN "Simulated world".
 */
import { memoLine, memoProgram } from "../transaction-log.ts";
import { ESCROW_PROGRAM } from "./sysvars.ts";

const INVOKE = /^Program ([1-9A-HJ-NP-Za-km-z]{32,44}) invoke \[\d+\]$/;
const RETURN = /^Program [1-9A-HJ-NP-Za-km-z]{32,44} (success|failed.*)$/;
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
      if (!callers.includes(ESCROW_PROGRAM)) kept.push(line);
      callers.push(invoked);
    } else if (RETURN.test(line)) {
      callers.pop();
      if (!callers.includes(ESCROW_PROGRAM)) kept.push(line);
    } else if (caller === ESCROW_PROGRAM && /^Program (data|log): /.test(line)) kept.push(line);
    else if (caller === memoProgram && MEMO.test(line)) kept.push(line);
    else if (caller === memoProgram && MEMO_LENGTH.test(lines[place - 1] ?? "") && PROGRAM_LOG.test(line)) {
      kept.push(memoLine(line.replace(PROGRAM_LOG, "")));
    }
  }
  return kept;
}
