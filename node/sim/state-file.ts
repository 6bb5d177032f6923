/**
 * The file of a served network's state: read whole or refused in one line, and written in the place of what was there
 * all at once, or not at all. Source: DESIGN section 6 "serve", L9.
 */
import { open, rename, stat, unlink } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { Result } from "../../core/index.ts";
import { err, ok } from "../../core/index.ts";
import type { RestoredNetwork, SavedState } from "../../sim/serve/network-state.ts";
import { restoreNetwork } from "../../sim/serve/network-state.ts";
import { readBounded } from "./bounded-file.ts";
import { UsageError } from "./usage.ts";

/** Largest state that is read, in bytes. Source: DESIGN L10. */
export const STATE_BYTES_MAX = 1_073_741_824;

/** The network that a file holds; nothing where there is no file. Fails with a line that ends the command. */
export async function stateIn(file: string, version: string): Promise<RestoredNetwork | undefined> {
  if (await isAbsent(file)) return undefined;
  const restored = restoreNetwork(await readBounded(file, STATE_BYTES_MAX), version);
  if (!restored.ok) throw new UsageError(`${file} ${restored.error}.`);
  return restored.value;
}

/** Refuses a file that could not be written, before a network runs for it; what stands there is not touched. */
export async function checkWritable(file: string): Promise<void> {
  const part = partOf(file);
  try {
    await (await open(part, "w")).close();
    await unlink(part);
  } catch (error) {
    throw new UsageError(`${file} cannot be written: ${reasonOf(error)}.`);
  }
}

/** Writes a state beside its file, and puts it there once all of it is on the disk. */
export async function writeState(file: string, state: Uint8Array): Promise<Result<SavedState, string>> {
  const part = partOf(file);
  try {
    await written(part, state);
    await rename(part, file);
    await synced(dirname(resolve(file)));
    return ok({ file: resolve(file), bytes: state.length });
  } catch (error) {
    await unlink(part).catch(() => undefined);
    return err(`${file} cannot be written: ${reasonOf(error)}`);
  }
}

async function written(part: string, state: Uint8Array): Promise<void> {
  const handle = await open(part, "w");
  try {
    await handle.writeFile(state);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** A rename outlives a loss of power once its folder is on the disk. */
async function synced(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function partOf(file: string): string {
  return `${file}.${process.pid}.part`;
}

async function isAbsent(file: string): Promise<boolean> {
  const code = await stat(file).then(
    () => undefined,
    (error: NodeJS.ErrnoException) => error.code,
  );
  return code === "ENOENT";
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
}
