/**
 * Makes sure that node_modules is what package-lock.json says, so that one command works on a fresh clone.
 * Compares contents, never modification times: the stamp holds the SHA-256 of the lock that was installed.
 * Plain JavaScript without dependencies: it runs before anything is installed.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const STAMP = join("node_modules", ".ofs-installed");

/** What a complete installation of this lock on this platform is stamped with. */
export function stampOf(lockBytes, platform) {
  return `${createHash("sha256").update(lockBytes).digest("hex")} ${platform}\n`;
}

/** Why an installation is needed, or undefined when node_modules is current. */
export function reasonToInstall(root, platform) {
  if (!existsSync(join(root, "node_modules"))) return "node_modules is missing";
  if (!existsSync(join(root, STAMP))) return "node_modules was not completed by this command";
  const expected = stampOf(readFileSync(join(root, "package-lock.json")), platform);
  return readFileSync(join(root, STAMP), "utf8") === expected ? undefined : "package-lock.json has changed";
}

/** Runs `npm ci` when needed, and says so in one line. No package needs its install script, so none is run. */
export function ensureInstalled(root) {
  const platform = `${process.platform}-${process.arch}`;
  const reason = reasonToInstall(root, platform);
  if (reason === undefined) return;
  console.error(`Installing dependencies with npm ci: ${reason}.`);
  const flags = [
    "ci",
    "--ignore-scripts",
    "--include=dev",
    "--include=optional",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
  ];
  const npmCli = process.env.npm_execpath;
  const viaNode = npmCli?.endsWith("npm-cli.js") ?? false;
  const child = viaNode
    ? spawnSync(process.execPath, [npmCli, ...flags], { cwd: root, stdio: ["ignore", "ignore", "inherit"] })
    : spawnSync("npm", flags, {
        cwd: root,
        stdio: ["ignore", "ignore", "inherit"],
        shell: process.platform === "win32",
      });
  if (child.error !== undefined || child.status !== 0) {
    console.error(`npm ci failed${child.error ? `: ${child.error.message}` : ""}.`);
    process.exit(1);
  }
  writeFileSync(join(root, STAMP), stampOf(readFileSync(join(root, "package-lock.json")), platform));
}
