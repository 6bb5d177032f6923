/**
 * Usage: node --import ./node/bootstrap/typescript.mjs test/guided/compared.ts [--bugs TEXT] [--first SEED]
 * [--searches N] [--events N] [--times N]
 * How many events plain swarm and guided search take to find bugs that need three steps in order. Each way begins at
 * the same first seeds; guided search ends after `--events`, and drawn worlds after `--times` as many as guided search
 * took in the median. A line for each search, and for each bug both medians. It runs for hours, and nothing of it is
 * a test.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import type { Plant } from "../score/plant.ts";
import { deepBugs } from "./deep-bugs.ts";

const root = resolve(import.meta.dirname, "..", "..");
const FOLDER = join(root, "node_modules/.cache/ofs/guided");
/** From one first seed to the next: no search comes so far. */
const APART = 10_000;
const { values } = parseArgs({
  options: {
    bugs: { type: "string", default: "" },
    first: { type: "string", default: "20001" },
    searches: { type: "string", default: "15" },
    events: { type: "string", default: "12000" },
    times: { type: "string", default: "10" },
  },
});
const firsts = Array.from({ length: Number(values.searches) }, (_, place) => Number(values.first) + place * APART);
mkdirSync(FOLDER, { recursive: true });
for (const bug of deepBugs.filter(({ name }) => name.includes(values.bugs))) {
  const outfile = join(FOLDER, `${bug.name}.mjs`);
  await bundle(bug, outfile);
  const guided = searched(bug.name, outfile, { way: "guided", most: Number(values.events) });
  if (guided === Infinity) continue;
  searched(bug.name, outfile, { way: "plain", most: Number(values.times) * guided });
}

/**
 * Searches from each first seed, says what each came to, and answers the median. Whatever is left is not searched once
 * half of all found nothing: the median is beyond `most` then.
 */
function searched(
  name: string,
  outfile: string,
  { way, most }: { readonly way: string; readonly most: number },
): number {
  const taken: number[] = [];
  for (const first of firsts) {
    const { stdout, stderr, status } = spawnSync(process.execPath, [outfile, way, `${first}`, `${most}`], {
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(stderr);
    console.log(`  ${name} ${way} from ${first}: ${stdout.trim()}`);
    taken.push(stdout.includes(", nothing") ? Infinity : Number.parseInt(stdout, 10));
    if (taken.filter((events) => events === Infinity).length * 2 > firsts.length) break;
  }
  const found = taken.filter((events) => events < Infinity).sort((a, b) => a - b);
  const median = found[firsts.length >> 1] ?? Infinity;
  const shown = median === Infinity ? `over ${most}` : `${median}`;
  console.log(`${name} ${way}: found from ${found.length} of ${taken.length}, median ${shown} events`);
  return median;
}

async function bundle(bug: Plant, outfile: string): Promise<void> {
  await build({
    ...{ entryPoints: [join(import.meta.dirname, "compared-worker.ts")], outfile, bundle: true },
    ...{ platform: "node", format: "esm", target: "node20", packages: "external", logLevel: "silent" },
    plugins: [
      {
        name: "plant",
        setup(plugins) {
          plugins.onLoad({ filter: /\.ts$/ }, ({ path }) => {
            if (path !== join(root, bug.file)) return undefined;
            return { contents: bug.apply(readFileSync(path, "utf8")), loader: "ts" };
          });
        },
      },
    ],
  });
}
