/**
 * Goal: what the runtime itself does, the model does: rights that a message does not get, lamports sent ahead,
 * malformed calls of the chain's own programs, lists of accounts that no wallet would write (DESIGN section 4).
 * Method: random transactions from a generator that knows addresses only; equal results, logs and accounts after each.
 */
import { expect, test } from "vitest";
import type { ExecutionResult } from "../../../sim/chain/executor.ts";
import { openBankrun } from "../../../sim/chain/executors/bankrun.ts";
import { openLitesvm } from "../../../sim/chain/executors/litesvm.ts";
import { openModel } from "../../../sim/chain/executors/model.ts";
import { forAllAsync } from "../../property/for-all.ts";
import { at, crypto, keyring } from "./chain-world.ts";
import type { Attack } from "./runtime-attacks.ts";
import { arbAttacks, attackDay, traitsOf } from "./runtime-attacks.ts";
import { difference } from "./runtime-equality.ts";

/** Shares of cases, each of eight to twenty-four transactions, with one of the kind at least. */
const shares = {
  ok: 0.5,
  InvalidAccountData: 0.8,
  InvalidInstructionData: 0.5,
  MissingRequiredSignature: 0.5,
  NotEnoughAccountKeys: 0.1,
  IncorrectProgramId: 0.3,
  ReadonlyLamportChange: 0.15,
  InvalidProgramForExecution: 0.1,
  "looks up": 0.8,
  "by another program": 0.8,
  "writes to the validator's own": 0.3,
  "lamports ahead": 0.3,
};

/** Opened when it is asked: a bank that waits forgets its blockhash. */
const machines = { litesvm: openLitesvm, bankrun: openBankrun } as const;

/** By night 100,000 transactions on each: of the fifteen of a case, bankrun is asked for twelve. */
test.each([
  ["litesvm", 40, 8_000],
  ["bankrun", 20, 10_000],
] as const)("the model does what %s does with transactions that nobody meant", async (name, runs, nightly) => {
  const day = await attackDay();
  let compared = 0;
  const progress = { every: 10_000, of: `transactions compared with ${name}`, tried: () => compared };
  const pair = { model: openModel(at, crypto, day), machine: await machines[name](day, keyring) };
  await forAllAsync(
    [arbAttacks],
    async (attacks) => {
      const labels = new Set<string>();
      const told = (attack: Attack, result: ExecutionResult) => {
        compared += 1;
        for (const label of [outcomeOf(result), ...traitsOf(attack)]) labels.add(label);
      };
      expect(await difference(pair, attacks, told)).toBeUndefined();
      return [...labels];
    },
    { runs, nightly, sample: 20, shares, progress },
  );
  await pair.machine.close();
});

function outcomeOf({ error }: ExecutionResult): string {
  if (error === null) return "ok";
  return error.type === "custom" ? `${error.code}` : error.name;
}
