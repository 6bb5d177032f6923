/**
 * Files that commands write, with the folders that they want.
 */
import { mkdir, realpath, stat, unlink, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
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

/** A file that a command reads or writes, by the option that names it. */
export type NamedFile = readonly [name: string, file: string | undefined];

/** Refuses files of which one would be written over another: devices hold nothing that could be. */
export async function checkApart(files: readonly NamedFile[]): Promise<void> {
  const known = new Map<string, string>();
  for (const [name, file] of files) {
    const place = file === undefined ? undefined : await placeOf(file);
    if (place === undefined) continue;
    const other = known.get(place);
    if (other !== undefined)
      throw new UsageError(`${file} is ${other} and ${name} at once: one would be written over.`);
    known.set(place, name);
  }
}

/** What a file is under all of its names; nothing of a device. */
async function placeOf(file: string): Promise<string | undefined> {
  const found = await stat(file).catch(() => undefined);
  if (found !== undefined) return found.isFile() ? `${found.dev}:${found.ino}` : undefined;
  const path = resolve(file);
  return join(await realpath(dirname(path)).catch(() => dirname(path)), basename(path));
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
