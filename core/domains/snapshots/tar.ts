/**
 * Archives: the members of a snapshot file in the tar form that the reference writes, byte for byte, and a reader
 * that takes what any ordinary tar writes. Source: protocol 05 §6.7; POSIX ustar.
 */

import { concat } from "../../kernel/bytes.ts";
import { fromUtf8, utf8 } from "../../kernel/text.ts";

/**
 * Headers of an archive that is read: a snapshot file has two members, before each of which a tar may tell of names and
 * dates in headers of its own; each is looked at in one step. Source: DESIGN "Work at once".
 */
const MEMBERS_MAX = 64;

const BLOCK = 512;
const NAME = { at: 0, bytes: 100 } as const;
const MODE = { at: 100, bytes: 8 } as const;
const SIZE = { at: 124, bytes: 12 } as const;
const MTIME = { at: 136, bytes: 12 } as const;
const CHECKSUM = { at: 148, bytes: 8 } as const;
const TYPE_AT = 156;
const MAGIC_AT = 257;
/** The GNU form: `ustar`, two spaces, NUL. */
const MAGIC = "ustar  \0";
const POSIX_MAGIC = "ustar\0";
const REGULAR = new Set([0, 0x30]);
const SPACE = 0x20;

type Place = { readonly at: number; readonly bytes: number };

export interface Member {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Members in order, then two blocks of zeros. */
export function tarOf(members: readonly Member[]): Uint8Array {
  const parts = members.flatMap(({ name, bytes }) => [headerOf(name, bytes.length), bytes, paddingOf(bytes.length)]);
  return concat(...parts, new Uint8Array(2 * BLOCK));
}

/** Bytes of an archive whose members have these lengths, its last two blocks included. */
export function bytesOfTar(...lengths: readonly number[]): number {
  return lengths.reduce((sum, length) => sum + BLOCK + length + paddingOf(length).length, 2 * BLOCK);
}

/**
 * The first regular member of each name; nothing when the bytes are no archive, or one of more members than a snapshot
 * file has. Others than files are passed over.
 */
export function membersOf(archive: Uint8Array): ReadonlyMap<string, Uint8Array> | undefined {
  const members = new Map<string, Uint8Array>();
  let at = 0;
  for (let headers = 0; at + BLOCK <= archive.length; headers++) {
    const header = archive.subarray(at, at + BLOCK);
    if (header.every((byte) => byte === 0)) return members;
    if (headers === MEMBERS_MAX) return undefined;
    const size = numberAt(header, SIZE);
    if (size === undefined || numberAt(header, CHECKSUM) !== checksumOf(header) || !hasMagic(header)) return undefined;
    const from = at + BLOCK;
    if (size > archive.length - from) return undefined;
    const name = textAt(header, NAME);
    if (name !== undefined && REGULAR.has(header[TYPE_AT] ?? 0) && !members.has(name))
      members.set(name, archive.subarray(from, from + size));
    at = from + size + paddingOf(size).length;
  }
  return at === 0 ? undefined : members;
}

function headerOf(name: string, size: number): Uint8Array {
  const header = new Uint8Array(BLOCK);
  header.set(utf8(name), NAME.at);
  header.set(utf8("0000644"), MODE.at);
  header.set(octal(size, SIZE), SIZE.at);
  header.set(octal(0, MTIME), MTIME.at);
  header[TYPE_AT] = 0;
  header.set(utf8(MAGIC), MAGIC_AT);
  header.set(octal(checksumOf(header), CHECKSUM), CHECKSUM.at);
  return header;
}

/** The sum of a header's bytes, its own field read as spaces. */
function checksumOf(header: Uint8Array): number {
  return header.reduce((sum, byte, at) => {
    const own = at >= CHECKSUM.at && at < CHECKSUM.at + CHECKSUM.bytes;
    return sum + (own ? SPACE : byte);
  }, 0);
}

/** Octal digits to the end of a field but its NUL. */
function octal(value: number, { bytes }: Place): Uint8Array {
  return utf8(value.toString(8).padStart(bytes - 1, "0"));
}

function numberAt(header: Uint8Array, place: Place): number | undefined {
  const digits = /^ *([0-7]{1,11})[ \0]*$/.exec(asciiAt(header, place))?.[1];
  return digits === undefined ? undefined : Number.parseInt(digits, 8);
}

function textAt(header: Uint8Array, { at, bytes }: Place): string | undefined {
  const field = header.subarray(at, at + bytes);
  const end = field.indexOf(0);
  return fromUtf8(end < 0 ? field : field.subarray(0, end));
}

function asciiAt(header: Uint8Array, { at, bytes }: Place): string {
  return String.fromCharCode(...header.subarray(at, at + bytes));
}

function hasMagic(header: Uint8Array): boolean {
  const found = asciiAt(header, { at: MAGIC_AT, bytes: MAGIC.length });
  return found === MAGIC || found.startsWith(POSIX_MAGIC);
}

function paddingOf(length: number): Uint8Array {
  return new Uint8Array((BLOCK - (length % BLOCK)) % BLOCK);
}
