/**
 * Contract: no stake counts for two wallets, and what comes after the commit does not count at all. The attack that
 * was: weight was read at the reveal, a reveal window could be seven days, and tokens leave a stake after three; so one
 * float voted from three wallets, one after the other, and beat a real majority.
 * Source: protocol 03 D.8, E5 to E7; DESIGN section 4 "Staking".
 */
import { describe, expect, test } from "vitest";
import { disputeCase } from "../../../core/solana/accounts.ts";
import { stakeRoles } from "../../../core/solana/addresses.ts";
import { ARBITRATOR_STAKE_MIN } from "../../../sim/chain/genesis.ts";
import {
  initializeStakeAccount,
  requestUnstake,
  stake,
  withdrawUnstaked,
} from "../../../sim/chain/staking-instructions.ts";
import type { Trade } from "./trades.ts";
import { caseOf, newTrade, of, tradeAfter, WINDOW } from "./trades.ts";
import type { World } from "./world.ts";
import { at, OPEN, patched, read, refused, run, succeed, tokens, tokensOf, u64le, wallet } from "./world.ts";

const DAY_SECS = 86_400n;
const UNBONDING_SECS = 3n * DAY_SECS;
const MINIMUM = ARBITRATOR_STAKE_MIN;
/** What goes from wallet to wallet, beside the least stake that each has of its own. */
const FLOAT = 4n * MINIMUM;
const [BUYER, MERCHANT] = [0, 1];
const honest = [4, 5, 6, 7].map((index) => `arbitrator ${index}`);
/** Where a token account has its amount. */
const TOKEN_AMOUNT = 64;

export function describeFloat(world: () => World): void {
  describe("one float and three wallets", () => {
    test("outweigh no majority", () => floatIsOutweighed(world()));
    test("what has voted is held until the last vote is opened", () => floatIsHeld(world()));
  });
}

/** Three wallets of one owner pass a float on, each opening its vote while the float is its own. */
export async function floatIsOutweighed(world: World): Promise<void> {
  const [first, second, third] = [await puppet(world), await puppet(world), await puppet(world)] as const;
  const trade = await tradeAfter(world, "fund");
  const deadline = await opened(world, trade);
  for (const name of honest) await succeed(world, [of.commit(trade, name, MERCHANT)], name);
  for (const name of [first, second, third]) await succeed(world, [of.commit(trade, name, BUYER)], name);
  world.now += WINDOW;
  for (const name of honest) await succeed(world, [of.reveal(trade, name, MERCHANT)], name);

  await holding(world, first, FLOAT, async () => {
    await revealWith(world, trade, first, second, deadline);
    await revealWith(world, trade, second, third, deadline);
    await revealWith(world, trade, third, third, deadline);
  });
  world.now = deadline;
  await succeed(world, [of.execute(trade)], "stranger");
  const { outcome, weights } = await read(world, disputeCase, caseOf(trade));
  expect({ outcome, weights }).toEqual({ outcome: MERCHANT, weights: [...honest, 1, 2, 3].map(() => MINIMUM) });
}

/** A stake asked back in the second of its commit leaves after the reveal deadline of the longest case. */
export async function floatIsHeld(world: World): Promise<void> {
  const name = await puppet(world);
  const trade = await tradeAfter(world, "fund");
  const deadline = await opened(world, trade);
  await succeed(world, [of.commit(trade, name, BUYER), requestUnstake(at, refOf(name), MINIMUM)], name);
  const withdraw = withdrawUnstaked(at, refOf(name), tokensOf(name, OPEN));
  world.now = deadline;
  await refused(world, 6102, [withdraw], name);
  world.now += 1n;
  await succeed(world, [withdraw], name);
}

/** A wallet with the least stake, and nothing else. */
async function puppet(world: World): Promise<string> {
  const name = newTrade(world).buyer;
  const ref = refOf(name);
  const purse = tokensOf(name, OPEN);
  await succeed(world, [initializeStakeAccount(at, ref), stake(at, ref, purse, MINIMUM)], name);
  const account = await world.executor.account(purse);
  if (account === undefined) throw new Error("a wallet has a purse");
  const data = account.data.slice();
  data.set(u64le(0n), TOKEN_AMOUNT);
  await world.executor.putAccount(purse, { ...account, data });
  return name;
}

function refOf(name: string) {
  return { owner: wallet(name), role: stakeRoles.Arbitrator };
}

function holding(world: World, name: string, amount: bigint, test: () => Promise<void>): Promise<void> {
  return patched(world, tokensOf(name, OPEN), TOKEN_AMOUNT, u64le(amount), test);
}

/** Opens with seven days to reveal; where that is refused, with the most there is. Answers the reveal deadline. */
async function opened(world: World, trade: Trade): Promise<bigint> {
  const week = 7n * DAY_SECS;
  const { ok, error } = await run(world, [of.open(trade, trade.buyer, WINDOW, week)], trade.buyer);
  if (ok) return world.now + WINDOW + week;
  expect(error).toEqual({ type: "custom", instruction: 0, code: 6021 });
  const most = UNBONDING_SECS - 1n - WINDOW;
  await succeed(world, [of.open(trade, trade.buyer, WINDOW, most)], trade.buyer);
  return world.now + WINDOW + most;
}

/** Stakes the float when it is here, opens the vote, and passes the float on when it is free before the deadline. */
async function revealWith(world: World, trade: Trade, name: string, next: string, deadline: bigint): Promise<void> {
  const ref = refOf(name);
  const purse = tokensOf(name, OPEN);
  const isHere = (await tokens(world, purse)) >= FLOAT;
  if (isHere) await succeed(world, [stake(at, ref, purse, FLOAT)], name);
  await succeed(world, [of.reveal(trade, name, BUYER)], name);
  if (!isHere) return;
  await succeed(world, [requestUnstake(at, ref, FLOAT)], name);
  const free = world.now + UNBONDING_SECS;
  if (free >= deadline) return;
  world.now = free;
  await succeed(world, [withdrawUnstaked(at, ref, tokensOf(next, OPEN))], name);
}
