/**
 * What a value of a schema is an example of: one fold over `schema.shape`, so that a new record or payload type is
 * classified, and its labels demanded, the moment it is declared. Every label names its place: "note absent",
 * "side Buy", "entries longer than ten". Source: DESIGN "Shape of the code".
 */
import type { Schema, Shape } from "../../core/kernel/schema.ts";
import { decodeJson, TRANSCRIPT, TRANSCRIPT_ECMASCRIPT } from "../../core/kernel/schema.ts";
import { utf8 } from "../../core/kernel/text.ts";

/** Longest text and longest bytes whose length stands in one byte (protocol 01 §9.2). */
const ONE_BYTE_LENGTH_MAX = 127;

/** Cases that are classified, and how many of them must be expected to bear a label for it to be demanded. */
const SAMPLE = 120;
const EXPECTED_MIN = 6;

/** How often a generator gives each label at the least; measured shares lie above. */
const CHANCE = {
  absent: 0.1,
  empty: 0.06,
  "longer than ten": 0.1,
  "minus zero": 0.05,
  "spelled in two ways": 0.1,
  "at its least": 0.05,
  "at its greatest": 0.05,
  "longer than 127 bytes": 0.05,
  "beyond sixteen bits": 0.1,
  "with quotes or controls": 0.05,
} as const;
type Kind = keyof typeof CHANCE;

/** One place in one shape: what a value there may be an example of, and how often at least. */
type Found = (label: string, chance: number) => void;

/** What a plan of a property over one schema says of its classes. */
export interface ShapePlan {
  readonly classes: (value: unknown, ...rest: readonly unknown[]) => readonly string[];
  readonly shares: Readonly<Record<string, number>>;
  readonly sample: number;
}

/** Classes of a schema's values, with the demand that every label which some must bear is borne. */
export function shapePlan(schema: Schema<unknown>): ShapePlan {
  const demanded = [...labelsOf(schema)].filter(([, chance]) => chance * SAMPLE >= EXPECTED_MIN);
  const shares = Object.fromEntries(demanded.map(([label, chance]) => [label, chance / 8]));
  return { classes: (value) => shapeClasses(schema, value), shares, sample: SAMPLE };
}

/** Every label that some value of a schema bears, with the least chance that a generated one does. */
export function labelsOf(schema: Schema<unknown>): ReadonlyMap<string, number> {
  const chances = new Map<string, number>();
  expected(schema, "", 1, (label, chance) => chances.set(label, (chances.get(label) ?? 0) + chance));
  return chances;
}

function expected(schema: Schema<unknown>, at: string, here: number, found: Found): void {
  const { shape } = schema;
  const report = (kind: Kind) => found(labelAt(at, kind), here * CHANCE[kind]);
  const inner = (of: Schema<unknown>, place: string, chance: number) => expected(of, place, here * chance, found);
  switch (shape.type) {
    case "text":
      for (const [kind, example] of examples) if (shape.form === "plain" && keeps(schema, example)) report(kind);
      return;
    case "integer":
      report("at its least");
      return report("at its greatest");
    case "float":
      report("minus zero");
      return report("spelled in two ways");
    case "bytes":
      if (shape.length === null) for (const kind of ["empty", "longer than 127 bytes"] as const) report(kind);
      return;
    case "boolean":
      for (const value of ["true", "false"]) found(labelAt(at, value), here * 0.4);
      return;
    case "nothing":
      return found(labelAt(at, "nothing"), here);
    case "option":
      report("absent");
      return inner(shape.of, at, 0.7);
    case "list":
      report("empty");
      if (!at.includes("[]")) report("longer than ten");
      return inner(shape.of, `${at}[]`, 0.6);
    case "pair":
      inner(shape.first, `${at}.0`, 1);
      return inner(shape.second, `${at}.1`, 1);
    case "struct":
      for (const [name, field] of Object.entries(shape.fields)) inner(field, under(at, name), 1);
      return;
    case "enumeration":
      for (const name of shape.names) found(labelAt(at, name), here / shape.names.length);
      return;
    case "either":
      for (const [place, of] of shape.of.entries()) inner(of, `${at}|${place}`, 1 / shape.of.length);
      return;
    case "variants":
    case "kinds":
      for (const [name, of] of Object.entries(shape.of)) {
        const chance = 1 / Object.keys(shape.of).length;
        found(labelAt(at, name), here * chance);
        inner(of, under(at, name), chance);
      }
  }
}

/** The labels of one value. */
export function shapeClasses(schema: Schema<unknown>, value: unknown): readonly string[] {
  const labels = new Set<string>();
  borne(schema, value, "", (label) => void labels.add(label));
  return [...labels];
}

function borne(schema: Schema<unknown>, value: unknown, at: string, found: (label: string) => void): void {
  const { shape } = schema;
  const report = (kind: Kind, whether: boolean) => whether && found(labelAt(at, kind));
  switch (shape.type) {
    case "text": {
      if (shape.form !== "plain") return;
      const text = value as string;
      report("empty", text === "");
      report("longer than 127 bytes", utf8(text).length > ONE_BYTE_LENGTH_MAX);
      report("beyond sixteen bits", [...text].length < text.length);
      report("with quotes or controls", JSON.stringify(text).length > text.length + 2);
      return;
    }
    case "integer": {
      const { least, most } = boundsOf(shape);
      report("at its least", BigInt(value as bigint | number) === least);
      report("at its greatest", BigInt(value as bigint | number) === most);
      return;
    }
    case "float":
      report("minus zero", Object.is(value, -0));
      report("spelled in two ways", schema.write(value, TRANSCRIPT) !== schema.write(value, TRANSCRIPT_ECMASCRIPT));
      return;
    case "bytes": {
      const { length } = value as Uint8Array;
      report("empty", length === 0);
      report("longer than 127 bytes", length > ONE_BYTE_LENGTH_MAX);
      return;
    }
    case "boolean":
    case "enumeration":
      return found(labelAt(at, String(value)));
    case "nothing":
      return found(labelAt(at, "nothing"));
    case "option":
      report("absent", value === null);
      if (value !== null) borne(shape.of, value, at, found);
      return;
    case "list": {
      const items = value as readonly unknown[];
      report("empty", items.length === 0);
      report("longer than ten", items.length > 10);
      for (const item of items) borne(shape.of, item, `${at}[]`, found);
      return;
    }
    default:
      for (const [of, part, place] of partsOf(shape, value, at, found)) borne(of, part, place, found);
  }
}

type Composite = Extract<Shape, { readonly type: "pair" | "struct" | "either" | "variants" | "kinds" }>;
type Part = readonly [of: Schema<unknown>, part: unknown, place: string];

/** The parts that a value of several has, each at its place. */
function partsOf(shape: Composite, value: unknown, at: string, found: (label: string) => void): readonly Part[] {
  const record = value as Readonly<Record<string, unknown>>;
  switch (shape.type) {
    case "pair":
      return [
        [shape.first, record[0], `${at}.0`],
        [shape.second, record[1], `${at}.1`],
      ];
    case "struct":
      return Object.entries(shape.fields).map(([name, of]) => [of, record[name], under(at, name)]);
    case "either":
      return shape.of.flatMap((of, place): Part[] => (fits(of.shape, value) ? [[of, value, `${at}|${place}`]] : []));
    case "variants":
      return Object.entries(shape.of).flatMap(([name, of]): Part[] => {
        if (!Object.hasOwn(record, name)) return [];
        found(labelAt(at, name));
        return [[of, record[name], under(at, name)]];
      });
    case "kinds":
      return Object.entries(shape.of).flatMap(([name, of]): Part[] => {
        if (!fits(of.shape, value) || !Object.values(record).includes(name)) return [];
        found(labelAt(at, name));
        return [[of, value, under(at, name)]];
      });
  }
}

/** Whether a value is of one of several shapes rather than of the others. */
function fits(shape: Shape, value: unknown): boolean {
  switch (shape.type) {
    case "struct":
      return typeof value === "object" && Object.keys(value ?? {}).join() === Object.keys(shape.fields).join();
    case "variants":
      return typeof value === "object" && Object.keys(value ?? {}).every((name) => Object.hasOwn(shape.of, name));
    case "list":
      return Array.isArray(value);
    case "text":
    case "enumeration":
      return typeof value === "string";
    default:
      return false;
  }
}

/** Texts that stand for a label: where a schema takes none of them, the label is not demanded. */
const examples = [
  ["empty", ""],
  ["longer than 127 bytes", "a".repeat(ONE_BYTE_LENGTH_MAX + 1)],
  ["beyond sixteen bits", "\u{1f600}"],
  ["with quotes or controls", '"'],
] as const satisfies readonly (readonly [Kind, string])[];

function keeps(schema: Schema<unknown>, text: string): boolean {
  const decoded = decodeJson(schema, text);
  return decoded.ok && decoded.value.value === text;
}

function boundsOf({ bits, signed, range }: Extract<Shape, { type: "integer" }>): { least: bigint; most: bigint } {
  if (range !== undefined) return { least: BigInt(range.least), most: BigInt(range.most) };
  const half = 1n << BigInt(bits - 1);
  return signed ? { least: -half, most: half - 1n } : { least: 0n, most: 2n * half - 1n };
}

function under(at: string, name: string): string {
  return at === "" ? name : `${at}.${name}`;
}

function labelAt(at: string, what: string): string {
  return at === "" ? what : `${at} ${what}`;
}
