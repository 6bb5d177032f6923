/**
 * Contract: every list of fixed length that the program keeps, one below full, full, and one beyond: seats, what seats
 * bring with them, barred wallets, settlement mints. Source: protocol 03 D.3; adapters/chain/program.
 */
import { describe, expect, test } from "vitest";
import type { DisputeCase, FeeConfig } from "../../../core/solana/accounts.ts";
import {
  BARRED_MAX,
  disputeCase,
  encodeAccount,
  feeConfig,
  SEATS_MAX,
  SETTLEMENT_MINTS_MAX,
} from "../../../core/solana/accounts.ts";
import { addressText } from "../../../core/solana/address-text.ts";
import { systemProgram } from "../../../core/solana/addresses.ts";
import { treasuriesFor } from "../../../sim/chain/genesis.ts";
import {
  claimArbitrationReward,
  publishArbitratorPoolSize,
  topUpArbitrationDeposit,
  updateFeeConfig,
} from "../../../sim/chain/instructions.ts";
import type { Instruction } from "../../../sim/chain/transaction.ts";
import { rewritten } from "./rewritten.ts";
import type { Trade } from "./trades.ts";
import { caseOf, disputedTrade, newTrade, of, openVaultOf, playRound, votes, WINDOW } from "./trades.ts";
import type { World } from "./world.ts";
import { at, mintOf, OPEN, read, refused, stored, succeed, tokensOf, usdc, wallet, withAccount } from "./world.ts";

const BUYER = 0;
const INVALID = "InvalidAccountData";

export function describeLimits(world: () => World): void {
  describe("lists one below full, full, and one beyond", () => {
    limitsSeats(world);
    limitsBarred(world);
    limitsMints(world);
    mintsCounted(world);
  });
}

/** The case as if its fields were these, its mark left in place, for the length of `check`. */
async function withCase(
  world: World,
  trade: Trade,
  change: Partial<DisputeCase>,
  check: () => Promise<void>,
): Promise<void> {
  const before = await read(world, disputeCase, caseOf(trade));
  await withAccount(
    world,
    caseOf(trade),
    (account) => rewritten(disputeCase, account, { ...before, ...change }),
    check,
  );
}

function many<T>(count: number, item: (index: number) => T): readonly T[] {
  return Array.from({ length: count }, (_, index) => item(index));
}

/** A round of so many seats, none of which revealed. */
function seats(count: number) {
  return {
    arbitrators: many(count, (index) => wallet(`judge ${index}`)),
    commitments: many(count, () => new Uint8Array(32)),
    revealed_outcomes: many(count, () => null),
    weights: many(count, () => 0n),
  };
}

/** Every instruction that reads a case, and who sends it. */
function readers(trade: Trade): readonly (readonly [Instruction, string])[] {
  const arbitrator = "arbitrator 0";
  const reservation = trade.ref.reservation;
  return [
    [of.commit(trade, arbitrator, BUYER), arbitrator],
    [of.reveal(trade, arbitrator, BUYER), arbitrator],
    [of.execute(trade), "stranger"],
    [claimArbitrationReward(at, reservation, wallet(arbitrator), tokensOf(arbitrator, OPEN)), arbitrator],
    [topUpArbitrationDeposit(at, reservation, wallet(trade.merchant)), "stranger"],
  ];
}

async function noCase(world: World, trade: Trade): Promise<void> {
  for (const [instruction, signer] of readers(trade)) await refused(world, INVALID, [instruction], signer);
}

function limitsSeats(world: () => World): void {
  test("seats: the seventh is taken, an eighth is not, and a case that has eight is none", async () => {
    const trade = await disputedTrade(world());
    const commit = of.commit(trade, "arbitrator 0", BUYER);
    await withCase(world(), trade, seats(SEATS_MAX - 1), async () => {
      await succeed(world(), [commit], "arbitrator 0");
      const { arbitrators, weights } = await read(world(), disputeCase, caseOf(trade));
      expect([arbitrators.length, weights.length, arbitrators.at(-1)]).toEqual([7, 7, wallet("arbitrator 0")]);
    });
    await withCase(world(), trade, seats(SEATS_MAX), () => refused(world(), 6012, [commit], "arbitrator 0"));
    await withCase(world(), trade, seats(SEATS_MAX + 1), () => noCase(world(), trade));
  });

  test.each(["arbitrators", "commitments", "revealed_outcomes", "weights"] as const)(
    "%s: as many as seats, one more or one fewer is no case",
    async (list) => {
      const trade = await disputedTrade(world());
      for (const [count, others] of [
        [1, 0],
        [0, 1],
        [3, 2],
        [SEATS_MAX - 1, SEATS_MAX],
        [SEATS_MAX + 1, SEATS_MAX],
      ] as const) {
        const changed = { ...seats(others), [list]: seats(count)[list] };
        await withCase(world(), trade, changed, () => noCase(world(), trade));
      }
    },
  );

  test("claims: seven flags are read, eight are no case, a seat without a flag has no reward", async () => {
    const trade = await disputedTrade(world());
    await playRound(world(), trade, votes(...many(SEATS_MAX, () => BUYER)));
    await succeed(world(), [of.execute(trade)], "stranger");
    const claim = (seat: number) => {
      const name = `arbitrator ${seat}`;
      return [claimArbitrationReward(at, trade.ref.reservation, wallet(name), tokensOf(name, OPEN))];
    };
    const flags = (count: number) => ({ reward_claimed: many(count, () => false) });
    await withCase(world(), trade, flags(SEATS_MAX - 1), async () => {
      await refused(world(), 6026, claim(6), "arbitrator 6");
      await succeed(world(), claim(5), "arbitrator 5");
    });
    await withCase(world(), trade, flags(SEATS_MAX), async () => {
      await succeed(world(), claim(6), "arbitrator 6");
    });
    const beyond = { ...flags(SEATS_MAX + 1), barred: [] };
    await withCase(world(), trade, beyond, () => noCase(world(), trade));
  });
}

const barred = (count: number) => many(count, (index) => wallet(`barred ${index}`));

/** So many are barred, so many seats stay silent, so many are barred afterwards. */
export async function barsSilentSeats(world: World, before: number, silent: number, after: number): Promise<void> {
  const trade = await disputedTrade(world);
  world.now += 2n * WINDOW;
  const round = { ...seats(silent), barred: barred(before), round: 1, seats_taken_total: 7 };
  await withCase(world, trade, round, async () => {
    const { seats_taken_total, ...earlier } = await read(world, disputeCase, caseOf(trade));
    expect(await succeed(world, [of.execute(trade)], "stranger")).toEqual([]);
    const reopened = await read(world, disputeCase, caseOf(trade));
    expect(reopened.barred).toEqual([...barred(before), ...seats(silent).arbitrators].slice(0, after));
    const { deposit_vault, deposit_mint, deposit, deposit_shortfall, bump } = earlier;
    expect(reopened).toMatchObject({ deposit_vault, deposit_mint, deposit, deposit_shortfall, bump, round: 2 });
    expect(reopened).toMatchObject({ seats_taken_total, deposit_vault: openVaultOf(trade), outcome: null });
    await succeed(world, [of.commit(trade, "arbitrator 0", BUYER)], "arbitrator 0");
  });
}

function limitsBarred(world: () => World): void {
  test.each([
    [BARRED_MAX - 2, 1, BARRED_MAX - 1],
    [BARRED_MAX - 1, 1, BARRED_MAX],
    [BARRED_MAX - 1, 2, BARRED_MAX],
    [BARRED_MAX, 0, BARRED_MAX],
    [BARRED_MAX, 1, BARRED_MAX],
    [BARRED_MAX, 3, BARRED_MAX],
    [BARRED_MAX - 7, 7, BARRED_MAX],
    [BARRED_MAX - 6, 7, BARRED_MAX],
  ])("barred: %i and %i silent seats are %i, and nothing behind them changes", (before, silent, after) =>
    barsSilentSeats(world(), before, silent, after),
  );

  test("barred: fourteen are kept out, fifteen are no case", async () => {
    const trade = await disputedTrade(world());
    for (const place of [0, BARRED_MAX - 2, BARRED_MAX - 1]) {
      const list = barred(BARRED_MAX).map((name, index) => (index === place ? wallet("arbitrator 0") : name));
      await withCase(world(), trade, { barred: list }, async () => {
        await refused(world(), 6002, [of.commit(trade, "arbitrator 0", BUYER)], "arbitrator 0");
        await succeed(world(), [of.commit(trade, "arbitrator 1", BUYER)], "arbitrator 1");
      });
    }
    await withCase(world(), trade, { barred: barred(BARRED_MAX + 1) }, () => noCase(world(), trade));
  });

  test.each([
    [BARRED_MAX - 1, 1, 17, []],
    [BARRED_MAX - 1, 1, 16, [BARRED_MAX]],
    [BARRED_MAX, 1, 16, [BARRED_MAX]],
    [BARRED_MAX, 7, 17, []],
    [BARRED_MAX - 1, 0, 16, []],
    [BARRED_MAX - 1, 0, 15, [BARRED_MAX - 1]],
  ])("barred: %i, %i silent seats and a pool of %i split for good: %j", async (before, silent, pool, splits) => {
    const trade = await disputedTrade(world());
    await succeed(world(), [publishArbitratorPoolSize(at, wallet("admin"), pool)], "admin");
    world().now += 2n * WINDOW;
    await withCase(world(), trade, { ...seats(silent), barred: barred(before), round: 1 }, async () => {
      const events = await succeed(world(), [of.execute(trade)], "stranger");
      const counted = events.flatMap((event) => (event.type === "DisputeTerminalSplit" ? [event.fields.barred] : []));
      expect(counted).toEqual(splits);
    });
  });
}

const mints = (count: number): readonly string[] => many(count, (index) => wallet(`mint ${index}`));

function limitsMints(world: () => World): void {
  const update = (list: readonly string[]) => {
    const terms = { adListingFee: 1n, disputeFilingFee: 2n, settlementFeeBps: 3, timeoutSecs: 5n } as const;
    const shares = { ...terms, shareBps: [1, 2, 3, 9_994] as const };
    const more = { stakeAgeSecs: 0n, sortitionBps: 0, mints: list };
    return [updateFeeConfig(at, wallet("admin"), usdc.mint, treasuriesFor(at, usdc), shares, more)];
  };
  const kept = (check: () => Promise<void>) =>
    withAccount(world(), at.feeConfig().address, (account) => account, check);

  test("mints: sixteen are written, seventeen are too many (6036), and two alike are none (6037)", async () => {
    for (const count of [1, SETTLEMENT_MINTS_MAX - 1, SETTLEMENT_MINTS_MAX]) {
      await kept(async () => {
        await succeed(world(), update(mints(count)), "admin");
        const config = await read(world(), feeConfig, at.feeConfig().address);
        const zeros = many(SETTLEMENT_MINTS_MAX - count, () => systemProgram);
        expect(config.settlement_mints).toEqual([...mints(count), ...zeros]);
        expect(config.settlement_mint_count).toBe(count);
      });
    }
    await refused(world(), 6036, update(mints(SETTLEMENT_MINTS_MAX + 1)), "admin");
    await refused(world(), 6036, update(many(SETTLEMENT_MINTS_MAX + 1, () => usdc.mint)), "admin");
    for (const [one, other] of [
      [0, 1],
      [0, SETTLEMENT_MINTS_MAX - 1],
      [SETTLEMENT_MINTS_MAX - 2, SETTLEMENT_MINTS_MAX - 1],
    ] as const) {
      const alike = mints(SETTLEMENT_MINTS_MAX).map((mint, place) => (place === other ? mints(one + 1)[one] : mint));
      await refused(world(), 6037, update(alike as readonly string[]), "admin");
    }
  });
}

function mintsCounted(world: () => World): void {
  test.each([
    [0, 0, false],
    [0, 1, true],
    [SETTLEMENT_MINTS_MAX - 1, SETTLEMENT_MINTS_MAX - 1, false],
    [SETTLEMENT_MINTS_MAX - 1, SETTLEMENT_MINTS_MAX, true],
    [SETTLEMENT_MINTS_MAX - 1, SETTLEMENT_MINTS_MAX + 1, true],
    [SETTLEMENT_MINTS_MAX - 2, 255, true],
  ])("mints: the one at place %i among %i counted is allowed: %s", async (place, count, allowed) => {
    const trade = newTrade(world());
    const list = mints(SETTLEMENT_MINTS_MAX).map((mint, index) => (index === place ? usdc.mint : mint));
    await withMints(world(), list, count, async () => {
      if (allowed) await succeed(world(), [of.vault(trade)], trade.merchant);
      else await refused(world(), 6035, [of.vault(trade)], trade.merchant);
    });
  });

  test.each([SETTLEMENT_MINTS_MAX + 1, 255])("mints: what lies behind the list is none of %i", async (count) => {
    // the count itself lies there, and zeros behind it
    const behind = addressText(Uint8Array.of(count, ...new Uint8Array(31)), 0);
    const mint = { ...mintOf("USDC"), mint: behind };
    const trade = newTrade(world(), mint);
    const { data, ...usual } = await stored(world(), usdc.mint);
    await withAccount(
      world(),
      behind,
      () => ({ ...usual, data }),
      async () => {
        await withMints(world(), mints(SETTLEMENT_MINTS_MAX), count, async () => {
          await refused(world(), 6035, [of.vault(trade)], trade.merchant);
        });
      },
    );
  });
}

/** The fee configuration with these mints, whatever their count says. */
async function withMints(
  world: World,
  list: readonly string[],
  count: number,
  check: () => Promise<void>,
): Promise<void> {
  const before = await read(world, feeConfig, at.feeConfig().address);
  const changed: FeeConfig = { ...before, settlement_mints: list, settlement_mint_count: count };
  await withAccount(
    world,
    at.feeConfig().address,
    (account) => ({ ...account, data: encodeAccount(feeConfig, changed) }),
    check,
  );
}
