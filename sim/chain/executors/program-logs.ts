/**
 * What a transaction's log says of the escrow program: its own `Program data:` and `Program log:` lines, in order.
 * Lines of programs it calls differ between virtual machines and are left out. Source: DESIGN "Simulated world".
 */
import { ESCROW_PROGRAM } from "./sysvars.ts";

const INVOKE = /^Program ([1-9A-HJ-NP-Za-km-z]{32,44}) invoke \[\d+\]$/;
const RETURN = /^Program [1-9A-HJ-NP-Za-km-z]{32,44} (success|failed.*)$/;

/** Walks the calls a log tells of. A program cannot forge the frame lines: what it writes begins `Program log: `. */
export function escrowLogs(lines: readonly string[]): readonly string[] {
  const kept: string[] = [];
  const callers: string[] = [];
  for (const line of lines) {
    const invoked = INVOKE.exec(line)?.[1];
    if (invoked !== undefined) callers.push(invoked);
    else if (RETURN.test(line)) callers.pop();
    else if (callers.at(-1) === ESCROW_PROGRAM && /^Program (data|log): /.test(line)) kept.push(line);
  }
  return kept;
}
