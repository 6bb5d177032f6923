/**
 * What is written survives power loss once it is synced: a file with what is in it, a name with the directory that
 * holds it. Source: DESIGN L9.
 */
import { closeSync, fsyncSync, openSync } from "node:fs";
import { open } from "node:fs/promises";

/** Syncs a file. Throws what the system says. */
export function syncFile(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Syncs the names in a directory. Windows cannot; its file system journals names by itself. */
export function syncDirectory(path: string): void {
  if (process.platform !== "win32") syncFile(path);
}

/** Syncs a file that may be large, on a thread that serves nobody. Fails with what the system says. */
export async function syncLargeFile(path: string): Promise<void> {
  const file = await open(path, "r");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
