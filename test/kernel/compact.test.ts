/**
 * Goal: compact bytes are postcard's, and a reader refuses what no writer writes (protocol 01 §9.2).
 * Method: the published check value, edges of every integer width, then refusals. A varint that is longer than it need
 * be is read, as postcard reads it; identities hash canonical JSON, so no second spelling makes a second statement.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  bigEndian,
  compareBytes,
  concat,
  equalBytes,
  fromHex,
  toHex,
  u16be,
  u32be,
  u64be,
} from "../../core/kernel/bytes.ts";
import { compactReader, compactWriter, U64_MAX, U128_MAX } from "../../core/kernel/compact.ts";
import type { Schema } from "../../core/kernel/schema.ts";
import { decodeCompact, encodeCompact } from "../../core/kernel/schema.ts";
import type { Fields } from "../../core/kernel/schema-composites.ts";
import { list, option, struct, variants } from "../../core/kernel/schema-composites.ts";
import {
  bool,
  byteArray,
  enumeration,
  f64,
  i32,
  small,
  u8,
  u16,
  u32,
  u64,
  u128,
} from "../../core/kernel/schema-scalars.ts";
import { Text } from "../../core/kernel/values.ts";
import { forAll } from "../property/for-all.ts";

function read<T>(schema: Schema<T>, hex: string): T | undefined {
  return decodeCompact(schema, fromHex(hex) ?? new Uint8Array(0));
}

function write<T>(schema: Schema<T>, value: T): string {
  return toHex(encodeCompact(schema, value));
}

test("the published check value", () => {
  const All = struct("All", { a: f64, b: i32, c: u16, d: option(u8), e: option(u8), f: u64, g: Text });
  const value = { a: 1.5, b: -5, c: 300, d: 7, e: null, f: U64_MAX, g: "é" };
  const Flagged = struct("Flagged", { a: f64, b: i32, c: u16, x: bool, d: option(u8), e: option(u8), f: u64, g: Text });
  expect(write(Flagged, { ...value, x: true })).toBe("000000000000f83f09ac0201010700ffffffffffffffffff0102c3a9");
  expect(read(All, write(All, value))).toEqual(value);
});

test.each([
  [u64, 0n, "00"],
  [u64, 127n, "7f"],
  [u64, 128n, "8001"],
  [u64, 16_383n, "ff7f"],
  [u64, 16_384n, "808001"],
  [u64, 1n << 53n, "8080808080808010"],
  [u64, (1n << 53n) - 1n, "ffffffffffffff0f"],
  [u64, 1n << 63n, "80808080808080808001"],
  [u64, U64_MAX, "ffffffffffffffffff01"],
  [u128, U64_MAX, "ffffffffffffffffff01"],
  [u128, U64_MAX + 1n, "80808080808080808002"],
  [u128, U128_MAX, `${"ff".repeat(18)}03`],
] as const)("%# integers of 64 and 128 bits", (schema, value, hex) => {
  expect(write(schema, value)).toBe(hex);
  expect(read(schema, hex)).toBe(value);
});

test.each([
  [u16, 65_535, "ffff03"],
  [u32, 4_294_967_295, "ffffffff0f"],
  [u32, 2_147_483_648, "8080808008"],
  [i32, -1, "01"],
  [i32, 1, "02"],
  [i32, -2_147_483_648, "ffffffff0f"],
  [i32, 2_147_483_647, "feffffff0f"],
] as const)("%# smaller integers", (schema, value, hex) => {
  expect(write(schema, value)).toBe(hex);
  expect(read(schema, hex)).toBe(value);
});

test("varints longer than needed are read, up to the length of their width", () => {
  expect(read(u64, "8000")).toBe(0n);
  expect(read(u64, "80808080808080808000")).toBe(0n);
  expect(read(u32, "8180808000")).toBe(1);
  expect(read(u16, "818000")).toBe(1);
  expect(read(Text, "818080800061")).toBe("a");
});

test.each([
  ["u16 above its range", u16, "808004"],
  ["u16 of four bytes", u16, "80808000"],
  ["u32 above its range", u32, "8080808010"],
  ["u32 of six bytes", u32, "808080808000"],
  ["u64 above its range", u64, "ffffffffffffffffff02"],
  ["u64 of eleven bytes", u64, "8080808080808080808000"],
  ["u128 above its range", u128, `${"ff".repeat(18)}07`],
  ["u128 of twenty bytes", u128, `${"80".repeat(19)}00`],
  ["a varint without an end", u64, "ffff"],
  ["bool 2", bool, "02"],
  ["option 2", option(u8), "0200"],
  ["an unknown name", enumeration("A", "B"), "02"],
  ["an unknown variant", variants({ A: u8, B: u8 }), "0200"],
  ["a number outside its range", small(8, { least: 1, most: 5 }), "06"],
  ["a text longer than the input", Text, "0561"],
  ["a text that is not UTF-8", Text, "02c328"],
  ["an overlong spelling", Text, "02c080"],
  ["a surrogate in UTF-8", Text, "03eda080"],
  ["bytes shorter than their length", byteArray(32), "00".repeat(31)],
  ["a float of seven bytes", f64, "00".repeat(7)],
  ["nothing", u8, ""],
] as readonly (readonly [string, Fields[string], string])[])("%s is refused", (_, schema, hex) => {
  expect(read(schema, hex)).toBeUndefined();
});

test("a text is its length and its UTF-8, however long it is and wherever it has more than ASCII", () => {
  for (let units = 0; units <= 300; units++) {
    const plain = "a".repeat(units);
    for (const text of [plain, `é${plain}`, `${plain}é`, `${plain}\u0080`, `${plain}\u007f`]) {
      const bytes = Buffer.from(text, "utf8");
      const length = bytes.length < 128 ? [bytes.length] : [128 | (bytes.length & 127), bytes.length >> 7];
      const writer = compactWriter();
      writer.text("before");
      writer.text(text);
      writer.byte(7);
      expect([...writer.finish()]).toEqual([6, ...Buffer.from("before"), ...length, ...bytes, 7]);
      expect(decodeCompact(Text, Uint8Array.of(...length, ...bytes))).toBe(text);
    }
  }
});

test("a list longer than the input is refused before anything is read or reserved", () => {
  let elements = 0;
  const counted: Schema<number> = {
    ...u8,
    read(reader) {
      elements++;
      return reader.byte();
    },
  };
  expect(read(list(counted), "ffffffff0f0102")).toBeUndefined();
  expect(read(list(counted), "030102")).toBeUndefined();
  expect(elements).toBe(0);
  expect(read(list(counted), "020102ff")).toEqual([1, 2]);
  expect(elements).toBe(2);
});

test("a fault sticks: later reads answer empty values", () => {
  const reader = compactReader(Uint8Array.of(0xff, 1, 2, 3));
  reader.raw(9);
  const after = [
    reader.byte(),
    reader.varint(64),
    reader.text(),
    reader.float(),
    reader.count(1),
    reader.raw(1).length,
  ];
  expect(after).toEqual([0, 0n, "", 0, 0, 0]);
  expect(reader.failed()).toBe(true);
});

test("byte strings: order, hexadecimal, big-endian integers", () => {
  const bytes = fc.uint8Array({ maxLength: 40 });
  const beginnings = fc.tuple(bytes, fc.nat(40)).map(([a, length]) => [a, a.slice(0, length)] as const);
  const neighbours = fc.tuple(bytes, fc.nat(39), fc.nat(255)).map(([a, at, byte]) => {
    return [a, a.map((each, place) => (place === at ? byte : each))] as const;
  });
  const pairs = fc.oneof(fc.tuple(bytes, bytes), beginnings, neighbours);
  forAll(
    [pairs, fc.boolean()],
    ([one, other], turned) => {
      const [a, b] = turned ? [other, one] : [one, other];
      expect(Math.sign(compareBytes(a, b))).toBe(Buffer.compare(a, b));
      expect(equalBytes(a, b)).toBe(Buffer.compare(a, b) === 0);
      expect(toHex(a)).toBe(Buffer.from(a).toString("hex"));
      expect(fromHex(toHex(a))).toEqual(a);
      expect([...concat(a, b)]).toEqual([...a, ...b]);
      expect(bigEndian(a)).toBe(BigInt(`0x0${toHex(a)}`));
    },
    {
      runs: 200,
      classes: ([a, b]) => {
        const shared = a.findIndex((byte, at) => byte !== b[at]);
        if (shared === -1) return [a.length === b.length ? "equal" : "differ"];
        return [shared >= b.length ? "one begins the other" : shared > 10 ? "differ after ten" : "differ"];
      },
      shares: { equal: 0.05, "one begins the other": 0.1, "differ after ten": 0.02, differ: 0.3 },
    },
  );
  for (const text of ["0", "0g", "AB", " 0"]) expect(fromHex(text), text).toBeUndefined();
  expect(toHex(concat(u16be(0x1234), u32be(0xfedcba98), u64be(U64_MAX - 1n)))).toBe("1234fedcba98fffffffffffffffe");
  expect(bigEndian(u64be(U64_MAX - 1n))).toBe(U64_MAX - 1n);
});
