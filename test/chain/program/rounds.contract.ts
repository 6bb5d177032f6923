/**
 * Contract: re-opened rounds, terminal splits, the pool floor.
 * Source: protocol 03 D.5 (order of events), D.8, E11, E12.
 */
import { describe, expect, test } from "vitest";
import { disputeCase, tradeEscrow } from "../../../core/solana/accounts.ts";
import { addressBytes } from "../../../core/solana/layout.ts";
import { publishArbitratorPoolSize } from "../../../sim/chain/instructions.ts";
import type { Trade } from "./trades.ts";
import { caseOf, disputedTrade, escrowOf, FILING_FEE, holdings, of, playRound, votes, WINDOW } from "./trades.ts";
import type { World } from "./world.ts";
import { at, OPEN, patched, read, refused, staked, stakeOf, stored, succeed, swapped, u64le, wallet } from "./world.ts";

const STAKE = 100_000_000_000n;
const [BUYER, MERCHANT, MUTUAL] = [0, 1, 2];

export function describeRounds(world: () => World): void {
  describe("execute_dispute_outcome without a decision", () => {
    reopensRounds(world);
    countsVotes(world);
    splitsForGood(world);
    fillsTheCase(world);
  });
}

function reopensRounds(world: () => World): void {
  test("re-opens a round: silent seats barred, fresh deadlines and seed, no event (E11)", async () => {
    const trade = await disputedTrade(world());
    const first = await read(world(), disputeCase, caseOf(trade));
    await playRound(
      world(),
      trade,
      votes(BUYER, BUYER).concat({ arbitrator: "arbitrator 2", outcome: BUYER, silent: true }),
    );
    const before = await holdings(world(), trade);
    world().slotHashes = [{ slot: 2000n, hash: new Uint8Array(32).fill(1) }];
    expect(await succeed(world(), [of.execute(trade)], "stranger")).toEqual([]);
    const second = await read(world(), disputeCase, caseOf(trade));
    expect(second).toMatchObject({
      resolved: false,
      round: 1,
      barred: [wallet("arbitrator 2")],
      arbitrators: [],
      commitments: [],
      revealed_outcomes: [],
      weights: [],
      round_opened_at: world().now,
      commit_deadline: world().now + WINDOW,
      reveal_deadline: world().now + 2n * WINDOW,
      seats_taken_total: 3,
      outcome: null,
      opened_at: first.opened_at,
    });
    expect(second.case_seed).not.toEqual(first.case_seed);
    expect(await holdings(world(), trade)).toEqual(before);
    expect(await read(world(), tradeEscrow, escrowOf(trade))).toMatchObject({ state: 5 });
    await refused(world(), 6002, [of.commit(trade, "arbitrator 2", BUYER)], "arbitrator 2");
    await playRound(world(), trade, votes(BUYER, BUYER).concat({ arbitrator: "arbitrator 3", outcome: BUYER }));
    expect(await succeed(world(), [of.execute(trade)], "stranger")).toMatchObject([
      { type: "EscrowReleased" },
      { type: "DisputeResolved", fields: { outcome: BUYER, round: 1 } },
    ]);
  });

  test("bytes after the last field are zero up to the buyer's mark", async () => {
    const trade = await disputedTrade(world());
    const fresh = (await stored(world(), caseOf(trade))).data;
    await playRound(world(), trade, votes(BUYER, MERCHANT));
    await succeed(world(), [of.execute(trade)], "stranger");
    const reopened = (await stored(world(), caseOf(trade))).data;
    expect(reopened.subarray(266, 1225).every((byte) => byte === 0)).toBe(true);
    expect(reopened.subarray(1225)).toEqual(fresh.subarray(1225));
    expect(reopened.subarray(1225).some((byte) => byte !== 0)).toBe(true);
  });
}

function countsVotes(world: () => World): void {
  test("a tie decides nothing", async () => {
    const trade = await disputedTrade(world());
    await playRound(world(), trade, votes(BUYER, MERCHANT, BUYER, MERCHANT));
    expect(await succeed(world(), [of.execute(trade)], "stranger")).toEqual([]);
    expect(await read(world(), disputeCase, caseOf(trade))).toMatchObject({ round: 1, barred: [] });
  });

  test("stake that left after the commit counts all the same", async () => {
    const trade = await disputedTrade(world());
    for (const { arbitrator } of votes(0, 0, 0))
      await succeed(world(), [of.commit(trade, arbitrator, BUYER)], arbitrator);
    world().now += WINDOW;
    for (const name of ["arbitrator 0", "arbitrator 1"]) await succeed(world(), [of.reveal(trade, name, BUYER)], name);
    await patched(world(), stakeOf("arbitrator 2"), 41, u64le(1n), async () => {
      await succeed(world(), [of.reveal(trade, "arbitrator 2", BUYER)], "arbitrator 2");
    });
    world().now += WINDOW;
    expect(await succeed(world(), [of.execute(trade)], "stranger")).not.toEqual([]);
  });

  test("needs a slot hash to re-open (6031)", async () => {
    const trade = await disputedTrade(world());
    world().now += 2n * WINDOW;
    const { slotHashes } = world();
    world().slotHashes = [];
    await refused(world(), 6031, [of.execute(trade)], "stranger");
    world().slotHashes = slotHashes;
    await succeed(world(), [of.execute(trade)], "stranger");
  });
}

/** What a split after the third round says when nobody was barred before: its silent seats are, like those of any. */
function terminalSplit(trade: Trade, reason: number, seats: number, silent: number, timestamp: bigint) {
  return [
    {
      type: "DisputeResolved",
      fields: {
        outcome: null,
        round: 2,
        winning_weight: 0n,
        arbitrator_count: seats,
        reward_pool: 0n,
        deposit_refunded: FILING_FEE,
      },
    },
    {
      type: "DisputeTerminalSplit",
      fields: {
        reservation_id: trade.ref.reservation,
        reason,
        round: 2,
        seats_this_round: seats,
        counted_reveals: seats - silent,
        barred: silent,
        seats_taken_total: seats,
        required_pool: 3 + silent,
        published_pool: 0,
        timestamp: timestamp,
      },
    },
  ];
}

function splitsForGood(world: () => World): void {
  test.each([
    ["RoundUnstaffed", 2, [BUYER, MERCHANT], []],
    ["QuorumNotReached", 1, [BUYER, BUYER, BUYER], [1, 2]],
    ["NoConsensus", 0, [BUYER, MERCHANT, MUTUAL], []],
  ] as const)("splits for good after the third round: %s (E12)", async (_, reason, outcomes, silent) => {
    const trade = await disputedTrade(world());
    for (let round = 0; round < 2; round += 1) {
      world().now += 2n * WINDOW;
      await succeed(world(), [of.execute(trade)], "stranger");
    }
    const seats = votes(...outcomes).map((vote, index) => ({
      ...vote,
      silent: silent.some((place) => place === index),
    }));
    await playRound(world(), trade, seats);
    const before = await holdings(world(), trade);
    const events = await succeed(world(), [of.execute(trade)], "stranger");
    expect(events).toMatchObject(terminalSplit(trade, reason, outcomes.length, silent.length, world().now));
    expect(await holdings(world(), trade)).toEqual({
      buyer: before.buyer + 200_000n,
      vault: before.vault + 200_001n,
      escrow: 0n,
      pool: before.pool - FILING_FEE,
    });
    expect(await read(world(), disputeCase, caseOf(trade))).toMatchObject({
      resolved: true,
      outcome: null,
      terminal_reason: reason,
      deposit_settled: true,
      reward_claimed: [],
      barred: silent.map((place) => wallet(`arbitrator ${place}`)),
    });
    await refused(world(), 6018, [of.execute(trade)], "stranger");
  });
}

function fillsTheCase(world: () => World): void {
  test("the fullest case fits: 14 barred, 7 seats, all revealed; the parties stay known", async () => {
    const trade = await disputedTrade(world());
    const seven = (from: number, silent: boolean) =>
      Array.from({ length: 7 }, (_, index) => {
        return { arbitrator: `arbitrator ${from + index}`, outcome: BUYER, silent };
      });
    for (const from of [0, 7]) {
      await playRound(world(), trade, seven(from, true));
      await succeed(world(), [of.execute(trade)], "stranger");
    }
    for (const { arbitrator } of seven(14, false))
      await succeed(world(), [of.commit(trade, arbitrator, BUYER)], arbitrator);
    for (const party of [trade.buyer, trade.merchant]) {
      await staked(world(), party, () => refused(world(), 6002, [of.commit(trade, party, BUYER)], party));
    }
    world().now += WINDOW;
    for (const { arbitrator } of seven(14, false))
      await succeed(world(), [of.reveal(trade, arbitrator, BUYER)], arbitrator);
    world().now += WINDOW;
    const barred = Array.from({ length: 14 }, (_, index) => wallet(`arbitrator ${index}`));
    expect(await read(world(), disputeCase, caseOf(trade))).toMatchObject({
      round: 2,
      seats_taken_total: 21,
      barred,
    });
    await succeed(world(), [of.execute(trade)], "stranger");
    const decided = await read(world(), disputeCase, caseOf(trade));
    expect(decided).toMatchObject({ resolved: true, outcome: BUYER, barred, winning_weight: 7n * STAKE });
    expect(decided.reward_claimed).toHaveLength(7);
  });
}

const publish = (eligible: number, by = "admin") => publishArbitratorPoolSize(at, wallet(by), eligible);

export function describePoolFloor(world: () => World): void {
  describe("pool floor", () => {
    publishesFigure(world);
    appliesFigure(world);
  });
}

function publishesFigure(world: () => World): void {
  test("the admin alone publishes the figure (6000)", async () => {
    await refused(world(), 6000, [publish(1, "stranger")], "stranger");
    expect(await succeed(world(), [publish(20)], "admin")).toMatchObject([
      {
        type: "ArbitratorPoolSizePublished",
        fields: {
          admin: wallet("admin"),
          previous: 0,
          eligible: 20,
          min_decidable_pool: 17,
          timestamp: world().now,
        },
      },
    ]);
    expect(await succeed(world(), [publish(3)], "admin")).toMatchObject([{ fields: { previous: 20, eligible: 3 } }]);
  });

  test("too few arbitrators end the case at once; the silent are barred and counted", async () => {
    const trade = await disputedTrade(world());
    await succeed(world(), [publish(3)], "admin");
    await playRound(
      world(),
      trade,
      votes(BUYER).map((vote) => ({ ...vote, silent: true })),
    );
    const events = await succeed(world(), [of.execute(trade)], "stranger");
    expect(events).toMatchObject([
      { type: "DisputeResolved", fields: { outcome: null, round: 0 } },
      { type: "DisputeTerminalSplit", fields: { reason: 3, barred: 1, required_pool: 4, published_pool: 3 } },
    ]);
    expect(await read(world(), disputeCase, caseOf(trade))).toMatchObject({
      barred: [wallet("arbitrator 0")],
      terminal_reason: 3,
      round: 0,
    });
  });

  test.each([4, 0])("figure %i: the round re-opens", async (figure) => {
    const trade = await disputedTrade(world());
    await succeed(world(), [publish(figure)], "admin");
    await playRound(
      world(),
      trade,
      votes(BUYER).map((vote) => ({ ...vote, silent: true })),
    );
    expect(await succeed(world(), [of.execute(trade)], "stranger")).toEqual([]);
  });
}

/** Whoever executes a case cannot have another round by leaving out what denies it. */
export async function endingIsNotChosen(world: World): Promise<void> {
  const trade = await disputedTrade(world);
  await succeed(world, [publish(3)], "admin");
  await playRound(
    world,
    trade,
    votes(BUYER).map((vote) => ({ ...vote, silent: true })),
  );
  const execute = of.execute(trade);
  const without = { ...execute, accounts: execute.accounts.slice(0, 19) };
  await refused(world, "NotEnoughAccountKeys", [without], "stranger");
  expect(await succeed(world, [execute], "stranger")).toMatchObject([{}, { fields: { reason: 3 } }]);
  await succeed(world, [publish(0)], "admin");
}

function appliesFigure(world: () => World): void {
  test("without the policy account no case is executed", () => endingIsNotChosen(world()));

  test("another account in the policy's place is refused (6044)", async () => {
    const trade = await disputedTrade(world());
    await playRound(world(), trade, votes(BUYER, BUYER, BUYER));
    const execute = swapped(of.execute(trade), 19, at.feeConfig().address);
    await refused(world(), 6044, [execute], "stranger");
  });

  test("a case whose settlement mint became OPEN is refused (6022)", async () => {
    const trade = await disputedTrade(world());
    world().now += 2n * WINDOW;
    await patched(world(), escrowOf(trade), 80, addressBytes(at.profile.openMint), async () => {
      const mint = OPEN;
      const aliased = { ...trade, mint, ref: { ...trade.ref, mint: mint.mint, tokenProgram: mint.tokenProgram } };
      await refused(world(), 6022, [of.execute(aliased)], "stranger");
    });
  });
}
