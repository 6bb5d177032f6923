/**
 * Takes the JavaScript in dist/ for a TypeScript file of the product, whoever imports it, and loads it as it lies
 * there. What dist/ has not is loaded from its source; tests are nowhere in it. Runs in the thread where Node keeps its
 * loaders.
 */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const terms = { folders: [], root: "", dist: "" };

export function initialize(data) {
  Object.assign(terms, data);
}

export async function resolve(specifier, context, next) {
  const found = await next(specifier, context);
  const url = compiledOf(found.url);
  return url === undefined ? found : { ...found, url, format: "module", importAttributes: {} };
}

export async function load(url, context, next) {
  const compiled = url.startsWith(terms.dist) && url.endsWith(".js");
  if (!compiled) return next(url, context);
  // As it is: what other loaders would do to it, an installed package has not.
  return { format: "module", source: await readFile(fileURLToPath(url)), shortCircuit: true };
}

/** Where the JavaScript of a source lies, if that is one of the product's and was compiled. */
function compiledOf(url) {
  if (!url.startsWith(terms.root) || !url.endsWith(".ts")) return undefined;
  const path = url.slice(terms.root.length);
  if (!terms.folders.includes(path.slice(0, path.indexOf("/")))) return undefined;
  const compiled = `${terms.dist}${path.slice(0, -".ts".length)}.js`;
  return existsSync(fileURLToPath(compiled)) ? compiled : undefined;
}
