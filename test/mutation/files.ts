/**
 * Which files a mutation run is about: TypeScript of the product below the paths that were asked for, and of these, if
 * asked, only what differs from a revision of git.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** Folders whose files may be mutated: what the judges are listed for. */
export const MUTATED_FOLDERS = ["core", "adapters", "sim"] as const;

/** The files below these paths, sorted, or what is wrong with a path. */
export function filesBelow(root: string, paths: readonly string[]): readonly string[] | string {
  const files = new Set<string>();
  for (const path of paths) {
    if (!existsSync(join(root, path))) return `${path} does not exist`;
    const found = statSync(join(root, path)).isDirectory() ? below(root, path) : [path];
    const mutable = found.filter(isMutable);
    if (mutable.length === 0) return `${path} holds no TypeScript of ${MUTATED_FOLDERS.join(", ")}`;
    for (const file of mutable) files.add(file);
  }
  return [...files].sort(byPath);
}

/** The files that differ from `revision`, among the given ones, or what git says instead. */
export function changedSince(root: string, revision: string, files: readonly string[]): readonly string[] | string {
  const git = spawnSync("git", ["diff", "--name-only", "--diff-filter=d", revision, "--"], {
    cwd: root,
    encoding: "utf8",
  });
  if (git.status !== 0) return `git knows no revision "${revision}": ${(git.stderr ?? "").trim().split("\n")[0] ?? ""}`;
  const changed = new Set(git.stdout.split("\n"));
  return files.filter((file) => changed.has(file));
}

/** Every test file, relative to the repository. */
export function testFiles(root: string): readonly string[] {
  return below(root, "test")
    .filter((file) => file.endsWith(".test.ts"))
    .sort(byPath);
}

function below(root: string, folder: string): readonly string[] {
  const entries = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" });
  return entries.map((entry) => `${folder}/${entry.replaceAll("\\", "/")}`).filter((path) => path.endsWith(".ts"));
}

function byPath(a: string, b: string): number {
  return a < b ? -1 : 1;
}

function isMutable(file: string): boolean {
  return MUTATED_FOLDERS.some((folder) => file.startsWith(`${folder}/`)) && /(?<!\.d)\.ts$/.test(file);
}
