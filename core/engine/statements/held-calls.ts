/**
 * Calls that came while the queue holds something that they may have to tell of: a read attaches nothing, so each waits
 * until the slices have done what it is about. What has to do with a call is looked for within bounds; where there is
 * more, the call waits for the whole queue. Source: CONVERGENCE B5.
 */

import type { Draft } from "../../kernel/draft.ts";
import type { Reference } from "../../kernel/signed.ts";
import type { Reader } from "../../kernel/table.ts";
import { inMemory, recordsOf, table } from "../../kernel/table.ts";
import { Attaching } from "./attaching.ts";
import { contenders, countContenders, namesOf, Pending, Statements, slot } from "./table.ts";

/** A call that waits. */
export interface HeldCall {
  readonly body: string;
  /** The number of the input that brought it. */
  readonly number: number;
  /** The record that it is about; nothing where the whole queue may change its answer. */
  readonly about: Reference | undefined;
  /** The slice after which it is answered, whatever the queue still holds. */
  readonly last: number;
}

/** Calls that wait, by whom to answer, in the order in which they came. */
export const HeldCalls = table<HeldCall>("held_calls", inMemory<HeldCall>(), { root: "local" });

/** How many slices were taken since the node started, in its one row. */
export const Slices = table<number>("slices", inMemory<number>(), { root: "local" });
const ROW = "";

/** Calls that one step answers. Source: DESIGN "Work at once". */
export const ANSWERED_AT_ONCE = 8;
/**
 * Slices for which a call waits: as many as all that may wait for parents takes, 10,000 statements of which one slice
 * looks at 64. Whoever fills the queue again and again keeps nobody waiting longer. Source: DESIGN L10.
 */
export const SLICES_AWAITED = 160;
/** Places that are looked at on the way to what a call is about, or what the queue is about. Source: DESIGN L10. */
const PLACES_OF_CALL = 128;
const PLACES_OF_QUEUE = 1_024;

/** Calls that wait, and whom to answer. */
export function callsHeld(reader: Reader): readonly { readonly replyTo: string; readonly body: string }[] {
  return [...reader.keys(HeldCalls)].flatMap((replyTo) => {
    const call = reader.get(HeldCalls, replyTo);
    return call === undefined ? [] : [{ replyTo, body: call.body }];
  });
}

/** Counts a slice. */
export function countSlice(draft: Draft): void {
  draft.put(Slices, ROW, slicesTaken(draft) + 1);
}

/** The slice after which a call is answered that comes now. */
export function lastSliceFor(reader: Reader): number {
  return slicesTaken(reader) + SLICES_AWAITED;
}

/** Whether a call is answered now: nothing in the queue has to do with what it is about, or it has waited enough. */
export function isAnswerable(reader: Reader, { about, last }: Pick<HeldCall, "about" | "last">): boolean {
  if (reader.size(Attaching) === 0 || slicesTaken(reader) >= last) return true;
  return about !== undefined && !isBusy(reader, about);
}

/** Whether a record in the queue has to do with one that is named: they rest on one record, or one on the other. */
function isBusy(reader: Reader, about: Reference): boolean {
  const named = placesAbove(reader, [about], PLACES_OF_CALL);
  if (named === undefined || reader.size(Attaching) > PLACES_OF_QUEUE) return true;
  const creates = [...reader.keys(Attaching)].flatMap((identity) => reader.get(Statements, identity) ?? []);
  const queued = placesAbove(reader, creates.flatMap(namesOf), PLACES_OF_QUEUE);
  return queued === undefined || [...named].some((place) => queued.has(place));
}

/**
 * The names of records, of what they rest on, and of what that rests on, whether they are here or waited for; nothing
 * if that is more than so many.
 */
function placesAbove(reader: Reader, records: readonly Reference[], most: number): ReadonlySet<string> | undefined {
  const places = new Set<string>();
  const queue = [...records];
  let left = most;
  for (let record = queue.pop(); record !== undefined; record = queue.pop()) {
    const place = slot(record);
    if (places.has(place)) continue;
    places.add(place);
    left -= 1 + countContenders(reader, record) + reader.count(Pending, "named", place);
    if (left < 0) return undefined;
    const waiting = recordsOf(reader, Pending, "named", place);
    for (const create of [...contenders(reader, record.kind, record.name), ...waiting]) {
      queue.push(...namesOf(create));
      const parent = create.type.about(create.payload as never);
      if (parent !== undefined) queue.push(parent);
    }
  }
  return places;
}

function slicesTaken(reader: Reader): number {
  return reader.get(Slices, ROW) ?? 0;
}
