/**
 * Folders that a node needs and that may not be there yet: made one level at a time.
 * Not here: what lies in them, and what makes them survive power loss (adapters/sqlite).
 */
import { mkdirSync, rmdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

/** What everybody may do with a new folder, as far as the process lets them. */
const OPEN_TO_ALL = 0o777;

/**
 * Makes a folder, with those above it that are missing; answers the outermost that it made, or nothing when the folder
 * was there. Throws what the system says of the first that cannot be made. The recursive `mkdirSync` of Node.js 20 asks
 * again for ever where the system says ENOENT below a folder that exists, as it does in `/proc`. Source: DESIGN
 * section 6.
 */
export function makeFolder(path: string, mode: number = OPEN_TO_ALL): string | undefined {
  const made: string[] = [];
  makeEach(resolve(path), mode, made);
  return made[0];
}

/** Why a folder cannot be made, or nothing. What is made to find out is removed again. Source: DESIGN section 6. */
export function folderProblem(path: string): NodeJS.ErrnoException | undefined {
  const made: string[] = [];
  try {
    makeEach(resolve(path), OPEN_TO_ALL, made);
    return undefined;
  } catch (error) {
    return error as NodeJS.ErrnoException;
  } finally {
    for (const each of made.reverse()) removeEmpty(each);
  }
}

/** Tells each folder that it made, the outermost first. */
function makeEach(folder: string, mode: number, made: string[]): void {
  if (isFolder(folder)) return;
  const above = dirname(folder);
  if (above !== folder) makeEach(above, mode, made);
  try {
    mkdirSync(folder, { mode });
    made.push(folder);
  } catch (error) {
    // Somebody else may have made it meanwhile.
    if (!isFolder(folder)) throw error;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Somebody put something into it meanwhile.
  }
}
