/**
 * The on-chain program with one bug planted in its sources.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { buildProgram, programPath } from "../../../adapters/chain/program/build.ts";
import type { PlantedBug } from "../../planted/planted-text.ts";
import { plant } from "../../planted/planted-text.ts";

/** Compiles it; the file is named within the folder of the sources. Throws where the text is not found once. */
export function plantedProgram(bug: PlantedBug): Uint8Array {
  const scratch = mkdtempSync(join(tmpdir(), "planted-program-"));
  try {
    cpSync(dirname(programPath), scratch, { recursive: true });
    const path = join(scratch, bug.file);
    writeFileSync(path, plant(readFileSync(path, "utf8"), bug));
    return buildProgram(scratch, "-w");
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
