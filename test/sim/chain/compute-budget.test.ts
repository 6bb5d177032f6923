/**
 * Goal: what a transaction asks of the compute budget costs the same on every executor, and the fee that is told is the
 * one that was taken. Method: memos with wishes, honest and malformed, on all three; the payer's lamports before and
 * after.
 */
import { expect, test } from "vitest";
import { struct, u8, u32, u64 } from "../../../core/solana/layout.ts";
import { parseMessage } from "../../../core/solana/transaction.ts";
import { computeBudgetProgram, feeOf } from "../../../sim/chain/compute-budget.ts";
import { memo } from "../../../sim/chain/disguises.ts";
import type { OpenExecutor } from "../../../sim/chain/executor.ts";
import { openBankrun } from "../../../sim/chain/executors/bankrun.ts";
import { openLitesvm } from "../../../sim/chain/executors/litesvm.ts";
import { modelExecutors } from "../../../sim/chain/executors/model.ts";
import type { Instruction } from "../../../sim/chain/transaction.ts";
import { openTogether } from "../../chain/program/together.ts";
import { addressOf, contextAt, crypto, firstDay, keyring, START_UNIX, wireOf } from "./chain-world.ts";

const model = modelExecutors(crypto);
const all: OpenExecutor = openTogether(openLitesvm, openBankrun, model);
/** Without a wish for units, the bank, which is older, allots others; heaps and sizes it judges otherwise too. */
const current: OpenExecutor = openTogether(openLitesvm, model);

const wish = (data: Uint8Array): Instruction => ({ program: computeBudgetProgram, accounts: [], data });
const small = struct({ kind: u8, value: u32 });
const large = struct({ kind: u8, value: u64 });
const heap = (value: number) => wish(small.write({ kind: 1, value }));
const units = (value: number) => wish(small.write({ kind: 2, value }));
const price = (value: bigint) => wish(large.write({ kind: 3, value }));
const loadedBytes = (value: number) => wish(small.write({ kind: 4, value }));

/** What a memo with these wishes came to, what it cost, and what it is said to cost. */
async function costOf(wishes: readonly Instruction[], open: OpenExecutor) {
  const executor = await open(firstDay(), keyring);
  const wire = wireOf("stranger", [...wishes, memo("a")], 1);
  const held = async () => (await executor.account(addressOf("stranger")))?.lamports ?? 0n;
  const before = await held();
  const { error, logs } = await executor.execute(wire, contextAt(START_UNIX));
  const paid = before - (await held());
  await executor.close();
  const parsed = parseMessage(wire);
  return { error, logs, paid, told: parsed.ok ? feeOf(parsed.value) : -1n };
}

test.each<[string, readonly Instruction[], OpenExecutor, bigint]>([
  ["nothing", [], all, 5_000n],
  ["units and their price", [units(100_000), price(1_000n)], all, 5_100n],
  ["a price that comes to a part of a lamport", [units(30_001), price(1_000n)], all, 5_031n],
  ["more units than there are", [units(9_000_000), price(10n)], all, 5_014n],
  ["a price alone", [price(1_000n)], current, 5_203n],
  ["a heap", [heap(65_536)], all, 5_000n],
])("%s costs what is told", async (_, wishes, open, fee) => {
  const { error, logs, paid, told } = await costOf(wishes, open);
  expect(error).toBeNull();
  expect(logs.filter((line) => line === `Program ${computeBudgetProgram} success`)).toHaveLength(wishes.length);
  expect([paid, told]).toEqual([fee, fee]);
});

test.each<[string, readonly Instruction[]]>([
  ["a heap of an odd size", [heap(65_537)]],
  ["a heap too small", [heap(1_024)]],
  ["no bytes for loaded accounts", [loadedBytes(0)]],
  ["a wish of no kind", [wish(Uint8Array.of(9, 0, 0, 0, 0))]],
  ["a wish cut short", [wish(Uint8Array.of(2, 1))]],
  ["an empty wish", [wish(new Uint8Array(0))]],
  ["the same wish twice", [units(50_000), units(60_000)]],
  ["the same wish twice, then cut short", [units(50_000), wish(Uint8Array.of(2, 1))]],
])("%s is refused alike, and costs nothing", async (_, wishes) => {
  const { error, paid } = await costOf(wishes, current);
  expect(error).not.toBeNull();
  expect(paid).toBe(0n);
});

/** A wish of each kind as it should be, as it may not be, and cut short. */
const kinds: readonly Instruction[] = [
  ...[heap(65_536), heap(65_537), wish(Uint8Array.of(1, 0, 0))],
  ...[units(50_000), wish(Uint8Array.of(2, 1))],
  ...[price(1_000n), wish(Uint8Array.of(3, 0, 0, 0, 0, 0, 0))],
  ...[loadedBytes(1_000_000), loadedBytes(0), wish(Uint8Array.of(4))],
  ...[wish(Uint8Array.of(9, 0, 0, 0, 0)), wish(new Uint8Array(0))],
];

test("every two wishes come to the same on every executor, in either order", async () => {
  const verdicts = new Set<string>();
  for (const one of kinds)
    for (const other of kinds) verdicts.add(String((await costOf([one, other], current)).error?.type ?? "taken"));
  expect(verdicts).toEqual(new Set(["taken", "other"]));
});
