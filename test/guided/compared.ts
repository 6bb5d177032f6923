/**
 * Usage: tsx test/guided/compared.ts [--events N] [--first SEED,SEED…]
 * How many events plain swarm and guided search take to find bugs that need three steps in order, from the same seeds
 * on: a line for each bug and way, and the medians. It runs for minutes, and nothing of it is a test.
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
const { values } = parseArgs({
  options: {
    events: { type: "string", default: "40000" },
    first: { type: "string", default: "20001,30001,40001" },
    bugs: { type: "string", default: "" },
  },
});
mkdirSync(FOLDER, { recursive: true });
for (const bug of deepBugs.filter(({ name }) => name.includes(values.bugs))) {
  const outfile = join(FOLDER, `${bug.name}.mjs`);
  await bundle(bug, outfile);
  for (const way of ["guided", "plain"]) {
    const taken = values.first.split(",").map((first) => {
      const { stdout, stderr, status } = spawnSync(process.execPath, [outfile, way, first, values.events], {
        encoding: "utf8",
      });
      if (status !== 0) throw new Error(stderr);
      console.log(`  ${bug.name} ${way} from ${first}: ${stdout.trim()}`);
      return Number.parseInt(stdout, 10);
    });
    console.log(`${bug.name} ${way}: median ${taken.sort((a, b) => a - b)[taken.length >> 1]} events`);
  }
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
