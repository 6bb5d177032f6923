/**
 * Snapshot files on disk: written beside their name, made safe, renamed, and only then known; the newest stays.
 * Source: protocol 05 §6.5 (8-10), §6.7, §11.3.
 */
import { constants } from "node:fs";
import { access, open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { SnapshotFailure, SnapshotWritten } from "../../core/index.ts";
import { FILE_BYTES_MAX } from "../../core/ports/snapshots.ts";
import { makeFolder } from "../folders/make-folder.ts";

const compress = promisify(gzip);
const FILE = ".tar.gz";
const PARTIAL = ".tar.partial";
/** Level and the header's last byte, "unknown system": what the reference writes. Source: protocol 05 §6.7. */
const LEVEL = 6;
const SYSTEM_AT = 9;
const UNKNOWN_SYSTEM = 0xff;

/** Compresses and keeps an archive. Never fails but by its answer. */
export async function keepFile(directory: string, id: string, archive: Uint8Array): Promise<SnapshotWritten> {
  const path = join(directory, `${id}${FILE}`);
  const partial = join(directory, `${id}${PARTIAL}`);
  try {
    makeFolder(directory);
    if (await exists(path)) return failed("RESOURCE_ALREADY_EXISTS", `${path} exists`);
    const bytes = await compress(archive, { level: LEVEL });
    bytes[SYSTEM_AT] = UNKNOWN_SYSTEM;
    if (bytes.length > FILE_BYTES_MAX) return failed("SNAPSHOT_VERIFICATION_FAILED", "larger than a file may be");
    await writeSafely(partial, bytes);
    await rename(partial, path);
    await syncDirectory(directory);
    await forgetOlder(directory, `${id}${FILE}`);
    return { ok: true, sizeBytes: bytes.length };
  } catch (error) {
    await rm(partial, { force: true }).catch(() => undefined);
    return failed("DATABASE_ERROR", error instanceof Error ? error.message : String(error));
  }
}

async function writeSafely(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, "w");
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** A name is safe once its directory is. */
async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Older files, and what an earlier process left half-written. What cannot be removed stays; nothing else in the
 * directory is touched.
 */
async function forgetOlder(directory: string, kept: string): Promise<void> {
  const names = await readdir(directory).catch(() => []);
  const old = names.filter((name) => name !== kept && (name.endsWith(FILE) || name.endsWith(PARTIAL)));
  for (const name of old) await rm(join(directory, name), { force: true }).catch(() => undefined);
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

function failed(code: SnapshotFailure, reason: string): SnapshotWritten {
  return { ok: false, code, reason };
}
