/**
 * Trades for the tests of the on-chain program, brought to the state a test begins with.
 */
import { createHash } from "node:crypto";
import { addressBytes } from "../../../core/solana/layout.ts";
import type { Mint } from "../../../sim/chain/genesis.ts";
import { treasuriesFor } from "../../../sim/chain/genesis.ts";
import type { TradeRef } from "../../../sim/chain/instruction-parts.ts";
import {
  approveSettlement,
  commitDisputeVote,
  createLiquidityVault,
  createTradeEscrow,
  depositLiquidity,
  executeDisputeOutcome,
  fundTradeEscrow,
  openDisputeCase,
  releaseEscrow,
  reserveLiquidity,
  revealDisputeVote,
} from "../../../sim/chain/instructions.ts";
import type { Instruction } from "../../../sim/chain/transaction.ts";
import type { World } from "./world.ts";
import { at, succeed, tokens, tokensOf, usdc, wallet } from "./world.ts";

export const DEPOSIT = 1_000_000n;
export const AMOUNT = 400_001n;
export const TIMEOUT = 1_800n;
export const WINDOW = 60n;
/** The deposit of a case, in OPEN base units. Source: protocol 03 D.8. */
export const FILING_FEE = 10_000_000n;

/** One trade and its people, by name. */
export interface Trade {
  readonly ref: TradeRef;
  readonly mint: Mint;
  readonly merchant: string;
  readonly buyer: string;
  readonly amount: bigint;
}

/** A trade nothing of which is on chain yet; without `people` its people are nobody else's in this file. */
export function newTrade(world: World, mint: Mint = usdc, amount: bigint = AMOUNT, people?: Trade): Trade {
  const number = world.nextTrade;
  world.nextTrade += 1;
  const { merchant, buyer } = people ?? { merchant: `merchant ${number}`, buyer: `buyer ${number}` };
  const reservation = BigInt(1000 + number);
  const ref = { mint: mint.mint, tokenProgram: mint.tokenProgram, reservation, merchant: wallet(merchant) };
  return { ref, mint, merchant, buyer, amount };
}

/** The instructions of a trade's usual life, each as its honest sender would build it. */
export const of = {
  vault: (trade: Trade) => createLiquidityVault(at, wallet(trade.merchant), trade.mint),
  deposit: (trade: Trade, amount = DEPOSIT) => {
    return depositLiquidity(at, wallet(trade.merchant), trade.mint, tokensOf(trade.merchant, trade.mint), amount);
  },
  reserve: (trade: Trade, amount = trade.amount) =>
    reserveLiquidity(at, wallet(trade.merchant), trade.mint.mint, amount),
  create: (trade: Trade, amount = trade.amount, timeout = TIMEOUT) => {
    return createTradeEscrow(at, trade.ref, wallet(trade.buyer), amount, timeout);
  },
  fund: (trade: Trade) => fundTradeEscrow(at, trade.ref),
  approve: (trade: Trade) => approveSettlement(at, wallet(trade.merchant), trade.ref.reservation),
  release: (trade: Trade) =>
    releaseEscrow(at, trade.ref, tokensOf(trade.buyer, trade.mint), treasuriesFor(at, trade.mint)),
  open: (trade: Trade, party = trade.buyer, commitSecs = WINDOW, revealSecs = WINDOW) => {
    return openDisputeCase(at, trade.ref, wallet(party), wallet(party), { commitSecs, revealSecs });
  },
  commit: (trade: Trade, arbitrator: string, outcome: number) => {
    return commitDisputeVote(at, trade.ref.reservation, wallet(arbitrator), commitment(trade, arbitrator, outcome));
  },
  reveal: (trade: Trade, arbitrator: string, outcome: number) => {
    return revealDisputeVote(at, trade.ref.reservation, wallet(arbitrator), outcome, saltOf(arbitrator));
  },
  execute: (trade: Trade) =>
    executeDisputeOutcome(at, trade.ref, tokensOf(trade.buyer, trade.mint), treasuriesFor(at, trade.mint)),
} satisfies Record<string, (...args: never[]) => Instruction>;

export function saltOf(arbitrator: string): Uint8Array {
  return new Uint8Array(createHash("sha256").update(`salt of ${arbitrator}`).digest());
}

/** s(outcome ‖ salt ‖ case address ‖ arbitrator key). Source: protocol 03 W-14, H.1. */
export function commitment(trade: Trade, arbitrator: string, outcome: number): Uint8Array {
  return new Uint8Array(
    createHash("sha256")
      .update(Uint8Array.of(outcome))
      .update(saltOf(arbitrator))
      .update(addressBytes(caseOf(trade)))
      .update(addressBytes(wallet(arbitrator)))
      .digest(),
  );
}

export function escrowOf(trade: Trade): string {
  return at.tradeEscrow(trade.ref.reservation).address;
}

export function escrowTokensOf(trade: Trade): string {
  return at.tradeEscrowTokens(trade.ref.reservation).address;
}

export function vaultOf(trade: Trade): string {
  return at.liquidityVault(wallet(trade.merchant), trade.mint.mint).address;
}

export function vaultTokensOf(trade: Trade): string {
  return at.liquidityVaultTokens(wallet(trade.merchant), trade.mint.mint).address;
}

export function openVaultOf(trade: Trade): string {
  return at.liquidityVault(wallet(trade.merchant), at.profile.openMint).address;
}

export function openTokensOf(trade: Trade): string {
  return at.liquidityVaultTokens(wallet(trade.merchant), at.profile.openMint).address;
}

export function caseOf(trade: Trade): string {
  return at.disputeCase(trade.ref.reservation).address;
}

const steps = ["vault", "deposit", "reserve", "create", "fund", "approve"] as const;

/** A trade whose life has gone up to and including `last`. People who trade again have a vault already. */
export async function tradeAfter(
  world: World,
  last: (typeof steps)[number],
  mint: Mint = usdc,
  amount = AMOUNT,
  people?: Trade,
): Promise<Trade> {
  const trade = newTrade(world, mint, amount, people);
  const hasVault = (await world.executor.account(vaultOf(trade))) !== undefined;
  for (const step of steps.slice(hasVault ? 1 : 0, steps.indexOf(last) + 1)) {
    await succeed(world, [of[step](trade)], trade.merchant);
  }
  return trade;
}

/** A disputed trade, opened by its buyer now. */
export async function disputedTrade(world: World, mint: Mint = usdc, amount = AMOUNT, people?: Trade): Promise<Trade> {
  const trade = await tradeAfter(world, "fund", mint, amount, people);
  await succeed(world, [of.open(trade)], trade.buyer);
  return trade;
}

/** One arbitrator's vote; `silent` commits and never reveals. */
export interface Vote {
  readonly arbitrator: string;
  readonly outcome: number;
  readonly silent?: boolean;
}

/** Outcomes voted by arbitrators 0, 1, 2 … in that order. */
export function votes(...outcomes: readonly number[]): readonly Vote[] {
  return outcomes.map((outcome, index) => ({ arbitrator: `arbitrator ${index}`, outcome }));
}

/** Plays one round: commits at once, reveals after the commit window, and stops when the round may be executed. */
export async function playRound(world: World, trade: Trade, round: readonly Vote[]): Promise<void> {
  for (const { arbitrator, outcome } of round)
    await succeed(world, [of.commit(trade, arbitrator, outcome)], arbitrator);
  world.now += WINDOW;
  for (const { arbitrator, outcome, silent } of round) {
    if (silent !== true) await succeed(world, [of.reveal(trade, arbitrator, outcome)], arbitrator);
  }
  world.now += WINDOW;
}

/** What a trade's people hold now. */
export async function holdings(world: World, trade: Trade) {
  return {
    buyer: await tokens(world, tokensOf(trade.buyer, trade.mint)),
    vault: await tokens(world, vaultTokensOf(trade)),
    escrow: await tokens(world, escrowTokensOf(trade)),
    pool: await tokens(world, at.arbitrationPool().address),
  };
}
