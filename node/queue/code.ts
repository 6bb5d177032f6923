/**
 * Which code this is: the version, and a hash over every shipped source and every on-chain program. Two installations
 * with the same hash make the same of a job, whether one is a checkout and the other was built. Source: DESIGN section
 * 8 "work over many machines".
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** What a job and a worker must have in common. */
export interface Code {
  readonly version: string;
  /** Hexadecimal. */
  readonly hash: string;
}

const SHIPPED = ["adapters", "core", "node", "scenarios", "sim"];
/** Hexadecimal digits that people read. */
const SHOWN = 12;

/** The code that runs here. */
export function codeHere(): Code {
  const top = fileURLToPath(new URL("../../", import.meta.url));
  // What is built stands in dist/, one folder below the sources that the package also holds.
  return existsSync(join(top, "core", "index.ts")) ? codeIn(top, top) : codeIn(join(top, ".."), top);
}

/** The code whose sources lie in one folder, and whose programs in another. */
export function codeIn(sources: string, programs: string): Code {
  const hash = createHash("sha256");
  const { version } = JSON.parse(readFileSync(join(sources, "package.json"), "utf8")) as { readonly version: string };
  hash.update(`${version}\n`);
  const found = [
    ...SHIPPED.flatMap((folder) => filesBelow(sources, folder, ".ts").filter((path) => !path.endsWith(".d.ts"))),
    ...SHIPPED.flatMap((folder) => filesBelow(programs, folder, ".so")),
  ];
  for (const path of found.sort((a, b) => (a < b ? -1 : 1))) {
    const content = readFileSync(join(path.endsWith(".so") ? programs : sources, path));
    hash.update(`${path} ${content.length}\n`).update(content);
  }
  return { version, hash: hash.digest("hex") };
}

/** A code as people read it. */
export function codeText({ version, hash }: Code): string {
  return `${version}, ${hash.slice(0, SHOWN)}`;
}

function filesBelow(top: string, folder: string, ending: string): readonly string[] {
  const names = existsSync(join(top, folder))
    ? readdirSync(join(top, folder), { recursive: true, encoding: "utf8" })
    : [];
  return names.filter((name) => name.endsWith(ending)).map((name) => `${folder}/${name.replaceAll("\\", "/")}`);
}
