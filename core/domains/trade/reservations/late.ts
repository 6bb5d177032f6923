/**
 * Requests that a node receives when their half hour is over already: the price they were made at may be one that its
 * merchant gave up long ago. What is noted is this node's own, in no root, and decides nothing. A file is old by its
 * nature, so of what it brings nothing is noted. Source: CONVERGENCE B8.
 */

import { Pending, Statements } from "../../../engine/statements/table.ts";
import type { StepContext } from "../../../engine/step-context.ts";
import type { Statement } from "../../../kernel/signed.ts";
import type { Reader } from "../../../kernel/table.ts";
import type { EpochMillis } from "../../../kernel/values.ts";
import { RESERVATION_WINDOW_MS } from "./schema.ts";
import { LateRequests } from "./tables.ts";

/** Tables whose rows a note goes with. */
export const NOTED_BESIDE = [Statements, Pending] as const;

/** Notes a request that was heard for the first time, if its time is over. */
export function noteReceipt({ draft, now }: StepContext, request: Statement): void {
  if (now - request.timestamp > BigInt(RESERVATION_WINDOW_MS))
    draft.put(LateRequests, request.identity, { received_at: now });
}

/** When a request was received, if that was late. */
export function receivedLateAt(reader: Reader, request: string): EpochMillis | null {
  return reader.get(LateRequests, request)?.received_at ?? null;
}

/** After a step: a note goes with its request, so that there are never more of them than requests. */
export function forgetReceipts({ draft }: StepContext): void {
  for (const { table: name, key, record } of draft.changes()) {
    const isDropped = record === undefined && NOTED_BESIDE.some((table) => table.name === name) && !isHeld(draft, key);
    if (isDropped && draft.get(LateRequests, key) !== undefined) draft.put(LateRequests, key, undefined);
  }
}

function isHeld(reader: Reader, key: string): boolean {
  return reader.get(Statements, key) !== undefined || reader.get(Pending, key) !== undefined;
}
