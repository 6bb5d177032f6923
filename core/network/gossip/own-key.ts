/**
 * Whether somebody else uses this node's own key: an event of it, around a statement that is new here, that this node
 * never sent. Events from before its start do not count: a node that was restored from a backup hears its own past.
 * The event itself is stored and passed on like any other. Source: DESIGN §7 #24.
 */

import type { StepContext } from "../../engine/step-context.ts";
import type { Infer } from "../../kernel/schema.ts";
import { struct } from "../../kernel/schema-composites.ts";
import { u32 } from "../../kernel/schema-scalars.ts";
import type { Reader } from "../../kernel/table.ts";
import { table } from "../../kernel/table.ts";
import { EpochMillis } from "../../kernel/values.ts";
import type { GossipEvent } from "./envelope.ts";

const OWN_KEY = "own";
const OwnKey = struct("OwnKey", { started_at: EpochMillis, elsewhere: u32 });
type OwnKey = Infer<typeof OwnKey>;

/** When this process started, and how many events of its key it has heard since that it never sent. */
export const OwnKeys = table<OwnKey>("own_key", OwnKey, { root: "local" });

/** From here on, whoever else uses the key is noticed. */
export function watchOwnKey(context: StepContext): void {
  context.draft.put(OwnKeys, OWN_KEY, { started_at: context.now, elsewhere: 0 });
}

/** Looks at an event that brought a statement which was new here. */
export function noticeOwnKey(context: StepContext, event: GossipEvent): void {
  const held = context.draft.get(OwnKeys, OWN_KEY);
  if (held === undefined || event.origin !== context.configuration.peerId || event.timestamp < held.started_at) return;
  const elsewhere = held.elsewhere + 1;
  context.draft.put(OwnKeys, OWN_KEY, { ...held, elsewhere });
  // Said for the first, the second, the fourth and so on: whoever has the key decides how often it comes.
  if ((elsewhere & held.elsewhere) !== 0) return;
  const fields = { error: "IDENTITY_IN_USE_ELSEWHERE", event: event.event_type, times: elsewhere };
  context.emit({ type: "log", level: "error", event: "another node uses this node's key", fields });
}

/** Events of this node's key, since its start, that it never sent. */
export function usesElsewhere(reader: Reader): number {
  return reader.get(OwnKeys, OWN_KEY)?.elsewhere ?? 0;
}
