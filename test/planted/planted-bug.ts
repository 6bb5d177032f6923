/**
 * Proof that a check can fail: loads the product with one bug planted into it while it is read.
 * The product has no switches for this. A bug is a source text to find, exactly once, in one named file, and the text
 * to put there instead; the whole module graph is loaded anew around it, apart from the test's own imports.
 */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createViteServer } from "vitest/node";
import type { PlantedBug } from "./planted-text.ts";
import { plant } from "./planted-text.ts";

const root = resolve(import.meta.dirname, "..", "..");

/** Loads a module of the repository, by its path, from the graph that holds the bug. */
export type Load = <Module>(path: string) => Promise<Module>;

/**
 * Runs `body` with the bug planted in whatever `load` loads; a bug may need several edits.
 * Rejects when a text is not in its file exactly once, and when `body` never loaded that file: a bug that moved
 * or is out of reach proves nothing.
 */
export async function withPlantedBug<Result>(
  bug: PlantedBug | readonly PlantedBug[],
  body: (load: Load) => Promise<Result>,
): Promise<Result> {
  const edits = [bug].flat();
  const untouched = new Set(edits.map(({ file }) => file));
  for (const file of untouched) plantAll(readFileSync(join(root, file), "utf8"), edits, file);
  const server = await createViteServer({
    root,
    configFile: false,
    envFile: false,
    logLevel: "silent",
    appType: "custom",
    server: { middlewareMode: true, hmr: false, ws: false, watch: null },
    optimizeDeps: { noDiscovery: true },
    plugins: [
      {
        name: "planted-bug",
        enforce: "pre",
        transform(code: string, id: string) {
          const path = id.split("?")[0];
          const file = edits.find((edit) => join(root, edit.file) === path)?.file;
          if (file === undefined) return undefined;
          untouched.delete(file);
          return { code: plantAll(code, edits, file), map: null };
        },
      },
    ],
  });
  try {
    const load: Load = async <Module>(modulePath: string) =>
      (await server.ssrLoadModule(join(root, modulePath))) as Module;
    const result = await body(load);
    for (const file of untouched) throw new Error(`${file} was never loaded, so its planted bug proves nothing`);
    return result;
  } finally {
    await server.close();
  }
}

function plantAll(source: string, edits: readonly PlantedBug[], file: string): string {
  return edits.filter((edit) => edit.file === file).reduce(plant, source);
}
