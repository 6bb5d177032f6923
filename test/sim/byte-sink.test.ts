// Goal: what is hashed for a trace tells every two different values apart, however the sink has to grow.
// Method: random values, read back by a reader that knows nothing but the kinds; numbers beside the short form's edges.
import fc from "fast-check";
import { assert, expect, test } from "vitest";
import type { ByteSink } from "../../adapters/recording/byte-sink.ts";
import { createByteSink, putAny, putByte, putNumber } from "../../adapters/recording/byte-sink.ts";
import { compactInto } from "../../adapters/recording/compact-sink.ts";
import { compactWriter, U64_MAX } from "../../core/kernel/compact.ts";
import { arbCharacter } from "../../sim/arbitraries/texts.ts";
import { forAll } from "../property/for-all.ts";

/** The first number that is written in nine bytes. */
const LONG_FROM = 0xff00;

const arbNumber = fc.oneof(
  fc.integer({ min: -3, max: LONG_FROM + 3 }),
  fc.constantFrom(-0, 0.5, 1.5, LONG_FROM - 0.5, LONG_FROM - 1, LONG_FROM, 2 ** 53, Infinity, -Infinity),
  fc.double({ noNaN: true }),
);
const arbText = fc.oneof(fc.string({ maxLength: 60 }), fc.string({ unit: arbCharacter(), maxLength: 60 }));

const { value: arbValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    fc.constantFrom(null, true, false),
    arbNumber,
    fc.bigInt({ min: -(1n << 70n), max: 1n << 70n }),
    arbText,
    fc.uint8Array({ maxLength: 40 }),
    fc.array(tie("value"), { maxLength: 6 }),
    fc.dictionary(arbText, tie("value"), { maxKeys: 6 }),
  ),
}));

test("a number is read back as it was, in two bytes or in nine", () => {
  forAll(
    [arbNumber],
    (value) => {
      const sink = createByteSink(0);
      putNumber(sink, value);
      const short = Number.isInteger(value) && !Object.is(value, -0) && value >= 0 && value < LONG_FROM;
      assert.equal(sink.length, short ? 2 : 9);
      expect(readNumber({ sink, at: 0 })).toBe(value);
      return [short ? "short" : Number.isInteger(value) ? "long and whole" : "broken"];
    },
    { runs: 300, nightly: 5_000, shares: { short: 0.2, "long and whole": 0.1, broken: 0.1 } },
  );
});

test("any value is read back as it was, whatever room the sink began with", () => {
  forAll(
    [arbValue, fc.nat(64)],
    (value, room) => {
      const sink = createByteSink(room);
      putAny(sink, value);
      const reader = { sink, at: 0 };
      expect(readAny(reader)).toEqual(plain(value));
      assert.equal(reader.at, sink.length);
      return [sink.length > room ? "grown" : "roomy", typeof value === "object" ? "composite" : typeof value];
    },
    { runs: 300, nightly: 5_000, shares: { grown: 0.1, roomy: 0.1, composite: 0.2, number: 0.05, string: 0.05 } },
  );
});

interface Reader {
  readonly sink: ByteSink;
  at: number;
}

function taken(reader: Reader, count: number): Buffer {
  reader.at += count;
  assert.isAtMost(reader.at, reader.sink.length);
  return reader.sink.buffer.subarray(reader.at - count, reader.at);
}

function readNumber(reader: Reader): number {
  const first = taken(reader, 1)[0] as number;
  return first === 0xff ? taken(reader, 8).readDoubleBE(0) : first * 256 + (taken(reader, 1)[0] as number);
}

function readText(reader: Reader): string {
  return taken(reader, taken(reader, 4).readUInt32BE(0)).toString("utf8");
}

function readAny(reader: Reader): unknown {
  const kind = taken(reader, 1)[0];
  switch (kind) {
    case 0:
      return null;
    case 1:
    case 2:
      return kind === 2;
    case 3:
      return readNumber(reader);
    case 4:
      return BigInt(readText(reader));
    case 5:
      return readText(reader);
    case 6:
      return Uint8Array.from(taken(reader, taken(reader, 4).readUInt32BE(0)));
    case 7:
      return Array.from({ length: readNumber(reader) }, () => readAny(reader));
    default: {
      assert.equal(kind, 8);
      const members = Array.from({ length: readNumber(reader) }, () => [readText(reader), readAny(reader)] as const);
      assert.deepEqual(
        members,
        members.toSorted(([a], [b]) => (a < b ? -1 : 1)),
      );
      return Object.fromEntries(members);
    }
  }
}

/** Lone surrogates have no bytes of their own in UTF-8; objects that were read have the usual prototype. */
function plain(value: unknown): unknown {
  if (typeof value === "string") return Buffer.from(value, "utf8").toString("utf8");
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [plain(name), plain(member)]));
}

test("the compact encoding is the core's, wherever in a sink it stands", () => {
  const arbSteps = fc.array(
    fc.oneof(
      fc.record({ way: fc.constant("byte" as const), of: fc.integer({ min: 0, max: 255 }) }),
      fc.record({ way: fc.constant("varint" as const), of: fc.oneof(fc.nat(), fc.bigInt({ min: 0n, max: U64_MAX })) }),
      fc.record({ way: fc.constant("bytes" as const), of: fc.uint8Array({ maxLength: 300 }) }),
      fc.record({ way: fc.constant("text" as const), of: arbText }),
      fc.record({ way: fc.constant("float" as const), of: fc.double() }),
    ),
    { maxLength: 12 },
  );
  forAll(
    [fc.nat({ max: 300 }), arbSteps],
    (before, steps) => {
      const sink = createByteSink(before);
      for (let at = 0; at < before; at++) putByte(sink, at & 255);
      const [into, writer] = [compactInto(sink), compactWriter()];
      for (const { way, of } of steps) for (const to of [into, writer]) (to[way] as (value: unknown) => void)(of);
      assert.deepEqual(Uint8Array.from(sink.buffer.subarray(before, sink.length)), writer.finish());
      assert.deepEqual(into.finish(), writer.finish());
    },
    {
      runs: 500,
      classes: (_, steps) => steps.map(({ way }) => way),
      shares: { byte: 0.2, varint: 0.2, bytes: 0.2, text: 0.2, float: 0.2 },
    },
  );
});
