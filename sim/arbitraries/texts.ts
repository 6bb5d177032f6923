/**
 * Texts for property tests, one generator for each form that schemas tell apart. Plain text is any well-formed Unicode,
 * with the places where encodings and orders go wrong. Source: protocol 01 §1.1, §1.6, §2.2; 02 G.3, I.1.
 */
import fc from "fast-check";
import { toBase58, toBase64 } from "../../core/index.ts";
import type { TextForm } from "../../core/testing.ts";
import { arbPeerId, arbPublicKey, arbSignatureText } from "./people.ts";

/** What UTF-16 order, JSON escapes, terminals and zero-terminated strings trip over. Source: protocol 01 §2.2. */
const TRICKY = ["", "\u0000", "\u001f", "\u007f", '"', "\\", "/", "\u2028", "\u2029", "\ufeff", "\ufffd", "\uffff"];
const ASTRAL = ["\u{10000}", "\u{1f600}", "\u{10ffff}", "e\u0301", "\u00e9", "\u202e", "\u0130", "\u00df"];
/** Names of members of every JavaScript object. */
const INHERITED = ["__proto__", "constructor", "toString", "hasOwnProperty"];
/**
 * Longest text that is common, and longest of all: its length takes one byte, and more than one. Source: DESIGN
 * "Simulated world".
 */
const PLAIN_LENGTH_MAX = 24;
const LONG_LENGTH_MAX = 300;
const SURROGATES = 0x800;
const BASE32 = "abcdefghijklmnopqrstuvwxyz234567";
/** Version 1, codec raw or dag-pb, SHA-256 of 32 bytes. Source: protocol 02 G.3. */
const CID_HEADS = [Uint8Array.of(1, 0x55, 0x12, 0x20), Uint8Array.of(1, 0x70, 0x12, 0x20)];

const byForm: Readonly<Record<TextForm, () => fc.Arbitrary<string>>> = {
  plain: arbPlainText,
  base64: () => fc.uint8Array({ maxLength: 120, size: "max" }).map(toBase64),
  cid: arbCid,
  location: arbLocation,
  currency: () => fc.stringMatching(/^[A-Z]{3}$/),
  mint: () => arbBytes32().map(toBase58),
  "payment-method": arbPaymentMethod,
  "peer-id": arbPeerId,
  "public-key": arbPublicKey,
  signature: arbSignatureText,
};

/** Generators of text keep nothing and are dear to make, so each is made once. */
const made = new Map<TextForm, fc.Arbitrary<string>>();

/** A text of a form. */
export function arbText(form: TextForm): fc.Arbitrary<string> {
  const known = made.get(form) ?? byForm[form]();
  made.set(form, known);
  return known;
}

/** Any well-formed Unicode text, the empty one included; one in thirteen is long. */
export function arbPlainText(): fc.Arbitrary<string> {
  const piece = fc.constantFrom(...TRICKY, ...ASTRAL);
  const unit = arbCharacter();
  const common = [
    fc.stringMatching(/^[a-z]{1,6}-[0-9]{1,4}$/, { size: "max" }),
    fc.string({ unit, maxLength: PLAIN_LENGTH_MAX, size: "max" }),
    fc.array(piece, { maxLength: 6, size: "max" }).map((pieces) => pieces.join("")),
    fc.constantFrom("", ...INHERITED),
  ].map((arbitrary) => ({ weight: 3, arbitrary }));
  const long = fc.string({ unit, minLength: 100, maxLength: LONG_LENGTH_MAX, size: "max" });
  return fc.oneof(...common, { weight: 1, arbitrary: long });
}

/**
 * Any character of Unicode: what fast-check's own unit "binary" draws, which lays a table of a million characters out
 * first, most of a second for each process.
 */
export function arbCharacter(): fc.Arbitrary<string> {
  return fc.nat(0x10ffff - SURROGATES).map(characterAt, placeOf);
}

/** The character of a place among all that are no half of a pair. */
function characterAt(place: number): string {
  return String.fromCodePoint(place < 0xd800 ? place : place + SURROGATES);
}

function placeOf(text: unknown): number {
  const code = typeof text === "string" && !/\p{Cs}/u.test(text) ? text.codePointAt(0) : undefined;
  if (code === undefined || String.fromCodePoint(code) !== text) throw new Error(`${text} is no character.`);
  return code < 0xd800 ? code : code - SURROGATES;
}

/** A content id of 32 random digest bytes. Source: protocol 02 G.3. */
export function arbCid(): fc.Arbitrary<string> {
  return fc
    .tuple(fc.constantFrom(...CID_HEADS), arbBytes32())
    .map(([head, digest]) => `b${base32(Uint8Array.of(...head, ...digest))}`);
}

/** Where a file is served. Source: protocol 05 §6.2. */
function arbLocation(): fc.Arbitrary<string> {
  const host = fc.stringMatching(/^[a-z0-9.-]{1,20}(:[0-9]{1,4})?$/, { size: "max" });
  const rest = fc.stringMatching(/^([/?#][!-~]{0,20})?$/, { size: "max" });
  return fc.tuple(fc.constantFrom("http", "https"), host, rest).map(([scheme, at, path]) => `${scheme}://${at}${path}`);
}

/** A builtin id, or one that somebody defined. Source: protocol 02 I.1. */
export function arbPaymentMethod(): fc.Arbitrary<string> {
  const word = fc.stringMatching(/^[a-z0-9]{1,8}$/, { size: "max" });
  const slug = fc.array(word, { minLength: 1, maxLength: 5, size: "max" });
  const owned = fc.tuple(arbPeerId(), fc.stringMatching(/^[0-9a-f]{16}$/)).map(([peer, digest]) => `${peer}:${digest}`);
  return fc.oneof(
    slug.map((parts) => `builtin:${parts.join("-")}`),
    owned,
  );
}

function arbBytes32(): fc.Arbitrary<Uint8Array> {
  return fc.oneof(
    fc.uint8Array({ minLength: 32, maxLength: 32 }),
    fc.constantFrom(new Uint8Array(32), new Uint8Array(32).fill(255)),
  );
}

/** Lower-case base32 without padding. Source: RFC 4648 §6. */
function base32(bytes: Uint8Array): string {
  let text = "";
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    bits = (bits << 8) | byte;
    held += 8;
    for (; held >= 5; held -= 5) text += BASE32.charAt((bits >> (held - 5)) & 31);
    bits &= (1 << held) - 1;
  }
  return held === 0 ? text : text + BASE32.charAt((bits << (5 - held)) & 31);
}
