/**
 * Asks another build of the program what the suites asked, until it answers otherwise.
 */
import { isDeepStrictEqual } from "node:util";
import type { ChainExecutor } from "../../../sim/chain/executor.ts";
import { litesvmOf } from "../../../sim/chain/executors/litesvm.ts";
import type { Recording, Step } from "./recording.ts";
import { accountsAfter } from "./recording.ts";

/** The test that would fail; undefined when the build answers everything as the recorded one did. */
export async function firstDifference(
  program: Uint8Array,
  recordings: readonly Recording[],
): Promise<string | undefined> {
  for (const { genesis, steps } of recordings) {
    const executor = loaded(program, genesis);
    if (executor === undefined) return "a program that loads";
    const test = await differs(executor, steps);
    await executor.close();
    if (test !== undefined) return test;
  }
  return undefined;
}

function loaded(program: Uint8Array, genesis: Recording["genesis"]): ChainExecutor | undefined {
  try {
    return litesvmOf({ escrow: program }, genesis);
  } catch {
    return undefined;
  }
}

async function differs(executor: ChainExecutor, steps: readonly Step[]): Promise<string | undefined> {
  for (const step of steps) {
    if (step.type === "put") await executor.putAccount(step.address, step.account);
    else {
      const result = await executor.execute(step.wire, step.context);
      if (!isDeepStrictEqual(result, step.result)) return step.test;
      if (result.ok && !isDeepStrictEqual(await accountsAfter(executor, step.wire), step.after)) return step.test;
    }
  }
  return undefined;
}
