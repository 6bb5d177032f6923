/**
 * The checkpoint beside a ledger: one file that is read in one go, in place of the rows that it holds. The ledger names
 * it by its place and hash (changes.ts); what is damaged, cut short or not named is dropped, and the rows are read.
 * Not here: what a checkpoint consists of (core/engine/checkpoint.ts).
 */
import { createHash } from "node:crypto";
import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import type { Result } from "../../core/index.ts";
import { err, ok } from "../../core/index.ts";
import type { NamedCheckpoint } from "./changes.ts";

/** How the names of such files begin; the place of the newest change in it follows. */
export const CHECKPOINT_FILE = "ledger.checkpoint";

/** How such a file begins; a hash over all that follows it, and the length of each section before it. */
const MAGIC = Buffer.from("ofs-checkpoint/2\n", "latin1");
const HASH_BYTES = 32;
const LENGTH_BYTES = 8;
/** Read and written by its owner. */
const OWNER_ONLY = 0o600;
/** Bytes that are read and hashed at once. Source: DESIGN "Work at once". */
const STRETCH_BYTES = 1 << 26;
/** A section that claims more is none. Source: DESIGN "Bounds". */
const SECTION_BYTES_MAX = 2 ** 32 - 1;

/** A checkpoint that is on the disk, and its size. */
export interface WrittenCheckpoint extends NamedCheckpoint {
  readonly bytes: number;
}

/** Writes the sections of a checkpoint durably, for a ledger that will name it. */
export function writeCheckpoint(
  directory: string,
  {
    place,
    rows,
    sections,
  }: { readonly place: number; readonly rows: number; readonly sections: readonly Uint8Array[] },
): Result<WrittenCheckpoint, string> {
  const path = join(directory, `${CHECKPOINT_FILE}.${place}`);
  try {
    const file = openSync(path, "w", OWNER_ONLY);
    try {
      const hash = createHash("sha256");
      writeWhole(file, Buffer.concat([MAGIC, Buffer.alloc(HASH_BYTES)]));
      for (const section of [Buffer.from(`${place} ${rows}`, "latin1"), ...sections]) {
        const length = Buffer.alloc(LENGTH_BYTES);
        length.writeBigUInt64LE(BigInt(section.length));
        for (const bytes of [length, section]) {
          hash.update(bytes);
          writeWhole(file, bytes);
        }
      }
      const digest = hash.digest();
      writeSync(file, digest, 0, HASH_BYTES, MAGIC.length);
      fsyncSync(file);
      return ok({ place, rows, hash: digest.toString("hex"), bytes: fstatSync(file).size });
    } finally {
      closeSync(file);
    }
  } catch (error) {
    remove(path);
    return err((error as Error).message);
  }
}

/** The sections of the checkpoint that a ledger names; or why they are of no use, in one line. */
export function readCheckpoint(directory: string, named: NamedCheckpoint): Result<readonly Uint8Array[], string> {
  const path = join(directory, `${CHECKPOINT_FILE}.${named.place}`);
  if (!existsSync(path)) return err("its file is not there");
  try {
    const file = openSync(path, "r");
    try {
      return sectionsOf(file, fstatSync(file).size, named);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    return err((error as Error).message);
  }
}

/** Takes away every checkpoint of a directory but one. What cannot be taken away stays, and is read by nobody. */
export function dropCheckpoints(directory: string, kept?: NamedCheckpoint): void {
  const keptPath = join(directory, `${CHECKPOINT_FILE}.${kept?.place}`);
  for (const path of checkpointsIn(directory)) if (path !== keptPath) remove(path);
}

function remove(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // The next one that is made, or the next start, tries again.
  }
}

/** Every checkpoint that lies in a directory, whole or not, of a former version too. */
export function checkpointsIn(directory: string): readonly string[] {
  const names = existsSync(directory) ? readdirSync(directory) : [];
  return names
    .filter((name) => name === CHECKPOINT_FILE || name.startsWith(`${CHECKPOINT_FILE}.`))
    .map((name) => join(directory, name));
}

function sectionsOf(file: number, size: number, named: NamedCheckpoint): Result<readonly Uint8Array[], string> {
  const head = readWhole(file, 0, Math.min(size, MAGIC.length + HASH_BYTES));
  if (!head.subarray(0, MAGIC.length).equals(MAGIC)) return err("it is of another version");
  const hash = createHash("sha256");
  const sections: Uint8Array[] = [];
  for (let at = head.length; at < size; ) {
    if (size - at < LENGTH_BYTES) return err("it is cut short");
    const length = readWhole(file, at, LENGTH_BYTES);
    const bytes = Number(length.readBigUInt64LE());
    at += LENGTH_BYTES;
    if (bytes > SECTION_BYTES_MAX || bytes > size - at) return err("it is cut short");
    const section = readWhole(file, at, bytes);
    hash.update(length).update(section);
    if (sections.length === 0 && section.toString("latin1") !== `${named.place} ${named.rows}`)
      return err("it is of another place");
    // A plain view: a Buffer's `slice` shares memory where that of a Uint8Array copies.
    sections.push(new Uint8Array(section.buffer, section.byteOffset, section.length));
    at += bytes;
  }
  const digest = hash.digest();
  if (!digest.equals(head.subarray(MAGIC.length))) return err("its bytes do not match their hash");
  if (digest.toString("hex") !== named.hash) return err("it is of another ledger");
  return sections.length === 0 ? err("it is cut short") : ok(sections.slice(1));
}

function readWhole(file: number, from: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at < length; ) {
    const read = readSync(file, bytes, at, Math.min(STRETCH_BYTES, length - at), from + at);
    if (read === 0) throw new Error("it is cut short");
    at += read;
  }
  return bytes;
}

function writeWhole(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, Math.min(STRETCH_BYTES, bytes.length - at));
}
