/**
 * What one message costs is bounded, whatever others said before: rows that a step writes, by how many statements the
 * message carries. Counted, never timed. Source: CONVERGENCE B5.
 */
import { decodeCompact } from "../../core/index.ts";
import { FetchResponse, Frame } from "../../core/testing.ts";
import type { CheckContext, Checker, StepSeen } from "../checker.ts";

/** Rows that one statement may write: its records, what waited for it, and a push to every peer. */
const ROWS_OF_ONE = 96;
/** Rows that what one step takes of an answer may write: 64 statements. Source: CONVERGENCE B5. */
const ROWS_OF_SLICE = 768;

/** No step writes more rows than what it was told may cost. */
export function boundedWork({ violate }: CheckContext): Checker {
  return {
    name: "bounded-work",
    onStep(step) {
      const told = statementsIn(step);
      const rows = step.changes.length;
      if (told > 1 && rows > ROWS_OF_SLICE) violate(`node ${step.node} wrote ${rows} rows in one step of an answer`);
      if (told === 1 && rows > ROWS_OF_ONE) violate(`node ${step.node} wrote ${rows} rows for one statement`);
    },
  };
}

/** Statements that a message carries, or a call brings. */
function statementsIn({ input }: StepSeen): number {
  if (input.type === "rpc.called") return 1;
  if (input.type !== "message.received" && input.type !== "message.answered") return 0;
  const frame = decodeCompact(Frame, input.bytes);
  if (frame?.message_type === "GossipPush") return 1;
  if (frame?.message_type !== "GossipFetchResponse") return 0;
  return decodeCompact(FetchResponse, frame.payload)?.events.length ?? 0;
}
