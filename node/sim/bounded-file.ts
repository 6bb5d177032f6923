/**
 * Files that commands are given: read whole within a bound, or refused in one line. A pipe is read as far as the bound;
 * a device, which may go on for ever, is no file. Source: DESIGN L10.
 */
import type { Stats } from "node:fs";
import { open, stat } from "node:fs/promises";
import { UsageError } from "./usage.ts";

/** The bytes of a file of at most so many. Fails with a line that ends the command. */
export async function readBounded(file: string, most: number): Promise<Uint8Array> {
  try {
    const found = await stat(file);
    checkFile(file, found, most);
    return await contentOf(file, found, most);
  } catch (error) {
    throw error instanceof UsageError ? error : unreadable(file, error);
  }
}

/** The same as text. */
export async function readText(file: string, most: number): Promise<string> {
  return new TextDecoder().decode(await readBounded(file, most));
}

/** Refuses what cannot be read to an end within a bound. */
export function checkFile(file: string, found: Stats, most: number): void {
  if (found.isCharacterDevice() || found.isBlockDevice()) throw new UsageError(`${file} is a device, and no file.`);
  if (found.size > most) throw new UsageError(`${file} is longer than ${most} bytes.`);
}

/** The line of a file that cannot be read. */
export function unreadable(file: string, error: unknown): UsageError {
  const reason = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
  return new UsageError(`${file} cannot be read: ${reason}.`);
}

/** What tells no size, a pipe or a file of the system, is read piece by piece. */
async function contentOf(file: string, { size }: Stats, most: number): Promise<Uint8Array> {
  const handle = await open(file);
  try {
    if (size > 0) return await handle.readFile();
    const pieces: Uint8Array[] = [];
    let length = 0;
    for await (const piece of handle.createReadStream({ autoClose: false })) {
      pieces.push(piece as Uint8Array);
      length += pieces.at(-1)?.length ?? 0;
      if (length > most) throw new UsageError(`${file} is longer than ${most} bytes.`);
    }
    return Buffer.concat(pieces);
  } finally {
    await handle.close();
  }
}
