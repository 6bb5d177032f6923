/**
 * JSON Schema of a value, as documents for clients print it. Source: protocol 01 §2, §10.8.
 */

import type { Schema, Shape, Size, TextForm } from "../kernel/schema.ts";
import { sized } from "../kernel/schema.ts";

export type JsonSchema = { readonly [member: string]: unknown };
type Integer = Extract<Shape, { readonly type: "integer" }>;
type Record_ = Extract<Shape, { readonly type: "struct" }>;

/** How a schema is printed. */
export interface SchemaStyle {
  /** What stands in the place of a named record; the record itself unless said. */
  readonly refer?: (record: Record_) => JsonSchema;
  /** What a member of a record means. */
  readonly describe?: (record: string, member: string) => string | undefined;
  /** Whether every member is there, as in answers and in what is signed; else an option may be left out. */
  readonly complete?: boolean;
  /** The most bytes that a member of a record holds where it is an id that is held to a form; its schema has none. */
  readonly idBytes?: (record: string, member: string) => number | undefined;
  /** Whether sizes are printed, which the node's ingresses hold values to, and readers do not. */
  readonly sizes?: boolean;
}

/** JSON Schema of a value. */
export function schemaOf(schema: Pick<Schema<unknown>, "shape">, style: SchemaStyle = {}): JsonSchema {
  const { shape } = schema;
  const inner = (of: Pick<Schema<unknown>, "shape">): JsonSchema => schemaOf(of, style);
  switch (shape.type) {
    case "text":
      return { type: "string", ...formOf(shape.form), ...sizeOf(shape, style) };
    case "integer":
      return { type: "integer", ...rangeOf(shape) };
    case "float":
      return { type: "number" };
    case "boolean":
      return { type: "boolean" };
    case "nothing":
      return { type: "null" };
    case "bytes":
      return { type: "array", items: { type: "integer", minimum: 0, maximum: 255 }, ...lengthOf(shape, style) };
    case "option":
      return { oneOf: [inner(shape.of), { type: "null" }] };
    case "list":
      return { type: "array", items: inner(shape.of), ...sizeOf(shape, style) };
    case "pair":
      return { type: "array", items: [inner(shape.first), inner(shape.second)], minItems: 2, maxItems: 2 };
    case "enumeration":
      return { type: "string", enum: shape.names };
    case "either":
      return { oneOf: shape.of.map(inner) };
    case "variants":
      return { oneOf: Object.entries(shape.of).map(([name, of]) => variantOf(name, inner(of))) };
    case "kinds":
      return { oneOf: Object.entries(shape.of).map(([kind, of]) => kindOf(shape.member, kind, inner(of))) };
    case "struct":
      return style.refer?.(shape) ?? recordSchema(shape, style);
  }
}

/** The schema of a record itself, wherever it may be printed. */
export function recordSchema({ name, fields }: Record_, style: SchemaStyle): JsonSchema {
  const names = Object.keys(fields);
  const required = names.filter((member) => style.complete || !("absent" in (fields[member] ?? {})));
  const properties = Object.entries(fields).map(([member, field]) => {
    const description = style.describe?.(name, member);
    const bytes = style.idBytes?.(name, member);
    return [member, described(bytes === undefined ? schemaOf(field, style) : idOf(field, bytes, style), description)];
  });
  return { type: "object", properties: Object.fromEntries(properties), ...(required.length > 0 && { required }) };
}

/** The schema of a member that is an id, or that names a record of one of several kinds by its id. */
function idOf(field: Pick<Schema<unknown>, "shape">, bytes: number, style: SchemaStyle): JsonSchema {
  if (field.shape.type === "variants") {
    const kinds = Object.entries(field.shape.of);
    return { oneOf: kinds.map(([name, of]) => variantOf(name, idOf(of, bytes, style))) };
  }
  if (field.shape.type !== "text") return schemaOf(field, style);
  return { ...schemaOf(sized(field as Schema<unknown>, { bytes }), style), pattern: ID_PATTERN };
}

/** A schema with what it means; beside a reference nothing else may stand. */
export function described(schema: JsonSchema, description: string | undefined): JsonSchema {
  if (description === undefined) return schema;
  return "$ref" in schema ? { description, allOf: [schema] } : { description, ...schema };
}

/** At least one character, and no control character. Source: protocol 01 §15 W12. */
const ID_PATTERN = "^[^\\u0000-\\u001f\\u007f-\\u009f]+$";
/** The same for free text, which decodes everywhere as it always did. Source: protocol 02 I.1. */
const FREE_TEXT_PATTERN = "^[^\\u0000-\\u001f\\u007f]+$";
/** Base58 of 32 bytes, as far as a pattern tells. */
const KEY_PATTERN = "^[1-9A-HJ-NP-Za-km-z]{32,44}$";
/** Forms that are checked while a payload is read; peer ids and signatures fail only when they are verified. */
const PATTERNS: Partial<Readonly<Record<TextForm, string>>> = {
  "public-key": KEY_PATTERN,
  mint: KEY_PATTERN,
  cid: "^b[a-z2-7]{58}$",
  "payment-method": FREE_TEXT_PATTERN,
  location: "^https?://[\\x21-\\x7e]+$",
};

const LARGEST = { 8: 255, 16: 65_535, 32: 4_294_967_295 } as const;

/** 64 bits are more than a double holds: their bound is a text. */
function rangeOf({ bits, signed, range }: Integer): JsonSchema {
  if (signed) return { minimum: -2_147_483_648, maximum: 2_147_483_647 };
  if (bits === 64) return { minimum: 0, format: "uint64", "x-maximum": "18446744073709551615" };
  return { minimum: range?.least ?? 0, maximum: range?.most ?? LARGEST[bits] };
}

function lengthOf(shape: Extract<Shape, { readonly type: "bytes" }>, style: SchemaStyle): JsonSchema {
  return shape.length === null ? sizeOf(shape, style) : { minItems: shape.length, maxItems: shape.length };
}

/** JSON Schema counts code points, of which a text never has more than bytes. */
function sizeOf({ size }: { readonly size?: Size }, { sizes }: SchemaStyle): JsonSchema {
  if (size === undefined || sizes !== true) return {};
  if ("items" in size) return { maxItems: size.items };
  return "points" in size ? { maxLength: size.points } : { maxLength: size.bytes, "x-maxBytes": size.bytes };
}

/** What a text is, and what it looks like where every reader holds it to that. */
function formOf(form: TextForm): JsonSchema {
  if (form === "plain") return {};
  const pattern = PATTERNS[form];
  return { format: form, ...(pattern !== undefined && { pattern }) };
}

function variantOf(name: string, schema: JsonSchema): JsonSchema {
  return { type: "object", properties: { [name]: schema }, required: [name], additionalProperties: false };
}

/** A form of several that a member tells apart. */
function kindOf(member: string, kind: string, schema: JsonSchema): JsonSchema {
  return "$ref" in schema ? { allOf: [schema, { properties: { [member]: { const: kind } } }] } : schema;
}
