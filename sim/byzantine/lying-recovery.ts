/**
 * Lying recovery: a peer that acts as other software does, is asked for what this node missed, and answers with a
 * heap of events that do not verify, because answers to one's own requests are taken without counting.
 * Source: protocol 01 §7.6, W2, W4.
 */
import type { GossipEvent } from "../../core/testing.ts";
import { RecoveryResponse } from "../../core/testing.ts";
import type { Attacker } from "./attacker.ts";
import { answerWith } from "./attacker.ts";

/** Speaks like other software, and recovers others with rubbish. */
export function recoverWithRubbish(attacker: Attacker, rubbish: readonly GossipEvent[]): void {
  attacker.answer("GossipSetRequest", () => ({ type: "GossipPushAck", payload: new Uint8Array(0) }));
  attacker.answer("GossipRecoveryRequest", () =>
    answerWith("GossipRecoveryResponse", RecoveryResponse, { events: rubbish }),
  );
}
