/**
 * Random instructions over few wallets, mints and reservations, valid or not, so that most sequences meet in the
 * same accounts.
 */
import fc from "fast-check";
import { systemProgram } from "../../../core/solana/addresses.ts";
import type { Mint } from "../../../sim/chain/genesis.ts";
import { openMint, settlementMints, treasuriesFor, treasuryWallets } from "../../../sim/chain/genesis.ts";
import type { FeeTerms, TradeRef } from "../../../sim/chain/instruction-parts.ts";
import * as build from "../../../sim/chain/instructions.ts";
import * as staking from "../../../sim/chain/staking-instructions.ts";
import type { Instruction } from "../../../sim/chain/transaction.ts";
import type { Name } from "./chain-world.ts";
import { addressOf, at, commitmentOf, mints, names, tokensOf, usdc } from "./chain-world.ts";

export const arbMint = fc.constantFrom(usdc, usdc, usdc, mints[0] as Mint, mints[3] as Mint, mints[4] as Mint);
const arbMerchant: fc.Arbitrary<Name> = fc.constantFrom("merchant", "merchant", "merchant", "rival", "stranger");
const arbBuyer: fc.Arbitrary<Name> = fc.constantFrom("buyer", "buyer", "buyer", "other", "merchant");
const arbJudge: fc.Arbitrary<Name> = fc.constantFrom(
  "judge1",
  "judge2",
  "judge3",
  "judge1",
  "judge2",
  "judge3",
  "judge4",
  "buyer",
  "merchant",
  "stranger",
);
const arbAnyone: fc.Arbitrary<Name> = fc.constantFrom(...names);
export const arbReservation = fc.constantFrom(1n, 1n, 1n, 2n, 3n);
const arbAmount = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(1n, 3n, 1_000n, 999_999n, 1_000_000n) },
  { weight: 1, arbitrary: fc.constantFrom(0n, 10n ** 13n, (1n << 64n) - 1n) },
);
export const arbOutcome = fc.constantFrom(0, 0, 0, 1, 2, 3);
export const arbWait = fc.oneof(
  { weight: 8, arbitrary: fc.constant(0n) },
  { weight: 3, arbitrary: fc.constantFrom(1n, 30n, 59n, 60n, 61n, 120n) },
  { weight: 1, arbitrary: fc.constantFrom(1_801n, 604_800n) },
);
const arbWindow = fc.oneof(
  { weight: 8, arbitrary: fc.constant(60n) },
  { weight: 1, arbitrary: fc.constantFrom(59n, 61n, 259_139n, 259_140n, 604_801n, -1n, (1n << 63n) - 1n) },
);

/** One trade's fixed terms, so that commands about a reservation mostly agree. */
export function tradeOf(reservation: bigint, seller: Name, mint: Mint): TradeRef {
  return { ...mint, reservation, merchant: addressOf(seller) };
}

const arbTrade = fc.record({
  reservation: arbReservation,
  seller: fc.constantFrom<Name>("merchant", "merchant", "merchant", "merchant", "merchant", "rival"),
  mint: fc.oneof({ weight: 8, arbitrary: fc.constant(usdc) }, { weight: 1, arbitrary: arbMint }),
});

export interface Signed {
  readonly by: Name;
  readonly instruction: Instruction;
}

/** Single instructions about trades, valid or not. */
const arbTradeInstruction: fc.Arbitrary<Signed> = fc.oneof(
  fc
    .tuple(arbMerchant, arbMint)
    .map(([by, mint]) => ({ by, instruction: build.createLiquidityVault(at, addressOf(by), mint) })),
  fc.tuple(arbMerchant, arbMint, arbAmount).map(([by, mint, amount]) => ({
    by,
    instruction: build.depositLiquidity(at, addressOf(by), mint, tokensOf(by, mint), amount),
  })),
  fc.tuple(arbMerchant, arbMint, arbAmount).map(([by, mint, amount]) => ({
    by,
    instruction: build.reserveLiquidity(at, addressOf(by), mint.mint, amount),
  })),
  fc.tuple(arbMerchant, arbMint, arbAmount).map(([by, mint, amount]) => ({
    by,
    instruction: build.withdrawLiquidity(at, addressOf(by), mint, tokensOf(by, mint), amount),
  })),
  fc
    .tuple(arbTrade, arbBuyer, arbAmount, fc.constantFrom(1_800n, 60n, 0n, -5n, (1n << 63n) - 1n))
    .map(([{ reservation, seller, mint }, buyer, amount, timeout]) => ({
      by: seller,
      instruction: build.createTradeEscrow(at, tradeOf(reservation, seller, mint), addressOf(buyer), amount, timeout),
    })),
  arbTrade.map(({ reservation, seller, mint }) => ({
    by: seller,
    instruction: build.fundTradeEscrow(at, tradeOf(reservation, seller, mint)),
  })),
  fc.tuple(arbReservation, arbMerchant).map(([reservation, by]) => ({
    by,
    instruction: build.approveSettlement(at, addressOf(by), reservation),
  })),
  fc.tuple(arbTrade, arbBuyer, fc.nat(5)).map(([{ reservation, seller, mint }, buyer, dice]) => {
    const [trade, treasuries] = [tradeOf(reservation, seller, mint), treasuriesFor(at, mint)];
    const instruction = build.executeDisputeOutcome(at, trade, tokensOf(buyer, mint), treasuries);
    // The account that decides between another round and a split is left out now and then.
    const accounts = dice === 0 ? instruction.accounts.slice(0, -1) : instruction.accounts;
    return { by: "stranger" as Name, instruction: { ...instruction, accounts } };
  }),
  fc.tuple(arbTrade, arbAnyone).map(([{ reservation, seller, mint }, by]) => ({
    by,
    instruction: build.cancelReservation(at, tradeOf(reservation, seller, mint), addressOf(by)),
  })),
  arbTrade.map(({ reservation, seller, mint }) => ({
    by: "stranger" as Name,
    instruction: build.expireReservation(at, tradeOf(reservation, seller, mint)),
  })),
  fc.tuple(arbTrade, arbBuyer, arbWindow, arbWindow).map(([{ reservation, seller }, by, commitSecs, revealSecs]) => ({
    by,
    instruction: build.openDisputeCase(at, { reservation, merchant: addressOf(seller) }, addressOf(by), addressOf(by), {
      commitSecs,
      revealSecs,
    }),
  })),
  fc.tuple(arbReservation, arbJudge, arbOutcome).map(([reservation, by, outcome]) => ({
    by,
    instruction: build.commitDisputeVote(at, reservation, addressOf(by), commitmentOf(reservation, by, outcome, 11)),
  })),
  fc
    .tuple(arbReservation, arbJudge, fc.constantFrom(0, 1, 2, 3, 4), fc.constantFrom(11, 11, 11, 12))
    .map(([reservation, by, outcome, salt]) => ({
      by,
      instruction: build.revealDisputeVote(at, reservation, addressOf(by), outcome, new Uint8Array(32).fill(salt)),
    })),
  fc.tuple(arbTrade, arbBuyer).map(([{ reservation, seller, mint }, buyer]) => ({
    by: "stranger" as Name,
    instruction: build.executeDisputeOutcome(
      at,
      tradeOf(reservation, seller, mint),
      tokensOf(buyer, mint),
      treasuriesFor(at, mint),
    ),
  })),
  fc.tuple(arbReservation, arbJudge).map(([reservation, by]) => ({
    by,
    instruction: build.claimArbitrationReward(at, reservation, addressOf(by), tokensOf(by, openMint(at))),
  })),
  fc
    .tuple(fc.constantFrom<Name>("admin", "admin", "stranger"), fc.constantFrom(0, 3, 16, 17, 100))
    .map(([by, eligible]) => ({
      by,
      instruction: build.publishArbitratorPoolSize(at, addressOf(by), eligible),
    })),
);

/** The merchant's OPEN vault pays and is paid outside trades. */
const arbVaultInstruction: fc.Arbitrary<Signed> = fc.oneof(
  fc.tuple(arbReservation, arbMerchant).map(([reservation, by]) => ({
    by,
    instruction: build.topUpArbitrationDeposit(at, reservation, addressOf(by)),
  })),
  arbMerchant.map((by) => ({
    by,
    instruction: build.chargeAdListingFee(
      at,
      addressOf(by),
      new Uint8Array(32).fill(5),
      treasuriesFor(at, openMint(at)),
    ),
  })),
  arbMerchant.map((by) => ({ by: "stranger" as Name, instruction: build.absorbStakeRecovery(at, addressOf(by)) })),
);

const arbStakeRef = fc.tuple(arbJudge, fc.constantFrom(0, 1, 1, 1, 2, 6, 7)).map(([by, role]) => ({ by, role }));

/** Stakes of anybody in any role, and of an arbitrator who may have lost. */
const arbStakeInstruction: fc.Arbitrary<Signed> = fc.oneof(
  arbStakeRef.map(({ by, role }) => ({
    by,
    instruction: staking.initializeStakeAccount(at, { owner: addressOf(by), role }),
  })),
  fc.tuple(arbStakeRef, arbAmount).map(([{ by, role }, amount]) => ({
    by,
    instruction: staking.stake(at, { owner: addressOf(by), role }, tokensOf(by, openMint(at)), amount),
  })),
  fc.tuple(arbStakeRef, arbAmount).map(([{ by, role }, amount]) => ({
    by,
    instruction: staking.requestUnstake(at, { owner: addressOf(by), role }, amount),
  })),
  arbStakeRef.map(({ by, role }) => ({
    by,
    instruction: staking.withdrawUnstaked(at, { owner: addressOf(by), role }, tokensOf(by, openMint(at))),
  })),
  fc.tuple(arbReservation, arbJudge).map(([reservation, judge]) => {
    const destination = tokensOf("admin", openMint(at));
    const instruction = staking.slashDissentingArbitrator(at, reservation, addressOf(judge), destination);
    return { by: "stranger" as Name, instruction };
  }),
);

/** Mostly what is allowed, sometimes what is not. */
function mostly<T>(allowed: readonly T[], forbidden: readonly T[]): fc.Arbitrary<T> {
  return fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...allowed) },
    { weight: 1, arbitrary: fc.constantFrom(...forbidden) },
  );
}

const arbTerms: fc.Arbitrary<FeeTerms> = fc.record({
  adListingFee: fc.constantFrom(0n, 1n, 1_000_000n),
  disputeFilingFee: fc.constantFrom(0n, 10_000_000n, 10_000_000n, 10n ** 12n, (1n << 64n) - 1n),
  settlementFeeBps: mostly([0, 85, 85, 10_000], [10_001]),
  shareBps: mostly<readonly [number, number, number, number]>(
    [
      [4_000, 3_000, 2_000, 1_000],
      [0, 0, 0, 10_000],
      [3_333, 3_333, 3_333, 1],
    ],
    [
      [1, 2, 3, 4],
      [4_000, 3_000, 2_000, 1_001],
    ],
  ),
  timeoutSecs: mostly([1_800n, 1n], [0n, -1n]),
});

/** Full, one beyond full, and mints that none may settle in. */
const arbMintList = fc.oneof(
  { weight: 4, arbitrary: fc.constant(settlementMints.map((mint) => mint.mint)) },
  { weight: 1, arbitrary: fc.constantFrom([usdc.mint], []) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(15, 16, 17).map((count) => {
      const usual = settlementMints.map((mint) => mint.mint);
      return [...usual, ...names, ...names].slice(0, count).map((mint, place) => {
        return place < usual.length ? mint : addressOf(names[place % names.length] as Name);
      });
    }),
  },
  {
    weight: 1,
    arbitrary: fc.array(fc.constantFrom(...mints.map((mint) => mint.mint), systemProgram), { maxLength: 18 }),
  },
);

const arbAdmin = fc.constantFrom<Name>("admin", "admin", "admin", "stranger");

/** The programs' administration. */
export const arbAdminInstruction: fc.Arbitrary<Signed> = fc.oneof(
  {
    weight: 1,
    arbitrary: fc.tuple(arbAdmin, arbTerms).map(([by, terms]) => ({
      by,
      instruction: build.initializeFeeConfig(at, addressOf(by), treasuryWallets, terms),
    })),
  },
  {
    weight: 5,
    arbitrary: fc
      .tuple(
        arbAdmin,
        arbTerms,
        mostly([0n, 0n, 600n], [-1n]),
        mostly([0, 0, 100, 10_000], [10_001]),
        arbMintList,
        arbMint,
      )
      .map(([by, terms, stakeAgeSecs, sortitionBps, list, mint]) => ({
        by,
        instruction: build.updateFeeConfig(at, addressOf(by), mint.mint, treasuriesFor(at, mint), terms, {
          stakeAgeSecs,
          sortitionBps,
          mints: list,
        }),
      })),
  },
  {
    weight: 1,
    arbitrary: arbAdmin.map((by) => ({ by, instruction: build.initializeArbitrationPool(at, addressOf(by)) })),
  },
  { weight: 1, arbitrary: arbAdmin.map((by) => ({ by, instruction: build.migrateFeeConfig(at, addressOf(by)) })) },
);

export const arbInstruction: fc.Arbitrary<Signed> = fc.oneof(
  { weight: 16, arbitrary: arbTradeInstruction },
  { weight: 3, arbitrary: arbVaultInstruction },
  { weight: 3, arbitrary: arbStakeInstruction },
  { weight: 2, arbitrary: arbAdminInstruction },
);
