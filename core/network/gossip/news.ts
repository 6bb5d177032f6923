/**
 * News: statements that came a moment ago, and who brought each first. Source: DESIGN "Gossip and sync".
 */

import type { StepContext } from "../../engine/step-context.ts";
import type { Infer } from "../../kernel/schema.ts";
import { struct } from "../../kernel/schema-composites.ts";
import { u8 } from "../../kernel/schema-scalars.ts";
import { table } from "../../kernel/table.ts";
import type { PeerId } from "../../kernel/values.ts";
import { EpochMillis, later, Text } from "../../kernel/values.ts";

/** How long news is gathered before it is announced, in milliseconds. Source: DESIGN "Waiting times". */
export const ANNOUNCE_MS = 1_000;
/** The same for a while after something was lost or missing. Source: DESIGN "Waiting times". */
export const ANNOUNCE_WARY_MS = 200;
const WARY_MS = 60_000;
const WARY = "wary";
/** News at once; what comes beyond is not announced: a comparison of sets brings it. Source: DESIGN L10. */
export const NEWS_MAX = 4_096;

const Item = struct("News", {
  /** The peer that brought it first; empty when a person did. */
  from: Text,
  at: EpochMillis,
  /** Announcements made. */
  told: u8,
});
export type Item = Infer<typeof Item>;

/** What came a moment ago, by the statement's identity. */
export const News = table("news", Item, { root: "local", indexes: { untold: ({ told }) => [String(told)] } });

/** Until when something holds: that statements are announced sooner and more often, or that links are grafted. */
export const Moments = table("moments", struct("Moment", { until: EpochMillis }), { root: "local" });

/** A statement came, or was made here. */
export function note(context: StepContext, identity: string, from: PeerId | undefined): void {
  if (context.draft.size(News) >= NEWS_MAX) return;
  if (context.draft.count(News, "untold", "0") === 0) arm(context);
  context.draft.put(News, identity, { from: from ?? "", at: context.now, told: 0 });
}

/** Whether a copy of a statement shows that the link on which it came is not needed: somebody else was first. */
export function isSuperfluous({ draft }: StepContext, identity: string, from: PeerId): boolean {
  const item = draft.get(News, identity);
  return item !== undefined && item.from !== from;
}

/** News is announced soon. */
export function arm(context: StepContext): void {
  const wait = isWary(context) ? ANNOUNCE_WARY_MS : ANNOUNCE_MS;
  context.emit({ type: "timer.set", timer: "announce", at: later(context.now, wait) });
}

/** Something was lost, or somebody lacked what others had. */
export function beWary(context: StepContext): void {
  mark(context, WARY, WARY_MS);
}

export function isWary(context: StepContext): boolean {
  return isDue(context, WARY);
}

/** From now on, for so many milliseconds. */
export function mark(context: StepContext, what: string, lastsMs: number): void {
  context.draft.put(Moments, what, { until: later(context.now, lastsMs) });
}

export function isDue({ draft, now }: StepContext, what: string): boolean {
  return (draft.get(Moments, what)?.until ?? 0n) > now;
}
