/**
 * Runs the worlds of the seeds that stand on its command line, one after the other, until one breaks a law; prints a
 * line of JSON for each. It is bundled anew for every planted bug, so that it holds the bug and nothing else differs.
 * With `--reach` before the seeds each line also has what of the bundle that world ran, or what loading it did.
 * Exit codes: 0 every seed was played or a law broken, 20 the product does not load, 1 anything else.
 */
import { basename } from "node:path";
import { DOES_NOT_LOAD } from "./played.ts";
import { openCounter, together } from "./reach.ts";

const [option, ...rest] = process.argv.slice(2);
const counted = option === "--reach" ? await openCounter(basename(process.argv[1] ?? "")) : undefined;
// Loaded only now: what that runs is counted.
const { play } = await import("./play.ts").catch(giveUp);
const loaded = await counted?.();

for (const seed of counted === undefined ? process.argv.slice(2) : rest) {
  const played = await play(seed);
  const reach = counted && loaded && together(loaded, await counted());
  process.stdout.write(`${JSON.stringify({ ...played, ...(reach && { reach }) })}\n`);
  if (played.law !== null) break;
}

function giveUp(error: unknown): never {
  console.error(error);
  process.exit(DOES_NOT_LOAD);
}
