/**
 * Runs the product compiled while benchmarks stay TypeScript: what is measured has to be what an installed package
 * runs, and that holds no maps of sources. Children that are started through a launcher of node/bin know it by the
 * environment.
 */
import { register } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build, isBuilt, SHIPPED } from "./build.mjs";

/** Set, the launchers of node/bin start what is built, as they do in an installed package. */
const VARIABLE = "OFS_COMPILED";

/**
 * Builds dist/ unless it is what the sources make, then has this process and its children run that; answers the exit
 * code of the build. Nothing is printed where nothing is built.
 */
export async function runCompiled(root, print = console.error) {
  const code = isBuilt(root) ? 0 : await build(root, print);
  if (code === 0) registerCompiled(root);
  return code;
}

/** From here on this process imports the JavaScript of a folder for what lies in `root` as TypeScript. */
export function registerCompiled(root, dist = join(root, "dist")) {
  const data = { folders: SHIPPED, root: `${pathToFileURL(root).href}/`, dist: `${pathToFileURL(dist).href}/` };
  register("./compiled-hooks.mjs", import.meta.url, { data });
  // What nobody has in an installed package: the map of every source would be read and held.
  process.setSourceMapsEnabled(false);
  process.env[VARIABLE] = "1";
}
