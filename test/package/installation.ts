/**
 * The package as somebody else has it: packed once, unpacked into an empty folder, beside it exactly the packages that
 * its shrinkwrap names. They are links into this repository, so that no registry is asked; `npm run installed` does it
 * with npm.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pack } from "../../node/bootstrap/installed.mjs";

const root = join(import.meta.dirname, "..", "..");

export interface Installation {
  /** An empty folder of somebody else, but for `node_modules`. */
  readonly folder: string;
  /** Where the package stands in it. */
  readonly home: string;
  /** Paths of the tarball's files. */
  readonly files: readonly string[];
  readonly read: (path: string) => string;
  /** Runs a script of the package there. */
  readonly run: (script: string, ...args: readonly string[]) => { status: number | null; out: string; err: string };
  /** Installs more packages, as `npm i` would. */
  readonly add: (...names: readonly string[]) => void;
  readonly remove: () => void;
}

interface Shrinkwrap {
  readonly packages: Readonly<Record<string, unknown>>;
}

/** Packs and unpacks; throws when npm or tar fails. */
export function install(): Installation {
  const folder = mkdtempSync(join(tmpdir(), "ofs-package-"));
  const tarball = pack(root, folder);
  if (tarball === undefined) throw new Error("npm pack failed");
  const home = join(folder, "node_modules", "ofs-node");
  mkdirSync(home, { recursive: true });
  const unpacked = spawnSync("tar", ["-xzf", tarball, "-C", home, "--strip-components=1"]);
  if (unpacked.status !== 0) throw new Error(`tar: ${unpacked.stderr.toString()}`);
  const read = (path: string): string => readFileSync(join(home, path), "utf8");
  const files = readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(home.length + 1));
  const add = (...names: readonly string[]): void => {
    for (const name of names) link(join(folder, "node_modules"), name);
  };
  const { packages } = JSON.parse(read("npm-shrinkwrap.json")) as Shrinkwrap;
  for (const path of Object.keys(packages)) {
    const name = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path)?.[1];
    // A binary for another platform is named and not there.
    if (name !== undefined && existsSync(join(root, path))) link(join(home, "node_modules"), name);
  }
  const run: Installation["run"] = (script, ...args) => {
    const ended = spawnSync(process.execPath, [join(home, script), ...args], { cwd: folder, encoding: "utf8" });
    return { status: ended.status, out: ended.stdout, err: ended.stderr };
  };
  return { folder, home, files, read, run, add, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

function link(modules: string, name: string): void {
  const at = join(modules, name);
  mkdirSync(dirname(at), { recursive: true });
  symlinkSync(join(root, "node_modules", name), at);
}
