/**
 * What one signer said about a record, by type and in order of (timestamp, identity): its first, its last or a stretch
 * of it costs the logarithm of all that he said. Source: CONVERGENCE B1, B5.
 */

import type { Draft } from "../../kernel/draft.ts";
import { firstFrom, lastBefore } from "../../kernel/ordered.ts";
import type { Statement } from "../../kernel/signed.ts";
import { compareStatements } from "../../kernel/signed.ts";
import type { Reader } from "../../kernel/table.ts";
import type { EpochMillis, PeerId } from "../../kernel/values.ts";
import { counting } from "./counting.ts";
import {
  BEFORE_RECORD_MS_MAX,
  BEGUN_BEFORE_RECORD_MS_MAX,
  dateText,
  isSealed,
  isWithinLife,
  namesOf,
  ownPlace,
  parentsOf,
  rivalPlace,
  Statements,
} from "./table.ts";

interface Type {
  readonly name: string;
  readonly ownDepth?: number | undefined;
  readonly lifeMs?: number | undefined;
  readonly dated: boolean;
}

/** A signer's statements of one type that count about a record, under whichever of its names. */
export function ownStatements<P>(
  reader: Reader,
  record: Statement,
  signer: PeerId,
  type: Type,
): readonly Statement<P>[] {
  const keys = namesOf(record).flatMap((name) => reader.ordered(Statements, "bySigner", ownPlace(name, signer, type)));
  return counting(
    reader,
    statementsOf<P>(reader, keys).filter((statement) => isWithinLife(reader, record, statement)),
  );
}

/** The first of them in the record's life, whatever counts. */
export function firstOwn<P>(reader: Reader, record: Statement, signer: PeerId, type: Type): Statement<P> | undefined {
  const [from, end] = lifeOf(reader, record, type);
  const keys = namesOf(record).flatMap((name) => {
    const first = firstFrom(reader, Statements, "bySigner", ownPlace(name, signer, type), from);
    return first === undefined ? [] : [first];
  });
  return statementsOf<P>(reader, keys)
    .filter(({ timestamp }) => end === FAR || dateText(timestamp) < end)
    .sort(compareStatements)[0];
}

/** The last of them. */
export function lastOwn<P>(reader: Reader, record: Statement, signer: PeerId, type: Type): Statement<P> | undefined {
  const [from, end] = lifeOf(reader, record, type);
  const keys = namesOf(record).flatMap((name) => {
    const last = lastBefore(reader, Statements, "bySigner", ownPlace(name, signer, type), end);
    return last === undefined ? [] : [last];
  });
  return statementsOf<P>(reader, keys)
    .filter(({ timestamp }) => dateText(timestamp) >= from)
    .sort(compareStatements)
    .at(-1);
}

/**
 * Whether a statement counts about none of the records that it names, nor about any that an ingress could still bring:
 * its signer said as much as counts later, under the very name that it bears and within the lives of all of them. What
 * names a record otherwise overtakes nothing, since a record may come to which only one of the two names belongs. Lives
 * are longer than statements may be late, so a record that comes later in whose life it is has the later ones in its
 * life as well. `by` is about to enter the set. Source: CONVERGENCE B1.
 */
export function isOvertaken(reader: Reader, statement: Statement, by?: Statement): boolean {
  const { ownDepth } = statement.type;
  if (ownDepth === undefined || reader.endless) return false;
  const own = [...besides(reader, statement), ...(by === undefined ? [] : [by])];
  const later = own.filter((each) => compareStatements(each, statement) > 0);
  if (later.length < ownDepth) return false;
  const parents = parentsOf(reader, statement);
  return (
    parents.length > 0 &&
    parents.every((parent) => later.filter((each) => isWithinLife(reader, parent, each)).length >= ownDepth)
  );
}

/** What leaves the set when a new statement enters it: the signer's earlier words that count nowhere any more. */
export function overtakenBy(reader: Reader, statement: Statement): readonly Statement[] {
  if (statement.type.ownDepth === undefined || reader.endless) return [];
  const own = besides(reader, statement).filter((each) => !isSealed(reader, each.identity));
  return own.filter((each) => isOvertaken(reader, each, statement));
}

/**
 * At a start: what a later statement of its signer took the place of, and is on disk all the same, since the write that
 * removed it went elsewhere. Other nodes refuse it, so it would set this one apart. All that was loaded is here
 * by now, in whatever order it came. What was dropped. Source: CONVERGENCE B1; DESIGN section 5 "Faults".
 */
export function dropOvertaken({ draft }: { readonly draft: Draft }): readonly Statement[] {
  const overtaken: Statement[] = [];
  for (const key of draft.keys(Statements)) {
    const statement = draft.get(Statements, key);
    if (statement?.type.ownDepth === undefined || isSealed(draft, key)) continue;
    if (isOvertaken(draft, statement)) overtaken.push(statement);
  }
  for (const { identity } of overtaken) draft.put(Statements, identity, undefined);
  return overtaken;
}

/** What the set holds of a signer in one type under one name, and is not told apart, but for one statement. */
function besides(reader: Reader, statement: Statement): readonly Statement[] {
  const { type, identity, payload } = statement;
  const about = type.about(payload as never);
  if (about === undefined) return [];
  const own = reader.ordered(Statements, "bySigner", rivalPlace(about, statement));
  return own.flatMap((key) => (key === identity ? [] : (reader.get(Statements, key) ?? [])));
}

/** After every date. */
const FAR = "~";

/** The dates between which a statement of a type counts about a record, as ranks. Source: CONVERGENCE B6. */
function lifeOf(reader: Reader, { type: { lifeMs }, timestamp }: Statement, type: Type): readonly [string, string] {
  if (lifeMs === undefined || reader.endless || !type.dated) return ["", FAR];
  const before = BigInt(type.lifeMs === undefined ? BEFORE_RECORD_MS_MAX : BEGUN_BEFORE_RECORD_MS_MAX);
  const first = (timestamp > before ? timestamp - before : 0n) as EpochMillis;
  return [dateText(first), dateText((timestamp + BigInt(lifeMs) + 1n) as EpochMillis)];
}

function statementsOf<P>(reader: Reader, keys: readonly string[]): Statement<P>[] {
  return keys.flatMap((key) => (reader.get(Statements, key) as Statement<P> | undefined) ?? []);
}
