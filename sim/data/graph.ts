/**
 * Values as bytes and back, whole graphs of them: what was one object is one object again, rings among them. Plain
 * objects, arrays, maps, sets, byte arrays, numbers, big integers, texts, booleans, null and undefined are values;
 * whatever else is met must have a name that both sides know (a wallet, a signed type), or there are no bytes.
 * Equal graphs have equal bytes. Nothing here recurses: a graph may be as deep as it likes.
 *
 *   bytes   = texts ‖ objects ‖ value ‖ members …
 *   texts   = count ‖ text …            every text and every list of member names, once
 *   objects = count ‖ kind …            by number, a byte array with its content
 *   members = of each object in turn: values in place, and numbers of other objects
 *
 * Source: DESIGN section 5 "Everything is data".
 */
import type { ByteSink } from "../../adapters/recording/byte-sink.ts";
import { createByteSink, putByte, putBytes, putNumber, putText } from "../../adapters/recording/byte-sink.ts";
import type { ByteSource } from "../../adapters/recording/byte-source.ts";
import {
  BytesDefect,
  byteSource,
  bytesLeft,
  takeByte,
  takeBytes,
  takeCount,
  takeNumber,
  takeText,
} from "../../adapters/recording/byte-source.ts";

/** Things that are no values and stand by a name in a graph. */
export interface Named {
  readonly nameOf: (thing: object) => string | undefined;
  readonly byName: (name: string) => object | undefined;
}

/** How a value in place begins. */
const Tag = {
  undefined: 0,
  null: 1,
  false: 2,
  true: 3,
  number: 4,
  big: 5,
  negativeBig: 6,
  text: 7,
  units: 8,
  object: 9,
  named: 10,
};
/** What an object is. */
const Kind = { record: 0, list: 1, map: 2, set: 3, bytes: 4 };

interface Writer {
  readonly named: Named;
  readonly texts: Map<string, number>;
  readonly objects: Map<object, number>;
  readonly kinds: number[];
  readonly bodies: ByteSink;
}

/** The bytes of a value and of all that it leads to. Throws a `TypeError` that says where something has none. */
export function encodeGraph(value: unknown, named: Named): Uint8Array {
  const writer: Writer = {
    ...{ named, texts: new Map(), objects: new Map(), kinds: [] },
    bodies: createByteSink(1 << 16),
  };
  putValue(writer, value, "");
  // A map goes on through what is added to it meanwhile.
  for (const [object, number] of writer.objects) putBody(writer, object, writer.kinds[number] as number);
  const sink = createByteSink(1 << 16);
  putNumber(sink, writer.texts.size);
  for (const text of writer.texts.keys()) putText(sink, text);
  putNumber(sink, writer.kinds.length);
  for (const [object, number] of writer.objects) {
    putByte(sink, writer.kinds[number] as number);
    if (object instanceof Uint8Array) putBytes(sink, object);
  }
  return Buffer.concat([sink.buffer.subarray(0, sink.length), writer.bodies.buffer.subarray(0, writer.bodies.length)]);
}

function putValue(writer: Writer, value: unknown, path: string): void {
  const { bodies } = writer;
  switch (typeof value) {
    case "undefined":
      return putByte(bodies, Tag.undefined);
    case "boolean":
      return putByte(bodies, value ? Tag.true : Tag.false);
    case "number":
      putByte(bodies, Tag.number);
      return putNumber(bodies, value);
    case "bigint":
      putByte(bodies, value < 0n ? Tag.negativeBig : Tag.big);
      return putText(bodies, (value < 0n ? -value : value).toString(16));
    case "string":
      // Halves of a surrogate pair on their own have no UTF-8.
      if (!writer.texts.has(value) && /\p{Surrogate}/u.test(value)) {
        putByte(bodies, Tag.units);
        return putBytes(bodies, Buffer.from(value, "utf16le"));
      }
      putByte(bodies, Tag.text);
      return putNumber(bodies, textNumber(writer, value));
    case "object":
      return value === null ? putByte(bodies, Tag.null) : putObject(writer, value, path);
    default:
      throw new TypeError(`a ${typeof value} is no value, at ${path || "its top"}`);
  }
}

function putObject(writer: Writer, object: object, path: string): void {
  const { bodies, objects, kinds, named } = writer;
  const known = objects.get(object);
  const name = known === undefined ? named.nameOf(object) : undefined;
  if (name !== undefined) {
    putByte(bodies, Tag.named);
    return putNumber(bodies, textNumber(writer, name));
  }
  putByte(bodies, Tag.object);
  if (known !== undefined) return putNumber(bodies, known);
  const kind = kindOf(object);
  if (kind === undefined) {
    throw new TypeError(
      `${object.constructor?.name ?? "a thing"} is no value and has no name, at ${path || "its top"}`,
    );
  }
  putNumber(bodies, objects.size);
  objects.set(object, objects.size);
  kinds.push(kind);
}

function kindOf(object: object): number | undefined {
  if (Array.isArray(object)) return Kind.list;
  if (object instanceof Map) return Kind.map;
  if (object instanceof Set) return Kind.set;
  if (object instanceof Uint8Array) return Kind.bytes;
  const prototype: unknown = Object.getPrototypeOf(object);
  return prototype === Object.prototype || prototype === null ? Kind.record : undefined;
}

function putBody(writer: Writer, object: object, kind: number): void {
  const { bodies } = writer;
  switch (kind) {
    case Kind.list: {
      const list = object as readonly unknown[];
      putNumber(bodies, list.length);
      for (const [place, item] of list.entries()) putValue(writer, item, `[${place}]`);
      return;
    }
    case Kind.map: {
      const map = object as ReadonlyMap<unknown, unknown>;
      putNumber(bodies, map.size);
      for (const [key, item] of map) {
        putValue(writer, key, "a key of a map");
        putValue(writer, item, typeof key === "string" ? key : "a map");
      }
      return;
    }
    case Kind.set: {
      const set = object as ReadonlySet<unknown>;
      putNumber(bodies, set.size);
      for (const item of set) putValue(writer, item, "a set");
      return;
    }
    case Kind.record:
      putRecord(writer, object as Readonly<Record<string, unknown>>);
  }
}

function putRecord(writer: Writer, record: Readonly<Record<string, unknown>>): void {
  const names = Object.keys(record);
  putNumber(writer.bodies, textNumber(writer, JSON.stringify(names)));
  for (const name of names) putValue(writer, record[name], name);
}

function textNumber({ texts }: Writer, text: string): number {
  const known = texts.get(text);
  if (known !== undefined) return known;
  texts.set(text, texts.size);
  return texts.size - 1;
}

interface Reader {
  readonly source: ByteSource;
  readonly texts: readonly string[];
  readonly shapes: Map<number, readonly string[]>;
  readonly objects: readonly object[];
  readonly named: Named;
}

/** The value that some bytes hold. Throws `BytesDefect` when they are not what `encodeGraph` wrote. */
export function decodeGraph(bytes: Uint8Array, named: Named): unknown {
  const source = byteSource(bytes);
  const texts = Array.from({ length: takeCount(source, bytesLeft(source)) }, () => takeText(source));
  const objects = Array.from({ length: takeCount(source, bytesLeft(source)) }, () => takeShell(source));
  const reader: Reader = { source, texts, shapes: new Map(), objects, named };
  const value = takeValue(reader);
  for (const object of objects) takeBody(reader, object);
  if (bytesLeft(source) > 0) throw new BytesDefect("something follows the last value");
  return value;
}

/** An object before its members are known. */
function takeShell(source: ByteSource): object {
  const kind = takeByte(source);
  if (kind === Kind.record) return {};
  if (kind === Kind.list) return [];
  if (kind === Kind.map) return new Map();
  if (kind === Kind.set) return new Set();
  if (kind === Kind.bytes) return takeBytes(source);
  throw new BytesDefect(`nothing is of the kind ${kind}`);
}

function takeBody(reader: Reader, object: object): void {
  const { source } = reader;
  if (object instanceof Uint8Array) return;
  if (Array.isArray(object)) {
    const length = takeCount(source, bytesLeft(source));
    for (let n = 0; n < length; n++) object.push(takeValue(reader));
  } else if (object instanceof Map) {
    const size = takeCount(source, bytesLeft(source));
    for (let n = 0; n < size; n++) object.set(takeValue(reader), takeValue(reader));
  } else if (object instanceof Set) {
    const size = takeCount(source, bytesLeft(source));
    for (let n = 0; n < size; n++) object.add(takeValue(reader));
  } else takeMembers(reader, object as Record<string, unknown>);
}

function takeMembers(reader: Reader, record: Record<string, unknown>): void {
  for (const name of takeShape(reader)) record[name] = takeValue(reader);
}

/** The names of a record's members. */
function takeShape({ source, texts, shapes }: Reader): readonly string[] {
  const number = takeCount(source, texts.length);
  const known = shapes.get(number);
  if (known !== undefined) return known;
  const names = namesIn(texts[number]);
  shapes.set(number, names);
  return names;
}

function namesIn(text: string | undefined): readonly string[] {
  try {
    const names: unknown = JSON.parse(text ?? "");
    const fits = (name: unknown) => typeof name === "string" && name !== "__proto__";
    if (Array.isArray(names) && names.every(fits)) return names as readonly string[];
  } catch {
    // What is no JSON names nothing either.
  }
  throw new BytesDefect("a text is no list of names");
}

function takeValue(reader: Reader): unknown {
  const { source, texts, objects, named } = reader;
  const tag = takeByte(source);
  switch (tag) {
    case Tag.undefined:
      return undefined;
    case Tag.null:
      return null;
    case Tag.false:
      return false;
    case Tag.true:
      return true;
    case Tag.number:
      return takeNumber(source);
    case Tag.big:
      return bigOf(takeText(source));
    case Tag.negativeBig:
      return -bigOf(takeText(source));
    case Tag.text:
      return one(texts, takeNumber(source), "text");
    case Tag.units:
      return Buffer.from(takeBytes(source)).toString("utf16le");
    case Tag.object:
      return one(objects, takeNumber(source), "object");
    case Tag.named: {
      const name = one(texts, takeNumber(source), "name");
      const thing = named.byName(name);
      if (thing === undefined) throw new BytesDefect(`nothing is called ${name}`);
      return thing;
    }
    default:
      throw new BytesDefect(`no value begins with ${tag}`);
  }
}

function one<T>(list: readonly T[], number: number, what: string): T {
  const found = list[number];
  if (found === undefined) throw new BytesDefect(`there is no ${what} ${number}`);
  return found;
}

function bigOf(digits: string): bigint {
  if (!/^[0-9a-f]+$/.test(digits)) throw new BytesDefect("a number has other digits than its own");
  return BigInt(`0x${digits}`);
}
