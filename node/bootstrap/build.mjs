/**
 * Builds what an installed package runs: JavaScript and declarations in dist/, in the folders of their sources, with
 * the files beside them that are no TypeScript (the on-chain program, SQL, pages). The repository itself runs unbuilt,
 * but for benchmarks (compiled.mjs).
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { binary, COMPILER } from "./checks.mjs";
import { writePageScripts } from "./page.mjs";
import { writeTestingBundle } from "./testing.mjs";

/** Folders of the product. */
export const SHIPPED = ["core", "adapters", "sim", "scenarios", "node"];
/** Beside them, what decides what a build makes of them. */
const SETTINGS = ["package.json", "package-lock.json", "tsconfig.base.json", "tsconfig.json", "tsconfig.build.json"];
/** Says of which sources dist/ was built; outside it, since it is not shipped. */
const STAMP = join("node_modules", ".cache", "ofs", "built.sha256");

/** Whether a file beside the sources is needed at run time: no source, no text or study about it, no launcher. */
export function isAsset(path) {
  if (/^(node\/(bin|bootstrap)|scenarios\/studies)\//.test(path)) return false;
  return !/[.](ts|md|c|h|o)$/.test(path) && !/(^|\/)tsconfig[^/]*[.]json$/.test(path);
}

/** Empties dist/, compiles into it, and copies the assets; answers the exit code. The compiler complains to stderr. */
export async function build(root, print = console.log) {
  const dist = join(root, "dist");
  rmSync(join(root, STAMP), { force: true });
  rmSync(dist, { recursive: true, force: true });
  const stamp = sourcesStamp(root);
  const compiler = [binary(root, COMPILER, "tsc"), "-p", "tsconfig.build.json"];
  const child = spawnSync(process.execPath, compiler, { cwd: root, stdio: ["ignore", 2, 2] });
  if (child.status !== 0) return child.status ?? 1;
  const assets = SHIPPED.flatMap((folder) => filesBelow(root, folder)).filter(isAsset);
  for (const path of assets) {
    mkdirSync(dirname(join(dist, path)), { recursive: true });
    copyFileSync(join(root, path), join(dist, path));
  }
  await writePageScripts(root);
  await writeTestingBundle(root);
  copyFileSync(join(root, "package.json"), join(dist, "package.json"));
  writeStamp(root, stamp);
  print(`Built dist/ with ${assets.length} assets.`);
  return 0;
}

/** Whether dist/ is there and was built of the very sources that lie here now. */
export function isBuilt(root) {
  const stamp = join(root, STAMP);
  if (!existsSync(join(root, "dist", "package.json")) || !existsSync(stamp)) return false;
  return readFileSync(stamp, "utf8") === sourcesStamp(root);
}

/** Notes that dist/ is whole, and of which sources. */
export function writeStamp(root, stamp) {
  mkdirSync(dirname(join(root, STAMP)), { recursive: true });
  writeFileSync(join(root, STAMP), stamp);
}

/**
 * All that a build depends on in one line: contents, never modification times; and where they lie, since clones may
 * share what npm installed.
 */
export function sourcesStamp(root) {
  const hash = createHash("sha256").update(`${root}\n`);
  const settings = SETTINGS.filter((path) => existsSync(join(root, path)));
  const sources = SHIPPED.flatMap((folder) => filesBelow(root, folder)).sort((a, b) => (a < b ? -1 : 1));
  for (const path of [...settings, ...sources]) {
    const content = readFileSync(join(root, path));
    hash.update(`${path} ${content.length}\n`).update(content);
  }
  return `${hash.digest("hex")}\n`;
}

function filesBelow(root, folder) {
  const entries = readdirSync(join(root, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(root.length + 1)
        .replaceAll("\\", "/"),
    );
}
