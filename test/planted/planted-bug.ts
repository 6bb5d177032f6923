/**
 * Proof that a check can fail: loads the product with one bug planted into it while it is read.
 * The product has no switches for this. A bug is a source text to find, exactly once, in one named file, and the text
 * to put there instead; the whole module graph is loaded anew around it, apart from the test's own imports.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { register } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { PlantedBug } from "./planted-text.ts";
import { plant } from "./planted-text.ts";

const root = resolve(import.meta.dirname, "..", "..");

/** Paths that planted graphs have loaded, by the file that tells them apart. */
const loaded = new Map<string, Set<string>>();
Reflect.set(globalThis, "notePlanted", (planting: string, path: string) => loaded.get(planting)?.add(path));

let isRegistered = false;

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
  const sources = [...new Set(edits.map(({ file }) => file))].map((file): PlantedSource => {
    const path = join(root, file);
    return { file, path, source: plantAll(readFileSync(path, "utf8"), edits, file) };
  });
  if (!isRegistered) register("./planting-hooks.mjs", pathToFileURL(import.meta.filename));
  isRegistered = true;
  const folder = mkdtempSync(join(tmpdir(), "ofs-planting-"));
  const planting = join(folder, "sources.json");
  const seen = new Set<string>();
  loaded.set(planting, seen);
  writeFileSync(planting, JSON.stringify(Object.fromEntries(sources.map((of) => [of.path, noting(of, planting)]))));
  try {
    const load: Load = async <Module>(modulePath: string) => {
      const url = pathToFileURL(join(root, modulePath));
      url.searchParams.set("planting", planting);
      return (await import(url.href)) as Module;
    };
    const result = await body(load);
    for (const { file, path } of sources)
      if (!seen.has(path)) throw new Error(`${file} was never loaded, so its planted bug proves nothing`);
    return result;
  } finally {
    loaded.delete(planting);
    rmSync(folder, { recursive: true });
  }
}

interface PlantedSource {
  /** Relative to the repository. */
  readonly file: string;
  readonly path: string;
  readonly source: string;
}

/** The source, which first of all tells that it was loaded. */
function noting({ path, source }: PlantedSource, planting: string): string {
  return `globalThis.notePlanted(${JSON.stringify(planting)}, ${JSON.stringify(path)});\n${source}`;
}

function plantAll(source: string, edits: readonly PlantedBug[], file: string): string {
  return edits.filter((edit) => edit.file === file).reduce(plant, source);
}
