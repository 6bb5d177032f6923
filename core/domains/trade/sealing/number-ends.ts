/**
 * The last date that could still count for what was asked under a reservation number, by parts of the requests' dates:
 * sealing one request looks at thirteen parts of five minutes, however many people asked under its number. Its own and
 * six on either side hold every request of the number within a window of it, and some that are less than a part beyond.
 * Computed from the set and never stored. Source: CONVERGENCE B5, B7.
 */

import type { FoldUnit } from "../../../engine/statements/fold.ts";
import { isSealed, parentsOf, Statements } from "../../../engine/statements/table.ts";
import type { Draft } from "../../../kernel/draft.ts";
import { struct } from "../../../kernel/schema-composites.ts";
import type { Statement } from "../../../kernel/signed.ts";
import type { Reader } from "../../../kernel/table.ts";
import { table } from "../../../kernel/table.ts";
import { EpochMillis, later, latest } from "../../../kernel/values.ts";
import type { ReservationRequest } from "../reservations/schema.ts";
import { RESERVATION_WINDOW_MS } from "../reservations/schema.ts";
import { ENDS_UNIT } from "../settlements/fold.ts";
import { factNameOf } from "../settlements/reservation-numbers.ts";
import { Settlements } from "../settlements/tables.ts";

const NumberEnd = struct("NumberEnd", { end: EpochMillis });
/** The greatest last date of a number's requests of one part and of their settlements. */
export const NumberEnds = table("number_ends", NumberEnd, { root: "local", common: true, checkpoint: NumberEnd });

/** How long a part is, and how much later than needed something seals, in ms. Source: DESIGN "Waiting times". */
const PART_MS = 300_000;
/** Parts on one side of a request's that hold whatever was asked within a window of it. */
const BESIDE = RESERVATION_WINDOW_MS / PART_MS;
/** These, its own and the ones on the other side, from a request's. */
const AROUND: readonly bigint[] = Array.from({ length: 2 * BESIDE + 1 }, (_, part) => BigInt(part - BESIDE));

/** Raises the ends under which a settlement stands, after it was folded: a settlement's end only grows. */
export const endsFold: FoldUnit = {
  name: ENDS_UNIT,
  touches: {},
  refold(draft, identity) {
    const [initiate, row] = [draft.get(Statements, identity), draft.get(Settlements, identity)];
    if (initiate === undefined || row === undefined || isSealed(draft, identity)) return;
    for (const request of parentsOf<ReservationRequest>(draft, initiate)) raise(draft, request, row.ends_at);
  },
};

/** A request that comes ends by itself with its window. */
export function noteRequest(draft: Draft, request: Statement<ReservationRequest>): void {
  if (request.idForm !== "void") raise(draft, request, windowEnd(request));
}

/**
 * The last date that could still count for a request and for all that bear its number near it: one initiate may belong
 * to any of them, and one fact binds to one of all their settlements.
 */
export function endOfNumber(reader: Reader, request: Statement<ReservationRequest>): EpochMillis {
  const ends = AROUND.flatMap((beside) => reader.get(NumberEnds, placeOf(request, beside))?.end ?? []);
  return latest([windowEnd(request), ...ends]);
}

/** A request is sealed, and so is or will be all of its part: what ended there holds back nothing any more. */
export function forgetEnd(draft: Draft, request: Statement<ReservationRequest>): void {
  const place = placeOf(request);
  if (draft.get(NumberEnds, place) !== undefined) draft.put(NumberEnds, place, undefined);
}

function raise(draft: Draft, request: Statement<ReservationRequest>, end: EpochMillis): void {
  const place = placeOf(request);
  const held = draft.get(NumberEnds, place);
  if (held === undefined || held.end < end) draft.put(NumberEnds, place, { end });
}

function windowEnd({ timestamp }: Statement): EpochMillis {
  return later(timestamp, RESERVATION_WINDOW_MS);
}

function placeOf({ payload, timestamp }: Statement<ReservationRequest>, beside = 0n): string {
  return `${factNameOf(payload.id)}/${timestamp / BigInt(PART_MS) + beside}`;
}
