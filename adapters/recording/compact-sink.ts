/**
 * The protocol's compact encoding, written where a sink stands: what is only hashed or compared needs no byte string of
 * its own. The bytes are those of core/kernel/compact.ts, which test/sim/byte-sink.test.ts compares.
 * Source: protocol 01 §9.2.
 */
import type { Table } from "../../core/index.ts";
import type { ByteSink } from "./byte-sink.ts";
import { putByte, putRaw, putUtf8, utf8Length } from "./byte-sink.ts";

/** What a codec writes into. */
export type CompactInto = Parameters<Table<unknown>["record"]["encode"]>[1];

/** Largest number that is written without a bigint. */
const EXACT_MAX = 0x1f_ffff_ffff_ffffn;

/** Writes behind what a sink holds. */
export function compactInto(sink: ByteSink): CompactInto {
  const start = sink.length;
  const writer: CompactInto = {
    byte: (value) => putByte(sink, value),
    varint(value) {
      if (typeof value === "number") {
        let rest = value;
        for (; rest > 127; rest = Math.floor(rest / 128)) putByte(sink, (rest % 128) | 128);
        return putByte(sink, rest);
      }
      if (value <= EXACT_MAX) return writer.varint(Number(value));
      let rest = value;
      for (; rest > 127n; rest >>= 7n) putByte(sink, Number(rest & 127n) | 128);
      putByte(sink, Number(rest));
    },
    raw: (bytes) => putRaw(sink, bytes),
    bytes(bytes) {
      writer.varint(bytes.length);
      putRaw(sink, bytes);
    },
    text(text) {
      writer.varint(utf8Length(text));
      putUtf8(sink, text);
    },
    float(value) {
      const bytes = new Uint8Array(8);
      new DataView(bytes.buffer).setFloat64(0, value, true);
      putRaw(sink, bytes);
    },
    finish: () => Uint8Array.from(sink.buffer.subarray(start, sink.length)),
  };
  return writer;
}
