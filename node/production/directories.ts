/**
 * Whether a directory or a file that an operator names can be used, looked at before anything is written.
 * Source: DESIGN section 6 ("Bad usage, bad files and bad input").
 */
import { accessSync, closeSync, constants, existsSync, openSync, statSync, unlinkSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { folderProblem } from "../../adapters/folders/make-folder.ts";

/** What stands in the way of a directory. */
export interface DirectoryProblem {
  /** For the operator. */
  readonly line: string;
  /** Whether this user lacks the rights; another may have them. */
  readonly denied: boolean;
}

/** Codes of the system for what this user, or this file system as it is mounted, may not do. */
const DENIED: ReadonlySet<string | undefined> = new Set(["EACCES", "EPERM", "EROFS"]);

/** Why a directory can neither be used nor made, or nothing. Nothing is left of what is made to find out. */
export function directoryProblem(flag: string, path: string): DirectoryProblem | undefined {
  const there = firstThatExists(resolve(path));
  const named = `${flag} ${path}: ${there}`;
  if (!isDirectory(there)) return { line: `${named} is no directory; name another.`, denied: false };
  const problem = isOurs(there) ? folderProblem(path) : "denied";
  if (problem === undefined) return undefined;
  if (problem === "denied" || DENIED.has(problem.code)) {
    const line = `${named} cannot be read and written by this user; chown or chmod it, or name another.`;
    return { line, denied: true };
  }
  return { line: `${flag} ${path} cannot be made: ${problem.message}; name another.`, denied: false };
}

/** Why a file cannot be made, or put in the place of another, or nothing. Nothing changes. Source: DESIGN section 6. */
export function fileProblem(flag: string, path: string): string | undefined {
  const folder = dirname(resolve(path));
  if (!isDirectory(folder) || !isOurs(folder))
    return `${flag} ${path}: ${folder} is no directory that this user can write; make it, or name another.`;
  try {
    if (existsSync(path)) return statSync(path).isFile() ? undefined : `${flag} ${path} is no file; name another.`;
    closeSync(openSync(path, "wx"));
    unlinkSync(path);
    return undefined;
  } catch (error) {
    return `${flag} ${path} cannot be written: ${(error as Error).message}; name another.`;
  }
}

function firstThatExists(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : firstThatExists(dirname(path));
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function isOurs(directory: string): boolean {
  try {
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
