/**
 * The set of accepted statements, and those that wait for a parent. Records are derived from the first;
 * the second is local, bounded, and moves over when the parent arrives.
 * Source: protocol 01 §15 W1; CONVERGENCE "Three layers", "Bounds".
 */

import { known } from "../../kernel/assert.ts";
import { fromHex } from "../../kernel/bytes.ts";
import type { CompactReader, CompactWriter } from "../../kernel/compact.ts";
import { option, struct } from "../../kernel/schema-composites.ts";
import type { RecordKind, Reference, SignedType, Statement } from "../../kernel/signed.ts";
import { compareInRegister, identityOfName, nameOf } from "../../kernel/signed.ts";
import type { Reader, RecordCodec, TypeRegistry } from "../../kernel/table.ts";
import { BY_KEY, recordsOf, table } from "../../kernel/table.ts";
import { toBase58 } from "../../kernel/text.ts";
import type { Identity } from "../../kernel/values.ts";
import { EpochMillis, minuteOf, PeerId, Signature } from "../../kernel/values.ts";
import { RECOVERY_AGE_MS_MAX } from "../admission/ingress.ts";
import { apartBy, counting } from "./counting.ts";

const MaybeSignature = option(Signature);
const ID_FORMS = ["earned", "plain", "void"] as const;

/** How a statement is stored: its type by name, then everything that was verified about it. */
const StatementCodec: RecordCodec<Statement> = {
  encode(statement, writer: CompactWriter) {
    writer.text(statement.type.name);
    writer.text(statement.identity);
    PeerId.encode(statement.signer, writer);
    EpochMillis.encode(statement.timestamp, writer);
    writer.byte(ID_FORMS.indexOf(statement.idForm));
    statement.type.payload.encode(statement.payload as never, writer);
    MaybeSignature.encode(statement.bare, writer);
    MaybeSignature.encode(statement.tagged, writer);
  },
  read(reader: CompactReader, types: TypeRegistry) {
    const type = types.get(reader.text());
    const identity = reader.text() as Identity;
    const signer = PeerId.read(reader);
    const timestamp = EpochMillis.read(reader);
    const idForm = ID_FORMS[reader.byte()] ?? "void";
    if (type === undefined) reader.fail();
    const payload = type?.payload.read(reader);
    const bare = MaybeSignature.read(reader);
    return {
      type: type as SignedType,
      identity,
      signer,
      timestamp,
      idForm,
      name: type === undefined ? "" : nameOf(type, identity),
      payload,
      bare,
      tagged: MaybeSignature.read(reader),
    };
  },
};

/** Verified statements whose parent, when they name one, is here too. */
export const Statements = table<Statement>("statements", StatementCodec, {
  root: "statements",
  durable: true,
  compared: true,
  sealedBy: BY_KEY,
  indexes: {
    /** By their ids; a name that spells an identity needs no index. */
    named: (statement) => idsOf(statement).map((id) => slot(id)),
    party: (statement) => idsOf(statement).flatMap((id) => partiesOf(statement).map((each) => `${slot(id)}/${each}`)),
    /** Beside the signer's own, which the order by signers has. */
    amid: (statement) =>
      statement.type.creates === undefined || statement.idForm === "void"
        ? []
        : aboutOf(statement).flatMap((parent) => amidOf(statement, parent)),
    /** Beside the signer's own, which the index of creators has. */
    partyTo: (statement) =>
      partiesOf(statement).flatMap((each) => (each === statement.signer ? [] : [`${statement.type.creates}/${each}`])),
    about: (statement) => aboutOf(statement).map((parent) => `${slot(parent)}/${statement.type.name}`),
    register: (statement) => registersOf(statement),
    creator: ({ type, signer }) => (type.creates === undefined ? [] : [`${type.creates}/${signer}`]),
  },
  orders: {
    /** What one signer said about a record, type by type, of each in the order in which it counts; the void last. */
    bySigner: {
      under: (statement) => aboutOf(statement).map((parent) => ownPlace(parent, statement)),
      rank: (statement) =>
        `${statement.idForm === "void" ? FAR : rankOfRivals(statement)}${dateText(statement.timestamp)}`,
    },
  },
});

/** Verified statements whose parent is unknown here. */
export const Pending = table<Statement>("pending", StatementCodec, {
  root: "local",
  durable: true,
  compared: true,
  indexes: {
    waiting: (statement) => aboutOf(statement).map((parent) => slot(parent)),
    /** By the persons of whom a record has to name one, or by none. */
    awaiting: (statement) => aboutOf(statement).flatMap((parent) => awaitedOf(statement, slot(parent))),
    signer: (statement) => [statement.signer],
    by: (statement) => aboutOf(statement).map((parent) => placeBy(parent, statement.signer)),
    named: (statement) => namesOf(statement).map((name) => slot(name)),
    minute: ({ timestamp }) => [`${minuteOf(timestamp)}`],
  },
});

/**
 * What is sealed, by its key: statements, and chain facts. It stays as it is, leaves the roots for that of the archive,
 * is compared with nobody and gathers nothing new. Source: CONVERGENCE B7.
 */
export const Seals = table("seals", struct("Seal", {}), { root: "seals", durable: true });

/** Whether a statement or a chain fact is sealed. */
export function isSealed(reader: Reader, key: string): boolean {
  return reader.get(Seals, key) !== undefined;
}

/** Whether every record that a statement names is sealed: no ingress takes it. */
export function isAboutSealed(reader: Reader, statement: Statement): boolean {
  const parents = parentsOf(reader, statement);
  return parents.length > 0 && parents.every(({ identity }) => isSealed(reader, identity));
}

/** The register that a statement writes, if its type is one: one slot for each signer and text. */
function registersOf({ type, signer, payload }: Statement): readonly string[] {
  return type.register === undefined ? [] : [`${type.name}/${signer}/${type.register(payload as never)}`];
}

/** What leaves the set when a greater statement enters its register: the least one held, once the register is full. */
export function registered(reader: Reader, statement: Statement): Statement | undefined {
  const [place] = registersOf(statement);
  const held = place === undefined ? [] : [...recordsOf(reader, Statements, "register", place)];
  return held.length < statement.type.depth ? undefined : held.sort(compareInRegister)[0];
}

/** What the set holds in a signer's register of one type. */
export function inRegister<P>(
  reader: Reader,
  type: { readonly name: string },
  signer: PeerId,
  text: string,
): Statement<P> | undefined {
  return allInRegister<P>(reader, type, signer, text)[0];
}

/** The same of a register that keeps several, in no particular order. */
export function allInRegister<P>(
  reader: Reader,
  type: { readonly name: string },
  signer: PeerId,
  text: string,
): readonly Statement<P>[] {
  return recordsOf(reader, Statements, "register", `${type.name}/${signer}/${text}`) as readonly Statement<P>[];
}

/** A creating statement's names: its id, and its identity in base58. A void one has none. */
export function namesOf(statement: Statement): readonly Reference[] {
  const [id] = idsOf(statement);
  if (id === undefined) return [];
  return statement.name === "" ? [id] : [id, { kind: id.kind, name: statement.name }];
}

function idsOf({ type, payload, idForm }: Statement): readonly Reference[] {
  const [kind, id] = [type.creates, type.idOf(payload as never)];
  return kind === undefined || id === undefined || idForm === "void" ? [] : [{ kind, name: id }];
}

export function nameOfIdentity(identity: Identity): string {
  return toBase58(known(fromHex(identity), "an identity's bytes"));
}

/** The statements that created records of this name. */
export function contenders<P>(reader: Reader, kind: RecordKind, name: string): readonly Statement<P>[] {
  const found = recordsOf(reader, Statements, "named", slot({ kind, name })) as readonly Statement<P>[];
  const spelled = spelledBy<P>(reader, { kind, name });
  return spelled === undefined ? found : [...found, spelled];
}

/** How many those are, without going through them. */
export function countContenders(reader: Reader, record: Reference): number {
  return reader.count(Statements, "named", slot(record)) + (spelledBy(reader, record) === undefined ? 0 : 1);
}

/** Those of them that name somebody as a party. */
export function contendersOf<P>(reader: Reader, record: Reference, parties: readonly PeerId[]): Statement<P>[] {
  const found = parties.flatMap((each) => recordsOf(reader, Statements, "party", `${slot(record)}/${each}`));
  const spelled = spelledBy(reader, record, parties);
  if (spelled !== undefined) found.push(spelled);
  const each = parties.length < 2 ? found : new Map(found.map((one) => [one.identity, one])).values();
  return [...each] as Statement<P>[];
}

/** The statement whose identity a name spells, if it created a record of that name and names one of these parties. */
function spelledBy<P>(
  reader: Reader,
  { kind, name }: Reference,
  parties?: readonly PeerId[],
): Statement<P> | undefined {
  const identity = identityOfName(name);
  const create = identity === undefined ? undefined : reader.get(Statements, identity);
  // An id is never the name that its own identity gives.
  if (create?.name !== name || !idsOf(create).some((id) => id.kind === kind)) return undefined;
  if (parties !== undefined && !partiesOf(create).some((each) => parties.includes(each))) return undefined;
  return create as Statement<P>;
}

/** The statements that created records of a kind of which somebody is a party. */
export function partyTo<P>(reader: Reader, kind: RecordKind, person: PeerId): readonly Statement<P>[] {
  const named = recordsOf(reader, Statements, "partyTo", `${kind}/${person}`) as readonly Statement<P>[];
  return [...createdBy<P>(reader, kind, person), ...named];
}

/** What waits for a record, by its keys: for anything of its names, or for one of its parties to be named by one. */
export function awaitedBy(reader: Reader, create: Statement): readonly string[] {
  return [...new Set(awaitingPlaces(create).flatMap((place) => reader.find(Pending, "awaiting", place)))];
}

/** How much waits for a record at most, without going through it. */
export function countAwaitedBy(reader: Reader, create: Statement): number {
  return awaitingPlaces(create).reduce((sum, place) => sum + reader.count(Pending, "awaiting", place), 0);
}

function awaitingPlaces(create: Statement): readonly string[] {
  return namesOf(create).flatMap((name) => [
    slot(name),
    ...partiesOf(create).map((each) => placeAmid(slot(name), each)),
  ]);
}

/** Where what waits for somebody stands: a person comes first, since an id may end with one and a kind is nobody. */
function placeAmid(place: string, person: PeerId): string {
  return `${person}/${place}`;
}

/** The statements of one signer that created records of a kind. */
export function createdBy<P>(reader: Reader, kind: RecordKind, signer: PeerId): readonly Statement<P>[] {
  return recordsOf(reader, Statements, "creator", `${kind}/${signer}`) as readonly Statement<P>[];
}

/**
 * How long before a record's creating statement what is said about it may be dated, in milliseconds: two clocks, each
 * at the other end of what every ingress allows. Source: CONVERGENCE B6.
 */
export const BEFORE_RECORD_MS_MAX = 600_000;
/**
 * The same of what begins a record of its own, which ends by its own date: the worked example of a settlement in the
 * protocol is half an hour older than its request. Source: protocol 02 P.5 row 32; CONVERGENCE B6.
 */
export const BEGUN_BEFORE_RECORD_MS_MAX = 1_800_000;

/** Whether records have an end of life: what others may say of them does not go on for ever. */
export function recordsEnd(): boolean {
  return true;
}

/**
 * Whether a statement is dated within the life of a record: by two dates inside signed statements, by no clock. Outside
 * it the statement is void there, so that a record ends at one date on every node. Source: CONVERGENCE B6.
 */
export function isWithinLife(reader: Reader, create: Statement, statement: Statement): boolean {
  const { lifeMs } = create.type;
  if (lifeMs === undefined || reader.endless || !statement.type.dated) return true;
  const since = statement.timestamp - create.timestamp;
  const before = statement.type.lifeMs === undefined ? BEFORE_RECORD_MS_MAX : BEGUN_BEFORE_RECORD_MS_MAX;
  return since >= -BigInt(before) && since <= BigInt(lifeMs);
}

/** Whether a record that a statement names is known, and none in whose life it is dated: nothing comes of it. */
export function isOutsideLife(reader: Reader, statement: Statement): boolean {
  const named = namedBy(reader, statement);
  return named.length > 0 && !named.some((create) => isWithinLife(reader, create, statement));
}

/** The statements of one type that count about a record, under whichever of its names. */
export function childrenOfType<P>(
  reader: Reader,
  record: Statement,
  type: { readonly name: string },
): readonly Statement<P>[] {
  return counting(reader, heldOfType<P>(reader, record, type));
}

/** The same, whether they count or not. */
export function heldOfType<P>(
  reader: Reader,
  record: Statement,
  type: { readonly name: string },
): readonly Statement<P>[] {
  const statements = keysAbout(reader, record, type).flatMap((key) => reader.get(Statements, key) ?? []);
  return statements.filter((statement) => isWithinLife(reader, record, statement)) as readonly Statement<P>[];
}

/** The identities of all statements of one type under a record's names, whether they are about it or about another. */
export function keysAbout(reader: Reader, record: Statement, type: { readonly name: string }): readonly string[] {
  return namesOf(record).flatMap((name) => reader.find(Statements, "about", `${slot(name)}/${type.name}`));
}

/** The records that a statement speaks about in their lives, which are several when an id is contested. */
export function parentsOf<P>(reader: Reader, statement: Statement): readonly Statement<P>[] {
  return namedBy<P>(reader, statement).filter((create) => isWithinLife(reader, create, statement));
}

/** Whether a statement speaks about any record that is meant, in its life; it goes no further than to the first. */
export function hasParent(reader: Reader, statement: Statement, isMeant: (create: Statement) => boolean): boolean {
  const [parent] = aboutOf(statement);
  if (parent === undefined) return false;
  const among = amongThose(statement);
  const places = among === undefined ? [slot(parent)] : among.map((each) => `${slot(parent)}/${each}`);
  const keysAt = (place: string) => reader.find(Statements, among === undefined ? "named" : "party", place);
  const isFound = (create: Statement | undefined) =>
    create !== undefined && isWithinLife(reader, create, statement) && isMeant(create);
  if (isFound(spelledBy(reader, parent, among))) return true;
  return places.some((place) => keysAt(place).some((key) => isFound(reader.get(Statements, key))));
}

/** The same whenever they lived. Where only parties count, others' of the id cost nothing. */
function namedBy<P>(reader: Reader, statement: Statement): readonly Statement<P>[] {
  const [parent] = aboutOf(statement);
  if (parent === undefined) return [];
  const among = amongThose(statement);
  return among === undefined ? contenders<P>(reader, parent.kind, parent.name) : contendersOf<P>(reader, parent, among);
}

/** Of whom the record that a statement names has to have one as a party, each once, where its type says that. */
export function amongThose({ type, payload }: Statement): readonly PeerId[] | undefined {
  const among = type.among?.(payload as never);
  return among && [...new Set(among)];
}

/** Where what a signer said about a record stands, and in `amid` what others did that has to do with somebody. */
export function placeBy(about: Reference, signer: PeerId): string {
  return `${slot(about)}/${signer}`;
}

/**
 * How long what somebody begins about a record that may have no end stands together, by its date, in milliseconds: as
 * long as it may come. Source: CONVERGENCE B3.
 */
export const BEGUN_TOGETHER_MS = BigInt(RECOVERY_AGE_MS_MAX);

/**
 * Where a statement stands among its signer's words about a record. What begins a record of its own, of whomever, ends
 * and is sealed by itself; of that only what is of the same time, so that neither his room nor the cost of one more
 * depends on how long he has traded. Source: CONVERGENCE B3, B5.
 */
export function ownPlace(about: Reference, { type, signer, timestamp }: Statement): string {
  const place = placeBy(about, signer);
  const isBegun = type.creates !== undefined && type.lifeMs !== undefined && type.among === undefined;
  return isBegun ? `${place}/${timestamp / BEGUN_TOGETHER_MS}` : place;
}

/** What ranks of a signer's words begin with that count or not by one another: their type, and what tells it apart. */
export function rankOfRivals(statement: Statement): string {
  return `${statement.type.name}/${apartBy(statement)}/`;
}

/** After every date, and every type's name. */
export const FAR = "~";

/** A date as a rank: later ones come later as texts. */
export function dateText(timestamp: EpochMillis): string {
  return timestamp.toString().padStart(20, "0");
}

/** Text of a reference, for indexes. */
export function slot(reference: Reference): string {
  return `${reference.kind}/${reference.name}`;
}

function partiesOf({ type, payload }: Statement): readonly PeerId[] {
  return type.creates === undefined ? [] : [...new Set(type.parties(payload as never))];
}

function amidOf(statement: Statement, about: Reference): readonly string[] {
  const others = amongThose(statement)?.filter((each) => each !== statement.signer) ?? [];
  return others.map((each) => placeBy(about, each));
}

function awaitedOf(statement: Statement, place: string): readonly string[] {
  const among = amongThose(statement) ?? [];
  return among.length === 0 ? [place] : among.map((each) => placeAmid(place, each));
}

function aboutOf(statement: Statement): readonly Reference[] {
  const parent = statement.type.about(statement.payload as never);
  return parent === undefined ? [] : [parent];
}
