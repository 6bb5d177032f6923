/**
 * Goal: the model and the compiled program are one program (DESIGN section 4, "Executors behind one port").
 * Method: random sequences of valid and invalid instructions from many signers; after each transaction the results
 * are equal, and at the end so is every account.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { TRANSACTION_BYTES_MAX } from "../../../core/chain-bridge/transaction.ts";
import { toHex } from "../../../core/kernel/bytes.ts";
import type { ChainExecutor, OpenExecutor } from "../../../sim/chain/executor.ts";
import { openBankrun } from "../../../sim/chain/executors/bankrun.ts";
import { openLitesvm } from "../../../sim/chain/executors/litesvm.ts";
import { openModel } from "../../../sim/chain/executors/model.ts";
import type { GenesisAccount } from "../../../sim/chain/genesis.ts";
import { instructionDiscriminators } from "../../../sim/chain/instruction-parts.ts";
import { arbCommands, arbFirstDay } from "./arbitrary-commands.ts";
import type { Command } from "./chain-world.ts";
import { at, contextAt, crypto, keyring, START_UNIX, wireOf } from "./chain-world.ts";

const { DIFFERENTIAL_RUNS = "40", DIFFERENTIAL_SEED = "4200" } = process.env;
const seed = Number(DIFFERENTIAL_SEED);

test("model and litesvm agree on results, logs and accounts", async () => {
  const property = fc.asyncProperty(arbFirstDay, arbCommands, (day, commands) => agree(openLitesvm, day, commands));
  await fc.assert(property, { numRuns: Number(DIFFERENTIAL_RUNS), seed });
}, 600_000);

test("model and bankrun agree too", async () => {
  const property = fc.asyncProperty(arbFirstDay, arbCommands, (day, commands) => agree(openBankrun, day, commands));
  await fc.assert(property, { numRuns: 5, seed }); // few: every start keeps its threads until the process ends
}, 600_000);

/** Runs the commands on the model and on another executor, and compares everything. */
async function agree(open: OpenExecutor, day: readonly GenesisAccount[], commands: readonly Command[]): Promise<void> {
  const model = openModel(at, crypto, day);
  const machine: ChainExecutor = await open(day, keyring);
  let now = START_UNIX;
  for (const [index, command] of commands.entries()) {
    now += command.wait;
    const wire = wireOf(command.payer, command.instructions, index);
    if (wire.length > TRANSACTION_BYTES_MAX) continue; // no executor is ever given one
    const context = command.blind === true ? { ...contextAt(now), slotHashes: [] } : contextAt(now);
    if (command.put !== undefined) {
      await model.putAccount(command.put.address, command.put.account);
      await machine.putAccount(command.put.address, command.put.account);
    }
    const result = model.executeNow(wire, context);
    expect(await machine.execute(wire, context), `transaction ${index}: ${nameOf(command)}`).toEqual(result);
  }
  for (const [address, account] of model.accounts()) {
    expect(await machine.account(address), address).toEqual(account);
  }
  await machine.close();
}

/** The instructions of a command, in the words of protocol 03 D.4. */
function nameOf(command: Command): string {
  const names = Object.entries(instructionDiscriminators);
  return command.instructions
    .map(({ data }) => {
      return names.find(([, discriminator]) => discriminator === toHex(data.slice(0, 8)))?.[0] ?? "unknown";
    })
    .join(" + ");
}
