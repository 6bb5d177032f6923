/**
 * Builds what an installed package runs: JavaScript and declarations in dist/, in the folders of their sources, with
 * the files beside them that are no TypeScript (the on-chain program, SQL, pages). The repository itself runs unbuilt.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { binary } from "./checks.mjs";
import { writePageScripts } from "./page.mjs";
import { writeTestingBundle } from "./testing.mjs";

const SHIPPED = ["core", "adapters", "sim", "scenarios", "node"];

/** Whether a file beside the sources is needed at run time: no source, no text or study about it, no launcher. */
export function isAsset(path) {
  if (/^(node\/(bin|bootstrap)|scenarios\/studies)\//.test(path)) return false;
  return !/[.](ts|md|c|h|o)$/.test(path) && !/(^|\/)tsconfig[^/]*[.]json$/.test(path);
}

/** Empties dist/, compiles into it, and copies the assets; answers the exit code. */
export async function build(root) {
  const dist = join(root, "dist");
  rmSync(dist, { recursive: true, force: true });
  const compiler = [binary(root, "typescript", "tsc"), "-p", "tsconfig.build.json"];
  const child = spawnSync(process.execPath, compiler, { cwd: root, stdio: "inherit" });
  if (child.status !== 0) return child.status ?? 1;
  const assets = SHIPPED.flatMap((folder) => filesBelow(root, folder)).filter(isAsset);
  for (const path of assets) {
    mkdirSync(dirname(join(dist, path)), { recursive: true });
    copyFileSync(join(root, path), join(dist, path));
  }
  await writePageScripts(root);
  await writeTestingBundle(root);
  copyFileSync(join(root, "package.json"), join(dist, "package.json"));
  console.log(`Built dist/ with ${assets.length} assets.`);
  return 0;
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
