/**
 * Random sequences of commands: trades that walk on, steps that miss by a little, broken ones, pairs, anything, and
 * disturbances from outside.
 */
import fc from "fast-check";
import { concat } from "../../../core/kernel/bytes.ts";
import { systemProgram } from "../../../core/solana/addresses.ts";
import { TRANSACTION_BYTES_MAX } from "../../../core/solana/transaction.ts";
import { openModel } from "../../../sim/chain/executors/model.ts";
import type { GenesisAccount } from "../../../sim/chain/genesis.ts";
import { ARBITRATOR_STAKE_MIN } from "../../../sim/chain/genesis.ts";
import type { Instruction } from "../../../sim/chain/transaction.ts";

import { labelsOf } from "./agree.ts";
import { arbAdminInstruction, arbInstruction, arbReservation, arbWait } from "./arbitrary-instructions.ts";
import type { Command, Name } from "./chain-world.ts";
import {
  addressOf,
  at,
  banOf,
  contextAt,
  crypto,
  firstDay,
  names,
  openTokensOf,
  receiptOf,
  START_UNIX,
  stakeAccountOf,
  unsignedWireOf,
} from "./chain-world.ts";
import type { Look, Step } from "./next-step.ts";
import { nextStep, openTrade, TRADES } from "./next-step.ts";
import { bySomebodyElse, sideSteps } from "./side-steps.ts";
import { stakeSteps } from "./stake-steps.ts";

/** First days to start from: usual; with a draw and a stake age; before the programs were set up. */
const arbFirstDay: fc.Arbitrary<readonly GenesisAccount[]> = fc.oneof(
  { weight: 6, arbitrary: fc.constant(firstDay()) },
  {
    weight: 2,
    arbitrary: fc.constant(firstDay({ arbitrator_sortition_bps: 600, min_arbitrator_stake_age_secs: 1_010n })),
  },
  { weight: 1, arbitrary: fc.constant(firstDay().filter(({ address }) => address !== at.arbitrationPool().address)) },
  { weight: 1, arbitrary: fc.constant(firstDay().filter(({ address }) => address !== at.feeConfig().address)) },
);

/** A command with something broken: rights, accounts, data. */
function broken(instruction: Instruction, kind: number, where: number): Instruction {
  const place = instruction.accounts.length === 0 ? 0 : where % instruction.accounts.length;
  const change = (meta: Instruction["accounts"][number], index: number) => {
    if (index !== place) return meta;
    if (kind === 0) return { ...meta, signer: false };
    if (kind === 1) return { ...meta, writable: false };
    if (kind === 2) return { ...meta, address: addressOf("other") };
    return {
      ...meta,
      address: instruction.accounts[(where * 7) % instruction.accounts.length]?.address ?? meta.address,
    };
  };
  if (kind === 4) return { ...instruction, accounts: instruction.accounts.slice(0, place) };
  if (kind === 5) return { ...instruction, data: instruction.data.slice(0, where % (instruction.data.length + 1)) };
  if (kind === 6) return { ...instruction, data: concat(instruction.data, Uint8Array.of(where)) };
  return { ...instruction, accounts: instruction.accounts.map(change) };
}

const arbPut: fc.Arbitrary<GenesisAccount> = fc.oneof(
  fc
    .tuple(fc.constantFrom<Name>("merchant", "rival"), fc.constantFrom(0n, 1n, 5_000_000n, 10n ** 9n))
    .map(([name, recovered]) => receiptOf(name, recovered)),
  fc.constantFrom(0n, 10n ** 10n).map((amount) => openTokensOf("merchant", amount)),
  fc
    .tuple(
      fc.constantFrom<Name>("judge1", "judge2", "judge3"),
      fc.constantFrom(0n, 1n, ARBITRATOR_STAKE_MIN - 1n, ARBITRATOR_STAKE_MIN, (1n << 63n) + 5n),
    )
    .map(([judge, amount]) => stakeAccountOf(judge, amount)),
  fc.tuple(fc.constantFrom(...names), fc.boolean()).map(([name, real]) => banOf(name, real)),
  fc
    .tuple(fc.constantFrom(...names), fc.constantFrom(5_000n, 890_880n, 895_880n, 2_000_000n, 4_000_000n))
    .map(([name, lamports]) => ({
      address: addressOf(name),
      account: { lamports, owner: systemProgram, data: new Uint8Array(0), executable: false },
    })),
  fc
    .tuple(arbReservation, fc.constantFrom(1n, 10_000_000n))
    .map(([reservation, lamports]) => ({
      address: at.disputeCase(reservation).address,
      account: { lamports, owner: systemProgram, data: new Uint8Array(0), executable: false },
    }))
    .map((account) =>
      account.account.lamports < 890_880n
        ? { ...account, account: { ...account.account, lamports: 890_880n } }
        : account,
    ),
);

/** What is sent next: mostly the honest step of a trade, else one that misses by a little, or anything. */
const arbChoice = fc.record({
  kind: fc.oneof(
    { weight: 80, arbitrary: fc.constant("walks on" as const) },
    { weight: 10, arbitrary: fc.constant("side step" as const) },
    { weight: 10, arbitrary: fc.constant("stakes" as const) },
    {
      weight: 12,
      arbitrary: fc.constantFrom(
        "twice",
        "somebody else",
        "broken",
        "anything",
        "ruled",
        "pair",
        "disturbed",
        "banned",
        "blind",
        "late",
      ),
    },
  ),
  trade: fc.oneof({ weight: 7, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.nat(TRADES - 1) }),
  dice: fc.nat(99),
  which: fc.nat(999),
  name: fc.constantFrom(...names),
  defect: fc.tuple(fc.nat(6), fc.nat(40)),
  anything: arbInstruction,
  ruled: arbAdminInstruction,
  wait: arbWait,
  put: arbPut,
});
type Choice = typeof arbChoice extends fc.Arbitrary<infer T> ? T : never;

/** A first day, and what is sent from then on. */
export interface Story {
  readonly day: readonly GenesisAccount[];
  readonly commands: readonly Command[];
  /** What became of each command, and what disputes came to. */
  readonly labels: readonly string[];
}

/** Commands that most often find the chain in the state they need, since each was chosen looking at it. */
export const arbStory: fc.Arbitrary<Story> = fc
  .tuple(arbFirstDay, fc.array(arbChoice, { maxLength: 100 }), fc.nat(1_000_000))
  .map(([day, choices, luck]) => ({ day, ...played(day, choices, luck) }));

/** The same from the usual first day. */
export const arbCommands: fc.Arbitrary<readonly Command[]> = fc
  .tuple(fc.array(arbChoice, { maxLength: 80 }), fc.nat(1_000_000))
  .map(([choices, luck]) => played(firstDay(), choices, luck).commands);

/** Chooses each command on the chain that those before it left. */
function played(day: readonly GenesisAccount[], choices: readonly Choice[], luck: number): Omit<Story, "day"> {
  const model = openModel(at, crypto, day);
  const commands: Command[] = [];
  const labels: string[] = [];
  let now = START_UNIX;
  for (const choice of choices) {
    const look = { account: model.accountNow, now, dice: choice.dice, luck };
    const command = chosen(look, choice, commands.at(-1));
    now += command.wait;
    const wire = unsignedWireOf(command.payer, command.instructions);
    commands.push(command);
    if (wire.length > TRANSACTION_BYTES_MAX) continue;
    if (command.put !== undefined) void model.putAccount(command.put.address, command.put.account);
    const context = contextAt(now);
    const result = model.executeNow(wire, command.blind === true ? { ...context, slotHashes: [] } : context);
    labels.push(...labelsOf(command, result));
  }
  return { commands, labels };
}

function chosen(look: Look, choice: Choice, before: Command | undefined): Command {
  const reservation = openTrade(look, choice.trade ?? look.luck);
  const step = nextStep(look, reservation);
  const { name, anything, which } = choice;
  switch (choice.kind) {
    case "walks on":
      return one(step);
    case "side step": {
      const steps = sideSteps(look, reservation);
      return one(steps[which % steps.length] ?? step);
    }
    case "stakes": {
      const steps = stakeSteps(look, reservation);
      return one(steps[which % steps.length] ?? step);
    }
    case "twice":
      return before === undefined ? one(step) : { payer: before.payer, instructions: before.instructions, wait: 0n };
    case "somebody else":
      return one({ ...step, ...bySomebodyElse(step, name) });
    case "broken":
      return one({ ...step, instruction: broken(step.instruction, ...choice.defect) });
    case "pair":
      return { ...one(step), instructions: [step.instruction, anything.instruction] };
    case "disturbed":
      return { ...one(step), put: choice.put };
    case "ruled":
      return one(choice.ruled);
    case "banned":
      return { ...one(step), put: banOf(step.by, which % 2 === 0) };
    case "blind":
      return { ...one(step), blind: true };
    case "late":
      return { ...one(step), wait: (step.wait ?? 0n) + choice.wait };
    default:
      return { ...one(anything), wait: choice.wait };
  }
}

function one({ by, instruction, wait = 0n, put }: Step): Command {
  return { payer: by, instructions: [instruction], wait, ...(put === undefined ? {} : { put }) };
}
