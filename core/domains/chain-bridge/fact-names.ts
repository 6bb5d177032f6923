/**
 * The name of a chain fact says what was decided, never how it was read: whoever had the event and whoever had to read
 * the accounts hold the same fact. Source: protocol 03 A.10.3 R11; CONVERGENCE "Chain facts".
 */

import type { StepContext } from "../../engine/step-context.ts";
import { concat, toHex } from "../../kernel/bytes.ts";
import { fromBase58 } from "../../kernel/text.ts";
import { decodeEvent } from "../../solana/events.ts";

/** Written for a case that ended without an outcome, whose bytes are 0 to 3. */
const NO_OUTCOME = 255;
/** What a release decided: the buyer has it all. */
const RELEASE = { round: 0, outcome: 0 } as const;

/** How a case ended: in which round, and with which outcome byte. */
export interface Ending {
  readonly round: number;
  readonly outcome: number | null;
}

/** SHA-256(program ‖ account of the case or escrow ‖ round ‖ outcome). */
export function factName(context: StepContext, account: string, ending: Ending = RELEASE): string {
  const [program, decided] = [context.configuration.profile.escrowProgram, account].map(
    (address) => fromBase58(address) ?? new Uint8Array(0),
  ) as [Uint8Array, Uint8Array];
  const ended = Uint8Array.of(ending.round, ending.outcome ?? NO_OUTCOME);
  return toHex(context.crypto.sha256(concat(program, decided, ended)));
}

/** The name of the fact that an event tells of. */
export function factNameOfEvent(
  context: StepContext,
  told: { readonly event: Uint8Array; readonly escrow: string; readonly dispute: string },
): string {
  const event = decodeEvent(told.event);
  return event?.type === "DisputeResolved"
    ? factName(context, told.dispute, event.fields)
    : factName(context, told.escrow);
}
