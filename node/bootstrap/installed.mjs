/**
 * Packs the product, installs the tarball into an empty folder as an operator would, runs both commands there, and
 * prints what the installation weighs. Ends with 1 when a command does not do what it should or the size is over its
 * bar. Source: DESIGN section 8 "install size".
 */
import { spawnSync } from "node:child_process";
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Bytes of an installed node: 120 MB. Source: DESIGN section 8. */
const INSTALLED_BYTES_MAX = 120 * 1024 * 1024;
/** What `npm start` runs. */
const FLAGSHIP = "dispute-decided-on-chain";

/** Packs the repository into a folder and answers the path of the tarball; nothing when npm fails. */
export function pack(root, folder) {
  const ended = npm(["pack", "--silent", "--pack-destination", folder], root);
  const name = readdirSync(folder).find((file) => file.endsWith(".tgz"));
  return ended.status === 0 && name !== undefined ? join(folder, name) : undefined;
}

/** Bytes of all files below a folder, as `du --apparent-size` counts them. */
export function bytesBelow(folder) {
  let bytes = lstatSync(folder).size;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    bytes += entry.isDirectory() ? bytesBelow(path) : lstatSync(path).size;
  }
  return bytes;
}

/** Does all of it and answers the exit code. */
export function tryInstalled(root) {
  const folder = mkdtempSync(join(tmpdir(), "ofs-installed-"));
  try {
    const tarball = pack(root, folder);
    if (tarball === undefined) return complain("npm pack failed.");
    writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
    if (npm(["install", "--no-audit", "--no-fund", "--loglevel=error", tarball], folder).status !== 0)
      return complain("npm install failed.");
    const bytes = bytesBelow(join(folder, "node_modules"));
    console.log(`installed: ${(bytes / 1024 / 1024).toFixed(1)} MB`);
    if (bytes > INSTALLED_BYTES_MAX) return complain("over the bar of 120 MB.");
    return tryCommands(root, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Without the optional peers a simulation is refused in one line; with them the flagship runs. */
function tryCommands(root, folder) {
  const { version, peerDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const command = (name, ...args) =>
    spawnSync(process.execPath, [join(folder, "node_modules", "ofs-node", "node", "bin", `${name}.mjs`), ...args], {
      cwd: folder,
      encoding: "utf8",
    });
  const told = command("ofs-node", "--version");
  if (told.stdout.trim() !== version) return complain(`ofs-node --version: ${told.stdout}${told.stderr}`);
  const keygen = command("ofs-node", "keygen", join(folder, "identity.json"));
  if (keygen.status !== 0) return complain(`ofs-node keygen: ${keygen.stderr}`);
  console.log(`ofs-node ${version}: ${keygen.stdout.trim().split("\n").at(-1)}`);
  const refused = command("ofs-sim", "run", FLAGSHIP);
  if (refused.status !== 2 || refused.stdout !== "" || !/^Simulating needs .*npm i .*\n$/.test(refused.stderr))
    return complain(`ofs-sim without its peers ended with ${refused.status}: ${refused.stderr}`);
  console.log(`ofs-sim: ${refused.stderr.trim()}`);
  const wanted = Object.entries(peerDependencies).map(([name, range]) => `${name}@${range}`);
  if (npm(["install", "--no-audit", "--no-fund", "--loglevel=error", ...wanted], folder).status !== 0)
    return complain("npm install of the optional peers failed.");
  const run = command("ofs-sim", "run", FLAGSHIP);
  const last = run.stdout.trim().split("\n").at(-1) ?? "";
  console.log(`ofs-sim: ${last}`);
  return run.status === 0 && last.startsWith("OK ") ? 0 : complain(`ofs-sim ended with ${run.status}: ${run.stderr}`);
}

function npm(args, cwd) {
  const cli = process.env.npm_execpath;
  const env = { ...process.env };
  // Of an `npm run` around this one: its folder and its flags are not this command's.
  for (const name of ["npm_config_local_prefix", "INIT_CWD"]) delete env[name];
  const options = { cwd, env, stdio: ["ignore", "ignore", "inherit"] };
  return cli?.endsWith("npm-cli.js")
    ? spawnSync(process.execPath, [cli, ...args], options)
    : spawnSync("npm", args, options);
}

function complain(line) {
  console.error(line);
  return 1;
}
