/**
 * Composite schemas: options, lists, pairs, structs, tagged variants, and the redacted view of a struct.
 * Source: protocol 01 §2.2 (canonical form), §2.5 (tolerance), §9.2 (bytes).
 */

import type { CompactReader, CompactWriter } from "./compact.ts";
import type { Json, JsonObject } from "./json.ts";
import { isList, isObject } from "./json.ts";
import type { Decoder, Infer, JsonStyle, Schema } from "./schema.ts";
import { compareText } from "./text.ts";

/** The fields of a record by name, in the order of the protocol. */
// biome-ignore lint/suspicious/noExplicitAny: a field may hold any type; `Infer` recovers it
export type Fields = Readonly<Record<string, Schema<any>>>;
/** The record that fields describe. */
export type RecordOf<F extends Fields> = { readonly [K in keyof F]: Infer<F[K]> };

export interface Struct<F extends Fields> extends Schema<RecordOf<F>> {
  readonly name: string;
  readonly fields: F;
}

/** A redacted view: only the named fields, taken from a full record. */
export interface View<F extends Fields> extends Struct<F> {
  readonly of: (record: RecordOf<F>) => RecordOf<F>;
}

/** A value or `null`; an absent member is `null`. */
export function option<T>(of: Schema<T>): Schema<T | null> {
  return {
    shape: { type: "option", of: of as Schema<unknown> },
    absent: null,
    ...(of.floats && { floats: true }),
    decode: (node, decoder) => (node === null ? null : of.decode(node, decoder)),
    write: (value, style) => (value === null ? "null" : of.write(value, style)),
    encode(value, writer) {
      writer.byte(value === null ? 0 : 1);
      if (value !== null) of.encode(value, writer);
    },
    read(reader) {
      const present = reader.byte();
      if (present > 1) reader.fail();
      return present === 1 ? of.read(reader) : null;
    },
  };
}

/** Any number of values, one after another. */
export function list<T>(of: Schema<T>): Schema<readonly T[]> {
  return {
    shape: { type: "list", of: of as Schema<unknown> },
    ...(of.floats && { floats: true }),
    decode(node, decoder) {
      if (isList(node)) return node.map((item) => of.decode(item, decoder));
      decoder.fail("expected a list");
      return [];
    },
    write(value, style) {
      const texts: string[] = [];
      let left = style.lengthMax ?? Number.MAX_SAFE_INTEGER;
      for (const item of value) {
        const text = of.write(item, style);
        texts.push(text);
        left -= text.length + 1;
        // Too long already, as the length tells whoever asked for the text; all of it might be no text any more.
        if (left < 0) break;
      }
      return `[${texts.join(",")}]`;
    },
    encode(value, writer) {
      writer.varint(value.length);
      for (const item of value) of.encode(item, writer);
    },
    read(reader) {
      const items: T[] = [];
      for (let left = reader.count(1); left > 0 && !reader.failed(); left--) items.push(of.read(reader));
      // A list that grew keeps room for sixteen more.
      return items.slice();
    },
  };
}

/** A list, or in its place one object. In compact form the object is marked by a 1. */
export function listOr<T, F extends Fields>(items: Schema<T>, other: Struct<F>): Schema<readonly T[] | RecordOf<F>> {
  const several = list(items);
  const isSeveral = (value: readonly T[] | RecordOf<F>): value is readonly T[] => Array.isArray(value);
  return {
    shape: { type: "either", of: [several, other] as unknown as readonly Schema<unknown>[] },
    ...((items.floats || other.floats) && { floats: true }),
    decode: (node, decoder) => (isList(node) ? several : other).decode(node, decoder),
    write: (value, style) => (isSeveral(value) ? several.write(value, style) : other.write(value, style)),
    encode(value, writer) {
      writer.byte(isSeveral(value) ? 0 : 1);
      if (isSeveral(value)) several.encode(value, writer);
      else other.encode(value, writer);
    },
    read: (reader) => (reader.byte() === 0 ? several : other).read(reader),
  };
}

/** A two-element array. */
export function pair<A, B>(first: Schema<A>, second: Schema<B>): Schema<readonly [A, B]> {
  return {
    shape: { type: "pair", first: first as Schema<unknown>, second: second as Schema<unknown> },
    ...((first.floats || second.floats) && { floats: true }),
    decode(node, decoder) {
      const items = isList(node) && node.length === 2 ? node : undefined;
      if (items === undefined) decoder.fail("expected a pair");
      return [first.decode(items?.[0] ?? null, decoder), second.decode(items?.[1] ?? null, decoder)];
    },
    write: (value, style) => `[${first.write(value[0], style)},${second.write(value[1], style)}]`,
    encode(value, writer) {
      first.encode(value[0], writer);
      second.encode(value[1], writer);
    },
    read: (reader) => [first.read(reader), second.read(reader)],
  };
}

/** An object with these members; declaration order is the order of signed and compact bytes. */
export function struct<const F extends Fields>(name: string, fields: F): Struct<F> {
  const names = Object.keys(fields);
  const memberOf = (key: string) => ({ key, head: `${JSON.stringify(key)}:`, schema: fields[key] as Schema<unknown> });
  const declared = names.map(memberOf);
  const sorted = [...names].sort(compareText).map(memberOf);
  const entries = names.map((key) => [key, fields[key] as Schema<unknown>] as const);
  const floats = entries.some(([, schema]) => schema.floats);
  return {
    name,
    fields,
    shape: { type: "struct", name, fields },
    ...(floats && { floats: true }),
    decode: (node, decoder) => decodeStruct(name, entries, node, decoder) as RecordOf<F>,
    write(value, style) {
      const record = value as Readonly<Record<string, unknown>>;
      let text = "";
      for (const { key, head, schema } of style.order === "sorted" ? sorted : declared) {
        const member = record[key];
        // In order, not beforehand: empty members are numbered through the records inside, too.
        if (style.leavesOut !== undefined && isEmpty(schema, member) && style.leavesOut()) continue;
        text += `${text === "" ? "" : ","}${head}${schema.write(member, style)}`;
      }
      return `{${text}}`;
    },
    encode(value, writer) {
      const record = value as Readonly<Record<string, unknown>>;
      for (const [key, schema] of entries) schema.encode(record[key], writer);
    },
    read(reader) {
      const record: Record<string, unknown> = {};
      for (const [key, schema] of entries) record[key] = schema.read(reader);
      return record as RecordOf<F>;
    },
  };
}

/** One of several named forms, spelled `{"Name": value}`; compact order is declaration order. */
export function variants<const F extends Fields>(
  forms: F,
): Schema<{ [K in keyof F]: { readonly [P in K]: Infer<F[K]> } }[keyof F]> {
  type Value = { [K in keyof F]: { readonly [P in K]: Infer<F[K]> } }[keyof F];
  const names = Object.keys(forms);
  const floats = names.some((name) => forms[name]?.floats);
  const formOf = (value: Value): [string, Schema<unknown>, unknown] => {
    const name = names.find((candidate) => candidate in (value as object)) ?? "";
    return [name, forms[name] as Schema<unknown>, (value as Readonly<Record<string, unknown>>)[name]];
  };
  return {
    shape: { type: "variants", of: forms },
    ...(floats && { floats: true }),
    decode(node, decoder) {
      const [name, inner] = singleMember(node);
      const schema = name !== undefined && names.includes(name) ? forms[name] : undefined;
      if (name === undefined || schema === undefined || inner === undefined) {
        decoder.fail(`expected an object with one of ${names.join(", ")}`);
        return {} as Value;
      }
      return { [name]: schema.decode(inner, decoder) } as Value;
    },
    write(value, style) {
      const [name, schema, inner] = formOf(value);
      return `{${JSON.stringify(name)}:${schema.write(inner, style)}}`;
    },
    encode(value, writer: CompactWriter) {
      const [name, schema, inner] = formOf(value);
      writer.varint(names.indexOf(name));
      schema.encode(inner, writer);
    },
    read(reader: CompactReader) {
      const name = names[Number(reader.varint(32))];
      const schema = name === undefined ? undefined : forms[name];
      if (name === undefined || schema === undefined) {
        reader.fail();
        return {} as Value;
      }
      return { [name]: schema.read(reader) } as Value;
    },
  };
}

/** One of several structs, told apart by their own member `kind`; compact order is declaration order. */
export function kinds<T extends { readonly kind: string }>(forms: FormsBy<"kind", T>): Schema<T> {
  return toldApartBy<"kind", T>("kind", forms);
}

type FormsBy<M extends string, T extends { readonly [K in M]: string }> = {
  readonly [K in T[M]]: Schema<Extract<T, { readonly [L in M]: K }>>;
};

/** One of several structs, told apart by a member of theirs; compact order is declaration order. */
export function toldApartBy<const M extends string, T extends { readonly [K in M]: string }>(
  member: M,
  forms: FormsBy<M, T>,
): Schema<T> {
  const names = Object.keys(forms) as unknown as readonly T[M][];
  const form = (name: T[M] | undefined) => (name === undefined ? undefined : (forms[name] as unknown as Schema<T>));
  const floats = names.some((name) => form(name)?.floats);
  return {
    shape: { type: "kinds", member, of: forms as unknown as Readonly<Record<string, Schema<unknown>>> },
    ...(floats && { floats: true }),
    decode(node, decoder) {
      const named = isObject(node) ? node.members.get(member) : undefined;
      const schema = form(names.find((name) => name === named));
      if (schema === undefined) decoder.fail(`expected an object whose ${member} is one of ${names.join(", ")}`);
      return schema?.decode(node, decoder) ?? ({ [member]: "" } as T);
    },
    write: (value, style) => form(value[member])?.write(value, style) ?? "null",
    encode(value, writer) {
      writer.varint(names.indexOf(value[member]));
      form(value[member])?.encode(value, writer);
    },
    read(reader) {
      const schema = form(names[Number(reader.varint(32))]);
      if (schema === undefined) reader.fail();
      return schema?.read(reader) ?? ({ [member]: "" } as T);
    },
  };
}

/** The view of a record that a stranger may read: an allow-list, so a new field stays hidden until named. */
export function reveal<F extends Fields, const K extends readonly (keyof F & string)[]>(
  name: string,
  of: Struct<F>,
  ...shown: K
): View<Pick<F, K[number]>> {
  const fields = Object.fromEntries(shown.map((key) => [key, of.fields[key]])) as unknown as Pick<F, K[number]>;
  return {
    ...struct(name, fields),
    of: (record) => Object.fromEntries(shown.map((key) => [key, record[key]])) as RecordOf<Pick<F, K[number]>>,
  };
}

/** Two records in one answer: the members of both. */
export function extend<F extends Fields, const G extends Fields>(name: string, of: Struct<F>, more: G): Struct<F & G> {
  return struct(name, { ...of.fields, ...more });
}

/** JSON text of a value, laid out as asked. */
export function writeJson<T>(schema: Schema<T>, value: T, style: JsonStyle): string {
  return schema.write(value, style);
}

function decodeStruct(
  name: string,
  entries: readonly (readonly [string, Schema<unknown>])[],
  node: Json,
  decoder: Decoder,
): Record<string, unknown> {
  const record: Record<string, unknown> = {};
  const members = membersOf(name, entries, node, decoder);
  let at = "";
  const inside = within(decoder, () => at);
  for (const [key, schema] of entries) {
    const member = members?.get(key);
    if (member !== undefined) {
      at = key;
      record[key] = schema.decode(member, inside);
      if (isEmpty(schema, record[key])) decoder.empty(false);
    } else if ("absent" in schema) {
      record[key] = schema.absent;
      if (isEmpty(schema, schema.absent)) decoder.empty(true);
    } else {
      decoder.fail(`missing field \`${key}\``);
    }
  }
  return record;
}

/** Whether a member is an option without a value, which signers write `null` or leave out. */
function isEmpty(schema: Schema<unknown> | undefined, value: unknown): boolean {
  return value === null && schema?.shape.type === "option";
}

/** A decoder whose reasons name the member that is read at the time. */
function within(decoder: Decoder, member: () => string): Decoder {
  const named = (reason: string) => (reason.startsWith("missing") ? reason : `${member()}: ${reason}`);
  return {
    fail: (reason) => decoder.fail(named(reason)),
    failed: decoder.failed,
    taint: decoder.taint,
    depart: (reason) => decoder.depart(named(reason)),
    empty: decoder.empty,
  };
}

/** Members by name; a list gives them by position (protocol 01 §2.5). */
function membersOf(
  name: string,
  entries: readonly (readonly [string, Schema<unknown>])[],
  node: Json,
  decoder: Decoder,
): ReadonlyMap<string, Json> | undefined {
  if (isList(node) && node.length === entries.length) {
    return new Map(entries.map(([key], i) => [key, node[i] ?? null]));
  }
  if (!isObject(node)) {
    decoder.fail(`expected ${name}, an object`);
    return undefined;
  }
  if (node.duplicate !== undefined) decoder.fail(`duplicate field \`${node.duplicate}\``);
  return node.members;
}

function singleMember(node: Json): [string | undefined, Json | undefined] {
  const object: JsonObject | undefined = isObject(node) ? node : undefined;
  if (object === undefined || object.members.size !== 1 || object.duplicate !== undefined)
    return [undefined, undefined];
  for (const [name, inner] of object.members) return [name, inner];
  return [undefined, undefined];
}
