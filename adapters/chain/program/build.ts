/**
 * Builds escrow.so beside its source: clang, then our linker. `--check` compares instead of writing and
 * exits 1 when the committed file is not what the source gives. Run: `npx tsx adapters/chain/program/build.ts`.
 * Source: DESIGN section 4 (compiler and flags).
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
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
/** The committed program. */
export const programPath = join(folder, "escrow.so");

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

/** Writes or checks, and says in one line what it did. Returns the exit code. */
function run(check: boolean): number {
  const built = buildProgram();
  if (!check) {
    writeFileSync(programPath, built);
    console.log(`escrow.so: ${built.length} bytes written`);
    return 0;
  }
  const same = Buffer.compare(built, readFileSync(programPath)) === 0;
  console.log(same ? "escrow.so: equals its source" : "escrow.so: differs from its source; run build.ts");
  return same ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.exitCode = run(process.argv.includes("--check"));
}
