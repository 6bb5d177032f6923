/**
 * The protocol's own recovery, for peers of other software: stored events, the oldest first, once for each connection.
 * They are found by the minute of their dates, so that choosing them looks at no more of the log than what is chosen,
 * once a second at most, however many peers ask. Source: protocol 01 §7.2, §7.6, W3; CONVERGENCE B5.
 */

import { oldestDated } from "../../engine/dated-rows.ts";
import type { StepContext } from "../../engine/step-context.ts";
import type { ReplyHandle } from "../../inputs.ts";
import { compareBytes } from "../../kernel/bytes.ts";
import { encodeCompact } from "../../kernel/schema.ts";
import { struct } from "../../kernel/schema-composites.ts";
import { byteArray } from "../../kernel/schema-scalars.ts";
import { table } from "../../kernel/table.ts";
import type { PeerId } from "../../kernel/values.ts";
import { EpochMillis } from "../../kernel/values.ts";
import { Peers, peerOf } from "../peers/peers.ts";
import { spendWork } from "./credit.ts";
import { Events, GossipEvent, OFS_GOSSIP, RecoveryResponse } from "./envelope.ts";
import { RECOVERY_BYTES_MAX, reply } from "./wire.ts";

/** How long one choice serves everybody who asks, in milliseconds. Source: DESIGN L10. */
export const CHOICE_MS = 1_000;
/** More events than fit into one answer: each has an id, an origin and a signature. Source: protocol 01 §7.1. */
const CHOSEN_MAX = Math.ceil(RECOVERY_BYTES_MAX / 134);

const Choice = struct("RecoveryChoice", { made_at: EpochMillis, payload: byteArray(null) });
/** The last choice. */
export const RecoveryChoices = table("recovery_choice", Choice, { root: "local" });

/** Answers a peer's recovery request: with events once a connection, then with none. */
export function onRecoveryRequest(context: StepContext, from: PeerId, replyTo: ReplyHandle): void {
  const peer = context.draft.get(Peers, from);
  const nothing = encodeCompact(RecoveryResponse, { events: [] });
  const fits = peer !== undefined && !peer.served;
  const payload = fits ? chosen(context) : nothing;
  const paid = fits && spendWork(context, from, payload.length);
  if (paid && payload.length > nothing.length)
    context.draft.put(Peers, from, { ...peerOf(context.draft, from), served: true });
  reply(context, replyTo, OFS_GOSSIP, "GossipRecoveryResponse", paid ? payload : nothing);
}

function chosen(context: StepContext): Uint8Array {
  const held = context.draft.get(RecoveryChoices, "now");
  if (held !== undefined && context.now < held.made_at + BigInt(CHOICE_MS) && context.now >= held.made_at)
    return held.payload;
  const events = withinBudget(oldest(context));
  const payload = encodeCompact(RecoveryResponse, { events });
  context.draft.put(RecoveryChoices, "now", { made_at: context.now, payload });
  return payload;
}

/** The oldest events in order, as many as could fit; of a minute that alone has more, some. */
function oldest({ draft }: StepContext): readonly GossipEvent[] {
  const keys = oldestDated(draft, { table: Events, group: "" }, CHOSEN_MAX);
  return keys.flatMap((key) => draft.get(Events, key)?.event ?? []).sort(compareEvents);
}

function compareEvents(a: GossipEvent, b: GossipEvent): number {
  return a.timestamp < b.timestamp ? -1 : a.timestamp > b.timestamp ? 1 : compareBytes(a.id, b.id);
}

/** Events in order until the budget is used; one that alone exceeds it is passed over. */
function withinBudget(events: readonly GossipEvent[]): readonly GossipEvent[] {
  const taken: GossipEvent[] = [];
  let bytes = 0;
  for (const event of events) {
    const size = encodeCompact(GossipEvent, event).length;
    if (size > RECOVERY_BYTES_MAX) continue;
    if (bytes + size > RECOVERY_BYTES_MAX) break;
    bytes += size;
    taken.push(event);
  }
  return taken;
}
