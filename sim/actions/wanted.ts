/**
 * What a reader wants a record to show: members with the values that they must have, or with what such a value is like.
 * Source: DESIGN section 5 "Everything is data".
 */
import type { Schema } from "../../core/index.ts";
import { bool, enumeration, isObject, Text, u32 } from "../../core/index.ts";
import { toldApartBy } from "../../core/testing.ts";
import type { PlainValue } from "../data/open.ts";
import { AnyValue, openRecord } from "../data/open.ts";
import { may, plain } from "../data/optional.ts";

/** What a value is like, where nobody can know the value itself beforehand. */
export type Matcher =
  /** The signature of a transaction. */
  | { readonly matches: "signature" }
  /** A number between two bounds; `orNone` also takes none at all. */
  | { readonly matches: "range"; readonly least?: number; readonly most?: number; readonly orNone?: boolean }
  /** A list of so many. */
  | { readonly matches: "length"; readonly length: number };

/** A value that a member must have, or what it must be like. */
export type WantedValue = null | boolean | number | string | readonly PlainValue[] | Matcher;

/** Members with the values that they must have; the others are nobody's business. */
export type Wanted = Readonly<Record<string, WantedValue>>;

const matcherForms = {
  signature: plain("signature", { matches: enumeration("signature") }),
  range: plain("range", { matches: enumeration("range"), least: may(u32), most: may(u32), orNone: may(bool) }),
  length: plain("length", { matches: enumeration("length"), length: u32 }),
};
const MatcherData: Schema<Matcher> = toldApartBy<"matches", Matcher>("matches", matcherForms);

const valueForms = [bool, u32, Text, MatcherData] as unknown as readonly Schema<unknown>[];
const WantedValueData: Schema<WantedValue> = {
  ...(AnyValue as unknown as Schema<WantedValue>),
  shape: { type: "either", of: valueForms },
  decode: (node, decoder) =>
    isObject(node) ? MatcherData.decode(node, decoder) : (AnyValue.decode(node, decoder) as WantedValue),
};

export const WantedData: Schema<Wanted> = openRecord(WantedValueData);

/** Base58 characters of a signature, at the least that is ever seen. Source: DESIGN "Simulated world". */
const SIGNATURE_CHARACTERS = 81;

/** The first member that is not as wanted. */
export function lacking(shown: Readonly<Record<string, unknown>> | undefined, wanted: Wanted): string | undefined {
  if (shown === undefined) return "no answer";
  for (const [member, value] of Object.entries(wanted)) {
    const is = shown[member];
    if (!isAsWanted(is, value)) return `${member} is ${JSON.stringify(is)}, not ${wantedText(value)}`;
  }
  return undefined;
}

function isAsWanted(value: unknown, wanted: WantedValue): boolean {
  if (!isMatcher(wanted)) return JSON.stringify(value) === JSON.stringify(wanted);
  switch (wanted.matches) {
    case "signature":
      return typeof value === "string" && value.length >= SIGNATURE_CHARACTERS;
    case "range": {
      const { least = 0, most = Number.POSITIVE_INFINITY, orNone = false } = wanted;
      return value === null ? orNone : typeof value === "number" && value >= least && value <= most;
    }
    case "length":
      return Array.isArray(value) && value.length === wanted.length;
  }
}

function wantedText(wanted: WantedValue): string {
  if (!isMatcher(wanted)) return JSON.stringify(wanted);
  switch (wanted.matches) {
    case "signature":
      return "a signature";
    case "range": {
      const { least = 0, most, orNone = false } = wanted;
      const number = most === undefined ? `a number from ${least} on` : `a number from ${least} to ${most}`;
      return orNone ? `${number}, or none` : number;
    }
    case "length":
      return `a list of ${wanted.length}`;
  }
}

function isMatcher(wanted: WantedValue): wanted is Matcher {
  return typeof wanted === "object" && wanted !== null && "matches" in wanted;
}
