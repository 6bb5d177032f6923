/**
 * The model and another executor as one program: a sequence of commands gives equal results and equal accounts.
 */
import { expect } from "vitest";
import { toHex } from "../../../core/kernel/bytes.ts";
import { outcomes, terminalReasons } from "../../../core/solana/accounts.ts";
import { decodeEventLine } from "../../../core/solana/events.ts";
import { TRANSACTION_BYTES_MAX } from "../../../core/solana/transaction.ts";
import type { ChainExecutor, ExecutionResult, OpenExecutor } from "../../../sim/chain/executor.ts";
import { openModel } from "../../../sim/chain/executors/model.ts";
import type { GenesisAccount } from "../../../sim/chain/genesis.ts";
import { instructionDiscriminators } from "../../../sim/chain/instruction-parts.ts";
import type { Command } from "./chain-world.ts";
import { at, contextAt, crypto, keyring, START_UNIX, wireOf } from "./chain-world.ts";

/** Runs the commands on the model and on another executor, and compares everything. */
export async function agree(
  open: OpenExecutor,
  day: readonly GenesisAccount[],
  commands: readonly Command[],
): Promise<void> {
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

/** What became of a command's last instruction that ran, and what a dispute came to. */
export function labelsOf(command: Command, { ok, error, logs }: ExecutionResult): readonly string[] {
  const last = error?.instruction ?? command.instructions.length - 1;
  const name = nameOf({ ...command, instructions: command.instructions.slice(last, last + 1) });
  const events = logs.flatMap((line) => decodeEventLine(line) ?? []);
  if (!ok) return error?.type === "custom" ? [`${error.code}`, `${name}: ${error.code}`] : [`${error?.name}`];
  const logged = events.flatMap((event): readonly string[] => {
    if (event.type === "DisputeTerminalSplit") return [`split ${terminalReasons[event.fields.reason]}`];
    if (event.type === "DisputeResolved" && event.fields.outcome !== null)
      return [
        `decided ${outcomes[event.fields.outcome]} in round ${event.fields.round}`,
        `${event.fields.arbitrator_count} seats`,
      ];
    return event.type === "StakeRecoveryClaimRecorded" ? ["shortfall"] : [];
  });
  const another = name === "execute_dispute_outcome" && logged.length === 0 ? ["another round"] : [];
  return [`${name}: done`, ...logged, ...another];
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
