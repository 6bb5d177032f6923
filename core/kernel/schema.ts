/**
 * Schemas: one definition of a shape gives its TypeScript type, its JSON decoder with refusals, its
 * canonical JSON text, its compact bytes, and (through `shape`) JSON Schema and test generators.
 * Here: what a schema is and how one is run. Scalars and composites are in schema-scalars.ts and
 * schema-composites.ts. Source: protocol 01 §2, §9.2; ours: the kernel itself.
 */

import type { CompactReader, CompactWriter } from "./compact.ts";
import { compactReader, compactWriter } from "./compact.ts";
import type { FloatSpelling } from "./float.ts";
import type { Json } from "./json.ts";
import type { Result } from "./result.ts";
import { err, ok } from "./result.ts";

/** How canonical JSON is laid out: signed bytes keep declaration order, answers sort by name. */
export interface JsonStyle {
  readonly float: FloatSpelling;
  readonly order: "declared" | "sorted";
  /** Asked of each empty optional member in turn: whether it is left out. Without it, all are written `null`. */
  readonly leavesOut?: () => boolean;
  /** How long a text is of use, in UTF-16 units: a list that makes it longer is not written to its end. */
  readonly lengthMax?: number;
}

/** Layout of signed bytes in the protocol's float spelling. Source: protocol 01 §2.2. */
export const TRANSCRIPT: JsonStyle = { float: "protocol", order: "declared" };
/** Layout of signed bytes as a TypeScript client spells floats. Source: protocol 01 §3.4. */
export const TRANSCRIPT_ECMASCRIPT: JsonStyle = { float: "ecmascript", order: "declared" };
/**
 * The longest result of a call, in UTF-16 units: some hundred thousand records, and an eighth of the longest text there
 * is. Source: DESIGN L10.
 */
export const ANSWER_LENGTH_MAX = 67_108_864;
/** Layout of answers. Source: protocol 01 §10.3. */
export const ANSWER: JsonStyle = { float: "protocol", order: "sorted", lengthMax: ANSWER_LENGTH_MAX };

/** What a fold over schemas sees: JSON Schema, generators, documentation. */
export type Shape =
  | { readonly type: "text"; readonly form: TextForm; readonly size?: Size }
  | { readonly type: "integer"; readonly bits: 8 | 16 | 32 | 64; readonly signed: boolean; readonly range?: Range }
  | { readonly type: "float" }
  | { readonly type: "boolean" }
  | { readonly type: "nothing" }
  | { readonly type: "bytes"; readonly length: number | null; readonly size?: Size }
  | { readonly type: "option"; readonly of: Schema<unknown> }
  | { readonly type: "list"; readonly of: Schema<unknown>; readonly size?: Size }
  | { readonly type: "pair"; readonly first: Schema<unknown>; readonly second: Schema<unknown> }
  | { readonly type: "enumeration"; readonly names: readonly string[] }
  | { readonly type: "either"; readonly of: readonly Schema<unknown>[] }
  | { readonly type: "variants"; readonly of: Readonly<Record<string, Schema<unknown>>> }
  | { readonly type: "kinds"; readonly member: string; readonly of: Readonly<Record<string, Schema<unknown>>> }
  | { readonly type: "struct"; readonly name: string; readonly fields: Readonly<Record<string, Schema<unknown>>> };

/** The most that a text holds, in bytes of UTF-8 or in code points; the most that a list or an array of bytes has. */
export type Size = { readonly bytes: number } | { readonly points: number } | { readonly items: number };
export type Range = { readonly least: number; readonly most: number };
/** The kinds of text that the protocol tells apart; `plain` is anything. */
export type TextForm =
  | "plain"
  | "base64"
  | "cid"
  | "currency"
  | "location"
  | "mint"
  | "payment-method"
  | "peer-id"
  | "public-key"
  | "signature";

/** Collects the first refusal of a decoding, and whether an identifier stood as an array of integers. */
export interface Decoder {
  fail(reason: string): void;
  failed(): boolean;
  /** Marks a payload whose verdict is invalid whatever was signed. Source: protocol 01 §1.1 rule 7. */
  taint(): void;
  /** Notes what our rules read and the reference's do not. Source: protocol 02 I.1, B.8. */
  depart(reason: string): void;
  /** Notes an empty optional member, written `null` or left out. Source: protocol 01 §2.2. */
  empty(leftOut: boolean): void;
}

/** How a value is read from and written to each of its forms. */
export interface Schema<T> {
  readonly shape: Shape;
  /** The value of a JSON node; after a refusal any value of the type. */
  readonly decode: (node: Json, decoder: Decoder) => T;
  /** What an absent member means; without it the member is required. */
  readonly absent?: T;
  readonly write: (value: T, style: JsonStyle) => string;
  readonly encode: (value: T, writer: CompactWriter) => void;
  readonly read: (reader: CompactReader) => T;
  /** Whether a text of this value differs between float spellings; absent means it never holds a float. */
  readonly floats?: true;
}

/** The type of a schema's values. */
export type Infer<S> = S extends Schema<infer T> ? T : never;

export interface Decoded<T> {
  readonly value: T;
  readonly tainted: boolean;
  /** Why the reference would not have read it. */
  readonly departure?: string;
  /** Which of its empty optional members were left out, by their numbers in the order of signed bytes. */
  readonly leftOut?: readonly number[];
}

/**
 * A schema that says how large its values may be, for documents. What is larger is still read: each domain refuses it
 * in its own order of checks, by the same constant.
 */
export function sized<T>(of: Schema<T>, size: Size): Schema<T> {
  return { ...of, shape: { ...of.shape, size } as Shape };
}

/** Decodes a JSON value. Fails with one reason that names the member. */
export function decodeJson<T>(schema: Schema<T>, node: Json): Result<Decoded<T>, string> {
  let problem: string | undefined;
  let tainted = false;
  let departure: string | undefined;
  let empty = 0;
  const leftOut: number[] = [];
  const decoder: Decoder = {
    fail(reason) {
      problem ??= reason;
    },
    failed: () => problem !== undefined,
    taint() {
      tainted = true;
    },
    depart(reason) {
      departure ??= reason;
    },
    empty(isLeftOut) {
      if (isLeftOut) leftOut.push(empty);
      empty += 1;
    },
  };
  const value = schema.decode(node, decoder);
  if (problem !== undefined) return err(problem);
  return ok({ value, tainted, ...(departure !== undefined && { departure }), ...(leftOut.length > 0 && { leftOut }) });
}

/** Decodes compact bytes; bytes after the value are ignored (protocol 01 §9.2). */
export function decodeCompact<T>(schema: Schema<T>, bytes: Uint8Array): T | undefined {
  const reader = compactReader(bytes);
  const value = schema.read(reader);
  return reader.failed() ? undefined : value;
}

/** The bytes of a value in the compact form of statements between peers. */
export function encodeCompact<T>(schema: Pick<Schema<T>, "encode">, value: T): Uint8Array {
  const writer = compactWriter();
  schema.encode(value, writer);
  return writer.finish();
}
