/**
 * Completes package-lock.json with the optional platform packages that the registry at hand does not serve.
 * A partial mirror leaves them out of the lock, and `npm ci` then refuses the lock as out of step with package.json.
 * Run it after `npm install` added a package with prebuilt binaries: `node node/bootstrap/complete-lock.mjs`.
 * Not here: installing (node/bootstrap/run.mjs).
 */
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

/** Words in names of platform packages, and what npm calls them. Source: npm's `os`, `cpu` and `libc`. */
const OS_BY_WORD = new Map([
  ["linux", "linux"],
  ["darwin", "darwin"],
  ["macos", "darwin"],
  ["win32", "win32"],
  ["windows", "win32"],
  ["android", "android"],
  ["freebsd", "freebsd"],
  ["netbsd", "netbsd"],
  ["openbsd", "openbsd"],
  ["sunos", "sunos"],
  ["aix", "aix"],
  ["openharmony", "openharmony"],
  ["fsevents", "darwin"],
  ["linuxmusl", "linux"],
]);
const CPU_BY_WORD = new Map([
  ["x64", "x64"],
  ["arm64", "arm64"],
  ["arm", "arm"],
  ["ia32", "ia32"],
  ["ppc64", "ppc64"],
  ["s390x", "s390x"],
  ["riscv64", "riscv64"],
  ["loong64", "loong64"],
  ["mips64el", "mips64el"],
  ["wasm32", "wasm32"],
]);
const LIBC_BY_WORD = new Map([
  ["musl", "musl"],
  ["gnu", "glibc"],
  ["musleabihf", "musl"],
  ["gnueabihf", "glibc"],
]);

/** The platform limits that a package name spells out, as npm's lock fields. */
export function platformOf(name) {
  const words = name.split(/[-/]/);
  const pick = (byWord) => words.map((word) => byWord.get(word)).find((found) => found !== undefined);
  const limits = { os: pick(OS_BY_WORD), cpu: pick(CPU_BY_WORD), libc: pick(LIBC_BY_WORD) };
  return Object.fromEntries(Object.entries(limits).flatMap(([key, value]) => (value ? [[key, [value]]] : [])));
}

/** True when a package at `from` finds `name` in the lock, in its own node_modules or in one further out. */
function isLocked(packages, from, name) {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf("/node_modules/")))) {
    const path = at === "" || at === "node_modules" ? `node_modules/${name}` : `${at}/node_modules/${name}`;
    if (packages[path] !== undefined) return true;
    if (at === "") return false;
  }
}

/** The lock with every optional platform package present, and the paths that were added. */
export function completeLock(lock) {
  const packages = { ...lock.packages };
  const added = [];
  for (const [path, entry] of Object.entries(lock.packages)) {
    for (const [name, range] of Object.entries(entry.optionalDependencies ?? {})) {
      const platform = platformOf(name);
      if (isLocked(packages, path, name) || (platform.os === undefined && platform.cpu === undefined)) continue;
      const version = /\d+\.\d+\.\d+\S*/.exec(range)?.[0];
      if (version === undefined) continue;
      const taken = packages[`node_modules/${name}`] !== undefined;
      const at = taken ? `${path}/node_modules/${name}` : `node_modules/${name}`;
      packages[at] = { version, ...platform, ...(entry.dev ? { dev: true } : {}), optional: true };
      added.push(at);
    }
  }
  const sorted = Object.fromEntries(Object.entries(packages).sort(([a], [b]) => (a < b ? -1 : 1)));
  return { lock: { ...lock, packages: sorted }, added };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const file = process.argv[2] ?? "package-lock.json";
  const { lock, added } = completeLock(JSON.parse(readFileSync(file, "utf8")));
  if (added.length > 0) writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
  console.log(`package-lock.json: ${added.length} platform packages added`);
}
