/**
 * The checkpoint beside a ledger: one file that is read in one go, in place of the rows. It says of which file it is,
 * by that file's size, date and first bytes, in which SQLite counts every change, so it is of use only as long as
 * nobody opened the ledger since. What is damaged, cut short or of another file is dropped, and the rows are read.
 * Not here: what a checkpoint consists of (core/engine/checkpoint.ts).
 */
import { createHash } from "node:crypto";
import { closeSync, existsSync, openSync, readSync, renameSync, rmSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Result } from "../../core/index.ts";
import { err, ok } from "../../core/index.ts";
import { LEDGER_FILE } from "./ledger.ts";

/** Name of the file in the directory. */
export const CHECKPOINT_FILE = "ledger.checkpoint";

/** How such a file begins; a hash over all that follows it, and the length of each section before it. */
const MAGIC = Buffer.from("ofs-checkpoint/1\n", "latin1");
const HASH_BYTES = 32;
const LENGTH_BYTES = 8;
/** Read and written by its owner. */
const OWNER_ONLY = 0o600;
/** Bytes of the header of an SQLite file; at 24 it counts changes. Source: SQLite, "Database File Format" §1.3. */
const HEADER_BYTES = 100;
const WRITE_VERSION_AT = 18;
const WITHOUT_LOG = 1;
/** Bytes that are read and hashed at once. Source: DESIGN "Work at once". */
const STRETCH_BYTES = 1 << 26;
/** A section that claims more is none. Source: DESIGN "Bounds". */
const SECTION_BYTES_MAX = 2 ** 32 - 1;

/** What the ledger file is now, while nobody has it open; nothing when somebody left a log beside it. */
export function ledgerState(directory: string): string | undefined {
  const path = join(directory, LEDGER_FILE);
  if (!existsSync(path) || existsSync(`${path}-wal`) || existsSync(`${path}-journal`)) return undefined;
  const { size, mtimeNs } = statSync(path, { bigint: true });
  const header = Buffer.alloc(HEADER_BYTES);
  const file = openSync(path, "r");
  try {
    if (readSync(file, header, 0, HEADER_BYTES, 0) < HEADER_BYTES) return undefined;
    // While somebody has it open, and after he was killed, it is in the mode that has a log.
    if (header[WRITE_VERSION_AT] !== WITHOUT_LOG) return undefined;
  } finally {
    closeSync(file);
  }
  return `${size} ${mtimeNs} ${header.toString("hex")}`;
}

/** Writes the sections of a checkpoint of a ledger that was just closed. A file that is cut short is dropped later. */
export function writeCheckpoint(directory: string, sections: readonly Uint8Array[]): Result<number, string> {
  const state = ledgerState(directory);
  if (state === undefined) return err("the ledger was not closed");
  const path = join(directory, CHECKPOINT_FILE);
  const fresh = `${path}.new`;
  try {
    const all = [Buffer.from(state, "latin1"), ...sections];
    const file = openSync(fresh, "w", OWNER_ONLY);
    try {
      const hash = createHash("sha256");
      writeWhole(file, Buffer.concat([MAGIC, Buffer.alloc(HASH_BYTES)]));
      for (const section of all) {
        const length = Buffer.alloc(LENGTH_BYTES);
        length.writeBigUInt64LE(BigInt(section.length));
        for (const bytes of [length, section]) {
          hash.update(bytes);
          writeWhole(file, bytes);
        }
      }
      writeSync(file, hash.digest(), 0, HASH_BYTES, MAGIC.length);
    } finally {
      closeSync(file);
    }
    renameSync(fresh, path);
    return ok(statSync(path).size);
  } catch (error) {
    rmSync(fresh, { force: true, recursive: true });
    return err((error as Error).message);
  }
}

/** The sections of the checkpoint of a ledger; nothing when there is none; why there is none to use, in one line. */
export function readCheckpoint(directory: string): Result<readonly Uint8Array[], string> | undefined {
  const path = join(directory, CHECKPOINT_FILE);
  if (!existsSync(path)) return undefined;
  try {
    const file = openSync(path, "r");
    try {
      return sectionsOf(file, statSync(path).size, ledgerState(directory));
    } finally {
      closeSync(file);
    }
  } catch (error) {
    return err((error as Error).message);
  }
}

/** Takes a checkpoint away. */
export function dropCheckpoint(directory: string): void {
  rmSync(join(directory, CHECKPOINT_FILE), { force: true });
}

function sectionsOf(file: number, size: number, state: string | undefined): Result<readonly Uint8Array[], string> {
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
    // Told before all is read: a stale checkpoint costs one read of a few bytes.
    if (sections.length === 0 && section.toString("latin1") !== state) return err("the ledger was opened since");
    // A plain view: a Buffer's `slice` shares memory where that of a Uint8Array copies.
    sections.push(new Uint8Array(section.buffer, section.byteOffset, section.length));
    at += bytes;
  }
  if (!hash.digest().equals(head.subarray(MAGIC.length))) return err("its bytes do not match their hash");
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
