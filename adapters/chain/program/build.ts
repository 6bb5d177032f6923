/**
 * Builds escrow.so and staking.so beside their sources: clang, then our linker. `--check` compares instead of writing
 * and exits 1 when a committed file is not what its source gives. Run: `npm run program:build`.
 * Source: DESIGN section 4 (compiler and flags).
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { linkProgram } from "./linker.ts";

/** Named by OFS_CLANG where it is installed under another name. */
const compiler = process.env.OFS_CLANG ?? "clang-19";
/** One unit, no library, stack frames of 4 KiB, the oldest instruction set: what both executors load. */
const compilerFlags = [
  "--target=bpfel",
  "-mcpu=v1",
  "-O2",
  "-ffreestanding",
  "-fno-builtin",
  "-mllvm",
  "-bpf-stack-size=4096",
  "-Wall",
  "-Wextra",
  "-Werror",
  "-fno-ident",
  "-c",
  "entrypoint.c",
] as const;

const folder = dirname(fileURLToPath(import.meta.url));
/** The committed escrow program. */
export const programPath = join(folder, "escrow.so");
/** The committed staking program; some of its sources are the escrow program's. */
export const stakingProgramPath = join(folder, "..", "staking-program", "staking.so");

/** Compiles and links the sources of a folder, this one unless told. Throws when the compiler is missing or refuses. */
export function buildProgram(sources: string = folder, ...moreFlags: readonly string[]): Uint8Array {
  const scratch = mkdtempSync(join(tmpdir(), "escrow-"));
  try {
    const objectPath = join(scratch, "escrow.o");
    const flags = [...compilerFlags, ...moreFlags, "-o", objectPath];
    execFileSync(compiler, flags, { cwd: sources, stdio: ["ignore", "inherit", "pipe"] });
    return linkProgram(readFileSync(objectPath));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Writes a committed program or checks it, and says in one line what it did. Answers whether it is its source's. */
function keepProgram(path: string, check: boolean): boolean {
  const name = basename(path);
  const built = buildProgram(dirname(path));
  if (!check) {
    writeFileSync(path, built);
    console.log(`${name}: ${built.length} bytes written`);
    return true;
  }
  const same = Buffer.compare(built, readFileSync(path)) === 0;
  console.log(same ? `${name}: equals its source` : `${name}: differs from its source; run build.ts`);
  return same;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const check = process.argv.includes("--check");
  const kept = [programPath, stakingProgramPath].map((path) => keepProgram(path, check));
  process.exitCode = kept.includes(false) ? 1 : 0;
}
