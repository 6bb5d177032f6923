/**
 * Reads what a byte sink wrote. Whatever the bytes are, a read either gives a value or throws `BytesDefect`: bytes come
 * from files that anybody may have touched.
 */

/** Why bytes are not what a sink wrote: one line. */
export class BytesDefect extends Error {
  override readonly name = "BytesDefect";
}

/** Bytes and how far they were read. */
export interface ByteSource {
  readonly buffer: Buffer;
  at: number;
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function byteSource(bytes: Uint8Array): ByteSource {
  return { buffer: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), at: 0 };
}

export function takeByte(source: ByteSource): number {
  return source.buffer[need(source, 1)] as number;
}

/** A number as `putNumber` writes it. */
export function takeNumber(source: ByteSource): number {
  const first = takeByte(source);
  if (first !== 0xff) return (first << 8) | takeByte(source);
  return source.buffer.readDoubleBE(need(source, 8));
}

/** A whole number from 0 to `most`, as `putNumber` writes it. */
export function takeCount(source: ByteSource, most: number): number {
  const count = takeNumber(source);
  if (!Number.isInteger(count) || count < 0 || count > most)
    throw new BytesDefect(`${count} is no number up to ${most}`);
  return count;
}

/** A 64-bit number that is not negative. */
export function takeBig(source: ByteSource): bigint {
  return source.buffer.readBigUInt64BE(need(source, 8));
}

/** A copy of bytes with their length before them. */
export function takeBytes(source: ByteSource): Uint8Array {
  const length = source.buffer.readUInt32BE(need(source, 4));
  const start = need(source, length);
  return new Uint8Array(source.buffer.subarray(start, start + length));
}

export function takeText(source: ByteSource): string {
  const length = source.buffer.readUInt32BE(need(source, 4));
  const start = need(source, length);
  try {
    return utf8.decode(source.buffer.subarray(start, start + length));
  } catch {
    throw new BytesDefect("a text is no UTF-8");
  }
}

/** Bytes that were not read. */
export function bytesLeft({ buffer, at }: ByteSource): number {
  return buffer.length - at;
}

/** Takes so many bytes; answers where they begin. */
function need(source: ByteSource, length: number): number {
  const { at } = source;
  if (length > source.buffer.length - at) throw new BytesDefect("the bytes end early");
  source.at = at + length;
  return at;
}
