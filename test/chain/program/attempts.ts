/**
 * Every instruction of the program at the point where it would succeed, as the attacks start from it.
 */

import type { Mint } from "../../../sim/chain/genesis.ts";
import { treasuriesFor } from "../../../sim/chain/genesis.ts";
import {
  absorbStakeRecovery,
  cancelReservation,
  chargeAdListingFee,
  claimArbitrationReward,
  expireReservation,
  publishArbitratorPoolSize,
  topUpArbitrationDeposit,
  withdrawLiquidity,
} from "../../../sim/chain/instructions.ts";
import type { Instruction } from "../../../sim/chain/transaction.ts";
import type { Trade } from "./trades.ts";
import {
  disputedTrade,
  FILING_FEE,
  newTrade,
  of,
  openTokensOf,
  openVaultOf,
  playRound,
  TIMEOUT,
  tradeAfter,
  votes,
  WINDOW,
} from "./trades.ts";
import type { World } from "./world.ts";
import { at, OPEN, patched, recoveryReceipt, stored, succeed, tokens, tokensOf, u64le, wallet } from "./world.ts";

type Prepare = (world: World, mint?: Mint, people?: Trade) => Promise<Trade>;

/** One instruction about to succeed for a trade, who signs it, and the places where the rules allow anybody. */
export interface Attempt {
  readonly name: string;
  readonly prepare: Prepare;
  readonly build: (trade: Trade) => Instruction;
  readonly signer: (trade: Trade) => string;
  readonly free?: readonly number[];
  /** Mixtures with another trade that are somebody's right. */
  readonly legal?: readonly (readonly number[])[];
}

const merchant = (trade: Trade) => trade.merchant;
const buyer = (trade: Trade) => trade.buyer;
const anyone = () => "stranger";
const arbitrator = () => "arbitrator 0";

const nothingYet: Prepare = async (world, mint, people) => newTrade(world, mint, undefined, people);

/** Trades so far. */
function after(last: Parameters<typeof tradeAfter>[1]): Prepare {
  return (world, mint, people) => tradeAfter(world, last, mint, undefined, people);
}

const disputed: Prepare = (world, mint, people) => disputedTrade(world, mint, undefined, people);

const revealing: Prepare = async (world, mint, people) => {
  const trade = await disputed(world, mint, people);
  for (const vote of votes(0, 0, 0)) {
    await succeed(world, [of.commit(trade, vote.arbitrator, vote.outcome)], vote.arbitrator);
  }
  world.now += WINDOW;
  return trade;
};

/** A case that may be executed with `outcome`. */
function voted(outcome: number): Prepare {
  return async (world, mint, people) => {
    const trade = await disputed(world, mint, people);
    await playRound(world, trade, votes(outcome, outcome, outcome));
    return trade;
  };
}

const rewarded: Prepare = async (world, mint, people) => {
  const trade = await voted(0)(world, mint, people);
  await succeed(world, [of.execute(trade)], "stranger");
  return trade;
};

const expired: Prepare = async (world, mint, people) => {
  const trade = await after("fund")(world, mint, people);
  world.now += TIMEOUT + 1n;
  return trade;
};

/** A case whose deposit fell short, and a vault that has OPEN again. */
const shortOfDeposit: Prepare = async (world, mint, people) => {
  const trade = await after("fund")(world, mint, people);
  await patched(world, openVaultOf(trade), 88, u64le(1n), async () => {
    await succeed(world, [of.open(trade)], trade.buyer);
  });
  return trade;
};

/** A merchant whose stake made good a shortfall: the staking program paid into the vault's tokens. */
const recovered: Prepare = async (world, mint, people) => {
  const trade = await shortOfDeposit(world, mint, people);
  const tokensAddress = openTokensOf(trade);
  const held = await stored(world, tokensAddress);
  const data = held.data.slice();
  data.set(u64le((await tokens(world, tokensAddress)) + FILING_FEE), 64);
  await world.executor.putAccount(tokensAddress, { ...held, data });
  const { address, account } = recoveryReceipt(trade.merchant, 1_000n * FILING_FEE);
  await world.executor.putAccount(address, account);
  return trade;
};

const arbitratorTokens = () => tokensOf("arbitrator 0", OPEN);

export const attempts: readonly Attempt[] = [
  { name: "create_liquidity_vault", prepare: nothingYet, build: (trade) => of.vault(trade), signer: merchant },
  { name: "deposit_liquidity", prepare: after("vault"), build: (trade) => of.deposit(trade), signer: merchant },
  { name: "reserve_liquidity", prepare: after("deposit"), build: (trade) => of.reserve(trade), signer: merchant },
  {
    name: "withdraw_liquidity",
    prepare: after("deposit"),
    build: (trade) =>
      withdrawLiquidity(at, wallet(trade.merchant), trade.mint, tokensOf(trade.merchant, trade.mint), 1n),
    signer: merchant,
    free: [3],
  },
  {
    name: "create_trade_escrow",
    prepare: after("reserve"),
    build: (trade) => of.create(trade),
    signer: merchant,
    free: [2],
    // whoever comes first uses a number, in any mint: protocol 03 A.10.3 R1b
    legal: [
      [0, 1, 5],
      [3, 5, 8],
    ],
  },
  { name: "fund_trade_escrow", prepare: after("create"), build: (trade) => of.fund(trade), signer: merchant },
  { name: "approve_settlement", prepare: after("fund"), build: (trade) => of.approve(trade), signer: merchant },
  { name: "release_escrow", prepare: after("approve"), build: (trade) => of.release(trade), signer: anyone },
  {
    name: "cancel_reservation, reserved",
    prepare: after("create"),
    build: (trade) => cancelReservation(at, trade.ref, wallet(trade.buyer)),
    signer: buyer,
  },
  {
    name: "cancel_reservation, funded",
    prepare: after("fund"),
    build: (trade) => cancelReservation(at, trade.ref, wallet(trade.buyer)),
    signer: buyer,
  },
  {
    name: "expire_reservation",
    prepare: expired,
    build: (trade) => expireReservation(at, trade.ref),
    signer: anyone,
  },
  {
    name: "open_dispute_case",
    prepare: after("fund"),
    build: (trade) => of.open(trade),
    signer: buyer,
    free: [2],
  },
  {
    name: "commit_dispute_vote",
    prepare: disputed,
    build: (trade) => of.commit(trade, "arbitrator 0", 0),
    signer: arbitrator,
  },
  {
    name: "reveal_dispute_vote",
    prepare: revealing,
    build: (trade) => of.reveal(trade, "arbitrator 0", 0),
    signer: arbitrator,
  },
  ...[0, 1, 2].map((outcome) => ({
    name: `execute_dispute_outcome, outcome ${outcome}`,
    prepare: voted(outcome),
    build: (trade: Trade) => of.execute(trade),
    signer: anyone,
  })),
  {
    name: "claim_arbitration_reward",
    prepare: rewarded,
    build: (trade) => claimArbitrationReward(at, trade.ref.reservation, wallet("arbitrator 0"), arbitratorTokens()),
    signer: arbitrator,
    free: [5],
  },
  {
    name: "top_up_arbitration_deposit",
    prepare: shortOfDeposit,
    build: (trade) => topUpArbitrationDeposit(at, trade.ref.reservation, wallet(trade.merchant)),
    signer: anyone,
  },
  {
    name: "absorb_stake_recovery",
    prepare: recovered,
    build: (trade) => absorbStakeRecovery(at, wallet(trade.merchant)),
    signer: anyone,
  },
  {
    name: "charge_ad_listing_fee",
    prepare: nothingYet,
    build: (trade) => {
      return chargeAdListingFee(at, wallet(trade.merchant), new Uint8Array(32), treasuriesFor(at, OPEN));
    },
    signer: merchant,
  },
  {
    name: "publish_arbitrator_pool_size",
    prepare: nothingYet,
    build: () => publishArbitratorPoolSize(at, wallet("admin"), 0),
    signer: () => "admin",
  },
];
