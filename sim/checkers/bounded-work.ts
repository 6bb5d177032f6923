/**
 * What one step costs is bounded, whatever others said before: rows that it writes, by how many statements its message
 * carries. A step that brings none, a timer's above all, may do what one slice of a queue does; none attaches more of
 * what waited. Counted, never timed. Source: CONVERGENCE B5.
 */
import { decodeCompact } from "../../core/index.ts";
import { FetchResponse } from "../../core/testing.ts";
import type { CheckContext, Checker, StepSeen } from "../checker.ts";
import { carriedBy } from "./frames.ts";

/** Rows that one statement may write, with a push to every peer, and each that waited for it beside. */
const ROWS_OF_ONE = 96;
const ROWS_OF_ATTACHED = 12;
/** Rows that what one step takes of an answer or of a queue may write: 64 statements. Source: CONVERGENCE B5. */
const ROWS_OF_SLICE = 768;

/** Statements that waited and that one step, whatever it is, puts into the set. Source: CONVERGENCE B5. */
const ATTACHED = 64;

/** No step writes more rows than what it was told may cost. */
export function boundedWork({ violate }: CheckContext): Checker {
  return {
    name: "bounded-work",
    onStep(step) {
      // What is loaded comes in pages of the store's choice.
      if (step.input.type === "store.loaded") return;
      const told = statementsIn(step);
      const rows = step.changes.length;
      const attached = attachedIn(step);
      const most = Math.min(ROWS_OF_ONE + ROWS_OF_ATTACHED * attached, ROWS_OF_SLICE);
      if (attached > ATTACHED) violate(`node ${step.node} attached ${attached} statements in one ${causeOf(step)}`);
      if (told === 1 && rows > most) violate(`node ${step.node} wrote ${rows} rows for one statement`);
      if (told > 1 && rows > ROWS_OF_SLICE) violate(`node ${step.node} wrote ${rows} rows in one step of an answer`);
      if (told === 0 && rows > ROWS_OF_SLICE) violate(`node ${step.node} wrote ${rows} rows in one ${causeOf(step)}`);
    },
  };
}

/** Statements that waited and became part of the set. */
function attachedIn({ changes }: StepSeen): number {
  const put = new Set(changes.flatMap(({ table, key, record }) => (table === "statements" && record ? key : [])));
  return changes.filter(({ table, key, record }) => table === "pending" && !record && put.has(key)).length;
}

/** What a step came of. */
function causeOf({ input }: StepSeen): string {
  return input.type === "timer.fired" ? `step of the timer ${input.timer}` : `step of ${input.type}`;
}

/** Statements that a message carries, or a call brings. */
function statementsIn({ input }: StepSeen): number {
  if (input.type === "rpc.called") return 1;
  if (input.type !== "message.received" && input.type !== "message.answered") return 0;
  if (carriedBy(input.bytes, "GossipPush") !== undefined) return 1;
  const answer = carriedBy(input.bytes, "GossipFetchResponse");
  return answer === undefined ? 0 : (decodeCompact(FetchResponse, answer)?.events.length ?? 0);
}
