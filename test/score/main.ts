/**
 * Usage: npm run sim -- score [--plants TEXT[,TEXT]] [--draw SEED] [--seeds A..B] [--worlds N] [--workers N]
 *   [--out FILE]
 * Plants bugs into the product, one at a time, and says which of them drawn worlds find, by which law and how soon.
 * `--plants` takes those whose name holds one of the texts, or whose group is one. `--draw` takes mutants that were
 * never scored instead, as this seed draws them: what laws find that nobody wrote for them. Seeds are those of the
 * fleet unless a range is given; of these only worlds that run what a bug changes are played, at most N for each bug.
 * Writes the table to FILE as Markdown.
 * Exit codes: 0 nine tenths and a half or more of those that took effect were found, 1 fewer, 2 bad usage.
 */
import { writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { countOf, seedRangeOf, UsageError, WORKERS_MAX } from "../../node/sim/usage.ts";
import { FLEET } from "../../sim/swarm/fleet.ts";
import { allPlants, otherPlants } from "./plants/index.ts";
import { score } from "./score.ts";
import { lineOf, summaryOf, tableOf } from "./table.ts";

const root = resolve(import.meta.dirname, "..", "..");
/** What of the bugs that took effect must be found. Source: DESIGN section 9. */
const BAR = 0.95;
const DRAW_MAX = 999_999_999;

try {
  await run();
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}

async function run(): Promise<void> {
  const { plants: text, draw, seeds: range, worlds, workers, out } = read(process.argv.slice(2));
  const all = draw === undefined ? await allPlants(root) : await otherPlants(root, countOf("--draw", DRAW_MAX)(draw));
  const texts = text.split(",");
  const plants = all.filter(({ name, group }) => texts.some((one) => name.includes(one) || group === one));
  if (plants.length === 0) throw new UsageError(`No planted bug has "${text}" in its name.`);
  const seeds = range === undefined ? FLEET : seedsOf(range);
  const scored = await score({
    ...{ root, seeds, plants },
    workers: countOf("--workers", WORKERS_MAX)(workers),
    worlds: worlds === undefined ? undefined : countOf("--worlds", seeds.length)(worlds),
    done: (one, count) => console.log(`${count}/${plants.length} ${lineOf(one)}`),
  });
  if (out !== undefined) writeFileSync(resolve(out), tableOf(scored));
  const { line, share } = summaryOf(scored);
  console.log(line);
  process.exitCode = share >= BAR ? 0 : 1;
}

function seedsOf(range: string): readonly bigint[] {
  const { first, last } = seedRangeOf(range);
  return Array.from({ length: Number(last - first) + 1 }, (_, place) => first + BigInt(place));
}

function read(args: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        plants: { type: "string", default: "" },
        draw: { type: "string" },
        seeds: { type: "string" },
        worlds: { type: "string" },
        workers: { type: "string", default: `${availableParallelism()}` },
        out: { type: "string" },
      },
    });
    return values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
