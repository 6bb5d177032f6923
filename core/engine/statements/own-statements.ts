/**
 * What one signer said about a record, by type and in order of (timestamp, identity): its first, its last or a stretch
 * of it costs the logarithm of all that he said. Source: CONVERGENCE B1, B5.
 */

import { assert } from "../../kernel/assert.ts";
import type { Draft } from "../../kernel/draft.ts";
import { firstWithin, keysWithin, lastWithin } from "../../kernel/ordered.ts";
import type { Reference, Statement } from "../../kernel/signed.ts";
import { compareStatements } from "../../kernel/signed.ts";
import type { Reader } from "../../kernel/table.ts";
import { recordsOf } from "../../kernel/table.ts";
import type { EpochMillis, PeerId } from "../../kernel/values.ts";
import { apartBy, counting } from "./counting.ts";
import {
  amongThose,
  BEFORE_RECORD_MS_MAX,
  BEGUN_BEFORE_RECORD_MS_MAX,
  dateText,
  FAR,
  isSealed,
  isWithinLife,
  namesOf,
  parentsOf,
  placeBy,
  rankOfRivals,
  Statements,
} from "./table.ts";

interface Type {
  readonly name: string;
  readonly ownDepth?: number | undefined;
  readonly lifeMs?: number | undefined;
  readonly dated: boolean;
  readonly apart: unknown;
}

/** All that a signer said under one name of a record, but of what stands by its date. */
export function allBy(reader: Reader, about: Reference, signer: PeerId): readonly Statement[] {
  return statementsOf(reader, reader.ordered(Statements, "bySigner", placeBy(about, signer)));
}

/** The identities of what he said of one type, but of what is void; in order where the type tells none apart. */
export function keysBy(
  reader: Reader,
  about: Reference,
  signer: PeerId,
  type: { readonly name: string },
): readonly string[] {
  return keysWithin(reader, Statements, "bySigner", placeBy(about, signer), [`${type.name}/`, `${type.name}/${FAR}`]);
}

/** The statements of one signer that count about a record, under whichever of its names. */
export function childrenBySigner(reader: Reader, record: Statement, signer: PeerId): readonly Statement[] {
  const statements = namesOf(record).flatMap((name) => allBy(reader, name, signer));
  return counting(
    reader,
    statements.filter((statement) => isWithinLife(reader, record, statement)),
  );
}

/** What creates records about a name and has to do with somebody, of a type that says with whom. */
export function amid<P>(
  reader: Reader,
  about: Reference,
  person: PeerId,
  type: { readonly name: string },
): readonly Statement<P>[] {
  const named = recordsOf(reader, Statements, "amid", placeBy(about, person)) as readonly Statement<P>[];
  const own = statementsOf<P>(reader, keysBy(reader, about, person, type));
  return [
    ...own.filter((each) => amongThose(each)?.includes(person)),
    ...named.filter((each) => each.type.name === type.name),
  ];
}

/** A signer's statements of one type that count about a record, under whichever of its names. */
export function ownStatements<P>(
  reader: Reader,
  record: Statement,
  signer: PeerId,
  type: Type,
): readonly Statement<P>[] {
  const keys = namesOf(record).flatMap((name) => keysBy(reader, name, signer, type));
  return counting(
    reader,
    statementsOf<P>(reader, keys).filter((statement) => isWithinLife(reader, record, statement)),
  );
}

/** The first of them in the record's life, whatever counts. */
export function firstOwn<P>(reader: Reader, record: Statement, signer: PeerId, type: Type): Statement<P> | undefined {
  const life = lifeOf(reader, record, type);
  const keys = namesOf(record).flatMap((name) => {
    const first = firstWithin(reader, Statements, "bySigner", placeBy(name, signer), life);
    return first === undefined ? [] : [first];
  });
  return statementsOf<P>(reader, keys).toSorted(compareStatements)[0];
}

/** The last of them. */
export function lastOwn<P>(reader: Reader, record: Statement, signer: PeerId, type: Type): Statement<P> | undefined {
  const life = lifeOf(reader, record, type);
  const keys = namesOf(record).flatMap((name) => {
    const last = lastWithin(reader, Statements, "bySigner", placeBy(name, signer), life);
    return last === undefined ? [] : [last];
  });
  return statementsOf<P>(reader, keys).toSorted(compareStatements).at(-1);
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
  const { type, identity, signer, payload } = statement;
  const about = type.about(payload as never);
  if (about === undefined) return [];
  const place = placeBy(about, signer);
  const rivals = rankOfRivals(statement);
  const own = keysWithin(reader, Statements, "bySigner", place, [rivals, `${rivals}${FAR}`]);
  return statementsOf(reader, own).filter((each) => each.identity !== identity && apartBy(each) === apartBy(statement));
}

/** The dates between which a statement of a type counts about a record, as ranks. Source: CONVERGENCE B6. */
function lifeOf(reader: Reader, { type: { lifeMs }, timestamp }: Statement, type: Type): readonly [string, string] {
  assert(type.apart === undefined, "what is told apart has no common order");
  const ranks = (from: string, end: string) => [`${type.name}//${from}`, `${type.name}//${end}`] as const;
  if (lifeMs === undefined || reader.endless || !type.dated) return ranks("", FAR);
  const before = BigInt(type.lifeMs === undefined ? BEFORE_RECORD_MS_MAX : BEGUN_BEFORE_RECORD_MS_MAX);
  const first = (timestamp > before ? timestamp - before : 0n) as EpochMillis;
  return ranks(dateText(first), dateText((timestamp + BigInt(lifeMs) + 1n) as EpochMillis));
}

function statementsOf<P>(reader: Reader, keys: readonly string[]): readonly Statement<P>[] {
  return keys.flatMap((key) => (reader.get(Statements, key) as Statement<P> | undefined) ?? []);
}
