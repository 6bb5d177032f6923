/**
 * An on-chain program with bugs planted in its sources.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { buildProgram, programPath, stakingProgramPath } from "../../../adapters/chain/program/build.ts";
import type { PlantedBug } from "../../planted/planted-text.ts";
import { plant } from "../../planted/planted-text.ts";

/** Compiles one; files are named within the folder of its sources. Throws where a text is not found once. */
export function plantedProgram(path: string, ...bugs: readonly PlantedBug[]): Uint8Array {
  const scratch = mkdtempSync(join(tmpdir(), "planted-program-"));
  try {
    for (const folder of [programPath, stakingProgramPath].map(dirname)) {
      cpSync(folder, join(scratch, basename(folder)), { recursive: true });
    }
    const sources = join(scratch, basename(dirname(path)));
    for (const bug of bugs) {
      const file = join(sources, bug.file);
      writeFileSync(file, plant(readFileSync(file, "utf8"), bug));
    }
    return buildProgram(sources, "-w");
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
