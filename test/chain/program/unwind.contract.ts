/**
 * Contract: liquidity leaves the vault, reservations are cancelled or expire. Source: protocol 03 D.7, E3.
 */
import { describe, expect, test } from "vitest";
import { liquidityVault, tradeEscrow } from "../../../core/solana/accounts.ts";
import { cancelReservation, expireReservation, withdrawLiquidity } from "../../../sim/chain/instructions.ts";
import type { Trade } from "./trades.ts";
import {
  AMOUNT,
  DEPOSIT,
  disputedTrade,
  escrowOf,
  escrowTokensOf,
  of,
  TIMEOUT,
  tradeAfter,
  vaultOf,
  vaultTokensOf,
} from "./trades.ts";
import type { World } from "./world.ts";
import { at, read, refused, succeed, tokens, tokensOf, wallet } from "./world.ts";

const cancel = (trade: Trade, party: string) => cancelReservation(at, trade.ref, wallet(party));
const expire = (trade: Trade) => expireReservation(at, trade.ref);

const withdraw = (trade: Trade, amount: bigint, to = tokensOf(trade.merchant, trade.mint)) => {
  return withdrawLiquidity(at, wallet(trade.merchant), trade.mint, to, amount);
};

export function describeUnwinding(world: () => World): void {
  describeWithdrawal(world);
  describeCancelling(world);
  describeExpiry(world);
}

function describeWithdrawal(world: () => World): void {
  describe("withdraw_liquidity", () => {
    test("takes what is available and no more", async () => {
      const trade = await tradeAfter(world(), "reserve");
      await refused(world(), 6005, [withdraw(trade, DEPOSIT - AMOUNT + 1n)], trade.merchant);
      await refused(world(), "InvalidInstructionData", [withdraw(trade, 0n)], trade.merchant);
      const before = await tokens(world(), tokensOf("stranger", trade.mint));
      await succeed(world(), [withdraw(trade, DEPOSIT - AMOUNT, tokensOf("stranger", trade.mint))], trade.merchant);
      expect((await tokens(world(), tokensOf("stranger", trade.mint))) - before).toBe(DEPOSIT - AMOUNT);
      expect(await read(world(), liquidityVault, vaultOf(trade))).toMatchObject({
        total: AMOUNT,
        available: 0n,
        reserved: AMOUNT,
      });
    });

    test("never into the vault itself", async () => {
      const trade = await tradeAfter(world(), "deposit");
      await refused(world(), "InvalidAccountData", [withdraw(trade, 1n, vaultTokensOf(trade))], trade.merchant);
      await refused(world(), "InvalidAccountData", [withdraw(trade, 0n, vaultTokensOf(trade))], trade.merchant);
    });
  });
}

function describeCancelling(world: () => World): void {
  describe("cancel_reservation", () => {
    test.each(["merchant", "buyer"] as const)("frees a reservation (by the %s)", async (party) => {
      const trade = await tradeAfter(world(), "create");
      await succeed(world(), [cancel(trade, trade[party])], trade[party]);
      expect(await read(world(), tradeEscrow, escrowOf(trade))).toMatchObject({ state: 4 });
      expect(await read(world(), liquidityVault, vaultOf(trade))).toMatchObject({ reserved: 0n, available: DEPOSIT });
    });

    test("returns a funded escrow", async () => {
      const trade = await tradeAfter(world(), "fund");
      await refused(world(), 6009, [cancel(trade, "stranger")], "stranger");
      await succeed(world(), [cancel(trade, trade.buyer)], trade.buyer);
      expect(await tokens(world(), escrowTokensOf(trade))).toBe(0n);
      expect(await tokens(world(), vaultTokensOf(trade))).toBe(DEPOSIT);
      expect(await read(world(), liquidityVault, vaultOf(trade))).toMatchObject({
        total: DEPOSIT,
        available: DEPOSIT,
        pending_settlement: 0n,
      });
      await refused(world(), 6007, [cancel(trade, trade.buyer)], trade.buyer);
      await refused(world(), 6007, [of.fund(trade)], trade.merchant);
    });

    test("is refused once approved, and while disputed (6007)", async () => {
      const approved = await tradeAfter(world(), "approve");
      await refused(world(), 6007, [cancel(approved, approved.merchant)], approved.merchant);
      const disputed = await disputedTrade(world());
      await refused(world(), 6007, [cancel(disputed, disputed.merchant)], disputed.merchant);
    });

    test("cannot free more than is reserved (6006)", async () => {
      const trade = await tradeAfter(world(), "create");
      const twin = { ...trade, ref: { ...trade.ref, reservation: trade.ref.reservation + 2_000_000n } };
      await succeed(world(), [of.create(twin)], trade.merchant);
      await succeed(world(), [cancel(trade, trade.buyer)], trade.buyer);
      await refused(world(), 6006, [cancel(twin, trade.buyer)], trade.buyer);
    });
  });
}

function describeExpiry(world: () => World): void {
  describe("expire_reservation", () => {
    test("waits until after the time-out (6008)", async () => {
      const trade = await tradeAfter(world(), "fund");
      world().now += TIMEOUT;
      await refused(world(), 6008, [expire(trade)], "stranger");
      world().now += 1n;
      await succeed(world(), [expire(trade)], "stranger");
      expect(await read(world(), tradeEscrow, escrowOf(trade))).toMatchObject({ state: 4 });
      expect(await tokens(world(), vaultTokensOf(trade))).toBe(DEPOSIT);
      await refused(world(), 6007, [expire(trade)], "stranger");
    });

    test("frees a reservation that was never funded", async () => {
      const trade = await tradeAfter(world(), "create");
      world().now += TIMEOUT + 1n;
      await succeed(world(), [expire(trade)], "stranger");
      expect(await read(world(), liquidityVault, vaultOf(trade))).toMatchObject({ reserved: 0n, available: DEPOSIT });
    });

    test("is refused once approved, and while disputed (6007)", async () => {
      const approved = await tradeAfter(world(), "approve");
      const disputed = await disputedTrade(world());
      world().now += TIMEOUT + 1n;
      await refused(world(), 6007, [expire(approved)], "stranger");
      await refused(world(), 6007, [expire(disputed)], "stranger");
    });
  });
}
