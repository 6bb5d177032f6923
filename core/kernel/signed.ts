/**
 * Signed payload types: what is signed, in which forms, and what a statement's identity is.
 * Not here: which form a signature is of (verification.ts).
 * Source: protocol 01 §2.1, §3.4, §4; CONVERGENCE "Three layers" is ours.
 */

import type { CryptoPort } from "../ports/crypto.ts";
import { known } from "./assert.ts";
import { bigEndian, concat, fromHex, toHex, u32be } from "./bytes.ts";
import { TRANSCRIPT } from "./schema.ts";
import type { Fields, RecordOf, Struct } from "./schema-composites.ts";
import { struct } from "./schema-composites.ts";
import { fromBase58, toBase58, utf8 } from "./text.ts";
import type { EpochMillis, Identity, PeerId, PublicKey } from "./values.ts";
import { SIGNATURE_BYTES, Signature } from "./values.ts";

/** Records that others name by an id, by what the domain that creates them calls them. */
export type RecordKind = string;
/**
 * How a record is named: by its id alone, so that nothing is ever said about one of several contenders; by its creating
 * statement's identity beside the id; or so, with decimal ids. Source: CONVERGENCE "Records and ids".
 */
export type Naming = "id" | "identity" | "number";
/** A record that a statement names: by its id, or by its creating statement's identity in base58. */
export interface Reference {
  readonly kind: RecordKind;
  readonly name: string;
}

/** Which forms of a signature verify. Source: protocol 01 §3.4. */
export type SignatureForms = "both" | "tagged";

interface SignedOptions<F extends Fields> {
  /** The JSON member beside `signature`. */
  readonly outer: string;
  readonly fields: F;
  /** The member that names the signer, and the one that repeats the key, when there is one. */
  readonly signer: keyof F & string;
  readonly key?: keyof F & string;
  /** The member that dates it; without one, the same words are one statement for ever. */
  readonly time?: keyof F & string;
  readonly forms?: SignatureForms;
  /** Gossip event and its specification number (protocol 01 §8.1), priority as wire index (§7.5). */
  readonly event: string | SeveralEvents<F>;
  readonly ofs: number;
  readonly priority: number;
  /** The record it creates, whose id is the member `id` or the one that `id` names. */
  readonly creates?: RecordKind;
  readonly id?: keyof F & string;
  /** How others may name that record; by its id alone unless said. */
  readonly naming?: Naming;
  /** The record it speaks about: the member that names it, or what the payload says. */
  readonly about?:
    | { readonly kind: RecordKind; readonly member: keyof F & string }
    | ((payload: RecordOf<F>) => Reference | undefined);
  /**
   * Whoever has to be a party of a record for this to be said about it, one of them at least: the signer, or what the
   * payload says; anybody unless said. Records that name none of them are none that it speaks about.
   */
  readonly among?: "signer" | ((payload: RecordOf<F>) => readonly PeerId[]);
  /** Who is party to the record that it creates; its signer unless said. */
  readonly parties?: (payload: RecordOf<F>) => readonly PeerId[];
  /**
   * Makes it a register of its signer: of all statements of one signer under one text, only the greatest
   * (timestamp, identity) belongs to the set. What is superseded leaves it, so a heartbeat costs one row.
   */
  readonly register?: (payload: RecordOf<F>) => string;
  /** What orders a register before (timestamp, identity), such as a version that its signer counts. */
  readonly rank?: (payload: RecordOf<F>) => bigint;
  /** How many of a register's greatest statements the set keeps; one unless said. */
  readonly depth?: number;
  /**
   * How many statements of this type that one signer makes about one record count there: his greatest (timestamp,
   * identity); all unless said. What counts nowhere leaves the set.
   */
  readonly ownDepth?: number;
  /** Tells those statements apart: of each text as many count; all have one unless said. */
  readonly apart?: (payload: RecordOf<F>) => string;
  /** How long after it what is said about the record that it creates counts, in milliseconds; for ever unless said. */
  readonly lifeMs?: number;
}

/** Event names of a type whose payload says under which one it travels. */
interface SeveralEvents<F extends Fields> {
  readonly names: readonly [string, ...string[]];
  readonly of: (payload: RecordOf<F>) => string;
}

/** A kind of signed statement: its names on the wire, its fields, its signer and its identity. */
export interface SignedType<F extends Fields = Fields> {
  readonly name: string;
  readonly tag: string;
  readonly outer: string;
  readonly payload: Struct<F>;
  /** The members that name the signer, repeat the key and date it, as far as it has them. */
  readonly members: { readonly signer: string; readonly key?: string; readonly time?: string };
  readonly forms: SignatureForms;
  /** Its usual event; `events` are all that may carry it, `eventOf` the one for a payload. */
  readonly event: string;
  readonly events: readonly string[];
  readonly eventOf: (payload: RecordOf<F>) => string;
  readonly ofs: number;
  readonly priority: number;
  readonly creates: RecordKind | undefined;
  readonly naming: Naming;
  /** Whether it bears a date; what bears none is never too old or too new for an ingress. */
  readonly dated: boolean;
  readonly signerOf: (payload: RecordOf<F>) => PeerId;
  readonly keyOf: (payload: RecordOf<F>) => PublicKey | undefined;
  readonly timeOf: (payload: RecordOf<F>) => EpochMillis;
  readonly idOf: (payload: RecordOf<F>) => string | undefined;
  readonly about: (payload: RecordOf<F>) => Reference | undefined;
  readonly among: ((payload: RecordOf<F>) => readonly PeerId[]) | undefined;
  readonly parties: (payload: RecordOf<F>) => readonly PeerId[];
  readonly register: ((payload: RecordOf<F>) => string) | undefined;
  readonly rank: (payload: RecordOf<F>) => bigint;
  readonly depth: number;
  readonly ownDepth: number | undefined;
  readonly apart: ((payload: RecordOf<F>) => string) | undefined;
  readonly lifeMs: number | undefined;
  /** Payload and signature, as gossip carries them. */
  readonly wire: Struct<Fields>;
}

/** The record that a signed type carries. */
export type Payload<T> = T extends SignedType<infer F> ? RecordOf<F> : never;

/**
 * How a creating statement bears its id: `earned` from its own content, `plain`, or `void`: an id that
 * looks like a hash and is not its own, which would let a statement that is published later take over
 * what others did under it. A void statement is inert for ever. Source: CONVERGENCE "Records and ids".
 */
export type IdForm = "earned" | "plain" | "void";

/** A verified statement. Both signatures are kept when both were seen. */
export interface Statement<P = unknown> {
  readonly type: SignedType;
  readonly identity: Identity;
  readonly signer: PeerId;
  readonly timestamp: EpochMillis;
  readonly payload: P;
  readonly idForm: IdForm;
  /** Its identity in base58, by which others may name the record that it creates; empty when they may not. */
  readonly name: string;
  readonly bare: Signature | null;
  readonly tagged: Signature | null;
}

/** Declares a signed payload type. The tag's third segment is its name. */
export function signed<const F extends Fields>(tag: string, options: SignedOptions<F>): SignedType<F> {
  const name = tag.split("/")[2] ?? tag;
  const payload = struct(name, options.fields);
  const member = (key: string) => (value: RecordOf<F>) => (value as Readonly<Record<string, unknown>>)[key];
  const { about, event } = options;
  const signerOf = member(options.signer) as (value: RecordOf<F>) => PeerId;
  const named = (value: RecordOf<F>): Reference | undefined =>
    typeof about === "function"
      ? about(value)
      : about && { kind: about.kind, name: member(about.member)(value) as string };
  return {
    name,
    tag,
    outer: options.outer,
    payload,
    members: {
      signer: options.signer,
      ...(options.key !== undefined && { key: options.key }),
      ...(options.time !== undefined && { time: options.time }),
    },
    forms: options.forms ?? "both",
    event: typeof event === "string" ? event : event.names[0],
    events: typeof event === "string" ? [event] : event.names,
    eventOf: typeof event === "string" ? () => event : event.of,
    ofs: options.ofs,
    priority: options.priority,
    creates: options.creates,
    naming: options.naming ?? "id",
    signerOf,
    keyOf: (options.key ? member(options.key) : () => undefined) as (value: RecordOf<F>) => PublicKey | undefined,
    dated: options.time !== undefined,
    timeOf: (options.time ? member(options.time) : () => 0n) as (value: RecordOf<F>) => EpochMillis,
    idOf: (options.creates ? member(options.id ?? "id") : () => undefined) as (
      value: RecordOf<F>,
    ) => string | undefined,
    about: named,
    among: options.among === "signer" ? (value: RecordOf<F>) => [signerOf(value)] : options.among,
    parties: options.parties ?? ((value: RecordOf<F>) => [signerOf(value)]),
    register: options.register,
    rank: options.rank ?? (() => 0n),
    depth: options.depth ?? 1,
    ownDepth: options.ownDepth,
    apart: options.apart,
    lifeMs: options.lifeMs,
    wire: struct(name, { [options.outer]: payload, signature: Signature }) as unknown as Struct<Fields>,
  };
}

/** Canonical JSON of the payload: the bare transcript (protocol 01 §4.1). */
export function transcript<F extends Fields>(type: SignedType<F>, payload: RecordOf<F>): Uint8Array {
  return utf8(type.payload.write(payload, TRANSCRIPT));
}

/** Tag length, tag, canonical JSON: the tagged preimage (protocol 01 §4.2). */
export function tagged(type: SignedType, json: Uint8Array): Uint8Array {
  return concat(u32be(type.tag.length), utf8(type.tag), json);
}

/** The tagged preimage of a payload. */
export function preimageOf<F extends Fields>(type: SignedType<F>, payload: RecordOf<F>): Uint8Array {
  return tagged(type as SignedType, transcript(type, payload));
}

/** SHA-256 of the tagged preimage, whichever form was signed (protocol 01 §4.2). */
export function identityOf<F extends Fields>(
  crypto: CryptoPort,
  type: SignedType<F>,
  payload: RecordOf<F>,
  preimage: Uint8Array = preimageOf(type, payload),
): Identity {
  return toHex(crypto.sha256(preimage)) as Identity;
}

/**
 * A signature over the rendering without some empty members, as it is kept and travels: their numbers in the order of
 * signed bytes follow its 64 bytes. No payload has more empty members than a byte counts. Source: protocol 01 §2.2.
 */
export function leavingOut(signature: Signature, leftOut: readonly number[]): Signature | undefined {
  const bytes = fromBase58(signature);
  if (bytes?.length !== SIGNATURE_BYTES || leftOut.length === 0) return undefined;
  return toBase58(concat(bytes, Uint8Array.from(leftOut))) as Signature;
}

/** Whether a signature says that members were left out of what it signs. */
export function leavesOut(signature: Signature): boolean {
  return (fromBase58(signature)?.length ?? 0) > SIGNATURE_BYTES;
}

/** The statement of a payload that verified; `preimage` is its tagged one, where it was written already. */
export function statementOf<F extends Fields>(
  crypto: CryptoPort,
  type: SignedType<F>,
  payload: RecordOf<F>,
  signature: Signature,
  form: "bare" | "tagged",
  preimage?: Uint8Array,
): Statement<RecordOf<F>> {
  const identity = identityOf(crypto, type, payload, preimage);
  return {
    type: type as SignedType,
    identity,
    name: nameOf(type as SignedType, identity),
    signer: type.signerOf(payload),
    timestamp: type.timeOf(payload),
    payload,
    idForm: idFormOf(crypto, type, payload),
    bare: form === "bare" ? signature : null,
    tagged: form === "tagged" ? signature : null,
  };
}

/** The id of a record that its content earns: base58 of the SHA-256 of its preimage with an empty id. */
export function earnedId<F extends Fields>(crypto: CryptoPort, type: SignedType<F>, payload: RecordOf<F>): string {
  const nameless = { ...payload, id: "" } as RecordOf<F>;
  return toBase58(crypto.sha256(tagged(type as SignedType, transcript(type, nameless))));
}

/** How a payload bears its id. Decimal ids are earned by the top 63 bits of the hash. */
export function idFormOf<F extends Fields>(crypto: CryptoPort, type: SignedType<F>, payload: RecordOf<F>): IdForm {
  const id = type.idOf(payload);
  if (id === undefined) return "plain";
  if (type.naming === "number") {
    if (isHashShaped(id)) return "void";
    return /^[0-9]{18,19}$/.test(id) && id === earnedNumber(crypto, type, payload) ? "earned" : "plain";
  }
  if (type.naming === "id" || !isHashShaped(id)) return "plain";
  return id === earnedId(crypto, type, payload) ? "earned" : "void";
}

/** The decimal id that a payload's content earns: the top 63 bits of the hash with an empty id. */
export function earnedNumber<F extends Fields>(crypto: CryptoPort, type: SignedType<F>, payload: RecordOf<F>): string {
  const nameless = { ...payload, id: "" } as RecordOf<F>;
  const digest = crypto.sha256(tagged(type as SignedType, transcript(type, nameless)));
  return (bigEndian(digest.subarray(0, 8)) >> 1n).toString();
}

/** Orders statements by claimed time, then identity: the order of one signer's acts. */
export function compareStatements(a: Statement, b: Statement): number {
  if (a.timestamp !== b.timestamp) return a.timestamp < b.timestamp ? -1 : 1;
  return a.identity < b.identity ? -1 : a.identity > b.identity ? 1 : 0;
}

/** Orders the statements of one register: rank, then claimed time, then identity. */
export function compareInRegister(a: Statement, b: Statement): number {
  const [first, second] = [a.type.rank(a.payload as never), b.type.rank(b.payload as never)];
  if (first !== second) return first < second ? -1 : 1;
  return compareStatements(a, b);
}

/** The name that an identity gives the record it creates; empty where others may not use it. */
export function nameOf({ naming }: Pick<SignedType, "naming">, identity: Identity): string {
  return naming === "id" ? "" : toBase58(known(fromHex(identity), "an identity's bytes"));
}

/** An id that looks like a hash: base58 of 32 bytes. */
export function isHashShaped(id: string): boolean {
  return bytesOfHash(id) !== undefined;
}

/** The identity that a hash-shaped name spells. */
export function identityOfName(name: string): Identity | undefined {
  const bytes = bytesOfHash(name);
  return bytes && (toHex(bytes) as Identity);
}

function bytesOfHash(text: string): Uint8Array | undefined {
  if (text.length < 32 || text.length > 44) return undefined;
  const bytes = fromBase58(text);
  return bytes?.length === 32 ? bytes : undefined;
}
