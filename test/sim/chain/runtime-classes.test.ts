/**
 * Goal: what the runtime does where no rule of a program is asked, by name. Method: the kinds of transactions in which
 * the model once differed from the machines, each on all three executors at once, and what it comes to; the model as it
 * was, with each of its errors planted, beside LiteSVM.
 */
import { expect, test } from "vitest";
import { systemProgram, token2022Program, tokenProgram } from "../../../core/solana/addresses.ts";
import type { OpenExecutor } from "../../../sim/chain/executor.ts";
import { openBankrun } from "../../../sim/chain/executors/bankrun.ts";
import { openLitesvm } from "../../../sim/chain/executors/litesvm.ts";
import type * as Model from "../../../sim/chain/executors/model.ts";
import { modelExecutors } from "../../../sim/chain/executors/model.ts";
import * as build from "../../../sim/chain/instructions.ts";
import { rentExempt } from "../../../sim/chain/rent.ts";
import { readTokenAccount, TOKEN_ACCOUNT_BYTES } from "../../../sim/chain/token.ts";
import type { Instruction } from "../../../sim/chain/transaction.ts";
import { openTogether } from "../../chain/program/together.ts";
import { withPlantedBug } from "../../planted/planted-bug.ts";
import type { PlantedBug } from "../../planted/planted-text.ts";
import {
  addressOf,
  at,
  contextAt,
  crypto,
  firstDay,
  keyring,
  mints,
  START_UNIX,
  tokensOf,
  usdc,
  wireOf,
} from "./chain-world.ts";

const wsol = mints[0] ?? usdc;
const seller = addressOf("merchant");
const AHEAD = 5_000_000n;

/** Amounts as the programs read them: a kind of so many bytes, then a u64. */
function amountOf(kind: number, kindBytes: number, amount: bigint): Uint8Array {
  const data = new Uint8Array(kindBytes + 8);
  data[0] = kind;
  new DataView(data.buffer).setBigUint64(kindBytes, amount, true);
  return data;
}

const signs = (address: string) => ({ address, signer: true, writable: true });
const lamports = (to: string, amount: bigint, writable = true): Instruction => ({
  program: systemProgram,
  accounts: [signs(seller), { address: to, signer: false, writable }],
  data: amountOf(2, 4, amount),
});
const tokens = (program: string, from: string, to: string, data = amountOf(3, 1, 1n)): Instruction => ({
  program,
  accounts: [
    { address: from, signer: false, writable: true },
    { address: to, signer: false, writable: true },
    { address: seller, signer: true, writable: false },
  ],
  data,
});

const table: readonly (readonly [what: string, error: string | null, ...instructions: readonly Instruction[]])[] = [
  [
    "lamports to a sysvar that is asked for as writable",
    "ReadonlyLamportChange",
    lamports("SysvarC1ock11111111111111111111111111111111", 1n),
  ],
  [
    "lamports to a program that the message calls",
    "ReadonlyLamportChange",
    build.createLiquidityVault(at, seller, wsol),
    lamports(at.profile.escrowProgram, 1n),
  ],
  ["lamports to an address that is read-only", "ReadonlyLamportChange", lamports(addressOf("buyer"), 1n, false)],
  [
    "tokens of the older program by Token-2022's",
    "custom",
    tokens(token2022Program, tokensOf("merchant", usdc), tokensOf("buyer", usdc), new Uint8Array(0)),
  ],
  [
    "a transfer cut short",
    "custom",
    tokens(tokenProgram, tokensOf("merchant", usdc), tokensOf("buyer", usdc), amountOf(3, 1, 1n).slice(0, 5)),
  ],
  [
    "a transfer to a wallet",
    "InvalidAccountData",
    tokens(tokenProgram, tokensOf("merchant", usdc), addressOf("buyer")),
  ],
  [
    "a transfer with a byte behind",
    null,
    tokens(
      tokenProgram,
      tokensOf("merchant", usdc),
      tokensOf("buyer", usdc),
      new Uint8Array([...amountOf(3, 1, 1n), 9]),
    ),
  ],
];

/** The kinds one after the other; throws at what is otherwise, or differs. */
async function everyKind(open: OpenExecutor): Promise<void> {
  const executor = await open(firstDay(), keyring);
  for (const [place, [what, error, ...instructions]] of table.entries()) {
    const result = await executor.execute(wireOf("merchant", instructions, place), contextAt(START_UNIX));
    const name = result.error?.type === "custom" ? "custom" : (result.error?.name ?? null);
    expect(name, what).toBe(error);
  }
  await executor.close();
}

/** Lamports sent ahead to an account of wrapped SOL are tokens once it is made. */
async function lamportsAhead(open: OpenExecutor): Promise<void> {
  const executor = await open(firstDay(), keyring);
  const vault = at.liquidityVaultTokens(seller, wsol.mint).address;
  const ahead = lamports(vault, rentExempt(TOKEN_ACCOUNT_BYTES) + AHEAD);
  const made = await executor.execute(
    wireOf("merchant", [ahead, build.createLiquidityVault(at, seller, wsol)], 1),
    contextAt(START_UNIX),
  );
  expect(made.error).toBeNull();
  expect(readTokenAccount((await executor.account(vault))?.data ?? new Uint8Array(0))?.amount).toBe(AHEAD);
  await executor.close();
}

const together = openTogether(openLitesvm, openBankrun, modelExecutors(crypto));

test("what the runtime refuses and takes, all three do", () => everyKind(together));

test("lamports sent ahead to an account of wrapped SOL are tokens once it is made", () => lamportsAhead(together));

const bugs: readonly (readonly [was: string, check: typeof everyKind, bug: PlantedBug])[] = [
  [
    "sysvars may be written to",
    everyKind,
    {
      file: "sim/chain/lookup-tables.ts",
      find: '  if (reservedAddresses.has(keys[index] ?? "")) return false;\n',
      replace: "",
    },
  ],
  [
    "programs that a message calls may be written to",
    everyKind,
    {
      file: "sim/chain/lookup-tables.ts",
      find: "return !isCalled || keys.includes(UPGRADEABLE_LOADER);",
      replace: "return true;",
    },
  ],
  [
    "lamports reach addresses that are read-only",
    everyKind,
    {
      file: "sim/chain/model/programs.ts",
      find: '  if (!from.writable || !to.writable) return { type: "other", name: "ReadonlyLamportChange" };\n',
      replace: "",
    },
  ],
  [
    "a malformed transfer is another refusal",
    everyKind,
    {
      file: "sim/chain/model/native-calls.ts",
      find: '{ type: "custom", code: 12 }',
      replace: '{ type: "other", name: "InvalidInstructionData" }',
    },
  ],
  [
    "lamports sent ahead are lost",
    lamportsAhead,
    {
      file: "sim/chain/model/programs.ts",
      find: "const amount = nativeReserve !== null && ahead > reserve ? ahead - reserve : 0n;",
      replace: "const amount = 0n;",
    },
  ],
];

test.each(bugs)("a model in which %s is found out", async (_, check, bug) => {
  await withPlantedBug([bug], async (load) => {
    const { modelExecutors: planted } = await load<typeof Model>("sim/chain/executors/model.ts");
    await expect(check(openTogether(openLitesvm, planted(crypto)))).rejects.toThrow();
  });
});
