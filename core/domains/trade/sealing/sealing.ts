/**
 * Sealing: what nothing can change any more leaves the roots, and with them the comparison between peers, one record
 * after another, each with what was said about it. Whatever a record depends on bears dates, and a record is sealed
 * when the last of them is too old for every ingress: no clock decides what is sealed, only when. Records, the sums
 * that they leave in their advertisement, and reads stay as they are. Source: CONVERGENCE B6, B7; protocol 02 O.25.
 */

import {
  childrenOfType,
  contenders,
  heldOfType,
  isSealed,
  parentsOf,
  Seals,
  Statements,
} from "../../../engine/statements/table.ts";
import type { StepContext } from "../../../engine/step-context.ts";
import type { Draft } from "../../../kernel/draft.ts";
import type { SignedType, Statement } from "../../../kernel/signed.ts";
import type { Reader } from "../../../kernel/table.ts";
import type { EpochMillis } from "../../../kernel/values.ts";
import { later, latest } from "../../../kernel/values.ts";
import type { ReservationRequest } from "../reservations/schema.ts";
import { RESERVATION_WINDOW_MS } from "../reservations/schema.ts";
import { spellingsOf } from "../settlements/reservation-numbers.ts";
import { SettlementInitiate } from "../settlements/schema.ts";
import { ChainFacts, Settlements } from "../settlements/tables.ts";
import { isOver } from "./facts.ts";
import { hourAfter, hourAt } from "./hours.ts";
import { note, SealingHours, Unsealed } from "./tables.ts";

/** Records that one sweep looks at: the next goes on. Source: DESIGN "Work at once". */
export const SEALED_AT_ONCE_MAX = 512;

/** A sweep's part: seals what was over at the last full hour. */
export function sealByTheHour(context: StepContext): void {
  sealOld(context.draft, context.now, context.registry.types, SEALED_AT_ONCE_MAX);
}

/** Seals what was over at the last full hour, `most` records of it; facts last, for they wait for the others. */
export function sealOld(draft: Draft, now: EpochMillis, types: readonly SignedType[], most = Infinity): void {
  const hour = hourAt(now);
  const hours = [...draft.keys(SealingHours)].filter((each) => BigInt(each) <= hour);
  const due = hours.flatMap((each) => draft.find(Unsealed, "due", each));
  const isFact = (key: string) => draft.get(ChainFacts, key) !== undefined;
  const inOrder = [...due.filter((key) => !isFact(key)), ...due.filter(isFact)];
  for (const key of inOrder.slice(0, most)) sealOne(draft, key, hour, types);
  if (inOrder.length <= most) for (const each of hours) draft.put(SealingHours, each, undefined);
}

/** Seals a record or a fact, or notes when to look at it again. */
function sealOne(draft: Draft, key: string, hour: bigint, types: readonly SignedType[]): void {
  if (isSealed(draft, key)) return draft.put(Unsealed, key, undefined);
  const create = draft.get(Statements, key);
  const fact = draft.get(ChainFacts, key);
  const due = create !== undefined ? hourAfter(endOf(draft, create)) : fact && (isOver(draft, fact) ? hour : hour + 1n);
  if (due !== undefined && due > hour) return note(draft, key, due);
  draft.put(Unsealed, key, undefined);
  if (create !== undefined) sealWhole(draft, create, types);
  else if (fact !== undefined) draft.put(Seals, key, {});
}

/** The last date that could still count for a record. */
function endOf(reader: Reader, create: Statement): EpochMillis {
  if (create.type.creates === "reservation") return endOfNumber(reader, create as Statement<ReservationRequest>);
  const own = later(create.timestamp, create.type.lifeMs ?? 0);
  const row = create.type.creates === "settlement" ? reader.get(Settlements, create.identity) : undefined;
  if (row === undefined) return own;
  return latest([
    row.ends_at,
    ...parentsOf<ReservationRequest>(reader, create).map((each) => endOfNumber(reader, each)),
  ]);
}

/**
 * The same of a request and of all that bear its number within half an hour of it: one initiate may belong to any of
 * them, and one fact binds to one of all their settlements.
 */
function endOfNumber(reader: Reader, request: Statement<ReservationRequest>): EpochMillis {
  const near = spellingsOf(request.payload.id)
    .flatMap((id) => contenders<ReservationRequest>(reader, "reservation", id))
    .filter(({ timestamp }) => distance(timestamp, request.timestamp) <= BigInt(RESERVATION_WINDOW_MS));
  return latest([request, ...near].map((each) => endOfRequest(reader, each)));
}

/** The same of one request: its window, and the settlements that fit it. What fits none is nobody's record. */
function endOfRequest(reader: Reader, request: Statement<ReservationRequest>): EpochMillis {
  const initiates = childrenOfType(reader, request, SettlementInitiate);
  const ends = initiates.flatMap(({ identity }) => reader.get(Settlements, identity)?.ends_at ?? []);
  return latest([later(request.timestamp, RESERVATION_WINDOW_MS), ...ends]);
}

function distance(a: bigint, b: bigint): bigint {
  return a < b ? b - a : a - b;
}

/**
 * Seals a record with what was said about it, inert or not, unless that speaks about another record still unsealed.
 * What creates a record with a life of its own seals by itself.
 */
function sealWhole(draft: Draft, create: Statement, types: readonly SignedType[]): void {
  draft.put(Seals, create.identity, {});
  for (const type of types) {
    if (type.lifeMs !== undefined) continue;
    for (const child of heldOfType(draft, create, type)) {
      if (parentsOf(draft, child).every(({ identity }) => isSealed(draft, identity)))
        draft.put(Seals, child.identity, {});
    }
  }
}
