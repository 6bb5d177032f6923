/**
 * Proof that the contract of the on-chain program can fail: the program is compiled with one bug planted, and the
 * check that is there for it must notice.
 */
import { expect, test } from "vitest";
import type { OpenExecutor } from "../../sim/chain/executor.ts";
import { litesvmOf, openLitesvm } from "../../sim/chain/executors/litesvm.ts";
import type { PlantedBug } from "../planted/planted-text.ts";
import { needsClang } from "../requirements.ts";
import { barsSilentSeats } from "./program/limits.contract.ts";
import { plantedProgram } from "./program/planted-program.ts";
import { endingIsNotChosen } from "./program/rounds.contract.ts";
import type { World } from "./program/world.ts";
import { openWorld } from "./program/world.ts";

/** Trades that a check brings about. */
const TRADES = 1;

/** LiteSVM with the program as it is with a bug in one of its sources. */
function planted(bug: PlantedBug): OpenExecutor {
  const program = plantedProgram(bug);
  return async (genesis) => litesvmOf({ escrow: program }, genesis);
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
    {
      bug: "the executor chooses between another round and a split",
      file: "execute_dispute.c",
      find: '"rwwwwwwrwwwwrwwwrrrr"',
      replace: '"rwwwwwwrwwwwrwwwrrr"',
      check: endingIsNotChosen,
    },
  ])("$bug", async ({ file, find, replace, check }) => {
    await check(await openWorld(openLitesvm, TRADES));
    await expect(check(await openWorld(planted({ file, find, replace }), TRADES))).rejects.toThrow();
  });
});
