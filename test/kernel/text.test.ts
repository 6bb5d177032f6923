/**
 * Goal: texts become bytes and bytes texts in one way only, and texts are ordered as their bytes are.
 * Method: tables of what is strict, and the runtime's own encoders as oracles.
 */
import bs58 from "bs58";
import fc from "fast-check";
import { expect, test } from "vitest";
import { concat, toHex } from "../../core/kernel/bytes.ts";
import type { Json } from "../../core/kernel/json.ts";
import { decodeCompact, decodeJson, TRANSCRIPT } from "../../core/kernel/schema.ts";
import type { Fields } from "../../core/kernel/schema-composites.ts";
import { struct } from "../../core/kernel/schema-composites.ts";
import {
  codePoints,
  compareText,
  fromBase58,
  fromBase64,
  fromUtf8,
  hasControl,
  isWellFormed,
  toBase58,
  toBase64,
  utf8,
} from "../../core/kernel/text.ts";
import { FiatCurrency, PeerId, PublicKey, Signature, Text } from "../../core/kernel/values.ts";
import { arbPlainText } from "../../sim/arbitraries/texts.ts";
import { forAll } from "../property/for-all.ts";

/** Texts of code units that meet where UTF-16 order and byte order differ. */
const arbAstral = fc
  .array(fc.constantFrom("a", "\u007f", "é", "\ud7ff", "\ue000", "\uffff", "\u{10000}", "\u{10ffff}"), {
    maxLength: 12,
  })
  .map((parts) => parts.join(""));

test("texts are ordered as their UTF-8 bytes", () => {
  expect("\uffff" < "\u{10000}", "JavaScript has it the other way round").toBe(false);
  expect(compareText("\uffff", "\u{10000}")).toBeLessThan(0);
  const any = fc.oneof(arbAstral, arbPlainText());
  const beginnings = any.map((text) => [text, [...text].slice(0, -1).join("")] as const);
  forAll(
    [fc.oneof({ weight: 4, arbitrary: fc.tuple(any, any) }, { weight: 1, arbitrary: beginnings })],
    ([a, b]) => {
      expect(Math.sign(compareText(a, b))).toBe(Buffer.compare(utf8(a), utf8(b)));
      expect(Math.sign(compareText(b, a))).toBe(Buffer.compare(utf8(b), utf8(a)));
    },
    {
      runs: 500,
      classes: ([a, b]) => {
        const byUnits = a < b ? -1 : a > b ? 1 : 0;
        return [
          ...(byUnits === Buffer.compare(utf8(a), utf8(b)) ? [] : ["another order than JavaScript's"]),
          ...(a === b ? ["equal"] : a.startsWith(b) || b.startsWith(a) ? ["one begins the other"] : ["different"]),
        ];
      },
      shares: { "another order than JavaScript's": 0.02, equal: 0.02, "one begins the other": 0.1, different: 0.4 },
    },
  );
});

test("UTF-8 is read as the strict decoder reads it, byte-order marks kept", () => {
  const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const oracle = (bytes: Uint8Array) => {
    try {
      return strict.decode(bytes);
    } catch {
      return undefined;
    }
  };
  const edges = [0x61, 0x80, 0xbf, 0xc0, 0xc2, 0xe0, 0xed, 0xef, 0xf0, 0xf4, 0xf5, 0xff, 0xbd, 0xbb, 0xa0, 0x90, 0x8f];
  const arb = fc.oneof(
    fc.uint8Array({ maxLength: 12 }),
    fc.array(fc.constantFrom(...edges), { maxLength: 6 }).map((bytes) => Uint8Array.from(bytes)),
    arbPlainText().map(utf8),
    fc.tuple(arbPlainText().map(utf8), fc.nat(), fc.constantFrom(...edges)).map(([bytes, at, byte]) => {
      return bytes.map((each, place) => (place === at % bytes.length ? byte : each));
    }),
  );
  const holds = (bytes: Uint8Array) => {
    const text = oracle(bytes);
    expect(fromUtf8(bytes)).toBe(text);
    if (text === undefined) return ["refused"];
    return ["read", ...(text.includes("\ufffd") ? ["read with a replacement character"] : [])];
  };
  const shares = { refused: 0.2, read: 0.2, "read with a replacement character": 0.005 };
  forAll([arb], holds, { runs: 1_000, sample: 600, shares });
  expect(fromUtf8(utf8("\ufffd"))).toBe("\ufffd");
  expect(fromUtf8(Uint8Array.of(0xef, 0xbf, 0xbd, 0xff))).toBeUndefined();
  expect(fromUtf8(Uint8Array.of(0xef, 0xbb, 0xbf, 0x41))).toBe("\ufeffA");
});

test.each([
  ["", ""],
  ["AA==", "00"],
  ["AAA=", "0000"],
  ["AAAA", "000000"],
  ["+/+/", "fbffbf"],
])("base64 %j is read", (text, hex) => {
  const bytes = fromBase64(text);
  expect(bytes && toHex(bytes)).toBe(hex);
});

test.each([
  "A",
  "AA",
  "AAA",
  "AA=",
  "A===",
  "====",
  "=",
  "AAAAA===",
  "AB==",
  "AAB=",
  "AA==AA==",
  "AA= =",
  " AAAA",
  "AAAA\n",
  "-_-_",
  "AA.=",
  "AAAé",
  "\u0141AAA",
  "A=AA",
  "AAA==",
  "AA==\u0000",
])("base64 %j is refused", (text) => {
  expect(fromBase64(text)).toBeUndefined();
});

test("base64 as the runtime writes it, and only as the runtime writes it", () => {
  const letters = fc.string({ unit: fc.constantFrom(..."ABQgw+/=-_ 9z"), maxLength: 8 });
  const spoiled = fc
    .tuple(fc.uint8Array({ maxLength: 40 }), fc.nat(), fc.constantFrom(..."A=+_"))
    .map(([bytes, at, letter]) => {
      const text = Buffer.from(bytes).toString("base64");
      return text.slice(0, at % (text.length + 1)) + letter + text.slice((at % (text.length + 1)) + 1);
    });
  forAll(
    [fc.uint8Array({ maxLength: 200 }), fc.oneof(letters, spoiled)],
    (bytes, text) => {
      const canonical = Buffer.from(bytes).toString("base64");
      expect(toBase64(bytes)).toBe(canonical);
      expect(fromBase64(canonical)).toEqual(bytes);
      const read = fromBase64(text);
      const again = Buffer.from(text, "base64");
      const isCanonical = again.toString("base64") === text;
      if (isCanonical) expect(read && Buffer.from(read)).toEqual(again);
      else expect(read).toBeUndefined();
      return [`${bytes.length % 3} over`, isCanonical ? "read" : "refused"];
    },
    { runs: 500, shares: { "0 over": 0.2, "1 over": 0.2, "2 over": 0.2, read: 0.1, refused: 0.3 } },
  );
});

test("base58: published values, leading zeros, foreign letters", () => {
  expect(toBase58(new Uint8Array(32))).toBe("1".repeat(32));
  expect(toBase58(new Uint8Array(32).fill(255))).toBe("JEKNVnkbo3jma5nREBBJCDoXFVeKkD56V3xKrvRmWxFG");
  for (const text of ["0", "O", "I", "l", " 1", "1 ", "é", "+"]) expect(fromBase58(text), text).toBeUndefined();
  expect(fromBase58("")).toEqual(new Uint8Array(0));
  forAll(
    [fc.uint8Array({ maxLength: 70 }), fc.nat(3), fc.nat(), fc.constantFrom(..."0OIl +é\u0080\u{1f600}")],
    (tail, zeros, at, foreign) => {
      const bytes = Uint8Array.of(...new Uint8Array(zeros), ...tail);
      const text = toBase58(bytes);
      expect(text).toBe(bs58.encode(bytes));
      expect(fromBase58(text)).toEqual(bytes);
      const place = at % (text.length + 1);
      expect(fromBase58(text.slice(0, place) + foreign + text.slice(place))).toBeUndefined();
    },
    {
      runs: 300,
      classes: (tail, zeros) => [
        zeros > 0 ? "zeros before" : "no zeros before",
        tail.length > 64 ? "longer than a signature" : tail.length === 0 ? "nothing but zeros" : "bytes",
        ...[0, 1, 2].filter((rest) => tail.length % 3 === rest).map((rest) => `words and ${rest}`),
      ],
      shares: {
        ...{ "zeros before": 0.3, "no zeros before": 0.1, "longer than a signature": 0.03, "nothing but zeros": 0.01 },
        ...{ bytes: 0.5, "words and 0": 0.2, "words and 1": 0.2, "words and 2": 0.2 },
      },
    },
  );
});

test("base58 of up to 256 letters or bytes is converted, and no more", () => {
  for (const schema of [PeerId, Signature] as readonly Fields[string][]) {
    const [fits, longer] = ["1".repeat(256), "1".repeat(257)];
    expect(decodeJson(schema, fits)).toEqual({ ok: true, value: { value: fits, tainted: false } });
    expect(decodeJson(schema, longer)).toEqual({ ok: true, value: { value: "", tainted: true } });
    const sent = (length: number) => new Array<Json>(length).fill({ type: "number", text: "0" });
    expect(decodeJson(schema, sent(256))).toEqual({ ok: true, value: { value: fits, tainted: true } });
    expect(decodeJson(schema, sent(257))).toEqual({ ok: true, value: { value: "", tainted: true } });
    const stored = (length: number) => concat(Uint8Array.of(128 + (length & 127), length >> 7), new Uint8Array(length));
    expect(decodeCompact(schema, stored(256))).toBe(fits);
    expect(decodeCompact(schema, stored(257))).toBeUndefined();
  }
});

test("base58 that is too long to convert is a wrong signature, and no key", () => {
  const long = "z".repeat(2_000_000);
  for (const schema of [PeerId, Signature] as readonly Fields[string][]) {
    expect(decodeJson(schema, long)).toEqual({ ok: true, value: { value: "", tainted: true } });
    expect(decodeJson(schema, `${long}0`).ok, "still base58 or nothing").toBe(false);
  }
  expect(decodeJson(PublicKey, long).ok).toBe(false);
});

test("a string of every kind of character has its published bytes", () => {
  const s = 'q" b\\ s/ nl\n tab\t bell\u0007 del\u007f é \u2028 😀';
  const written = struct("Strings", { s: Text }).write({ s }, TRANSCRIPT);
  expect(toHex(utf8(written))).toBe(
    "7b2273223a22715c2220625c5c20732f206e6c5c6e207461625c742062656c6c5c75303030372064656c7f20c3a920e280a820f09f9880227d",
  );
});

test.each([
  ["KES", "KES"],
  [" kes\t", "KES"],
  ["\u0085\u3000Kes\u2028", "KES"],
])("currency %j is kept as %s", (text, kept) => {
  expect(decodeJson(FiatCurrency, text)).toEqual({ ok: true, value: { value: kept, tainted: false } });
});

test.each(["", "KE", "KESS", "K S", "kéS", "ſes", "\ufeffKES", "K1S", "KES\u0000"])(
  "currency %j is refused",
  (text) => {
    expect(decodeJson(FiatCurrency, text).ok).toBe(false);
  },
);

test("well-formed texts, code points, control characters", () => {
  for (const text of ["", "é", "😀", "\uffff"]) expect(isWellFormed(text)).toBe(true);
  for (const text of ["\ud83d", "\ude00", "\ude00\ud83d", "\ud83d\ud83d\ude00", "a\ud83d"]) {
    expect(isWellFormed(text)).toBe(false);
  }
  expect([codePoints(""), codePoints("aé😀")]).toEqual([0, 3]);
  // Unicode's own class of control characters, over all that one unit spells.
  const differing = Array.from({ length: 0x10000 }, (_, unit) => `a${String.fromCharCode(unit)}`).filter(
    (text) => hasControl(text) !== /\p{Cc}/u.test(text),
  );
  expect(differing).toEqual([]);
  expect(["", "\u0000", "\u009f", "\u00a0", "😀"].map(hasControl)).toEqual([false, true, true, false, false]);
});
