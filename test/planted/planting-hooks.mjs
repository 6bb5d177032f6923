/**
 * Loads the product from its sources, a graph apart for every planting: whatever a module with `?planting=FILE` in its
 * name imports of ours bears it too, and where FILE (a JSON object of paths and sources) holds another source for a
 * module, that one is taken. Runs in the thread where the runtime keeps its loaders.
 */
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { transform } from "esbuild";
import { translated } from "../../node/bootstrap/typescript-hooks.mjs";

const PLANTING = "planting";

/** Other sources by path, by planting. */
const plantings = new Map();

export async function resolve(specifier, context, next) {
  const found = await next(specifier, context);
  const planting = context.parentURL && new URL(context.parentURL).searchParams.get(PLANTING);
  if (!planting || !isOurs(found.url)) return found;
  const url = new URL(found.url);
  url.searchParams.set(PLANTING, planting);
  return { ...found, url: url.href, format: "module", importAttributes: {} };
}

export async function load(url, context, next) {
  const planting = url.startsWith("file:") ? new URL(url).searchParams.get(PLANTING) : null;
  if (planting === null) return next(url, context);
  const path = fileURLToPath(url);
  const others = await plantingOf(planting);
  const source =
    path in others ? await planted(others[path], path) : await translated(await readFile(path, "utf8"), path);
  return { format: "module", source, shortCircuit: true };
}

function isOurs(url) {
  return url.startsWith("file:") && url.endsWith(".ts") && !url.includes("/node_modules/");
}

async function plantingOf(file) {
  const known = plantings.get(file);
  if (known !== undefined) return known;
  const read = JSON.parse(await readFile(file, "utf8"));
  plantings.set(file, read);
  return read;
}

async function planted(source, path) {
  const { code } = await transform(source, { loader: "ts", format: "esm", target: "node20", sourcefile: path });
  return code;
}
