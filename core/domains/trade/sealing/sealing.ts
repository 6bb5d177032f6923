/**
 * Sealing: what nothing can change any more leaves the roots, and with them the comparison between peers, one record
 * after another, each with what was said about it. Whatever a record depends on bears dates, and a record is sealed
 * when the last of them is too old for every ingress: no clock decides what is sealed, only when. Records, the sums
 * that they leave in their advertisement, and reads stay as they are. Source: CONVERGENCE B6, B7; protocol 02 O.25.
 */

import { keysBy } from "../../../engine/statements/own-statements.ts";
import {
  isSealed,
  isWithinLife,
  keysAbout,
  namesOf,
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
import { absenceOf } from "../../../network/gossip/absence.ts";
import type { ReservationRequest } from "../reservations/schema.ts";
import { ChainFacts, Settlements } from "../settlements/tables.ts";
import { isOver } from "./facts.ts";
import { hourAfter, hourAt } from "./hours.ts";
import { endOfNumber } from "./number-ends.ts";
import { DUE_IN_ORDER, dueOf, forgetSealed, note, SealingHours, Unsealed } from "./tables.ts";

/** Records, and statements about them, that one step looks at: the next goes on. Source: DESIGN "Work at once". */
export const SEALED_AT_ONCE = 64;

/**
 * A sweep's part, and the timer `seal`: some of what was over at the last full hour; the rest follows at once. Nothing
 * while this node may lack what others heard. Source: CONVERGENCE B7.
 */
export function sealByTheHour({ draft, now, registry, emit }: StepContext): void {
  if (absenceOf(draft, now).away) return;
  if (!sealOld(draft, now, registry.types, SEALED_AT_ONCE)) emit({ type: "timer.set", timer: "seal", at: now });
}

/**
 * Seals what was over at the last full hour, as much as so many looks reach; facts last, for they wait for the others.
 * Whether that was all.
 */
export function sealOld(draft: Draft, now: EpochMillis, types: readonly SignedType[], most = Infinity): boolean {
  const hour = hourAt(now);
  const hours = [...draft.keys(SealingHours)].filter((each) => BigInt(each) <= hour);
  let left = most;
  for (const kind of DUE_IN_ORDER) {
    for (const each of hours) {
      for (const key of draft.find(Unsealed, "due", dueOf(kind, each), left)) {
        if (left <= 0) return false;
        left -= sealOne(draft, key, hour, types, left);
      }
    }
  }
  // Of a record with much about it a part may be done.
  if (hours.some((each) => DUE_IN_ORDER.some((kind) => draft.count(Unsealed, "due", dueOf(kind, each)) > 0)))
    return false;
  for (const each of hours) draft.put(SealingHours, each, undefined);
  return true;
}

/** Seals a record or a fact, or notes when to look at it again; how many looks it took. */
function sealOne(draft: Draft, key: string, hour: bigint, types: readonly SignedType[], most: number): number {
  const create = draft.get(Statements, key);
  const fact = draft.get(ChainFacts, key);
  const due = create !== undefined ? hourAfter(endOf(draft, create)) : fact && (isOver(draft, fact) ? hour : hour + 1n);
  if (isSealed(draft, key) || due === undefined) forgetSealed(draft, Seals.name, key);
  else if (due > hour) note(draft, key, due);
  else if (create !== undefined) return 1 + sealSome(draft, create, types, most);
  else seal(draft, key);
  return 1;
}

function seal(draft: Draft, key: string): void {
  draft.put(Seals, key, {});
  forgetSealed(draft, Seals.name, key);
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
 * Seals what was said about a record, inert or not, unless it speaks about another record still unsealed, and at last
 * the record: a node that is started again in between goes on with it. What creates a record with a life of its own
 * seals by itself. How many statements were looked at.
 */
function sealSome(draft: Draft, create: Statement, types: readonly SignedType[], most: number): number {
  const row = draft.get(Unsealed, create.identity);
  if (row === undefined) return 0;
  let [place, looked, found] = [0, 0, row.found];
  for (const type of types) {
    if (type.lifeMs !== undefined) continue;
    const about = keysOf(draft, create, type);
    for (; place + about.length > row.from + looked && looked < most; looked++) {
      const key = about[row.from + looked - place] as string;
      if (isSealed(draft, key) || !endsWith(draft, create, key)) continue;
      draft.put(Seals, key, {});
      found = true;
    }
    place += about.length;
  }
  const from = row.from + looked;
  // What took several slices is gone through once more: statements may have come or gone in between.
  if (from < place) draft.put(Unsealed, create.identity, { ...row, from, found });
  else if (row.from > 0 && found) draft.put(Unsealed, create.identity, { ...row, from: 0, found: false });
  else seal(draft, create.identity);
  return looked;
}

/**
 * What of a type may be about a record. Where only its parties' words are, what others say under its name costs
 * nothing: of many requests of one name, each with its cancels, none goes through those of the others.
 */
function keysOf(reader: Reader, create: Statement, type: SignedType): readonly string[] {
  if (type.among === undefined) return keysAbout(reader, create, type);
  const parties = new Set(create.type.parties(create.payload as never));
  return namesOf(create).flatMap((name) => [...parties].flatMap((party) => keysBy(reader, name, party, type)));
}

/** Whether a statement about a record is sealed with it: all other records that it speaks about are. */
function endsWith(reader: Reader, create: Statement, key: string): boolean {
  const child = reader.get(Statements, key);
  if (child === undefined || !isWithinLife(reader, create, child)) return false;
  return parentsOf(reader, child).every(({ identity }) => identity === create.identity || isSealed(reader, identity));
}
