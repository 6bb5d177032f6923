/**
 * Limits that are too great to be reached: the product is loaded once more with a smaller number in the constant's
 * place, and what comes of one less, of exactly as many and of one more is tried there. The text that is replaced says
 * the real number, so a constant that moved fails here too.
 */
import type { Load } from "../planted/planted-bug.ts";
import { withPlantedBug } from "../planted/planted-bug.ts";

interface BroughtDown {
  readonly file: string;
  /** The declaration as it stands in the file. */
  readonly find: string;
  readonly value: number;
  /** What takes its place. */
  readonly replace: string;
  readonly small: number;
}

/** What comes of a value beside the real limit, seen beside the small one. */
export function broughtDown(
  { file, find, value, replace, small }: BroughtDown,
  comesOf: (n: number, load: Load) => Promise<string>,
): (n: number) => Promise<string> {
  let outcomes: Promise<ReadonlyMap<number, string>> | undefined;
  const tryAll = () =>
    withPlantedBug({ file, find, replace }, async (load) => {
      const found = new Map<number, string>();
      for (const beside of [-1, 0, 1]) found.set(value + beside, await comesOf(small + beside, load));
      return found;
    });
  return async (n) => {
    outcomes ??= tryAll();
    return (await outcomes).get(n) ?? "not tried";
  };
}
