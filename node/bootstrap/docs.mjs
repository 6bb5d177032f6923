/**
 * Writes the API pages: every name of every import path of the package, from the docstrings in the sources, as HTML in
 * reports/api. The list of import paths is that of package.json. Source: DESIGN section 8.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { binary } from "./checks.mjs";

const OUT = join("reports", "api");

/** The source file behind every import path that leads to code. */
export function documentedSources(exports) {
  return Object.values(exports)
    .filter((target) => typeof target === "object")
    .map((target) => (target.default ?? target.import.default).replace(/^[.]\/dist\//, "").replace(/[.]js$/, ".ts"));
}

/** Runs TypeDoc and answers the exit code. */
export function writeDocs(root) {
  const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const settings = [
    ...["--tsconfig", "tsconfig.json", "--out", OUT, "--readme", "README.md", "--name", "ofs-node"],
    // Types are `npm run check`'s to judge; what is internal to another module is shown by name.
    ...["--skipErrorChecking", "--excludeExternals", "--validation.notExported", "false", "--disableSources"],
    ...["--validation.invalidLink", "false", "--logLevel", "Warn", "--treatWarningsAsErrors"],
  ];
  const command = [binary(root, "typedoc", "typedoc"), ...settings, ...documentedSources(exports)];
  const child = spawnSync(process.execPath, command, { cwd: root, stdio: "inherit" });
  if (child.status === 0) console.log(`API pages: ${join(OUT, "index.html")}`);
  return child.status === 0 ? 0 : 1;
}
