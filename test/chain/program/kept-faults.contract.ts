/**
 * Contract: faults of the published layouts that our program keeps, so that one decoder and one client serve both; each
 * as it is, so that nobody mends or worsens one unnoticed. Source: protocol 03 W-17 to W-23, W-26
 * and W-27.
 */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { disputeCase, tradeEscrow } from "../../../core/solana/accounts.ts";
import { addressBytes, u64 } from "../../../core/solana/layout.ts";
import { ARBITRATOR_STAKE_MIN, treasuriesFor } from "../../../sim/chain/genesis.ts";
import { treasuryList } from "../../../sim/chain/instruction-parts.ts";
import { initializeFeeConfig, updateFeeConfig } from "../../../sim/chain/instructions.ts";
import { tokenAccountBytes } from "../../../sim/chain/token.ts";
import type { Instruction } from "../../../sim/chain/transaction.ts";
import type { Trade } from "./trades.ts";
import {
  AMOUNT,
  caseOf,
  commitment,
  disputedTrade,
  escrowOf,
  escrowTokensOf,
  of,
  playRound,
  tradeAfter,
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
  stakeOf,
  stored,
  succeed,
  swapped,
  tokens,
  tokensOf,
  u64le,
  wallet,
  withAccount,
} from "./world.ts";

/** A fee that takes all: as much as the admin may ask for. */
const ALL = {
  adListingFee: 0n,
  disputeFilingFee: 0n,
  settlementFeeBps: 10_000,
  shareBps: [4_000, 3_000, 2_000, 1_000],
  timeoutSecs: 1_800n,
} as const;
const [BUYER, MERCHANT] = [0, 1];
/** Where a stake has its amount. Source: protocol 03 D.3. */
const STAKE_AMOUNT_AT = 41;
/** Where a fee configuration names its treasuries. Source: protocol 03 D.3. */
const TREASURIES_AT = 58;

/** What somebody pays into an escrow besides its amount. */
const GIFT = 7n;

/** Lamports that the paper names as a weakness's price. */
function priced(weakness: string): readonly bigint[] {
  const paper = readFileSync("core/spec/protocol/03-disputes-and-chain.md", "utf8");
  const row = paper.split("\n").find((line) => line.startsWith(`| ${weakness} |`)) ?? "";
  return [...row.matchAll(/\b\d{1,3}(?:,\d{3}){2}\b/g)].map(([text]) => BigInt(text.replaceAll(",", "")));
}

/** Tokens of the merchant's for the escrow of a trade. Source: SPL Token (Transfer). */
function gift(trade: Trade): Instruction {
  return {
    program: trade.mint.tokenProgram,
    accounts: [
      { address: tokensOf(trade.merchant, trade.mint), signer: false, writable: true },
      { address: escrowTokensOf(trade), signer: false, writable: true },
      { address: wallet(trade.merchant), signer: true, writable: false },
    ],
    data: Uint8Array.from([3, ...u64.write(GIFT)]),
  };
}

export function describeKeptFaults(world: () => World): void {
  describe("faults that are kept", () => {
    feesChange(world);
    numbersAreTaken(world);
    accountsStay(world);
    openersChoose(world);
  });
}

function feesChange(world: () => World): void {
  const feeConfig = at.feeConfig().address;

  test("the fee is that of the release, also one that takes all (W-17)", async () => {
    const trade = await tradeAfter(world(), "approve");
    const [{ mint }, more] = [trade.mint, { stakeAgeSecs: 0n, sortitionBps: 0, mints: [trade.mint.mint] }];
    const update = updateFeeConfig(at, wallet("admin"), mint, treasuriesFor(at, trade.mint), ALL, more);
    await withAccount(
      world(),
      feeConfig,
      (account) => account,
      async () => {
        await succeed(world(), [update], "admin");
        const [released] = await succeed(world(), [of.release(trade)], "stranger");
        expect(released).toMatchObject({ fields: { amount: AMOUNT, buyer_amount: 0n, fee: AMOUNT } });
      },
    );
  });

  test("who sets the programs up first rules them, and nobody after (W-21)", async () => {
    const treasuries = treasuriesFor(at, { mint: at.profile.openMint, tokenProgram: at.profile.openMint });
    const initialize = initializeFeeConfig(at, wallet("stranger"), treasuries, ALL);
    await refused(world(), "AccountAlreadyInitialized", [initialize], "stranger");
    await withAccount(
      world(),
      feeConfig,
      () => nothing,
      async () => {
        await succeed(world(), [initialize], "stranger");
      },
    );
  });

  test("a configuration that names token accounts pays into those, and serves their mint alone (W-23)", () =>
    namedTokensArePaid(world()));

  test("where token accounts are named, whoever calls can have the fee lost (W-23)", () => feeIsLost(world()));
}

/**
 * Where token accounts are named, one that obeys such an address obeys nobody: a token account signs nothing. Whoever
 * calls has the fee lost in it, for its rent.
 */
async function feeIsLost(world: World): Promise<void> {
  const trade = await tradeAfter(world, "approve");
  const named = treasuryList(treasuriesFor(at, trade.mint));
  const lost = wallet("lost fees");
  const places = of.release(trade).accounts.map(({ address }) => address);
  const first = places.indexOf(named[0] ?? "");
  await withAccount(
    world,
    at.feeConfig().address,
    (account) => ({ ...account, data: naming(account.data, named) }),
    () =>
      withAccount(
        world,
        lost,
        () => {
          const account = { mint: trade.mint.mint, authority: named[0] ?? "", amount: 0n, nativeReserve: null };
          const owner = trade.mint.tokenProgram;
          return { ...nothing, lamports: 2_039_280n, owner, data: tokenAccountBytes(account) };
        },
        async () => {
          await succeed(world, [swapped(of.release(trade), first, lost)], "stranger");
          expect(await tokens(world, lost)).toBe(1_360n);
        },
      ),
  );
}

function naming(data: Uint8Array, named: readonly string[]): Uint8Array {
  const changed = Uint8Array.from(data);
  for (const [place, address] of named.entries()) changed.set(addressBytes(address), TREASURIES_AT + 32 * place);
  return changed;
}

/** With the token accounts of one mint named as treasuries, its trades are released to those, and no others are. */
export async function namedTokensArePaid(world: World): Promise<void> {
  const served = await tradeAfter(world, "approve");
  const other = await tradeAfter(world, "approve", mintOf("USDT"));
  const named = treasuryList(treasuriesFor(at, served.mint));
  await withAccount(
    world,
    at.feeConfig().address,
    (account) => ({ ...account, data: naming(account.data, named) }),
    async () => {
      const before = await tokens(world, named[0] ?? "");
      await refused(world, "InvalidAccountData", [of.release(other)], "stranger");
      await succeed(world, [of.release(served)], "stranger");
      expect((await tokens(world, named[0] ?? "")) - before).toBe(1_360n);
    },
  );
  await succeed(world, [of.release(other)], "stranger");
}

function numbersAreTaken(world: () => World): void {
  test("who creates an escrow under a number first has it (W-18)", async () => {
    const trade = await tradeAfter(world(), "reserve");
    const squatter = await tradeAfter(world(), "reserve");
    const taken: Trade = { ...squatter, ref: { ...squatter.ref, reservation: trade.ref.reservation } };
    await succeed(world(), [of.create(taken)], taken.merchant);
    await refused(world(), "AccountAlreadyInitialized", [of.create(trade)], trade.merchant);
    expect(await read(world(), tradeEscrow, escrowOf(trade))).toMatchObject({ seller: wallet(taken.merchant) });
  });

  test("an equal salt gives an equal commitment in the next round (W-19)", async () => {
    const trade = await disputedTrade(world());
    await playRound(world(), trade, votes(BUYER, BUYER));
    await succeed(world(), [of.execute(trade)], "stranger");
    await succeed(world(), [of.commit(trade, "arbitrator 0", BUYER)], "arbitrator 0");
    const { round, commitments } = await read(world(), disputeCase, caseOf(trade));
    expect([round, commitments]).toEqual([1, [commitment(trade, "arbitrator 0", BUYER)]]);
  });
}

function accountsStay(world: () => World): void {
  test("a closed escrow and its case keep their rent, and what was paid in besides (W-20)", async () => {
    const trade = await disputedTrade(world());
    const rent = async (address: string) => (await stored(world(), address)).lamports;
    const ofTrade = (await rent(escrowOf(trade))) + (await rent(escrowTokensOf(trade)));
    const ofCase = await rent(caseOf(trade));
    expect([priced("W-20"), priced("W-18")]).toEqual([[ofTrade, ofCase], [ofTrade]]);
    await succeed(world(), [gift(trade)], trade.merchant);
    await playRound(world(), trade, votes(BUYER, BUYER, BUYER));
    await succeed(world(), [of.execute(trade)], "stranger");
    expect(await tokens(world(), escrowTokensOf(trade))).toBe(GIFT);
    expect((await rent(escrowOf(trade))) + (await rent(escrowTokensOf(trade)))).toBe(ofTrade);
    expect(await rent(caseOf(trade))).toBe(ofCase);
  });

  test("a merchant may be the buyer, and pays the fee (W-22)", async () => {
    const reserved = await tradeAfter(world(), "reserve");
    const trade: Trade = { ...reserved, buyer: reserved.merchant };
    const create = swapped(of.create(trade), 2, wallet(trade.merchant));
    await succeed(world(), [create, of.fund(trade), of.approve(trade)], trade.merchant);
    const held = await tokens(world(), tokensOf(trade.merchant, trade.mint));
    await succeed(world(), [of.release(trade)], "stranger");
    expect((await tokens(world(), tokensOf(trade.merchant, trade.mint))) - held).toBe(396_601n);
  });
}

function openersChoose(world: () => World): void {
  test("a case that nobody can reach in its two minutes is split after three rounds (W-26)", async () => {
    const trade = await tradeAfter(world(), "fund");
    const before = await tokens(world(), tokensOf(trade.buyer, trade.mint));
    const opened = world().now;
    await succeed(world(), [of.open(trade, trade.buyer)], trade.buyer);
    for (let round = 0; round < 3; round += 1) {
      world().now += 2n * WINDOW;
      await succeed(world(), [of.execute(trade)], trade.buyer);
    }
    expect(world().now - opened).toBe(360n);
    expect((await tokens(world(), tokensOf(trade.buyer, trade.mint))) - before).toBe(AMOUNT / 2n);
  });

  test("seven seats of the least stake keep out whoever has more, and decide (W-27)", async () => {
    const trade = await disputedTrade(world());
    const friends = votes(BUYER, BUYER, BUYER, BUYER, BUYER, BUYER, BUYER);
    for (const { arbitrator, outcome } of friends)
      await succeed(world(), [of.commit(trade, arbitrator, outcome)], arbitrator);
    const late = "arbitrator 7";
    await patched(world(), stakeOf(late), STAKE_AMOUNT_AT, u64le(100n * ARBITRATOR_STAKE_MIN), () =>
      refused(world(), 6012, [of.commit(trade, late, MERCHANT)], late),
    );
    world().now += WINDOW;
    for (const { arbitrator, outcome } of friends)
      await succeed(world(), [of.reveal(trade, arbitrator, outcome)], arbitrator);
    world().now += WINDOW;
    await succeed(world(), [of.execute(trade)], "stranger");
    expect((await read(world(), disputeCase, caseOf(trade))).outcome).toBe(BUYER);
  });
}
