/**
 * Contract: rewards of winning seats, the arbitration pool, and what a merchant's OPEN vault pays and gets back.
 * Source: protocol 03 D.3, D.4, D.5, D.6, D.8 (rewards), E13.
 */
import { describe, expect, test } from "vitest";
import { disputeCase, liquidityVault, stakeRecoveryClaim } from "../../../core/solana/accounts.ts";
import { token2022Program, tokenProgram } from "../../../core/solana/addresses.ts";
import { treasuriesFor, VAULT_OPEN } from "../../../sim/chain/genesis.ts";
import {
  absorbStakeRecovery,
  chargeAdListingFee,
  claimArbitrationReward,
  initializeArbitrationPool,
  topUpArbitrationDeposit,
} from "../../../sim/chain/instructions.ts";
import { readTokenAccount } from "../../../sim/chain/token.ts";
import type { Trade } from "./trades.ts";
import {
  caseOf,
  disputedTrade,
  FILING_FEE,
  newTrade,
  of,
  openTokensOf,
  openVaultOf,
  playRound,
  tradeAfter,
  votes,
  WINDOW,
} from "./trades.ts";
import type { World } from "./world.ts";
import {
  at,
  nothing,
  OPEN,
  patched,
  read,
  recoveryReceipt,
  refused,
  stakeOf,
  stored,
  succeed,
  swapped,
  tokens,
  tokensOf,
  u64le,
  usdc,
  wallet,
  withAccount,
} from "./world.ts";

const STAKE = 100_000_000_000n;
const claim = (trade: Trade, name: string) => {
  return claimArbitrationReward(at, trade.ref.reservation, wallet(name), tokensOf(name, OPEN));
};

export function describeRewards(world: () => World): void {
  describe("claim_arbitration_reward", () => {
    paysRewards(world);
    refusesRewards(world);
    paysHeavyWeights(world);
  });
  describePoolCreation(world);
}

function paysRewards(world: () => World): void {
  test("pays by weight, the last winner all that remains", async () => {
    const trade = await disputedTrade(world());
    const round = votes(0, 0, 0, 1);
    for (const [place, { arbitrator, outcome }] of round.entries()) {
      await patched(world(), stakeOf(arbitrator), 41, u64le(STAKE + BigInt(place)), async () => {
        await succeed(world(), [of.commit(trade, arbitrator, outcome)], arbitrator);
      });
    }
    world().now += WINDOW;
    for (const { arbitrator, outcome } of round)
      await succeed(world(), [of.reveal(trade, arbitrator, outcome)], arbitrator);
    world().now += WINDOW;
    await refused(world(), 6024, [claim(trade, "arbitrator 0")], "arbitrator 0");
    await succeed(world(), [of.execute(trade)], "stranger");
    await refused(world(), 6025, [claim(trade, "arbitrator 3")], "arbitrator 3");
    await refused(world(), 6025, [claim(trade, "arbitrator 9")], "arbitrator 9");

    const total = 3n * STAKE + 3n;
    const shares = [(FILING_FEE * (STAKE + 1n)) / total, (FILING_FEE * STAKE) / total];
    const [one, zero] = [shares[0] ?? 0n, shares[1] ?? 0n];
    const expected = [
      ["arbitrator 1", one],
      ["arbitrator 0", zero],
      ["arbitrator 2", FILING_FEE - one - zero],
    ] as const;
    for (const [name, amount] of expected) {
      const before = await tokens(world(), tokensOf(name, OPEN));
      const events = await succeed(world(), [claim(trade, name)], name);
      expect(events).toMatchObject([
        {
          type: "ArbitrationRewardClaimed",
          fields: {
            reservation_id: trade.ref.reservation,
            arbitrator: wallet(name),
            winning_weight: total,
            amount,
            destination: tokensOf(name, OPEN),
            timestamp: world().now,
          },
        },
      ]);
      expect((await tokens(world(), tokensOf(name, OPEN))) - before).toBe(amount);
      await refused(world(), 6026, [claim(trade, name)], name);
    }
    expect(await read(world(), disputeCase, caseOf(trade))).toMatchObject({
      reward_remaining: 0n,
      reward_claimed: [true, true, true, false],
      reward_pool: FILING_FEE,
    });
  });
}

function refusesRewards(world: () => World): void {
  test("there is none unless the buyer won (6023)", () => emptyPoolPaysNothing(world()));
}

/** Who voted with the majority claims, but the merchant won, and no deposit was forfeited. */
export async function emptyPoolPaysNothing(world: World): Promise<void> {
  const trade = await disputedTrade(world);
  await playRound(world, trade, votes(1, 1, 1));
  await succeed(world, [of.execute(trade)], "stranger");
  await refused(world, 6023, [claim(trade, "arbitrator 0")], "arbitrator 0");
}

function paysHeavyWeights(world: () => World): void {
  test("shares are exact for weights near 2^64", async () => {
    const trade = await disputedTrade(world());
    const weights = [2n ** 63n + 5n, 2n ** 62n + 3n, 2n ** 61n + 7n];
    const total = weights.reduce((sum, weight) => sum + weight, 0n);
    for (const [seat, weight] of weights.entries()) {
      const name = `arbitrator ${seat}`;
      await patched(world(), stakeOf(name), 41, u64le(weight), async () => {
        await succeed(world(), [of.commit(trade, name, 0)], name);
      });
    }
    world().now += WINDOW;
    for (const { arbitrator } of votes(0, 0, 0)) await succeed(world(), [of.reveal(trade, arbitrator, 0)], arbitrator);
    world().now += WINDOW;
    await succeed(world(), [of.execute(trade)], "stranger");
    for (const [seat, weight] of weights.slice(0, 2).entries()) {
      const [claimed] = await succeed(world(), [claim(trade, `arbitrator ${seat}`)], `arbitrator ${seat}`);
      expect(claimed).toMatchObject({
        fields: { weight, winning_weight: total, amount: (FILING_FEE * weight) / total },
      });
    }
  });

  test("a destination in another mint is refused before anything else", async () => {
    const trade = await disputedTrade(world());
    const wrong = swapped(claim(trade, "arbitrator 0"), 5, tokensOf("arbitrator 0", usdc));
    await refused(world(), "InvalidAccountData", [wrong], "arbitrator 0");
  });
}

function describePoolCreation(world: () => World): void {
  describe("initialize_arbitration_pool", () => {
    test("makes a token account that the fee configuration commands; only the admin, only once", async () => {
      const { address } = at.arbitrationPool();
      await refused(world(), "AccountAlreadyInitialized", [initializeArbitrationPool(at, wallet("admin"))], "admin");
      await withAccount(
        world(),
        address,
        () => nothing,
        async () => {
          await refused(world(), 6000, [initializeArbitrationPool(at, wallet("stranger"))], "stranger");
          const inUsdc = swapped(
            swapped(initializeArbitrationPool(at, wallet("admin")), 2, usdc.mint),
            4,
            tokenProgram,
          );
          await refused(world(), "InvalidAccountData", [inUsdc], "admin");
          await succeed(world(), [initializeArbitrationPool(at, wallet("admin"))], "admin");
          const pool = await stored(world(), address);
          expect(pool.owner).toBe(token2022Program);
          expect(readTokenAccount(pool.data)).toMatchObject({
            mint: at.profile.openMint,
            authority: at.feeConfig().address,
            amount: 0n,
          });
        },
      );
    });
  });
}

/** Shows what the staking program recovered from a merchant's stake, for the length of `test`. */
function recovered(world: World, trade: Trade, total: bigint, test: () => Promise<void>): Promise<void> {
  const { address, account } = recoveryReceipt(trade.merchant, total);
  return withAccount(world, address, () => account, test);
}

const absorb = (trade: Trade) => absorbStakeRecovery(at, wallet(trade.merchant));

export function describeMerchantFees(world: () => World): void {
  describeListingFee(world);
  describeTopUp(world);
  describeAbsorption(world);
}

function describeListingFee(world: () => World): void {
  describe("charge_ad_listing_fee", () => {
    const id = new Uint8Array(32).fill(9);
    const charge = (trade: Trade) => chargeAdListingFee(at, wallet(trade.merchant), id, treasuriesFor(at, OPEN));

    test("goes to the four treasuries", async () => {
      const trade = newTrade(world());
      const treasuries = Object.values(treasuriesFor(at, OPEN));
      const before = await Promise.all(treasuries.map((address) => tokens(world(), address)));
      expect(await succeed(world(), [charge(trade)], trade.merchant)).toMatchObject([
        {
          type: "AdListingFeeCharged",
          fields: {
            merchant: wallet(trade.merchant),
            advertisement_id: id,
            mint: at.profile.openMint,
            amount: 1_000_000n,
            vault_available: VAULT_OPEN - 1_000_000n,
            timestamp: world().now,
          },
        },
      ]);
      const after = await Promise.all(treasuries.map((address) => tokens(world(), address)));
      expect(after.map((amount, place) => amount - (before[place] ?? 0n))).toEqual([
        400_000n,
        300_000n,
        200_000n,
        100_000n,
      ]);
      expect(await read(world(), liquidityVault, openVaultOf(trade))).toMatchObject({
        total: VAULT_OPEN - 1_000_000n,
        available: VAULT_OPEN - 1_000_000n,
      });
    });

    test("needs a fee (6023) and liquidity (6005)", async () => {
      const trade = newTrade(world());
      await patched(world(), at.feeConfig().address, 40, u64le(0n), () =>
        refused(world(), 6023, [charge(trade)], trade.merchant),
      );
      await patched(world(), openVaultOf(trade), 88, u64le(999_999n), () =>
        refused(world(), 6005, [charge(trade)], trade.merchant),
      );
    });
  });
}

function describeTopUp(world: () => World): void {
  describe("top_up_arbitration_deposit", () => {
    const topUp = (trade: Trade) => topUpArbitrationDeposit(at, trade.ref.reservation, wallet(trade.merchant));

    test("pays what is missing as far as the vault can", async () => {
      const trade = await tradeAfter(world(), "fund");
      await patched(world(), openVaultOf(trade), 88, u64le(0n), async () => {
        await succeed(world(), [of.open(trade)], trade.buyer);
        await refused(world(), 6043, [topUp(trade)], "stranger");
      });
      await patched(world(), openVaultOf(trade), 88, u64le(4n), async () => {
        expect(await succeed(world(), [topUp(trade)], "stranger")).toMatchObject([
          {
            type: "ArbitrationDepositToppedUp",
            fields: {
              reservation_id: trade.ref.reservation,
              merchant: wallet(trade.merchant),
              mint: at.profile.openMint,
              amount: 4n,
              deposit: 4n,
              remaining_shortfall: FILING_FEE - 4n,
              vault_available: 0n,
              timestamp: world().now,
            },
          },
        ]);
      });
      await succeed(world(), [topUp(trade)], "stranger");
      expect(await read(world(), disputeCase, caseOf(trade))).toMatchObject({
        deposit: FILING_FEE,
        deposit_shortfall: 0n,
      });
      await refused(world(), 6042, [topUp(trade)], "stranger");
      await playRound(world(), trade, votes(1, 1, 1));
      await succeed(world(), [of.execute(trade)], "stranger");
      await refused(world(), 6018, [topUp(trade)], "stranger");
    });
  });
}

function describeAbsorption(world: () => World): void {
  describe("absorb_stake_recovery", () => {
    test("credits what arrived, even beyond what is owed", () => absorbsWhatArrived(world()));
  });
}

/** Credits all that the receipt shows, whatever is owed, if the vault's tokens are the total and that much more. */
export async function absorbsWhatArrived(world: World): Promise<void> {
  const trade = await tradeAfter(world, "fund");
  await patched(world, openVaultOf(trade), 88, u64le(0n), async () => {
    await succeed(world, [of.open(trade)], trade.buyer); // owes the whole filing fee
  });
  const claimAddress = at.stakeRecoveryClaim(wallet(trade.merchant), at.profile.openMint).address;
  await recovered(world, trade, 0n, () => refused(world, 6040, [absorb(trade)], "stranger"));
  await recovered(world, trade, 6n, async () => {
    await refused(world, 6041, [absorb(trade)], "stranger");
    // However little of it is reserved or available: the tokens back the total.
    await patched(world, openVaultOf(trade), 88, u64le(0n), () => refused(world, 6041, [absorb(trade)], "stranger"));
    await patched(world, openTokensOf(trade), 64, u64le(VAULT_OPEN + 6n), async () => {
      expect(await succeed(world, [absorb(trade)], "stranger")).toMatchObject([
        {
          type: "StakeRecoveryAbsorbed",
          fields: {
            merchant: wallet(trade.merchant),
            claim: claimAddress,
            mint: at.profile.openMint,
            amount: 6n,
            owed_total: FILING_FEE,
            credited_total: 6n,
            outstanding: FILING_FEE - 6n,
            vault_available: VAULT_OPEN + 6n,
            timestamp: world.now,
          },
        },
      ]);
      await refused(world, 6040, [absorb(trade)], "stranger");
    });
  });
  expect(await read(world, stakeRecoveryClaim, claimAddress)).toMatchObject({ credited_total: 6n });
  await recovered(world, trade, FILING_FEE * 2n, () =>
    patched(world, openTokensOf(trade), 64, u64le(VAULT_OPEN * 2n), async () => {
      expect(await succeed(world, [absorb(trade)], "stranger")).toMatchObject([
        {
          fields: {
            amount: 2n * FILING_FEE - 6n,
            outstanding: 0n,
          },
        },
      ]);
    }),
  );
}
