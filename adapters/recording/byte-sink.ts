/**
 * A growing run of bytes to be hashed: written over and over, never given away.
 * Every value is self-delimiting. Not here: the compact encoding of the protocol (core/kernel/compact.ts), whose
 * writer makes a byte string of its own each time.
 */

/** Bytes 0 to `length` of `buffer` are written. */
export interface ByteSink {
  buffer: Buffer;
  length: number;
}

/**
 * Texts up to this long are written unit by unit, which beats a call into the runtime. Source: DESIGN "Measured
 * values", measured.
 */
const SHORT_TEXT = 24;
/** Bytes of a length before a text or a byte string. */
const PREFIX = 4;

export function createByteSink(capacity: number): ByteSink {
  return { buffer: Buffer.allocUnsafe(capacity), length: 0 };
}

export function putByte(sink: ByteSink, value: number): void {
  reserve(sink, 1);
  sink.buffer[sink.length++] = value;
}

/** A number: small counts in two bytes, all else in nine, told apart by the first. */
export function putNumber(sink: ByteSink, value: number): void {
  reserve(sink, 9);
  if (Number.isInteger(value) && value >= 0 && value < 0xff00 && !Object.is(value, -0)) {
    sink.buffer[sink.length] = value >>> 8;
    sink.buffer[sink.length + 1] = value & 0xff;
    sink.length += 2;
    return;
  }
  sink.buffer[sink.length] = 0xff;
  sink.buffer.writeDoubleBE(value, sink.length + 1);
  sink.length += 9;
}

/** A 64-bit number. */
export function putBig(sink: ByteSink, value: bigint): void {
  reserve(sink, 8);
  sink.buffer.writeBigUInt64BE(BigInt.asUintN(64, value), sink.length);
  sink.length += 8;
}

export function putBytes(sink: ByteSink, bytes: Uint8Array): void {
  reserve(sink, PREFIX + bytes.length);
  sink.buffer.writeUInt32BE(bytes.length, sink.length);
  sink.buffer.set(bytes, sink.length + PREFIX);
  sink.length += PREFIX + bytes.length;
}

/** Bytes whose length is told elsewhere. */
export function putRaw(sink: ByteSink, bytes: Uint8Array): void {
  reserve(sink, bytes.length);
  sink.buffer.set(bytes, sink.length);
  sink.length += bytes.length;
}

export function putText(sink: ByteSink, text: string): void {
  reserve(sink, PREFIX + 3 * text.length);
  const start = sink.length + PREFIX;
  let written = text.length <= SHORT_TEXT ? putAscii(sink.buffer, start, text) : -1;
  if (written < 0) written = sink.buffer.write(text, start, "utf8");
  sink.buffer.writeUInt32BE(written, sink.length);
  sink.length = start + written;
}

/** The length of a text in UTF-8; one that is short and ASCII has as many bytes as units. */
export function utf8Length(text: string): number {
  if (text.length > SHORT_TEXT) return Buffer.byteLength(text);
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return Buffer.byteLength(text);
  return text.length;
}

/** A text whose length is told elsewhere. */
export function putUtf8(sink: ByteSink, text: string): void {
  reserve(sink, 3 * text.length);
  const written = text.length <= SHORT_TEXT ? putAscii(sink.buffer, sink.length, text) : -1;
  sink.length += written < 0 ? sink.buffer.write(text, sink.length, "utf8") : written;
}

/** Any plain value: members by name in code-unit order, each with its kind before it. */
export function putAny(sink: ByteSink, value: unknown): void {
  if (value === null || value === undefined) return putByte(sink, 0);
  if (typeof value === "boolean") return putByte(sink, value ? 2 : 1);
  if (typeof value === "number") {
    putByte(sink, 3);
    return putNumber(sink, value);
  }
  if (typeof value === "bigint") {
    putByte(sink, 4);
    return putText(sink, value.toString());
  }
  if (typeof value === "string") {
    putByte(sink, 5);
    return putText(sink, value);
  }
  if (value instanceof Uint8Array) {
    putByte(sink, 6);
    return putBytes(sink, value);
  }
  putComposite(sink, value);
}

/** Whole numbers below 2^32 most significant byte first, at a place already reserved. */
export function setLength(sink: ByteSink, at: number, value: number): void {
  sink.buffer.writeUInt32BE(value, at);
}

function putComposite(sink: ByteSink, value: unknown): void {
  if (Array.isArray(value)) {
    putByte(sink, 7);
    putNumber(sink, value.length);
    for (const item of value) putAny(sink, item);
    return;
  }
  if (typeof value !== "object") throw new TypeError(`a ${typeof value} has no bytes`);
  const record = value as Readonly<Record<string, unknown>>;
  const names = Object.keys(record).sort((a, b) => (a < b ? -1 : 1));
  putByte(sink, 8);
  putNumber(sink, names.length);
  for (const name of names) {
    putText(sink, name);
    putAny(sink, record[name]);
  }
}

/** Writes a text unit by unit; -1 when it is not ASCII. */
function putAscii(buffer: Buffer, start: number, text: string): number {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit > 0x7f) return -1;
    buffer[start + i] = unit;
  }
  return text.length;
}

function reserve(sink: ByteSink, more: number): void {
  if (sink.length + more <= sink.buffer.length) return;
  const larger = Buffer.allocUnsafe(Math.max(sink.buffer.length * 2, sink.length + more));
  sink.buffer.copy(larger, 0, 0, sink.length);
  sink.buffer = larger;
}
