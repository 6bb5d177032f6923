/**
 * Contract: fee configuration, liquidity vaults and trade escrows up to release.
 * Source: protocol 03 D.3, D.4, D.6, D.7, E1, E2, E15.
 */
import { describe, expect, test } from "vitest";
import { liquidityVault, tradeEscrow } from "../../../core/solana/accounts.ts";
import { token2022Program } from "../../../core/solana/addresses.ts";
import { treasuriesFor } from "../../../sim/chain/genesis.ts";
import { rentExempt } from "../../../sim/chain/rent.ts";
import {
  AMOUNT,
  DEPOSIT,
  escrowOf,
  escrowTokensOf,
  newTrade,
  of,
  TIMEOUT,
  tradeAfter,
  vaultOf,
  vaultTokensOf,
} from "./trades.ts";
import type { World } from "./world.ts";
import {
  at,
  mintOf,
  nothing,
  read,
  refused,
  run,
  stored,
  succeed,
  swapped,
  tokens,
  tokensOf,
  wallet,
  withAccount,
} from "./world.ts";

export function describeVaults(world: () => World): void {
  describe("create_liquidity_vault", () => {
    createsVaults(world);
    allowsMints(world);
  });
  describeReserving(world);
  describeEscrowCreation(world);
}

function createsVaults(world: () => World): void {
  test.each(["USDC", "wSOL", "tUSDC"])("makes an empty book and a token account (%s)", async (symbol) => {
    const trade = await tradeAfter(world(), "vault", mintOf(symbol));
    expect(await read(world(), liquidityVault, vaultOf(trade))).toEqual({
      merchant: wallet(trade.merchant),
      mint: trade.mint.mint,
      total: 0n,
      reserved: 0n,
      available: 0n,
      settled: 0n,
      pending_settlement: 0n,
      bump: at.liquidityVault(wallet(trade.merchant), trade.mint.mint).bump,
      token_bump: at.liquidityVaultTokens(wallet(trade.merchant), trade.mint.mint).bump,
    });
    expect((await stored(world(), vaultTokensOf(trade))).owner).toBe(trade.mint.tokenProgram);
  });

  test("lamports that somebody sent ahead do not stop it", async () => {
    const trade = newTrade(world());
    const ahead = { ...nothing, lamports: 3n };
    await world().executor.putAccount(vaultOf(trade), ahead);
    await world().executor.putAccount(vaultTokensOf(trade), { ...nothing, lamports: 10_000_000n });
    await succeed(world(), [of.vault(trade)], trade.merchant);
    expect((await stored(world(), vaultOf(trade))).lamports).toBe(rentExempt(114));
    expect((await stored(world(), vaultTokensOf(trade))).lamports).toBe(10_000_000n);
  });

  test("happens once", async () => {
    const trade = await tradeAfter(world(), "vault");
    await refused(world(), "AccountAlreadyInitialized", [of.vault(trade)], trade.merchant);
  });
}

function allowsMints(world: () => World): void {
  test("needs a pool for the OPEN mint (6039), and an allowed mint otherwise (6035)", async () => {
    const open = { mint: at.profile.openMint, tokenProgram: token2022Program, symbol: "OPEN", decimals: 6 };
    const trade = newTrade(world(), open);
    await withAccount(
      world(),
      vaultOf(trade),
      () => nothing,
      () =>
        withAccount(
          world(),
          vaultTokensOf(trade),
          () => nothing,
          async () => {
            await withAccount(
              world(),
              at.arbitrationPool().address,
              () => nothing,
              () => {
                return refused(world(), 6039, [of.vault(trade)], trade.merchant);
              },
            );
            await succeed(world(), [of.vault(trade)], trade.merchant);
          },
        ),
    );
    const usdcTrade = newTrade(world());
    await withAccount(
      world(),
      at.feeConfig().address,
      (account) => {
        const data = account.data.slice();
        data[725] = 1; // only the first mint, wSOL, is left
        return { ...account, data };
      },
      () => refused(world(), 6035, [of.vault(usdcTrade)], usdcTrade.merchant),
    );
  });

  test("refuses a token program that does not own the mint", async () => {
    const trade = newTrade(world());
    await refused(world(), "InvalidAccountData", [swapped(of.vault(trade), 6, token2022Program)], trade.merchant);
  });
}

function describeReserving(world: () => World): void {
  describe("deposit, reserve", () => {
    test("move tokens in and keep the book", async () => {
      const trade = await tradeAfter(world(), "deposit");
      expect(await read(world(), liquidityVault, vaultOf(trade))).toMatchObject({
        total: DEPOSIT,
        available: DEPOSIT,
        reserved: 0n,
        settled: 0n,
        pending_settlement: 0n,
      });
      expect(await tokens(world(), vaultTokensOf(trade))).toBe(DEPOSIT);
      expect(await succeed(world(), [of.reserve(trade, 7n)], trade.merchant)).toEqual([]);
      expect(await read(world(), liquidityVault, vaultOf(trade))).toMatchObject({
        total: DEPOSIT,
        available: DEPOSIT - 7n,
        reserved: 7n,
      });
    });

    test("refuse in the order of the rules", async () => {
      const trade = await tradeAfter(world(), "deposit");
      await refused(world(), "InvalidInstructionData", [of.deposit(trade, 0n)], trade.merchant);
      await refused(world(), "InvalidInstructionData", [of.reserve(trade, 0n)], trade.merchant);
      await refused(world(), 6005, [of.reserve(trade, DEPOSIT + 1n)], trade.merchant);
      await refused(world(), 6027, [of.deposit(trade, 2n ** 64n - 1n)], trade.merchant);
      await refused(world(), 1, [of.deposit(trade, 2n ** 50n)], trade.merchant); // the token program's own number
    });
  });
}

function describeEscrowCreation(world: () => World): void {
  describe("create_trade_escrow", () => {
    test("writes every field and moves nothing", async () => {
      const trade = await tradeAfter(world(), "create");
      expect(await read(world(), tradeEscrow, escrowOf(trade))).toEqual({
        reservation_id: trade.ref.reservation,
        buyer: wallet(trade.buyer),
        seller: wallet(trade.merchant),
        mint: trade.mint.mint,
        amount: AMOUNT,
        state: 1,
        approved: false,
        created_at: world().now,
        timeout_at: world().now + TIMEOUT,
        bump: at.tradeEscrow(trade.ref.reservation).bump,
        token_bump: at.tradeEscrowTokens(trade.ref.reservation).bump,
      });
      expect(await tokens(world(), escrowTokensOf(trade))).toBe(0n);
      expect(await read(world(), liquidityVault, vaultOf(trade))).toMatchObject({ reserved: AMOUNT });
    });

    test("refuses in the order of the rules", async () => {
      const trade = await tradeAfter(world(), "reserve");
      await refused(world(), 6004, [of.create(trade, AMOUNT, 0n)], trade.merchant);
      await refused(world(), 6004, [of.create(trade, 0n, -1n)], trade.merchant);
      await refused(world(), "InvalidInstructionData", [of.create(trade, 0n)], trade.merchant);
      await refused(world(), 6006, [of.create(trade, AMOUNT + 1n)], trade.merchant);
      await refused(world(), 6027, [of.create(trade, AMOUNT, 2n ** 63n - 1n)], trade.merchant);
      await succeed(world(), [of.create(trade)], trade.merchant);
      await refused(world(), "AccountAlreadyInitialized", [of.create(trade)], trade.merchant);
    });
  });
}

export function describeSettlement(world: () => World): void {
  describe("fund, approve, release", () => {
    settlesTrades(world);
    refusesSettlement(world);
  });
}

function settlesTrades(world: () => World): void {
  test("lock, approve, and pay the buyer less the fee (E2)", async () => {
    const trade = await tradeAfter(world(), "fund");
    expect(await read(world(), liquidityVault, vaultOf(trade))).toMatchObject({
      total: DEPOSIT,
      reserved: 0n,
      available: DEPOSIT - AMOUNT,
      pending_settlement: AMOUNT,
    });
    expect(await tokens(world(), escrowTokensOf(trade))).toBe(AMOUNT);
    expect(await read(world(), tradeEscrow, escrowOf(trade))).toMatchObject({ state: 2, approved: false });
    await refused(world(), 6007, [of.release(trade)], "stranger");
    await succeed(world(), [of.approve(trade)], trade.merchant);
    expect(await read(world(), tradeEscrow, escrowOf(trade))).toMatchObject({ state: 2, approved: true });

    const before = await tokens(world(), tokensOf(trade.buyer, trade.mint));
    const treasuries = Object.values(treasuriesFor(at, trade.mint));
    const held = await Promise.all(treasuries.map((address) => tokens(world(), address)));
    const [released] = await succeed(world(), [of.release(trade)], "stranger");
    // floor(400,001 × 85 / 10,000) = 3,400; shares 1,360, 1,020, 680, 340 leave nothing over
    expect(released).toMatchObject({
      type: "EscrowReleased",
      fields: {
        reservation_id: trade.ref.reservation,
        buyer: wallet(trade.buyer),
        seller: wallet(trade.merchant),
        mint: trade.mint.mint,
        amount: AMOUNT,
        buyer_amount: 396_601n,
        fee: 3_400n,
        dev: 1_360n,
        ecosystem: 1_020n,
        infra: 680n,
        emergency: 340n,
        via_dispute: false,
        timestamp: world().now,
      },
    });
    expect((await tokens(world(), tokensOf(trade.buyer, trade.mint))) - before).toBe(396_601n);
    const now = await Promise.all(treasuries.map((address) => tokens(world(), address)));
    expect(now.map((amount, index) => amount - (held[index] ?? 0n))).toEqual([1_360n, 1_020n, 680n, 340n]);
    expect(await tokens(world(), escrowTokensOf(trade))).toBe(0n);
    expect(await read(world(), liquidityVault, vaultOf(trade))).toMatchObject({
      total: DEPOSIT,
      available: DEPOSIT - AMOUNT,
      settled: AMOUNT,
      pending_settlement: 0n,
    });
    expect(await read(world(), tradeEscrow, escrowOf(trade))).toMatchObject({ state: 3 });
    await refused(world(), 6007, [of.release(trade)], "stranger");
  });
}

function refusesSettlement(world: () => World): void {
  test.each(["wSOL", "tUSDC"])("settle in %s", async (symbol) => {
    const trade = await tradeAfter(world(), "approve", mintOf(symbol));
    const before = await tokens(world(), tokensOf(trade.buyer, trade.mint));
    await succeed(world(), [of.release(trade)], "stranger");
    expect((await tokens(world(), tokensOf(trade.buyer, trade.mint))) - before).toBe(396_601n);
  });

  test("rounding leaves the remainder to the ecosystem", async () => {
    const trade = await tradeAfter(world(), "approve", mintOf("USDC"), 999n);
    const [released] = await succeed(world(), [of.release(trade)], "stranger");
    // fee 8: shares 3, 2, 1, 0 and 2 left over
    expect(released).toMatchObject({ fields: { fee: 8n, dev: 3n, ecosystem: 4n, infra: 1n, emergency: 0n } });
  });

  test("refuse strangers (6000) and wrong states (6007)", async () => {
    const trade = await tradeAfter(world(), "create");
    const byStranger = { ...of.fund(trade), accounts: swapped(of.fund(trade), 0, wallet("stranger")).accounts };
    await refused(world(), 6000, [byStranger], "stranger");
    await refused(world(), 6007, [of.approve(trade)], trade.merchant);
    await succeed(world(), [of.fund(trade)], trade.merchant);
    await refused(world(), 6007, [of.fund(trade)], trade.merchant);
    await refused(world(), 6000, [swapped(of.approve(trade), 0, wallet("stranger"))], "stranger");
  });

  test("two escrows on one reservation: only one can be funded (6006)", async () => {
    const trade = await tradeAfter(world(), "create");
    const twin = { ...trade, ref: { ...trade.ref, reservation: trade.ref.reservation + 1_000_000n } };
    await succeed(world(), [of.create(twin)], trade.merchant);
    await succeed(world(), [of.fund(trade)], trade.merchant);
    await refused(world(), 6006, [of.fund(twin)], trade.merchant);
  });

  test("a failing instruction undoes the whole transaction (E15)", async () => {
    const trade = await tradeAfter(world(), "approve");
    const before = await tokens(world(), tokensOf(trade.buyer, trade.mint));
    await refused(world(), 6007, [of.release(trade), of.release(trade)], "stranger");
    expect(await tokens(world(), tokensOf(trade.buyer, trade.mint))).toBe(before);
    expect(await read(world(), tradeEscrow, escrowOf(trade))).toMatchObject({ state: 2 });
  });

  test("the payer pays 5,000 lamports a signature, whether the transaction succeeds or not", async () => {
    const trade = await tradeAfter(world(), "create");
    const lamports = async () => (await stored(world(), wallet(trade.merchant))).lamports;
    const before = await lamports();
    await run(world(), [of.approve(trade)], trade.merchant);
    expect(before - (await lamports())).toBe(5_000n);
    await succeed(world(), [of.fund(trade)], trade.merchant);
    expect(before - (await lamports())).toBe(10_000n);
  });
}
