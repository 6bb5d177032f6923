/**
 * Replay: what was said once and has been revoked or superseded since is said again after everybody's log has forgotten
 * it: the event as it was, the statement in a new event, and both in the answer to a comparison.
 * Source: protocol 01 §15 W5, W9; 05 Part 10 "replay beyond the log window".
 */
import type { GossipEvent } from "../../core/testing.ts";
import { FetchResponse, SetResponse } from "../../core/testing.ts";
import type { Attacker } from "./attacker.ts";
import { answerWith } from "./attacker.ts";
import type { EventMaker } from "./market-events.ts";

/** Says old statements again, in every way; `asItWas` are events that honest nodes once carried. */
export function replay(attacker: Attacker, old: readonly EventMaker[], asItWas: readonly GossipEvent[]): void {
  const anew = old.map((statement) => statement({ origin: attacker.wallet, at: attacker.now() }));
  const events = [...asItWas, ...anew];
  attacker.answer("GossipSetRequest", () => {
    const identities = events.map(({ id }) => id);
    return answerWith("GossipSetResponse", SetResponse, { contents: [{ prefix: "", branches: [], identities }] });
  });
  attacker.answer("GossipFetchRequest", () =>
    answerWith("GossipFetchResponse", FetchResponse, { events, more: false }),
  );
  for (const event of events) attacker.push(event);
}
