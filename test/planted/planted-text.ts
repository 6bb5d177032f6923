/**
 * A bug as texts: what to find in one source, and what to put there. Not here: how the product is loaded with it.
 */

/** One planted bug. The file is relative to the repository. */
export interface PlantedBug {
  readonly file: string;
  /** Exact source text, found once in the file. */
  readonly find: string;
  readonly replace: string;
}

/** The source with the bug in it. */
export function plant(source: string, bug: PlantedBug): string {
  const parts = source.split(bug.find);
  if (bug.find === "" || parts.length !== 2) {
    throw new Error(`${bug.file} holds the text to replace ${parts.length - 1} times, not once: ${bug.find}`);
  }
  return parts.join(bug.replace);
}
