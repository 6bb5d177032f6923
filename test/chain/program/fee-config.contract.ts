/**
 * Contract: the fee configuration is made once and changed by its admin. Source: protocol 03 D.3, D.4, D.6.
 */
import { describe, expect, test } from "vitest";
import { feeConfig } from "../../../core/solana/accounts.ts";
import { systemProgram } from "../../../core/solana/addresses.ts";
import { settlementMints, treasuriesFor, treasuryWallets } from "../../../sim/chain/genesis.ts";
import { initializeFeeConfig, migrateFeeConfig, updateFeeConfig } from "../../../sim/chain/instructions.ts";
import { rentExempt } from "../../../sim/chain/rent.ts";
import { of, tradeAfter } from "./trades.ts";
import type { World } from "./world.ts";
import {
  at,
  nothing,
  OPEN,
  read,
  refused,
  stored,
  succeed,
  swapped,
  tokensOf,
  usdc,
  wallet,
  withAccount,
} from "./world.ts";

const initialTerms = {
  adListingFee: 7n,
  disputeFilingFee: 8n,
  settlementFeeBps: 85,
  shareBps: [4000, 3000, 2000, 1000],
  timeoutSecs: 1800n,
} as const;

export function describeFeeConfig(world: () => World): void {
  describe("initialize_fee_config", () => {
    const initialize = (change: Partial<typeof initialTerms> | Record<string, unknown> = {}) => {
      return initializeFeeConfig(at, wallet("stranger"), treasuryWallets, { ...initialTerms, ...change });
    };
    const unused = (test: () => Promise<void>) => withAccount(world(), at.feeConfig().address, () => nothing, test);

    test("writes every field, the default mints and no sortition", () =>
      unused(async () => {
        expect(await succeed(world(), [initialize()], "stranger")).toEqual([]);
        const config = await read(world(), feeConfig, at.feeConfig().address);
        expect(config).toMatchObject({
          admin: wallet("stranger"),
          ad_listing_fee: 7n,
          dispute_filing_fee: 8n,
          settlement_fee_bps: 85,
          treasuries: Object.values(treasuryWallets),
          share_bps: [4000, 3000, 2000, 1000],
          timeout_secs: 1800n,
          bump: 253,
          min_arbitrator_stake_age_secs: 0n,
          arbitrator_sortition_bps: 0,
          settlement_mint_count: 4,
        });
        expect(config.settlement_mints.slice(0, 5)).toEqual([
          ...settlementMints.map((mint) => mint.mint),
          systemProgram,
        ]);
        expect((await stored(world(), at.feeConfig().address)).lamports).toBe(rentExempt(726));
      }));

    test.each([
      [6003, { settlementFeeBps: 10_001 }],
      [6001, { shareBps: [4000, 3000, 2000, 999] }],
      [6004, { timeoutSecs: 0n }],
    ])("refuses bad terms with %i", (code, change) =>
      unused(() => refused(world(), code, [initialize(change)], "stranger")),
    );

    test("happens once", () => refused(world(), "AccountAlreadyInitialized", [initialize()], "stranger"));
  });
}

const terms = {
  adListingFee: 1n,
  disputeFilingFee: 2n,
  settlementFeeBps: 3,
  shareBps: [1, 2, 3, 9_994],
  timeoutSecs: 5n,
} as const;
const more = { stakeAgeSecs: 6n, sortitionBps: 7, mints: [usdc.mint] };
const update = (change: object = {}, changeMore: object = {}, by = "admin") =>
  updateFeeConfig(
    at,
    wallet(by),
    usdc.mint,
    treasuriesFor(at, usdc),
    { ...terms, ...change },
    { ...more, ...changeMore },
  );

/** Puts the fee configuration back after `test`. */
function unchanged(world: World, test: () => Promise<void>): Promise<void> {
  return withAccount(world, at.feeConfig().address, (account) => account, test);
}

export function describeFeeUpdates(world: () => World): void {
  describe("update_fee_config", () => {
    updatesTerms(world);
  });
  describeMigration(world);
}

function updatesTerms(world: () => World): void {
  test("changes every term and no treasury", () =>
    unchanged(world(), async () => {
      const before = await read(world(), feeConfig, at.feeConfig().address);
      await succeed(world(), [update()], "admin");
      expect(await read(world(), feeConfig, at.feeConfig().address)).toEqual({
        ...before,
        ad_listing_fee: 1n,
        dispute_filing_fee: 2n,
        settlement_fee_bps: 3,
        share_bps: [1, 2, 3, 9_994],
        timeout_secs: 5n,
        min_arbitrator_stake_age_secs: 6n,
        arbitrator_sortition_bps: 7,
        settlement_mints: [usdc.mint, ...Array.from({ length: 15 }, () => systemProgram)],
        settlement_mint_count: 1,
      });
    }));

  test("refuses in the order of the rules", () =>
    unchanged(world(), async () => {
      const sixteen = Array.from({ length: 16 }, (_, index) => wallet(`mint ${index}`));
      const refusals = [
        [6003, update({ settlementFeeBps: 10_001, shareBps: [0, 0, 0, 0] })],
        [6001, update({ shareBps: [1, 2, 3, 9_995], timeoutSecs: 0n })],
        [6004, update({ timeoutSecs: -1n }, { stakeAgeSecs: -1n })],
        [6033, update({}, { stakeAgeSecs: -1n, sortitionBps: 10_001 })],
        [6034, update({}, { sortitionBps: 10_001, mints: [] })],
        [6038, update({}, { mints: [] })],
        [6036, update({}, { mints: [...sixteen, usdc.mint] })],
        [6037, update({}, { mints: [usdc.mint, usdc.mint] })],
        [6037, update({}, { mints: [systemProgram] })],
        [6037, update({}, { mints: [at.profile.openMint] })],
      ] as const;
      await refused(world(), 6000, [update({ settlementFeeBps: 10_001 }, {}, "stranger")], "stranger");
      for (const place of [3, 4, 5, 6]) {
        await refused(world(), "InvalidAccountData", [swapped(update(), place, tokensOf("admin", OPEN))], "admin");
      }
      for (const [code, instruction] of refusals) await refused(world(), code, [instruction], "admin");
      await succeed(world(), [update({}, { mints: sixteen, sortitionBps: 10_000 })], "admin");
    }));

  test("a mint taken from the list is no longer reserved or traded (6035)", async () => {
    const trade = await tradeAfter(world(), "reserve");
    const mints = settlementMints.map((mint) => mint.mint).filter((mint) => mint !== usdc.mint);
    await unchanged(world(), async () => {
      await succeed(world(), [update({}, { mints })], "admin");
      await refused(world(), 6035, [of.reserve(trade, 1n)], trade.merchant);
      await refused(world(), 6035, [of.create(trade)], trade.merchant);
    });
    await succeed(world(), [of.create(trade)], trade.merchant);
  });
}

function describeMigration(world: () => World): void {
  describe("migrate_fee_config", () => {
    test("has nothing to do (6032)", () => refused(world(), 6032, [migrateFeeConfig(at, wallet("admin"))], "admin"));
  });
}
