/**
 * The queue of records for which more waits than one step looks at: a price that frees many requests, a record that
 * comes after much that was said about it. It is in memory only: a restart attaches whatever has a parent.
 * Source: CONVERGENCE B5.
 */

import type { Draft } from "../../kernel/draft.ts";
import type { Statement } from "../../kernel/signed.ts";
import { inMemory, table } from "../../kernel/table.ts";
import { awaitedBy, Statements } from "./table.ts";

/** Statements that wait, and that one step looks at. Source: DESIGN "Work at once". */
export const ATTACHED_AT_ONCE = 64;

/** What waited for a record, as far as it was looked at. */
interface Waiting {
  readonly keys: readonly string[];
  readonly next: number;
  /** Whether the record changed meanwhile: it is gone through once more, however often that was. */
  readonly again: boolean;
}

/** Records for which statements wait that are still to be looked at, by their creating statements. */
export const Attaching = table<Waiting>("attaching", inMemory<Waiting>(), { root: "local" });

/** Has what waits for a record looked at, in its time. */
export function queueFor(draft: Draft, create: Statement): void {
  const held = draft.get(Attaching, create.identity);
  if (held?.again === true) return;
  const fresh = { keys: [], next: 0, again: true };
  draft.put(Attaching, create.identity, held === undefined ? fresh : { ...held, again: true });
}

/** The next of what waits for a record, so many at most; with the last the record leaves the queue. */
export function nextOf(draft: Draft, identity: string, most: number): readonly string[] {
  const held = draft.get(Attaching, identity);
  const create = draft.get(Statements, identity);
  if (held === undefined || create === undefined) {
    draft.put(Attaching, identity, undefined);
    return [];
  }
  const isThrough = held.next >= held.keys.length;
  const { keys, next, again } =
    isThrough && held.again ? { keys: awaitedBy(draft, create), next: 0, again: false } : held;
  const end = Math.min(next + most, keys.length);
  draft.put(Attaching, identity, end >= keys.length && !again ? undefined : { keys, next: end, again });
  return keys.slice(next, end);
}
