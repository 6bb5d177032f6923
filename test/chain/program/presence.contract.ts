/**
 * Contract: which accounts must be there, and how many there may be. For every instruction that the programs have, at
 * the point where it would succeed: each account missing, each address that holds nothing holding a gift, what may be
 * left out left out, and more accounts behind, the same ones again among them, up to and beyond what a call keeps.
 * Source: protocol 03 D.4; adapters/chain/program/README.md.
 */
import { describe, expect, test } from "vitest";
import { simulatedProfile, systemProgram } from "../../../core/solana/addresses.ts";
import { instructionDiscriminators } from "../../../sim/chain/instruction-parts.ts";
import type { Instruction } from "../../../sim/chain/transaction.ts";
import type { Attempt } from "./attempts.ts";
import { nameOf } from "./attempts.ts";
import { attempts } from "./staking-attempts.ts";
import type { World } from "./world.ts";
import { nothing, run, wallet, withAccount, withAccounts } from "./world.ts";

/** Accounts that a call of the program keeps. Source: adapters/chain/program/accounts.c. */
const ACCOUNTS_MAX = 20;
const GIFT = 5_000_000n;
/** Names no instruction, so that whatever ran before it is undone. */
const nonsense: Instruction = { program: simulatedProfile.escrowProgram, accounts: [], data: new Uint8Array(8) };
const MACHINE_OWNERS = /^(NativeLoader|BPFLoader|Sysvar|1{32}$)/;

export function describePresence(world: () => World): void {
  describe("accounts that are there, are not, are there twice", () => {
    test("every instruction is among them", () => {
      const tried = new Set<string>(attempts.map(({ instruction }) => instruction));
      const ofThePrograms = Object.keys(instructionDiscriminators);
      expect([...tried].sort(byText)).toEqual(ofThePrograms.sort(byText));
    });

    test.each(attempts.map((attempt) => [nameOf(attempt), attempt] as const))("%s", async (_, attempt) => {
      const trade = await attempt.prepare(world());
      const instruction = attempt.build(trade);
      const tried = (changed: Instruction) => outcome(world(), attempt, changed, attempt.signer(trade));
      await withAccounts(world(), attempt.without ?? [], nothing, async () => {
        expect(await tried(instruction)).toBe("done");
        await leaveOut(world(), attempt, instruction, tried);
        await addAccounts(instruction, tried);
      });
    });
  });
}

type Tried = (instruction: Instruction) => Promise<string>;

/** What an attempt comes to, undone at once: "done", or how it was refused. */
async function outcome(world: World, attempt: Attempt, instruction: Instruction, signer: string): Promise<string> {
  const { error } = await run(world, [instruction, nonsense], signer);
  if (error?.instruction === 1) return "done";
  if (error?.type === "custom") return error.code === attempt.ends ? "done" : `${error.code}`;
  return error?.name ?? "nothing was refused";
}

/** Only what is optional may be missing; lamports that somebody sent to an address make no account of it. */
async function leaveOut(world: World, attempt: Attempt, instruction: Instruction, tried: Tried): Promise<void> {
  const found: Record<string, unknown> = {};
  const expected: Record<string, unknown> = {};
  for (const [place, { address }] of instruction.accounts.entries()) {
    const account = await world.executor.account(address);
    if (account !== undefined && MACHINE_OWNERS.test(account.owner)) continue;
    const left = account === undefined ? { ...nothing, lamports: GIFT } : nothing;
    const may = account === undefined || attempt.optional?.includes(place) === true;
    await withAccount(
      world,
      address,
      () => left,
      async () => {
        found[place] = (await tried(instruction)) === "done";
      },
    );
    expected[place] = may;
  }
  expect(found).toEqual(expected);
  const short = { ...instruction, accounts: instruction.accounts.slice(0, -1) };
  expect(await tried(short)).toBe("NotEnoughAccountKeys");
}

/** More accounts than are asked for change nothing, whoever they are, and however often they are mentioned. */
async function addAccounts(instruction: Instruction, tried: Tried): Promise<void> {
  const { accounts } = instruction;
  for (const total of [ACCOUNTS_MAX - 1, ACCOUNTS_MAX, ACCOUNTS_MAX + 1, ACCOUNTS_MAX + 2, 2 * ACCOUNTS_MAX]) {
    if (total <= accounts.length) continue;
    for (const first of [0, accounts.length - 1]) {
      const again = Array.from({ length: total - accounts.length }, (_, index) => {
        return (
          accounts[(first + index) % accounts.length] ?? { address: systemProgram, signer: false, writable: false }
        );
      });
      const stranger = { address: wallet("nobody"), signer: false, writable: true };
      expect(await tried({ ...instruction, accounts: [...accounts, ...again] })).toBe("done");
      expect(await tried({ ...instruction, accounts: [...accounts, ...again.slice(1), stranger] })).toBe("done");
    }
  }
}

function byText(a: string, b: string): number {
  return a < b ? -1 : 1;
}
