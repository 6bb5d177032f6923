/**
 * Contract: who may not trade, what lies in the wrong place, what does not belong together.
 * Source: protocol 03 D.3 (ban records), D.6, part E.
 */
import { describe, expect, test } from "vitest";
import { banRecord, disputeCase, encodeAccount, liquidityVault } from "../../../core/solana/accounts.ts";
import { simulatedProfile } from "../../../core/solana/addresses.ts";
import { treasuriesFor } from "../../../sim/chain/genesis.ts";
import { cancelReservation, openDisputeCase, releaseEscrow } from "../../../sim/chain/instructions.ts";
import {
  caseOf,
  disputedTrade,
  escrowTokensOf,
  newTrade,
  of,
  playRound,
  tradeAfter,
  vaultOf,
  vaultTokensOf,
  votes,
  WINDOW,
} from "./trades.ts";
import type { World } from "./world.ts";
import {
  at,
  mintOf,
  nothing,
  patched,
  read,
  refused,
  stored,
  succeed,
  swapped,
  tokensOf,
  u64le,
  wallet,
  withAccount,
} from "./world.ts";

/** Bans a wallet for the length of `test`. */
function banned(world: World, name: string, test: () => Promise<void>): Promise<void> {
  const derived = at.banRecord(wallet(name));
  const data = encodeAccount(banRecord, {
    wallet: wallet(name),
    reason: 0,
    evidence_hash: new Uint8Array(32),
    listed_at: 0n,
    authorizing_proposal: wallet("admin"),
    bump: derived.bump,
  });
  const record = { lamports: 10_000_000n, owner: simulatedProfile.governanceProgram, data, executable: false };
  return withAccount(world, derived.address, () => record, test);
}

export function describeBans(world: () => World): void {
  describe("banned wallets (6028)", () => {
    test("deposit, reserve, create and open nothing", async () => {
      const trade = await tradeAfter(world(), "reserve");
      const funded = await tradeAfter(world(), "fund");
      await banned(world(), trade.merchant, async () => {
        for (const instruction of [of.deposit(trade), of.reserve(trade), of.create(trade)]) {
          await refused(world(), 6028, [instruction], trade.merchant);
        }
      });
      await banned(world(), funded.buyer, () => refused(world(), 6028, [of.open(funded)], funded.buyer));
      await succeed(world(), [of.open(funded)], funded.buyer);
    });

    test("lamports at the record's address are no ban", async () => {
      const trade = await tradeAfter(world(), "deposit");
      const gift = { ...nothing, lamports: 5_000_000n };
      await withAccount(
        world(),
        at.banRecord(wallet(trade.merchant)).address,
        () => gift,
        async () => {
          await succeed(world(), [of.reserve(trade)], trade.merchant);
        },
      );
    });
  });
}

export function describeMisplacedTokens(world: () => World): void {
  describe("tokens that lie in the wrong place", () => {
    test("a gift to an escrow is not paid out", async () => {
      const trade = await tradeAfter(world(), "approve");
      await patched(world(), escrowTokensOf(trade), 64, u64le(trade.amount + 5n), async () => {
        await succeed(world(), [of.release(trade)], "stranger");
        const left = (await stored(world(), escrowTokensOf(trade))).data.slice(64, 72);
        expect([...left]).toEqual(u64le(5n));
      });
    });

    test("a frozen buyer account cannot be paid (17)", async () => {
      const trade = await tradeAfter(world(), "approve");
      await patched(world(), tokensOf(trade.buyer, trade.mint), 108, [2], () => {
        return refused(world(), 17, [of.release(trade)], "stranger");
      });
    });

    test("a vault's own tokens cannot stand for the merchant's (4)", async () => {
      const trade = await tradeAfter(world(), "deposit");
      await refused(world(), 4, [swapped(of.deposit(trade, 1n), 4, vaultTokensOf(trade))], trade.merchant);
    });

    test("nothing that its token program has not initialised", async () => {
      const trade = newTrade(world());
      await patched(world(), trade.mint.mint, 45, [0], () => {
        return refused(world(), "InvalidAccountData", [of.vault(trade)], trade.merchant);
      });
      await succeed(world(), [of.vault(trade)], trade.merchant);
      await patched(world(), tokensOf(trade.merchant, trade.mint), 108, [0], () => {
        return refused(world(), "InvalidAccountData", [of.deposit(trade)], trade.merchant);
      });
    });

    test("data that names no instruction is refused", async () => {
      const trade = newTrade(world());
      for (const data of [new Uint8Array(0), new Uint8Array(7), new Uint8Array(8)]) {
        await refused(world(), "InvalidInstructionData", [{ ...of.vault(trade), data }], trade.merchant);
      }
    });
  });
}

export function describeMismatches(world: () => World): void {
  describe("cases, trades and vaults that do not belong together", () => {
    test("a case executes only its own trade, even between the same people", async () => {
      const decided = await disputedTrade(world());
      const other = await disputedTrade(world(), decided.mint, decided.amount, decided);
      await playRound(world(), decided, votes(0, 0, 0));
      await refused(world(), "InvalidAccountData", [swapped(of.execute(other), 1, caseOf(decided))], "stranger");
      expect(await read(world(), disputeCase, caseOf(decided))).toMatchObject({ resolved: false });
    });

    test("a reservation in one mint is not freed from the vault of another", async () => {
      const trade = await tradeAfter(world(), "create");
      const other = await tradeAfter(world(), "create", mintOf("tUSDC"), trade.amount, trade);
      const mixed = [1, 2, 5, 6].reduce(
        (instruction, place) => {
          const theirs = cancelReservation(at, other.ref, wallet(trade.buyer)).accounts[place]?.address ?? "";
          return swapped(instruction, place, theirs);
        },
        cancelReservation(at, trade.ref, wallet(trade.buyer)),
      );
      await refused(world(), "InvalidAccountData", [mixed], trade.buyer);
      expect(await read(world(), liquidityVault, vaultOf(other))).toMatchObject({ reserved: other.amount });
    });

    test("a release pays the trade's buyer, nobody else", async () => {
      const trade = await tradeAfter(world(), "approve");
      const stolen = releaseEscrow(at, trade.ref, tokensOf("stranger", trade.mint), treasuriesFor(at, trade.mint));
      await refused(world(), "InvalidAccountData", [stolen], "stranger");
    });

    test("a treasury is the configuration's, at its own place", () => treasuriesAreNamed(world()));

    test("a treasury is one of the settled mint, even where nothing is due to it", async () => {
      const trade = await tradeAfter(world(), "approve", undefined, 100n); // too little for a fee
      const wrong = treasuriesFor(at, mintOf("USDT"));
      const buyerTokens = tokensOf(trade.buyer, trade.mint);
      await refused(world(), "InvalidAccountData", [releaseEscrow(at, trade.ref, buyerTokens, wrong)], "stranger");
      await succeed(world(), [of.release(trade)], "stranger");
    });

    test("a dispute is opened on a trade by its own parties", async () => {
      const trade = await tradeAfter(world(), "fund");
      const windows = { commitSecs: WINDOW, revealSecs: WINDOW };
      const byStranger = openDisputeCase(at, trade.ref, wallet("stranger"), wallet("stranger"), windows);
      await refused(world(), 6009, [byStranger], "stranger");
    });
  });
}

/** Where an instruction names the four treasuries, tokens of the settled mint that are another's are refused. */
export async function treasuriesAreNamed(world: World): Promise<void> {
  const [released, executed] = [await tradeAfter(world, "approve"), await disputedTrade(world)];
  await playRound(world, executed, votes(0, 0, 0));
  const named = Object.values(treasuriesFor(at, released.mint));
  for (const [instruction, first] of [
    [of.release(released), 6],
    [of.execute(executed), 8],
  ] as const) {
    for (const place of named.keys()) {
      const others = [tokensOf("stranger", released.mint), named[(place + 1) % named.length] ?? ""];
      for (const other of others) {
        await refused(world, "InvalidAccountData", [swapped(instruction, first + place, other)], "stranger");
      }
    }
    await succeed(world, [instruction], "stranger");
  }
}
