/**
 * Every instruction of the staking program at the point where it would succeed; and with those of the escrow program,
 * every instruction there is.
 */
import { stakeAccount } from "../../../core/solana/accounts.ts";
import { stakeRoles } from "../../../core/solana/addresses.ts";
import { ARBITRATOR_STAKE_MIN } from "../../../sim/chain/genesis.ts";
import type { StakeRef } from "../../../sim/chain/staking-instructions.ts";
import {
  initializeStakeAccount,
  requestUnstake,
  slash,
  slashDissentingArbitrator,
  stake,
  withdrawUnstaked,
} from "../../../sim/chain/staking-instructions.ts";
import type { Attempt, Prepare } from "./attempts.ts";
import { escrowAttempts } from "./attempts.ts";
import type { Trade } from "./trades.ts";
import { disputedTrade, newTrade, of, playRound, votes } from "./trades.ts";
import { at, OPEN, read, succeed, tokensOf, wallet } from "./world.ts";

/** A merchant's least stake, in OPEN base units. Source: protocol 03 D.3. */
const LEAST = 500_000_000n;
const DAY_SECS = 86_400n;

const merchant = (trade: Trade) => trade.merchant;
const stakeOf = (trade: Trade): StakeRef => ({ owner: wallet(trade.merchant), role: stakeRoles.Merchant });
const ownTokens = (trade: Trade) => tokensOf(trade.merchant, OPEN);

const unregistered: Prepare = async (world, mint, people) => newTrade(world, mint, undefined, people);

/** People who come again have an account already. */
const registered: Prepare = async (world, mint, people) => {
  const trade = await unregistered(world, mint, people);
  const { owner, role } = stakeOf(trade);
  const held = await world.executor.account(at.stakeAccount(owner, role).address);
  if (held === undefined) await succeed(world, [initializeStakeAccount(at, stakeOf(trade))], trade.merchant);
  return trade;
};

const staked: Prepare = async (world, mint, people) => {
  const trade = await registered(world, mint, people);
  await succeed(world, [stake(at, stakeOf(trade), ownTokens(trade), 2n * LEAST)], trade.merchant);
  return trade;
};

const released: Prepare = async (world, mint, people) => {
  const trade = await staked(world, mint, people);
  await succeed(world, [requestUnstake(at, stakeOf(trade), LEAST)], trade.merchant);
  world.now += DAY_SECS;
  return trade;
};

/** A case decided against one of four votes. Whoever lost before is below the least, and stakes again. */
const decided: Prepare = async (world, mint, people) => {
  const trade = await disputedTrade(world, mint, undefined, people);
  const ref = { owner: wallet(DISSENTER), role: stakeRoles.Arbitrator };
  const { amount } = await read(world, stakeAccount, at.stakeAccount(ref.owner, ref.role).address);
  const missing = ARBITRATOR_STAKE_MIN - amount;
  if (missing > 0n) await succeed(world, [stake(at, ref, tokensOf(DISSENTER, OPEN), missing)], DISSENTER);
  await playRound(world, trade, votes(1, 1, 1, 3));
  await succeed(world, [of.execute(trade)], "stranger");
  return trade;
};

const DISSENTER = "arbitrator 3";

const stakingAttempts: readonly Attempt[] = [
  {
    instruction: "initialize_stake_account",
    prepare: unregistered,
    build: (trade) => initializeStakeAccount(at, stakeOf(trade)),
    signer: merchant,
  },
  {
    instruction: "stake",
    prepare: registered,
    build: (trade) => stake(at, stakeOf(trade), ownTokens(trade), LEAST),
    signer: merchant,
  },
  {
    instruction: "request_unstake",
    prepare: staked,
    build: (trade) => requestUnstake(at, stakeOf(trade), LEAST),
    signer: merchant,
  },
  {
    instruction: "withdraw_unstaked",
    prepare: released,
    build: (trade) => withdrawUnstaked(at, stakeOf(trade), ownTokens(trade)),
    signer: merchant,
    free: [5],
  },
  {
    instruction: "slash",
    prepare: staked,
    build: (trade) => {
      return slash(at, { authority: wallet("admin"), ...stakeOf(trade), destination: tokensOf("admin", OPEN) }, 1);
    },
    signer: () => "admin",
    // nobody signs as the escrow program: it is refused for its signer, whoever that is
    free: [0, 3],
    ends: 6000,
  },
  {
    instruction: "slash_dissenting_arbitrator",
    prepare: decided,
    build: (trade) => {
      return slashDissentingArbitrator(at, trade.ref.reservation, wallet(DISSENTER), tokensOf("admin", OPEN));
    },
    signer: () => "stranger",
  },
];

/** Every instruction of both programs; those that change the terms of all trades come last. */
export const attempts: readonly Attempt[] = [...stakingAttempts, ...escrowAttempts];
