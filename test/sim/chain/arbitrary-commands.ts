/**
 * Random sequences of commands: stories, single instructions, broken ones, pairs, and disturbances from outside.
 */
import fc from "fast-check";
import { systemProgram } from "../../../core/chain-bridge/addresses.ts";
import { concat } from "../../../core/kernel/bytes.ts";
import type { GenesisAccount } from "../../../sim/chain/genesis.ts";
import { ARBITRATOR_STAKE_MIN } from "../../../sim/chain/genesis.ts";
import type { Instruction } from "../../../sim/chain/transaction.ts";

import { arbInstruction, arbReservation, arbWait } from "./arbitrary-instructions.ts";
import type { Command, Name } from "./chain-world.ts";
import { addressOf, at, banOf, firstDay, names, openTokensOf, receiptOf, stakeAccountOf } from "./chain-world.ts";
import { arbStory, panel } from "./stories.ts";

/** First days to start from: usual; with a draw and a stake age; before the programs were set up. */
export const arbFirstDay: fc.Arbitrary<readonly GenesisAccount[]> = fc.constantFrom(
  firstDay(),
  firstDay(),
  firstDay({ arbitrator_sortition_bps: 600, min_arbitrator_stake_age_secs: 510n }),
  firstDay().filter(({ address }) => address !== at.arbitrationPool().address),
  firstDay().filter(({ address }) => address !== at.feeConfig().address),
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

const arbSingle: fc.Arbitrary<Command> = fc.tuple(arbInstruction, arbWait).map(([{ by, instruction }, wait]) => {
  return { payer: by, instructions: [instruction], wait };
});
const arbBroken: fc.Arbitrary<Command> = fc
  .tuple(arbInstruction, fc.nat(6), fc.nat(40))
  .map(([{ by, instruction }, kind, where]) => {
    return { payer: by, instructions: [broken(instruction, kind, where)], wait: 0n };
  });
const arbPair: fc.Arbitrary<Command> = fc.tuple(arbInstruction, arbInstruction).map(([a, b]) => {
  return { payer: a.by, instructions: [a.instruction, b.instruction], wait: 0n };
});

const arbPut: fc.Arbitrary<GenesisAccount> = fc.oneof(
  fc
    .tuple(fc.constantFrom<Name>("merchant", "rival"), fc.constantFrom(0n, 1n, 5_000_000n, 10n ** 9n))
    .map(([name, recovered]) => receiptOf(name, recovered)),
  fc.constantFrom(0n, 10n ** 10n).map((amount) => openTokensOf("merchant", amount)),
  fc
    .tuple(
      fc.constantFrom(...panel),
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

const arbDisturbed: fc.Arbitrary<Command> = fc
  .tuple(arbSingle, fc.option(arbPut), fc.boolean())
  .map(([command, put, blind]) => {
    return put === null ? { ...command, blind } : { ...command, put };
  });

/** Sequences in which stories, single instructions, broken ones, pairs and disturbances follow each other. */
export const arbCommands: fc.Arbitrary<readonly Command[]> = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: arbStory },
      { weight: 6, arbitrary: arbSingle.map((command) => [command]) },
      { weight: 3, arbitrary: arbBroken.map((command) => [command]) },
      { weight: 1, arbitrary: arbPair.map((command) => [command]) },
      { weight: 2, arbitrary: arbDisturbed.map((command) => [command]) },
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.flat());
