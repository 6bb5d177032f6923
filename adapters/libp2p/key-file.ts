/**
 * Identity key files: a JSON array of 64 integers, the 32-byte secret and then its public key, as `solana-keygen`
 * writes them. A failure names the file, never what is in it. Source: protocol 01 §1.2.
 */
import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { openNativeCrypto } from "../crypto/native.ts";
import { syncDirectory, syncFile } from "../folders/sync.ts";
import type { Result } from "./types.ts";

const SECRET_BYTES = 32;
const KEY_FILE_NUMBERS = 64;
/** No key file is longer, however it is laid out. Source: DESIGN "Bounds". */
const KEY_FILE_BYTES_MAX = 4_096;
/** Of what the name of a file that is not whole yet ends with. */
const SUFFIX_BYTES = 6;
/** Only the owner reads and writes. */
const KEY_FILE_MODE = 0o600;
/** What a mode grants to the group and to everybody. */
const OTHERS = 0o077;

/** An Ed25519 key pair. */
export interface KeyPair {
  /** The Ed25519 seed. */
  readonly secretKey: Uint8Array;
  readonly publicKey: Uint8Array;
}

/** Why a key file could not be read or written. */
export interface KeyFileFailure {
  readonly code: "missing" | "unreadable" | "exposed" | "malformed" | "mismatch" | "exists" | "unwritable";
  /** One line for the operator. */
  readonly reason: string;
}

/** Reads a key file. */
export function loadKeyFile(path: string): Result<KeyPair, KeyFileFailure> {
  const text = readBounded(path);
  if (!text.ok) return text;
  const numbers = parseNumbers(text.value);
  if (numbers === undefined) {
    return failure("malformed", `key file ${path}: not a JSON array of 64 integers from 0 to 255`);
  }
  const secretKey = numbers.slice(0, SECRET_BYTES);
  const publicKey = numbers.slice(SECRET_BYTES);
  const derived = openNativeCrypto().publicKey(secretKey);
  if (!derived.every((byte, index) => byte === publicKey[index])) {
    return failure("mismatch", `key file ${path}: its public key does not belong to its secret key`);
  }
  return { ok: true, value: { secretKey, publicKey } };
}

/**
 * Draws a key and writes it to a new file; a file that exists is left alone. The file has its name once it is whole and
 * on the disk: a process that is killed meanwhile leaves none that the next start would refuse.
 */
export function generateKeyFile(path: string): Result<KeyPair, KeyFileFailure> {
  const secretKey = new Uint8Array(randomBytes(SECRET_BYTES));
  const publicKey = openNativeCrypto().publicKey(secretKey);
  const exists = failure("exists", `key file ${path}: exists already; it is not overwritten`);
  if (existsSync(path)) return exists;
  const unfinished = `${path}.${randomBytes(SUFFIX_BYTES).toString("hex")}`;
  try {
    const file = openSync(unfinished, "wx", KEY_FILE_MODE);
    try {
      writeFileSync(file, `${JSON.stringify([...secretKey, ...publicKey])}\n`);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    nameNew(unfinished, path);
    syncDirectory(dirname(path));
  } catch (error) {
    const code = codeOf(error);
    if (code === "EEXIST") return exists;
    const folder = dirname(path);
    const missing = `${folder} does not exist; install -d -m 700 ${folder} makes it`;
    return failure("unwritable", `key file ${path}: ${code === "ENOENT" ? missing : `cannot be written (${code})`}`);
  } finally {
    rmSync(unfinished, { force: true });
  }
  return { ok: true, value: { secretKey, publicKey } };
}

/** Gives a file a name that nothing has. Where the file system knows no second names, its bytes are copied. */
function nameNew(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    if (codeOf(error) === "EEXIST") throw error;
    copyFileSync(from, to, constants.COPYFILE_EXCL);
    syncFile(to);
  }
}

function readBounded(path: string): Result<string, KeyFileFailure> {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch (error) {
    return codeOf(error) === "ENOENT"
      ? failure("missing", `key file ${path}: does not exist`)
      : failure("unreadable", `key file ${path}: cannot be read (${codeOf(error)})`);
  }
  try {
    const mode = fstatSync(file).mode & 0o777;
    // Windows keeps no such modes.
    if ((mode & OTHERS) !== 0 && process.platform !== "win32") {
      const shown = mode.toString(8).padStart(4, "0");
      return failure(
        "exposed",
        `key file ${path}: others than its owner can use it (mode ${shown}); run chmod 600 ${path}`,
      );
    }
    const buffer = Buffer.alloc(KEY_FILE_BYTES_MAX + 1);
    const length = readSync(file, buffer, 0, buffer.length, null);
    return { ok: true, value: buffer.toString("utf8", 0, length) };
  } catch (error) {
    return failure("unreadable", `key file ${path}: cannot be read (${codeOf(error)})`);
  } finally {
    closeSync(file);
  }
}

function parseNumbers(text: string): Uint8Array | undefined {
  if (text.length > KEY_FILE_BYTES_MAX) return undefined;
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return undefined;
  }
  const numbers: readonly unknown[] = Array.isArray(parsed) ? parsed : [];
  const bytes = numbers.length === KEY_FILE_NUMBERS && numbers.every(isByte);
  return bytes ? Uint8Array.from(numbers as readonly number[]) : undefined;
}

function isByte(value: unknown): boolean {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 255;
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown error";
}

function failure(code: KeyFileFailure["code"], reason: string): Result<never, KeyFileFailure> {
  return { ok: false, error: { code, reason } };
}
