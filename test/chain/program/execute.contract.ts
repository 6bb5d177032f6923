/**
 * Contract: executing a dispute case, re-opened rounds, terminal splits, rewards.
 * Source: protocol 03 D.5 (order of events), D.8, E8-E13.
 */
import { describe, expect, test } from "vitest";
import { disputeCase, liquidityVault, tradeEscrow } from "../../../core/solana/accounts.ts";
import { VAULT_OPEN } from "../../../sim/chain/genesis.ts";
import {
  AMOUNT,
  caseOf,
  DEPOSIT,
  disputedTrade,
  escrowOf,
  FILING_FEE,
  holdings,
  of,
  openVaultOf,
  playRound,
  vaultOf,
  votes,
  WINDOW,
} from "./trades.ts";
import type { World } from "./world.ts";
import { mintOf, patched, read, refused, stakeOf, succeed, u64le, wallet } from "./world.ts";

const STAKE = 100_000_000_000n;
const [BUYER, MERCHANT, MUTUAL, INVALID] = [0, 1, 2, 3];

export function describeDecisions(world: () => World): void {
  describe("execute_dispute_outcome decides", () => {
    paysTheBuyer(world);
    paysOthers(world);
    weighsVotes(world);
    decidesOnce(world);
  });
}

function paysTheBuyer(world: () => World): void {
  test("for the buyer: pays less the fee, forfeits the deposit (E8)", async () => {
    const trade = await disputedTrade(world());
    await playRound(world(), trade, votes(BUYER, MERCHANT, BUYER));
    const before = await holdings(world(), trade);
    const events = await succeed(world(), [of.execute(trade)], "stranger");
    expect(events).toMatchObject([
      { type: "EscrowReleased", fields: { amount: AMOUNT, buyer_amount: 396_601n, fee: 3_400n, via_dispute: true } },
      {
        type: "DisputeResolved",
        fields: {
          reservation_id: trade.ref.reservation,
          buyer: wallet(trade.buyer),
          seller: wallet(trade.merchant),
          outcome: BUYER,
          round: 0,
          winning_weight: 2n * STAKE,
          arbitrator_count: 3,
          reward_pool: FILING_FEE,
          deposit_refunded: 0n,
          timestamp: world().now,
        },
      },
    ]);
    expect(await holdings(world(), trade)).toEqual({
      ...before,
      buyer: before.buyer + 396_601n,
      escrow: 0n,
    });
    expect(await read(world(), tradeEscrow, escrowOf(trade))).toMatchObject({ state: 3 });
    expect(await read(world(), disputeCase, caseOf(trade))).toMatchObject({
      resolved: true,
      outcome: BUYER,
      winning_weight: 2n * STAKE,
      reward_pool: FILING_FEE,
      reward_remaining: FILING_FEE,
      reward_claimed: [false, false, false],
      deposit_settled: true,
      terminal_reason: null,
      deposit: FILING_FEE,
    });
    expect(await read(world(), liquidityVault, vaultOf(trade))).toMatchObject({
      settled: AMOUNT,
      pending_settlement: 0n,
    });
    await refused(world(), 6018, [of.execute(trade)], "stranger");
  });
}

function paysOthers(world: () => World): void {
  test.each([[MERCHANT], [INVALID]])("for the merchant (outcome %i): everything back (E9)", async (outcome) => {
    const trade = await disputedTrade(world());
    await playRound(world(), trade, votes(outcome, outcome, BUYER));
    const before = await holdings(world(), trade);
    const events = await succeed(world(), [of.execute(trade)], "stranger");
    expect(events).toMatchObject([
      {
        type: "DisputeResolved",
        fields: {
          outcome,
          winning_weight: 2n * STAKE,
          arbitrator_count: 3,
          reward_pool: 0n,
          deposit_refunded: FILING_FEE,
        },
      },
    ]);
    expect(await holdings(world(), trade)).toEqual({
      ...before,
      vault: before.vault + AMOUNT,
      escrow: 0n,
      pool: before.pool - FILING_FEE,
    });
    expect(await read(world(), tradeEscrow, escrowOf(trade))).toMatchObject({ state: 4 });
    expect(await read(world(), liquidityVault, vaultOf(trade))).toMatchObject({
      total: DEPOSIT,
      available: DEPOSIT,
      pending_settlement: 0n,
      settled: 0n,
    });
    expect(await read(world(), liquidityVault, openVaultOf(trade))).toMatchObject({
      total: VAULT_OPEN,
      available: VAULT_OPEN,
    });
    expect(await read(world(), disputeCase, caseOf(trade))).toMatchObject({
      resolved: true,
      outcome,
      reward_pool: 0n,
      reward_claimed: [],
      deposit_settled: true,
    });
  });
}

function weighsVotes(world: () => World): void {
  test("mutually: half each, the odd unit to the seller, no fee (E10)", async () => {
    const trade = await disputedTrade(world());
    await playRound(world(), trade, votes(MUTUAL, MUTUAL, MUTUAL));
    const before = await holdings(world(), trade);
    const events = await succeed(world(), [of.execute(trade)], "stranger");
    expect(events).toMatchObject([
      { type: "DisputeResolved", fields: { outcome: MUTUAL, deposit_refunded: FILING_FEE } },
    ]);
    expect(await holdings(world(), trade)).toEqual({
      buyer: before.buyer + 200_000n,
      vault: before.vault + 200_001n,
      escrow: 0n,
      pool: before.pool - FILING_FEE,
    });
    expect(await read(world(), tradeEscrow, escrowOf(trade))).toMatchObject({ state: 3 });
    expect(await read(world(), liquidityVault, vaultOf(trade))).toMatchObject({
      total: DEPOSIT,
      available: DEPOSIT - 200_000n,
      settled: 200_000n,
      pending_settlement: 0n,
    });
  });

  test("by weight, not by heads", async () => {
    const trade = await disputedTrade(world());
    await patched(world(), stakeOf("arbitrator 2"), 41, u64le(2n ** 64n - 1n), async () => {
      await playRound(world(), trade, votes(BUYER, BUYER, MERCHANT));
    });
    const [resolved] = await succeed(world(), [of.execute(trade)], "stranger");
    expect(resolved).toMatchObject({ fields: { outcome: MERCHANT, winning_weight: 2n ** 64n - 1n } });
  });
}

function decidesOnce(world: () => World): void {
  test("with sums above 64 bits", async () => {
    const trade = await disputedTrade(world());
    const round = votes(BUYER, MERCHANT, MERCHANT, BUYER, MERCHANT);
    for (const { arbitrator, outcome } of round) {
      await patched(world(), stakeOf(arbitrator), 41, u64le(2n ** 64n - 1n), async () => {
        await succeed(world(), [of.commit(trade, arbitrator, outcome)], arbitrator);
      });
    }
    world().now += WINDOW;
    for (const { arbitrator, outcome } of round)
      await succeed(world(), [of.reveal(trade, arbitrator, outcome)], arbitrator);
    world().now += WINDOW;
    const [resolved] = await succeed(world(), [of.execute(trade)], "stranger");
    expect(resolved).toMatchObject({ fields: { outcome: MERCHANT, winning_weight: 2n ** 64n - 1n } });
  });

  test.each(["wSOL", "tUSDC"])("in %s", async (symbol) => {
    const trade = await disputedTrade(world(), mintOf(symbol));
    await playRound(world(), trade, votes(BUYER, BUYER, BUYER));
    await succeed(world(), [of.execute(trade)], "stranger");
    expect(await read(world(), tradeEscrow, escrowOf(trade))).toMatchObject({ state: 3 });
  });

  test("refuses in the order of the rules", async () => {
    const trade = await disputedTrade(world());
    await refused(world(), 6017, [of.execute(trade)], "stranger");
    await patched(world(), escrowOf(trade), 120, [2], () => refused(world(), 6007, [of.execute(trade)], "stranger"));
    await patched(world(), caseOf(trade), 72, [1], () => refused(world(), 6018, [of.execute(trade)], "stranger"));
    await playRound(world(), trade, votes(BUYER, BUYER, BUYER));
    world().now -= 1n;
    await refused(world(), 6017, [of.execute(trade)], "stranger");
    world().now += 1n;
    await succeed(world(), [of.execute(trade)], "stranger");
  });
}
