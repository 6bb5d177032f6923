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

/** How deep values may stand in each other. Source: DESIGN L10. */
const DEPTH = 64;

/** Any plain value, as `putAny` writes it; what was undefined comes back as null. */
export function takeAny(source: ByteSource, depth = 0): unknown {
  if (depth > DEPTH) throw new BytesDefect("values stand too deep in each other");
  const kind = takeByte(source);
  switch (kind) {
    case 0:
      return null;
    case 1:
    case 2:
      return kind === 2;
    case 3:
      return takeNumber(source);
    case 4:
      return bigOf(takeText(source));
    case 5:
      return takeText(source);
    case 6:
      return takeBytes(source);
    case 7:
      return Array.from({ length: takeCount(source, bytesLeft(source)) }, () => takeAny(source, depth + 1));
    case 8:
      return Object.fromEntries(
        Array.from(
          { length: takeCount(source, bytesLeft(source)) },
          () => [takeText(source), takeAny(source, depth + 1)] as const,
        ),
      );
    default:
      throw new BytesDefect(`no value begins with ${kind}`);
  }
}

/** Whether a text stands next; nothing is taken. */
export function textFollows({ buffer, at }: ByteSource, text: string): boolean {
  const length = Buffer.byteLength(text);
  if (buffer.length - at < 4 + length || buffer.readUInt32BE(at) !== length) return false;
  return buffer.toString("utf8", at + 4, at + 4 + length) === text;
}

function bigOf(digits: string): bigint {
  if (!/^-?[0-9]+$/.test(digits)) throw new BytesDefect("a number has other digits than its own");
  return BigInt(digits);
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
