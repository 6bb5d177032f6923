/**
 * A program and all that it needs in one file, with a bug planted into one of its sources: what a score and the
 * benchmarks of searching play worlds with.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import type { Plant } from "./plant.ts";

export interface BundleOptions {
  readonly root: string;
  /** What runs when the bundle is run. */
  readonly entry: string;
  readonly outfile: string;
  readonly plant?: Pick<Plant, "name" | "file" | "apply"> | undefined;
}

/** Writes the bundle. Throws where the program never loads what the bug is planted into. */
export async function bundle({ root, entry, outfile, plant }: BundleOptions): Promise<void> {
  let planted = plant === undefined;
  await build({
    ...{ entryPoints: [entry], outfile, bundle: true },
    ...{ platform: "node", format: "esm", target: "node20", packages: "external", logLevel: "silent" },
    // A function that only the bug leaves without use stays, so that nothing but the bug differs.
    treeShaking: false,
    plugins: [
      {
        name: "plant",
        setup(plugins) {
          plugins.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
            if (plant === undefined || path !== join(root, plant.file)) return undefined;
            planted = true;
            return { contents: plant.apply(await readFile(path, "utf8")), loader: "ts" };
          });
        },
      },
    ],
  });
  if (!planted) throw new Error(`${plant?.name}: no world loads ${plant?.file}`);
}
