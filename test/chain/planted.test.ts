/**
 * Proof that the contract of the on-chain program can fail: the program is compiled with one bug planted, and the
 * check that is there for it must notice.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { buildProgram, programPath } from "../../adapters/chain/program/build.ts";
import type { OpenExecutor } from "../../sim/chain/executor.ts";
import { litesvmOf, openLitesvm } from "../../sim/chain/executors/litesvm.ts";
import { plant } from "../planted/planted-bug.ts";
import { needsClang } from "../requirements.ts";
import { barsSilentSeats } from "./program/limits.contract.ts";
import type { World } from "./program/world.ts";
import { openWorld } from "./program/world.ts";

/** Trades that a check brings about. */
const TRADES = 1;

/** LiteSVM with the program as it is with a bug in one of its sources. */
function planted(file: string, find: string, replace: string): OpenExecutor {
  const scratch = mkdtempSync(join(tmpdir(), "planted-program-"));
  try {
    cpSync(dirname(programPath), scratch, { recursive: true });
    const path = join(scratch, file);
    writeFileSync(path, plant(readFileSync(path, "utf8"), { file, find, replace }));
    const program = buildProgram(scratch, "-w");
    return async (genesis) => litesvmOf(program, genesis);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

needsClang("a bug planted in the program", () => {
  test.each([
    {
      bug: "one barred wallet more than the array holds",
      file: "execute_dispute.c",
      find: "parts->barred_count < BARRED_MAX",
      replace: "parts->barred_count <= BARRED_MAX",
      check: (world: World) => barsSilentSeats(world, 14, 1, 14),
    },
  ])("$bug", async ({ file, find, replace, check }) => {
    await check(await openWorld(openLitesvm, TRADES));
    await expect(check(await openWorld(planted(file, find, replace), TRADES))).rejects.toThrow();
  });
});
