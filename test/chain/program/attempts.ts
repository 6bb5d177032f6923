/**
 * Every instruction of the program at the point where it would succeed, as the attacks start from it.
 */

import { stakeRecoveryClaim } from "../../../core/solana/accounts.ts";
import type { Mint } from "../../../sim/chain/genesis.ts";
import { treasuriesFor, treasuryWallets } from "../../../sim/chain/genesis.ts";
import type { InstructionName } from "../../../sim/chain/instruction-parts.ts";
import {
  absorbStakeRecovery,
  cancelReservation,
  chargeAdListingFee,
  claimArbitrationReward,
  expireReservation,
  initializeArbitrationPool,
  initializeFeeConfig,
  migrateFeeConfig,
  publishArbitratorPoolSize,
  topUpArbitrationDeposit,
  updateFeeConfig,
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
import {
  at,
  OPEN,
  patched,
  read,
  recoveryReceipt,
  stored,
  succeed,
  tokens,
  tokensOf,
  u64le,
  usdc,
  wallet,
} from "./world.ts";

export type Prepare = (world: World, mint?: Mint, people?: Trade) => Promise<Trade>;

/** One instruction about to succeed for a trade, who signs it, and the places where the rules allow anybody. */
export interface Attempt {
  readonly instruction: InstructionName;
  /** Which of several ways to use the instruction. */
  readonly way?: string;
  readonly prepare: Prepare;
  readonly build: (trade: Trade) => Instruction;
  readonly signer: (trade: Trade) => string;
  readonly free?: readonly number[];
  /** Mixtures with another trade that are somebody's right. */
  readonly legal?: readonly (readonly number[])[];
  /** Places whose accounts need not have been made. */
  readonly optional?: readonly number[];
  /** Addresses where nothing may be yet. */
  readonly without?: readonly string[];
  /** An instruction that can only refuse ends with this number. */
  readonly ends?: number;
}

/** The instruction and the way it is used. */
export function nameOf({ instruction, way }: Attempt): string {
  return way === undefined ? instruction : `${instruction}, ${way}`;
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

/** A case that may be executed without a vote. */
const unvoted: Prepare = async (world, mint, people) => {
  const trade = await disputed(world, mint, people);
  world.now += 2n * WINDOW;
  return trade;
};

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
  data.set(u64le((await tokens(world, tokensAddress)) + 2n * FILING_FEE), 64);
  await world.executor.putAccount(tokensAddress, { ...held, data });
  const claim = at.stakeRecoveryClaim(wallet(trade.merchant), at.profile.openMint).address;
  const { credited_total: credited } = await read(world, stakeRecoveryClaim, claim);
  const { address, account } = recoveryReceipt(trade.merchant, credited + FILING_FEE);
  await world.executor.putAccount(address, account);
  return trade;
};

const admin = () => "admin";
const terms = {
  adListingFee: 1n,
  disputeFilingFee: 2n,
  settlementFeeBps: 3,
  shareBps: [1, 2, 3, 9_994],
  timeoutSecs: 5n,
} as const;
const moreTerms = { stakeAgeSecs: 6n, sortitionBps: 7, mints: [usdc.mint, wallet("another mint")] };

const arbitratorTokens = () => tokensOf("arbitrator 0", OPEN);

/** The escrow program's. */
export const escrowAttempts: readonly Attempt[] = [
  {
    instruction: "create_liquidity_vault",
    prepare: nothingYet,
    build: (trade) => of.vault(trade),
    signer: merchant,
    optional: [3],
  },
  { instruction: "deposit_liquidity", prepare: after("vault"), build: (trade) => of.deposit(trade), signer: merchant },
  {
    instruction: "reserve_liquidity",
    prepare: after("deposit"),
    build: (trade) => of.reserve(trade),
    signer: merchant,
  },
  {
    instruction: "withdraw_liquidity",
    prepare: after("deposit"),
    build: (trade) =>
      withdrawLiquidity(at, wallet(trade.merchant), trade.mint, tokensOf(trade.merchant, trade.mint), 1n),
    signer: merchant,
    free: [3],
  },
  {
    instruction: "create_trade_escrow",
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
  { instruction: "fund_trade_escrow", prepare: after("create"), build: (trade) => of.fund(trade), signer: merchant },
  { instruction: "approve_settlement", prepare: after("fund"), build: (trade) => of.approve(trade), signer: merchant },
  { instruction: "release_escrow", prepare: after("approve"), build: (trade) => of.release(trade), signer: anyone },
  {
    instruction: "cancel_reservation",
    way: "reserved",
    prepare: after("create"),
    build: (trade) => cancelReservation(at, trade.ref, wallet(trade.buyer)),
    signer: buyer,
    optional: [4, 5],
  },
  {
    instruction: "cancel_reservation",
    way: "funded",
    prepare: after("fund"),
    build: (trade) => cancelReservation(at, trade.ref, wallet(trade.buyer)),
    signer: buyer,
  },
  {
    instruction: "expire_reservation",
    prepare: expired,
    build: (trade) => expireReservation(at, trade.ref),
    signer: anyone,
  },
  {
    instruction: "open_dispute_case",
    prepare: after("fund"),
    build: (trade) => of.open(trade),
    signer: buyer,
    free: [2],
    optional: [7],
  },
  {
    instruction: "commit_dispute_vote",
    prepare: disputed,
    build: (trade) => of.commit(trade, "arbitrator 0", 0),
    signer: arbitrator,
  },
  {
    instruction: "reveal_dispute_vote",
    prepare: revealing,
    build: (trade) => of.reveal(trade, "arbitrator 0", 0),
    signer: arbitrator,
    optional: [3],
  },
  ...[0, 1, 2].map((outcome) => ({
    instruction: "execute_dispute_outcome" as const,
    way: `outcome ${outcome}`,
    prepare: voted(outcome),
    build: (trade: Trade) => of.execute(trade),
    signer: anyone,
    optional: outcome === 0 ? [5, 14, 15, 19] : [19],
  })),
  {
    instruction: "execute_dispute_outcome",
    way: "another round",
    prepare: unvoted,
    build: (trade) => of.execute(trade),
    signer: anyone,
    optional: [3, 5, 14, 15, 19],
  },
  {
    instruction: "claim_arbitration_reward",
    prepare: rewarded,
    build: (trade) => claimArbitrationReward(at, trade.ref.reservation, wallet("arbitrator 0"), arbitratorTokens()),
    signer: arbitrator,
    free: [5],
  },
  {
    instruction: "top_up_arbitration_deposit",
    prepare: shortOfDeposit,
    build: (trade) => topUpArbitrationDeposit(at, trade.ref.reservation, wallet(trade.merchant)),
    signer: anyone,
  },
  {
    instruction: "absorb_stake_recovery",
    prepare: recovered,
    build: (trade) => absorbStakeRecovery(at, wallet(trade.merchant)),
    signer: anyone,
  },
  {
    instruction: "charge_ad_listing_fee",
    prepare: nothingYet,
    build: (trade) => {
      return chargeAdListingFee(at, wallet(trade.merchant), new Uint8Array(32), treasuriesFor(at, OPEN));
    },
    signer: merchant,
  },
  {
    instruction: "publish_arbitrator_pool_size",
    prepare: nothingYet,
    build: () => publishArbitratorPoolSize(at, wallet("admin"), 0),
    signer: admin,
    optional: [2],
  },
  {
    instruction: "initialize_fee_config",
    prepare: nothingYet,
    build: () => initializeFeeConfig(at, wallet("admin"), treasuryWallets, terms),
    signer: admin,
    free: [0], // whoever comes first
    without: [at.feeConfig().address],
  },
  {
    instruction: "update_fee_config",
    prepare: nothingYet,
    build: () => updateFeeConfig(at, wallet("admin"), usdc.mint, treasuriesFor(at, usdc), terms, moreTerms),
    signer: admin,
  },
  {
    instruction: "initialize_arbitration_pool",
    prepare: nothingYet,
    build: () => initializeArbitrationPool(at, wallet("admin")),
    signer: admin,
    without: [at.arbitrationPool().address],
  },
  {
    instruction: "migrate_fee_config",
    prepare: nothingYet,
    build: () => migrateFeeConfig(at, wallet("admin")),
    signer: admin,
    free: [0],
    ends: 6032,
  },
];
