/**
 * Bounds on what one record, one signer and the whole set may gather: local refusals of an ingress, never of the fold;
 * what is refused is not in the set and may come again. Everybody has room of his own about a record, its parties more;
 * none is shared, or whoever comes first would fill it. What a type asks beside these stands in its row.
 * Source: CONVERGENCE B2, B3.
 */

import { known } from "../../kernel/assert.ts";
import type { Draft } from "../../kernel/draft.ts";
import type { Reference, Statement } from "../../kernel/signed.ts";
import type { Reader } from "../../kernel/table.ts";
import { firstOf, recordsOf } from "../../kernel/table.ts";
import type { PeerId } from "../../kernel/values.ts";
import { rowOf } from "../domain.ts";
import { keysBy, overtakenBy } from "../statements/own-statements.ts";
import { bytesOf, spaceOf, spaceOfWaiting } from "../statements/space.ts";
import {
  contenders,
  contendersOf,
  ownPlace,
  Pending,
  parentsOf,
  placeBy,
  registered,
  Statements,
} from "../statements/table.ts";
import type { Limits, Registry } from "../step-context.ts";

/** Records of one id that one signer may create. Source: CONVERGENCE "Bounds". */
export const CONTENDERS_MAX = 8;
/** What one signer who is a stranger to a record says about it; of requests, dated in one 2H. Source: DESIGN L10. */
export const REQUESTS_PER_SIGNER_MAX = 256;
/** Statements of one party about one record: those of a channel, attachments, and 256 beside. Source: DESIGN L10. */
export const PARTY_STATEMENTS_MAX = 1_344;
/** Unsealed bytes of one signer: some hundred thousand statements, or 41 of the largest. Source: CONVERGENCE B3. */
export const SIGNER_BYTES_MAX = 32 * 1_048_576;
/** Unsealed bytes in all; as many again are reserved for parties. Source: CONVERGENCE B3; DESIGN L10. */
export const NODE_BYTES_MAX = 512 * 1_048_576;

/**
 * Statements that wait for parents: of one signer, in all, and their bytes. Beyond, the ones that came first make room:
 * no bound that signers share is filled by who comes first. Source: protocol 01 §13.1; CONVERGENCE B2, B3.
 */
export const PENDING_PER_SIGNER_MAX = 64;
export const PENDING_MAX = 10_000;
export const PENDING_BYTES_MAX = 64 * 1_048_576;
/** Of these, those that make room for one, which may be as large as many. Source: CONVERGENCE B5. */
const PUSHED_OUT_AT_ONCE = 64;

/** Limits of a type that has none of its own. */
export const COMMON_LIMITS: Limits = { partyMax: PARTY_STATEMENTS_MAX };

type Rows = Pick<Registry, "rows" | "creators">;

/** Bounds of a record and of what waits for one: local refusals, which may come again. */
export function withinPendingLimits(
  { registry, reader }: { readonly registry: Rows; readonly reader: Reader },
  statement: Statement,
  waits: boolean = parentsOf(reader, statement).length === 0,
): boolean {
  if (!withinDomainLimits(registry, reader, statement)) return false;
  if (statement.type.about(statement.payload as never) === undefined || !waits) return true;
  return reader.count(Pending, "signer", statement.signer) < PENDING_PER_SIGNER_MAX;
}

/** Makes room for one more that waits: who came first goes, and may come again. Whether there is room then. */
export function pushOutWaiting(draft: Draft, statement: Statement): boolean {
  let over = spaceOfWaiting(draft) + bytesOf(statement, draft) - PENDING_BYTES_MAX;
  if (draft.size(Pending) < PENDING_MAX && over <= 0) return true;
  const leaving: string[] = [];
  for (const first of firstOf(draft.keys(Pending), PUSHED_OUT_AT_ONCE)) {
    over -= bytesOf(known(draft.get(Pending, first), "a statement that waits"), draft);
    leaving.push(first);
    if (over <= 0) break;
  }
  if (over > 0) return false;
  for (const first of leaving) draft.put(Pending, first, undefined);
  return true;
}

/** Whether the set has room for a statement that is not in it yet. */
export function withinDomainLimits(registry: Rows, reader: Reader, statement: Statement): boolean {
  // What takes the place of its signer's own earlier words needs no room.
  if (overtakenBy(reader, statement).length > 0) return true;
  return (
    withinQuota(registry, reader, statement) &&
    (rowOf(registry, statement).limits.withinLimits?.(reader, statement) ?? true)
  );
}

/** The bounds of all domains and ingresses: over a signer's statements, and over the statements about one record. */
export function withinQuota(registry: Rows, reader: Reader, statement: Statement): boolean {
  const { type } = statement;
  // What takes the place of an older one of its register needs no room.
  if (registered(reader, statement) !== undefined) return true;
  const parent = type.about(statement.payload as never);
  const isOfParty = parent !== undefined && isPartyOrNamed(registry, reader, parent, statement);
  if (!withinSpace(reader, statement, isOfParty)) return false;
  const { contendersMax = CONTENDERS_MAX } = rowOf(registry, statement).limits;
  if (type.creates !== undefined && !withinContenderLimits(reader, statement, contendersMax)) return false;
  if (parent === undefined) return true;
  const most = isOfParty ? partyMaxOf(registry, parent) : REQUESTS_PER_SIGNER_MAX;
  return countOwnAbout(reader, statement) < most;
}

/** Whether a statement has room among its signer's, and among all that is unsealed. */
function withinSpace(reader: Reader, statement: Statement, isOfParty: boolean): boolean {
  const bytes = bytesOf(statement, reader);
  const own = spaceOf(reader, statement.signer) + spaceOfWaiting(reader, statement.signer);
  if (own + bytes > SIGNER_BYTES_MAX) return false;
  return spaceOf(reader) + bytes <= NODE_BYTES_MAX * (isOfParty ? 2 : 1);
}

/** Whether somebody is party to a record of this name. */
export function isParty({ rows }: Pick<Rows, "rows">, reader: Reader, record: Reference, person: PeerId): boolean {
  return contenders(reader, record.kind, record.name).some(
    (create) => rows.get(create.type.name)?.isParty?.(reader, create, person, record) ?? create.signer === person,
  );
}

/** Where a type says of whom one must be a party, the index of parties answers; others may be party by other ways. */
function isPartyOrNamed(rows: Rows, reader: Reader, parent: Reference, { type, payload, signer }: Statement): boolean {
  const among = type.among?.(payload as never);
  return among === undefined ? isParty(rows, reader, parent, signer) : contendersOf(reader, parent, among).length > 0;
}

function partyMaxOf({ creators }: Pick<Rows, "creators">, { kind }: Reference): number {
  return Math.max(...(creators.get(kind) ?? []).map(({ limits }: { readonly limits: Limits }) => limits.partyMax));
}

/** Contenders of one id: a few of each signer. */
function withinContenderLimits(reader: Reader, { type, payload, signer, idForm }: Statement, most: number): boolean {
  if (most === Infinity) return true;
  const [kind, id] = [type.creates, type.idOf(payload as never)];
  if (kind === undefined || id === undefined || idForm === "earned") return true;
  const held = contendersOf(reader, { kind, name: id }, [signer]);
  return held.filter((each) => each.signer === signer).length < most;
}

/**
 * How much a statement's signer has said about the record that it names, what waits for it included: or what waited
 * would be attached beyond a bound. Of what begins a record of its own, what is of the same time.
 */
export function countOwnAbout(reader: Reader, statement: Statement): number {
  const { type, signer, payload } = statement;
  const parent = type.about(payload as never);
  if (parent === undefined) return 0;
  const held = reader.ordered(Statements, "bySigner", ownPlace(parent, statement));
  return held.length + reader.count(Pending, "by", placeBy(parent, signer));
}

/** How much of it is of the statement's own type. */
export function countOwnOfType(reader: Reader, { type, signer, payload }: Statement): number {
  const parent = type.about(payload as never);
  if (parent === undefined) return 0;
  const waiting = recordsOf(reader, Pending, "by", placeBy(parent, signer));
  const held = keysBy(reader, parent, signer, type);
  return held.length + waiting.filter((each) => each.type.name === type.name).length;
}
