/**
 * Files that commands write, with the folders that they want.
 */
import { mkdir, stat, unlink, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { UsageError } from "./usage.ts";

/** Writes a file, with the folders that it wants. Fails with a line that ends the command. */
export async function writeOut(file: string, content: string | Uint8Array): Promise<void> {
  try {
    await makeFolder(dirname(resolve(file)));
    await writeFile(file, content);
  } catch (error) {
    throw new UsageError(`${file} cannot be written: ${(error as Error).message}.`);
  }
}

/** Removes a file that was written. A device or a pipe stays: with the rights to, /dev/null would go. */
export async function removeOut(file: string): Promise<void> {
  if ((await stat(file)).isFile()) await unlink(file);
}

/** Folder by folder: Node's own recursive form never ends where the system answers that a parent is not there. */
async function makeFolder(folder: string): Promise<void> {
  const found = await stat(folder).catch(() => undefined);
  if (found !== undefined || folder === dirname(folder)) return;
  await makeFolder(dirname(folder));
  await mkdir(folder);
}
