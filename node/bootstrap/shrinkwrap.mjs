/**
 * The lock that travels with the package, so that an installation brings the versions that were tested: overrides and
 * package-lock.json do not reach installers. It is the lock without what serves development only; it stands in the
 * folder while a tarball is packed (prepack, postpack) and is not kept. Source: DESIGN section 8 "engines".
 */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const FILE = "npm-shrinkwrap.json";

/** A lock as installers of the package need it. */
export function shrinkwrapOf(lock) {
  const { devDependencies: _development, ...own } = lock.packages[""];
  const kept = Object.entries(lock.packages).filter(([path, { dev }]) => path !== "" && dev !== true);
  return { ...lock, packages: { "": own, ...Object.fromEntries(kept) } };
}

export function writeShrinkwrap(root) {
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  writeFileSync(join(root, FILE), `${JSON.stringify(shrinkwrapOf(lock), null, 2)}\n`);
}

export function removeShrinkwrap(root) {
  rmSync(join(root, FILE), { force: true });
}
