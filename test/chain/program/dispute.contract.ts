/**
 * Contract: opening a dispute case and voting on it. Source: protocol 03 D.8, E4, E6, E7, H.1, H.10, W-14.
 */
import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import {
  disputeCase,
  liquidityVault,
  stakeAccount,
  stakeRecoveryClaim,
  tradeEscrow,
} from "../../../core/solana/accounts.ts";
import { systemProgram } from "../../../core/solana/addresses.ts";
import { addressBytes } from "../../../core/solana/layout.ts";
import { VAULT_OPEN } from "../../../sim/chain/genesis.ts";
import { commitDisputeVote, revealDisputeVote } from "../../../sim/chain/instructions.ts";
import type { Trade } from "./trades.ts";
import {
  caseOf,
  commitment,
  disputedTrade,
  escrowOf,
  FILING_FEE,
  of,
  openVaultOf,
  saltOf,
  tradeAfter,
  WINDOW,
} from "./trades.ts";
import type { World } from "./world.ts";
import {
  at,
  nothing,
  patched,
  read,
  refused,
  staked,
  stakeOf,
  succeed,
  swapped,
  tokens,
  u64le,
  wallet,
  withAccount,
} from "./world.ts";

/** The ticket of a stake account in a case. Source: protocol 03 D.8. */
function ticketOf(seed: Uint8Array, stake: string): bigint {
  const digest = createHash("sha256")
    .update("openfiat-arbitrator-sortition")
    .update(seed)
    .update(addressBytes(stake))
    .digest();
  return digest.readBigUInt64LE(0) % 10_000n;
}

export function describeOpening(world: () => World): void {
  describe("open_dispute_case", () => {
    opensCase(world);
    opensRegardless(world);
    knowsItsLimits(world);
    z(world);
  });
}

function opensCase(world: () => World): void {
  test("freezes the trade, writes every field, takes the deposit", async () => {
    const trade = await tradeAfter(world(), "fund");
    const pool = await tokens(world(), at.arbitrationPool().address);
    const events = await succeed(world(), [of.open(trade, trade.buyer, 60n, 61n)], trade.buyer);
    const opened = await read(world(), disputeCase, caseOf(trade));
    expect(opened).toMatchObject({
      reservation_id: trade.ref.reservation,
      trade_escrow: escrowOf(trade),
      opened_at: world().now,
      commit_deadline: world().now + 60n,
      reveal_deadline: world().now + 121n,
      resolved: false,
      round: 0,
      commit_window_secs: 60n,
      reveal_window_secs: 61n,
      round_opened_at: world().now,
      arbitrators: [],
      commitments: [],
      revealed_outcomes: [],
      weights: [],
      reward_claimed: [],
      barred: [],
      deposit_vault: openVaultOf(trade),
      deposit_mint: at.profile.openMint,
      deposit: FILING_FEE,
      deposit_shortfall: 0n,
      outcome: null,
      winning_weight: 0n,
      reward_pool: 0n,
      reward_remaining: 0n,
      deposit_settled: false,
      bump: at.disputeCase(trade.ref.reservation).bump,
      seats_taken_total: 0,
      terminal_reason: null,
    });
    expect(events).toMatchObject([
      {
        type: "ArbitrationDepositTaken",
        fields: {
          reservation_id: trade.ref.reservation,
          merchant: wallet(trade.merchant),
          opened_by: wallet(trade.buyer),
          deposit_vault: openVaultOf(trade),
          mint: at.profile.openMint,
          amount: FILING_FEE,
          shortfall: 0n,
          timestamp: world().now,
        },
      },
    ]);
    expect(await read(world(), tradeEscrow, escrowOf(trade))).toMatchObject({ state: 5 });
    expect((await tokens(world(), at.arbitrationPool().address)) - pool).toBe(FILING_FEE);
    expect(await read(world(), liquidityVault, openVaultOf(trade))).toMatchObject({
      total: VAULT_OPEN - FILING_FEE,
      available: VAULT_OPEN - FILING_FEE,
    });
  });
}

function opensRegardless(world: () => World): void {
  test("an approved trade may be disputed, and then neither approved nor released (6007)", async () => {
    const trade = await tradeAfter(world(), "approve");
    await succeed(world(), [of.open(trade)], trade.buyer);
    await refused(world(), 6007, [of.approve(trade)], trade.merchant);
    await refused(world(), 6007, [of.release(trade)], "stranger");
  });

  test("refuses in the order of the rules", async () => {
    const trade = await tradeAfter(world(), "create");
    const open = (commit: bigint, reveal: bigint) => of.open(trade, trade.buyer, commit, reveal);
    await refused(world(), 6009, [of.open(trade, "stranger")], "stranger");
    await refused(world(), 6007, [open(1n, 1n)], trade.buyer);
    await succeed(world(), [of.fund(trade)], trade.merchant);
    for (const [commit, reveal] of [
      [59n, 60n],
      [60n, 59n],
      [259_140n, 60n],
      [60n, 259_140n],
      [(1n << 63n) - 1n, 60n],
      [-1n, 60n],
    ] as const) {
      await refused(world(), 6021, [open(commit, reveal)], trade.buyer);
    }
    await refused(world(), "InvalidAccountData", [swapped(open(60n, 60n), 13, systemProgram)], trade.buyer);
    const { slotHashes } = world();
    world().slotHashes = [];
    await refused(world(), 6031, [open(60n, 60n)], trade.buyer);
    world().slotHashes = slotHashes;
    await succeed(world(), [open(60n, 259_139n)], trade.buyer);
    await refused(world(), 6007, [open(60n, 60n)], trade.buyer);
  });
}

function knowsItsLimits(world: () => World): void {
  test("a shortfall is claimed from the merchant, and the case opens all the same", async () => {
    const trade = await tradeAfter(world(), "fund");
    const claim = at.stakeRecoveryClaim(wallet(trade.merchant), at.profile.openMint);
    await patched(world(), openVaultOf(trade), 88, u64le(3n), async () => {
      const events = await succeed(world(), [of.open(trade)], trade.buyer);
      expect(events).toMatchObject([
        { type: "ArbitrationDepositTaken", fields: { amount: 3n, shortfall: FILING_FEE - 3n } },
        {
          type: "StakeRecoveryClaimRecorded",
          fields: {
            reservation_id: trade.ref.reservation,
            merchant: wallet(trade.merchant),
            claim: claim.address,
            mint: at.profile.openMint,
            shortfall: FILING_FEE - 3n,
            owed_total: FILING_FEE - 3n,
            credited_total: 0n,
            case_count: 1,
            timestamp: world().now,
          },
        },
      ]);
    });
    expect(await read(world(), stakeRecoveryClaim, claim.address)).toEqual({
      merchant: wallet(trade.merchant),
      mint: at.profile.openMint,
      owed_total: FILING_FEE - 3n,
      credited_total: 0n,
      case_count: 1,
      bump: claim.bump,
    });
    expect(await read(world(), disputeCase, caseOf(trade))).toMatchObject({
      deposit: 3n,
      deposit_shortfall: FILING_FEE - 3n,
    });
  });

  test("a merchant without an OPEN vault cannot keep a case from opening", async () => {
    const trade = await tradeAfter(world(), "fund");
    await withAccount(
      world(),
      openVaultOf(trade),
      () => nothing,
      async () => {
        await succeed(world(), [of.open(trade)], trade.buyer);
        expect(await read(world(), disputeCase, caseOf(trade))).toMatchObject({
          deposit: 0n,
          deposit_shortfall: FILING_FEE,
        });
      },
    );
  });
}

function z(world: () => World): void {
  test("needs the arbitration pool (6039)", async () => {
    const trade = await tradeAfter(world(), "fund");
    await withAccount(
      world(),
      at.arbitrationPool().address,
      () => nothing,
      () => {
        return refused(world(), 6039, [of.open(trade)], trade.buyer);
      },
    );
  });

  test("a trade in OPEN itself is refused at once (6022)", async () => {
    const trade = await tradeAfter(world(), "fund");
    await patched(world(), escrowOf(trade), 80, [...addressBytes(at.profile.openMint)], () => {
      return refused(world(), 6022, [of.open(trade)], trade.buyer);
    });
  });
}

export function describeVoting(world: () => World): void {
  describe("commit_dispute_vote", () => {
    takesSeats(world);
    refusesSeats(world);
  });
  drawsSeats(world);
  describeReveals(world);
}

function takesSeats(world: () => World): void {
  test("takes a seat", async () => {
    const trade = await disputedTrade(world());
    await succeed(world(), [of.commit(trade, "arbitrator 0", 0)], "arbitrator 0");
    await succeed(world(), [of.commit(trade, "arbitrator 1", 3)], "arbitrator 1");
    expect(await read(world(), disputeCase, caseOf(trade))).toMatchObject({
      arbitrators: [wallet("arbitrator 0"), wallet("arbitrator 1")],
      commitments: [commitment(trade, "arbitrator 0", 0), commitment(trade, "arbitrator 1", 3)],
      revealed_outcomes: [null, null],
      weights: [100_000_000_000n, 100_000_000_000n],
      reward_claimed: [],
      seats_taken_total: 2,
    });
    await refused(world(), 6013, [of.commit(trade, "arbitrator 0", 1)], "arbitrator 0");
  });

  test("seats seven and no more (6012)", async () => {
    const trade = await disputedTrade(world());
    for (let seat = 0; seat < 7; seat += 1) {
      await succeed(world(), [of.commit(trade, `arbitrator ${seat}`, 0)], `arbitrator ${seat}`);
    }
    await refused(world(), 6013, [of.commit(trade, "arbitrator 6", 0)], "arbitrator 6");
    await refused(world(), 6012, [of.commit(trade, "arbitrator 7", 0)], "arbitrator 7");
    await staked(world(), trade.buyer, () => refused(world(), 6002, [of.commit(trade, trade.buyer, 0)], trade.buyer));
  });

  test("needs the minimum stake (6020) of the right age (6029)", async () => {
    const trade = await disputedTrade(world());
    await refused(world(), 6020, [of.commit(trade, "stranger", 0)], "stranger");
    await patched(world(), stakeOf("arbitrator 0"), 41, u64le(99_999_999_999n), () => {
      return refused(world(), 6020, [of.commit(trade, "arbitrator 0", 0)], "arbitrator 0");
    });
    const since = (await read(world(), stakeAccount, stakeOf("arbitrator 0"))).first_staked_at;
    const age = world().now - since;
    await patched(world(), at.feeConfig().address, 203, u64le(age + 1n), () => {
      return refused(world(), 6029, [of.commit(trade, "arbitrator 0", 0)], "arbitrator 0");
    });
    await patched(world(), at.feeConfig().address, 203, u64le(age), async () => {
      await succeed(world(), [of.commit(trade, "arbitrator 0", 0)], "arbitrator 0");
    });
  });

  test("ends at the commit deadline (6010)", async () => {
    const trade = await disputedTrade(world());
    world().now += WINDOW - 1n;
    await succeed(world(), [of.commit(trade, "arbitrator 0", 0)], "arbitrator 0");
    world().now += 1n;
    await refused(world(), 6010, [of.commit(trade, "arbitrator 1", 0)], "arbitrator 1");
  });
}

function refusesSeats(world: () => World): void {
  test("refuses the parties of the trade (6002)", async () => {
    const trade = await disputedTrade(world());
    for (const party of [trade.buyer, trade.merchant]) {
      await staked(world(), party, () => refused(world(), 6002, [of.commit(trade, party, 0)], party));
    }
    await staked(world(), "stranger", async () => {
      await succeed(world(), [of.commit(trade, "stranger", 0)], "stranger");
    });
  });
}

function drawsSeats(world: () => World): void {
  describe("seat draw", () => {
    test("opens to more tickets with each eighth of the window (6030)", async () => {
      const trade = await disputedTrade(world());
      const opened = await read(world(), disputeCase, caseOf(trade));
      const tickets = Array.from({ length: 10 }, (_, index) => ({
        name: `arbitrator ${index}`,
        ticket: ticketOf(opened.case_seed, stakeOf(`arbitrator ${index}`)),
      }))
        .filter(({ ticket }) => ticket >= 200n)
        .sort((a, b) => Number(b.ticket - a.ticket));
      const [highest, second] = tickets;
      if (highest === undefined || second === undefined) throw new Error("ten tickets are not all below 200");
      await patched(world(), at.feeConfig().address, 211, [100, 0], async () => {
        // 100 bps doubles at each eighth; the step in which a ticket first falls below the threshold
        const step = [0, 1, 2, 3, 4, 5, 6, 7].find((n) => n === 7 || second.ticket < 100n << BigInt(n)) ?? 7;
        const start = world().now;
        const opensAt = start + BigInt(Math.ceil((Number(WINDOW) * step) / 8));
        world().now = opensAt - 1n;
        await refused(world(), 6030, [of.commit(trade, second.name, 0)], second.name);
        world().now = opensAt;
        await succeed(world(), [of.commit(trade, second.name, 0)], second.name);
        world().now = start + WINDOW - 1n;
        await succeed(world(), [of.commit(trade, highest.name, 0)], highest.name);
      });
    });
  });
}

function describeReveals(world: () => World): void {
  describe("reveal_dispute_vote", () => {
    test("opens the vote with the stake of the commit, whatever became of it since", async () => {
      const trade = await disputedTrade(world());
      await succeed(world(), [of.commit(trade, "arbitrator 0", 1)], "arbitrator 0");
      await patched(world(), stakeOf("arbitrator 1"), 41, u64le(250_000_000_000n), async () => {
        await succeed(world(), [of.commit(trade, "arbitrator 1", 1)], "arbitrator 1");
      });
      await succeed(world(), [of.commit(trade, "arbitrator 2", 1)], "arbitrator 2");
      world().now += WINDOW;
      await succeed(world(), [of.reveal(trade, "arbitrator 0", 1)], "arbitrator 0");
      await succeed(world(), [of.reveal(trade, "arbitrator 1", 1)], "arbitrator 1");
      await patched(world(), stakeOf("arbitrator 2"), 41, u64le(99n), async () => {
        await succeed(world(), [of.reveal(trade, "arbitrator 2", 1)], "arbitrator 2");
      });
      expect(await read(world(), disputeCase, caseOf(trade))).toMatchObject({
        revealed_outcomes: [1, 1, 1],
        weights: [100_000_000_000n, 250_000_000_000n, 100_000_000_000n],
      });
    });

    test("refuses in the order of the rules", async () => {
      const trade = await disputedTrade(world());
      await succeed(world(), [of.commit(trade, "arbitrator 0", 2)], "arbitrator 0");
      await refused(world(), 6011, [of.reveal(trade, "arbitrator 0", 2)], "arbitrator 0");
      world().now += WINDOW - 1n;
      await refused(world(), 6011, [of.reveal(trade, "arbitrator 0", 2)], "arbitrator 0");
      world().now += 1n;
      await refused(world(), 6014, [of.reveal(trade, "arbitrator 1", 2)], "arbitrator 1");
      await refused(world(), 6016, [of.reveal(trade, "arbitrator 0", 1)], "arbitrator 0");
      await refused(world(), "InvalidInstructionData", [of.reveal(trade, "arbitrator 0", 4)], "arbitrator 0");
      await succeed(world(), [of.reveal(trade, "arbitrator 0", 2)], "arbitrator 0");
      await refused(world(), 6015, [of.reveal(trade, "arbitrator 0", 2)], "arbitrator 0");
      world().now += WINDOW;
      await refused(world(), 6011, [of.reveal(trade, "arbitrator 0", 2)], "arbitrator 0");
    });

    test("a copied commitment opens for nobody (W-14)", async () => {
      const trade = await disputedTrade(world());
      const copied = commitment(trade, "arbitrator 0", 0);
      await succeed(world(), [of.commit(trade, "arbitrator 0", 0)], "arbitrator 0");
      await succeed(world(), [copyOf(trade, "arbitrator 1", copied)], "arbitrator 1");
      world().now += WINDOW;
      await succeed(world(), [of.reveal(trade, "arbitrator 0", 0)], "arbitrator 0");
      const copier = revealDisputeVote(at, trade.ref.reservation, wallet("arbitrator 1"), 0, saltOf("arbitrator 0"));
      await refused(world(), 6016, [copier], "arbitrator 1");
    });
  });
}

function copyOf(trade: Trade, arbitrator: string, copied: Uint8Array) {
  return commitDisputeVote(at, trade.ref.reservation, wallet(arbitrator), copied);
}
