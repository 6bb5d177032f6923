/**
 * Contract of slashing: the authority takes the configured share of a stake, and nobody else takes anything.
 * The authority is the escrow program, for a seat that revealed another outcome than the decided one.
 * Source: protocol 03 D.3, D.4, D.5, E14; protocol 05 Part 5.
 */
import { describe, expect, test } from "vitest";
import { disputeCase, stakeAccount } from "../../../core/solana/accounts.ts";
import { stakeRoles } from "../../../core/solana/addresses.ts";
import { addressBytes } from "../../../core/solana/layout.ts";
import { forwarded } from "../../../sim/chain/disguises.ts";
import { ARBITRATOR_STAKE_MIN } from "../../../sim/chain/genesis.ts";
import { claimArbitrationReward } from "../../../sim/chain/instructions.ts";
import type { StakeRef } from "../../../sim/chain/staking-instructions.ts";
import {
  initializeStakeAccount,
  requestUnstake,
  slash,
  slashDissentingArbitrator,
  stake,
} from "../../../sim/chain/staking-instructions.ts";
import type { Trade, Vote } from "./trades.ts";
import { caseOf, disputedTrade, FILING_FEE, newTrade, of, playRound, votes } from "./trades.ts";
import type { World } from "./world.ts";
import {
  at,
  OPEN,
  patched,
  read,
  refused,
  run,
  succeed,
  swapped,
  tokens,
  tokensOf,
  u64le,
  wallet,
  withRights,
} from "./world.ts";

const LEAST = 500_000_000n;
const DESTINATION = tokensOf("admin", OPEN);
/** Where the configuration and a stake keep what a test changes. Source: protocol 03 D.3. */
const SLASH_BPS = 184;
const SLASHED_TOTAL = 65;
const SLASHING_AUTHORITY = 186;

type Staker = StakeRef & { readonly name: string };

/** Somebody with a merchant's stake. */
function merchantStake(world: World, amount: bigint): Promise<Staker> {
  return newStake(world, amount, stakeRoles.Merchant);
}

/** Somebody with a stake that the program made. */
async function newStake(world: World, amount: bigint, role: number): Promise<Staker> {
  const name = newTrade(world).buyer;
  const ref = { owner: wallet(name), role };
  const instructions = [initializeStakeAccount(at, ref), stake(at, ref, tokensOf(name, OPEN), amount)];
  await succeed(world, instructions, name);
  return { ...ref, name };
}

function addressOf({ owner, role }: StakeRef): string {
  return at.stakeAccount(owner, role).address;
}

function slashBy(authority: string, ref: StakeRef, code = 1) {
  return slash(at, { authority: wallet(authority), ...ref, destination: DESTINATION }, code);
}

/** For the length of `test`, the configuration names somebody who can sign. */
function byAdmin(world: World, test: () => Promise<void>): Promise<void> {
  return patched(world, at.stakingConfig().address, SLASHING_AUTHORITY, addressBytes(wallet("admin")), test);
}

export function describeSlashing(world: () => World): void {
  describe("slash (E14)", () => {
    takesItsShare(world);
    takesAllAtMost(world);
  });
  describe("slash_dissenting_arbitrator (E14)", () => {
    slashesDissent(world);
    slashesEach(world);
    sparesOthers(world);
  });
  describe("nobody but the escrow program slashes", () => isNobodyElses(world));
}

function takesItsShare(world: () => World): void {
  test("takes 5 % of what is active and of what waits, each rounded down, and tells it", () =>
    byAdmin(world(), async () => {
      const someone = await merchantStake(world(), 3n * LEAST + 38n);
      await succeed(world(), [requestUnstake(at, someone, LEAST + 19n)], someone.name);
      const [vault, destination] = [at.stakeVault().address, DESTINATION];
      const before = [await tokens(world(), vault), await tokens(world(), destination)] as const;
      const events = await succeed(world(), [slashBy("admin", someone, 777)], "admin");
      const [active, waiting] = [(2n * LEAST + 19n) / 20n, (LEAST + 19n) / 20n];
      const amount = active + waiting;
      const remaining_stake = 2n * LEAST + 19n - active;
      expect(events.map(({ type, fields }) => ({ type, fields }))).toEqual([
        {
          type: "SlashApplied",
          fields: {
            ...{ stake_account: addressOf(someone), owner: someone.owner, role: 0, code: 777 },
            ...{ amount, remaining_stake, slashed_total: amount, eligible_after: true },
            ...{ destination, timestamp: world().now },
          },
        },
      ]);
      expect(await read(world(), stakeAccount, addressOf(someone))).toMatchObject({
        ...{ amount: remaining_stake, unbonding_amount: LEAST + 19n - waiting, slashed_total: amount },
      });
      expect(await tokens(world(), vault)).toBe(before[0] - amount);
      expect(await tokens(world(), destination)).toBe(before[1] + amount);
    }));

  test("leaves the rest without weight below the least, until more is staked", () =>
    byAdmin(world(), async () => {
      const someone = await merchantStake(world(), LEAST);
      const [event] = await succeed(world(), [slashBy("admin", someone)], "admin");
      const left = LEAST - LEAST / 20n;
      expect(event?.fields).toMatchObject({ remaining_stake: left, eligible_after: false });
      await refused(world(), 6100, [requestUnstake(at, someone, 1n)], someone.name);
      const purse = tokensOf(someone.name, OPEN);
      await refused(world(), 6100, [stake(at, someone, purse, LEAST / 20n - 1n)], someone.name);
      await succeed(world(), [stake(at, someone, purse, LEAST / 20n)], someone.name);
      const [again] = await succeed(world(), [slashBy("admin", someone)], "admin");
      expect(again?.fields).toMatchObject({ slashed_total: LEAST / 10n });
      await succeed(world(), [requestUnstake(at, someone, left)], someone.name);
    }));
}

function takesAllAtMost(world: () => World): void {
  test("takes all at most, and a total above 64 bits is none (6027)", () =>
    byAdmin(world(), async () => {
      const someone = await merchantStake(world(), LEAST);
      const config = at.stakingConfig().address;
      await patched(world(), config, SLASH_BPS, [0x11, 0x27], async () => {
        await refused(world(), 6027, [slashBy("admin", someone)], "admin"); // 10,001
      });
      await patched(world(), addressOf(someone), SLASHED_TOTAL, u64le((1n << 64n) - LEAST / 20n), async () => {
        await refused(world(), 6027, [slashBy("admin", someone)], "admin");
      });
      await patched(world(), config, SLASH_BPS, [0x10, 0x27], async () => {
        const [all] = await succeed(world(), [slashBy("admin", someone)], "admin");
        expect(all?.fields).toMatchObject({ amount: LEAST, remaining_stake: 0n });
        const [none] = await succeed(world(), [slashBy("admin", someone)], "admin");
        expect(none?.fields).toMatchObject({ amount: 0n, slashed_total: LEAST });
      });
    }));
}

const MINIMUM = ARBITRATOR_STAKE_MIN;
/** Outcome bytes. Source: protocol 03 D.3. */
const [BUYER, MERCHANT, MUTUAL, INVALID] = [0, 1, 2, 3];

/** A case that three arbitrators of the first day and newcomers voted on, and what came of it. */
async function decided(world: World, newcomers: readonly Vote[], outcome: number): Promise<Trade> {
  const trade = await disputedTrade(world);
  await playRound(world, trade, [...votes(outcome, outcome, outcome), ...newcomers]);
  await succeed(world, [of.execute(trade)], "stranger");
  return trade;
}

function newArbitrator(world: World, amount = MINIMUM): Promise<Staker> {
  return newStake(world, amount, stakeRoles.Arbitrator);
}

function slashFor(trade: Trade, arbitrator: string) {
  return slashDissentingArbitrator(at, trade.ref.reservation, wallet(arbitrator), DESTINATION);
}

function slashesDissent(world: () => World): void {
  test.each([
    { outcome: BUYER, voted: MERCHANT },
    { outcome: MERCHANT, voted: BUYER },
    { outcome: INVALID, voted: MERCHANT },
    { outcome: MUTUAL, voted: INVALID },
  ])("a case decided $outcome: a vote for $voted costs 5 % of the stake, once", async ({ outcome, voted }) => {
    const juror = await newArbitrator(world(), 2n * MINIMUM);
    const trade = await decided(world(), [{ arbitrator: juror.name, outcome: voted }], outcome);
    const destination = await tokens(world(), DESTINATION);
    const [event, ...others] = await succeed(world(), [slashFor(trade, juror.name)], "stranger");
    expect(others).toEqual([]);
    const amount = MINIMUM / 10n;
    expect(event?.fields).toEqual({
      ...{ stake_account: addressOf(juror), owner: juror.owner, role: stakeRoles.Arbitrator, code: 1 },
      ...{ amount, remaining_stake: 2n * MINIMUM - amount, slashed_total: amount, eligible_after: true },
      ...{ destination: DESTINATION, timestamp: world().now },
    });
    expect(await tokens(world(), DESTINATION)).toBe(destination + amount);
    const { reward_claimed } = await read(world(), disputeCase, caseOf(trade));
    expect(reward_claimed).toEqual([false, false, false, true]);
    await refused(world(), 6046, [slashFor(trade, juror.name)], "stranger");
  });

  test("the calls stand in the log, one in the other", async () => {
    const juror = await newArbitrator(world());
    const trade = await decided(world(), [{ arbitrator: juror.name, outcome: BUYER }], MERCHANT);
    const { logs } = await run(world(), [slashFor(trade, juror.name)], "stranger");
    const { escrowProgram, stakingProgram } = at.profile;
    expect(logs.map((line) => line.replace(/^(Program data: ).*/, "$1"))).toEqual([
      `Program ${escrowProgram} invoke [1]`,
      `Program ${stakingProgram} invoke [2]`,
      "Program data: ",
      `Program ${stakingProgram} success`,
      `Program ${escrowProgram} success`,
    ]);
  });
}

function slashesEach(world: () => World): void {
  test("several who lost are slashed each, before rewards and after", async () => {
    const jurors = [await newArbitrator(world()), await newArbitrator(world())] as const;
    const [early, late] = jurors;
    const trade = await decided(
      world(),
      jurors.map(({ name }) => ({ arbitrator: name, outcome: INVALID })),
      BUYER,
    );
    const claim = (name: string) => {
      return claimArbitrationReward(at, trade.ref.reservation, wallet(name), tokensOf(name, OPEN));
    };
    await succeed(world(), [slashFor(trade, early.name)], "stranger");
    const pool = await tokens(world(), at.arbitrationPool().address);
    for (const index of [0, 1, 2]) await succeed(world(), [claim(`arbitrator ${index}`)], `arbitrator ${index}`);
    expect(await tokens(world(), at.arbitrationPool().address)).toBe(pool - FILING_FEE);
    await succeed(world(), [slashFor(trade, late.name)], "stranger");
    for (const { name } of jurors) await refused(world(), 6025, [claim(name)], name);
    expect(await read(world(), disputeCase, caseOf(trade))).toMatchObject({
      ...{ reward_claimed: [true, true, true, true, true], reward_remaining: 0n },
    });
  });

  test("who asks for the stake back after the vote pays all the same", async () => {
    const juror = await newArbitrator(world());
    const trade = await disputedTrade(world());
    await playRound(world(), trade, [
      ...votes(MERCHANT, MERCHANT, MERCHANT),
      { arbitrator: juror.name, outcome: BUYER },
    ]);
    await succeed(world(), [requestUnstake(at, juror, MINIMUM)], juror.name);
    await succeed(world(), [of.execute(trade)], "stranger");
    const [event] = await succeed(world(), [slashFor(trade, juror.name)], "stranger");
    expect(event?.fields).toMatchObject({ amount: MINIMUM / 20n, remaining_stake: 0n, eligible_after: false });
    expect(await read(world(), stakeAccount, addressOf(juror))).toMatchObject({
      unbonding_amount: MINIMUM - MINIMUM / 20n,
    });
  });

  test("each case costs anew", async () => {
    const juror = await newArbitrator(world(), 2n * MINIMUM);
    for (const [stake, slashed] of [
      [2n * MINIMUM, MINIMUM / 10n],
      [(19n * MINIMUM) / 10n, (19n * MINIMUM) / 200n],
    ] as const) {
      const trade = await decided(world(), [{ arbitrator: juror.name, outcome: BUYER }], MERCHANT);
      const [event] = await succeed(world(), [slashFor(trade, juror.name)], "stranger");
      expect(event?.fields).toMatchObject({ amount: slashed, remaining_stake: stake - slashed });
    }
  });
}

function sparesOthers(world: () => World): void {
  test("who won, who was silent (6045), who did not sit (6014)", async () => {
    const [silent, absent] = [await newArbitrator(world()), await newArbitrator(world())];
    const trade = await decided(world(), [{ arbitrator: silent.name, outcome: BUYER, silent: true }], MERCHANT);
    for (const name of ["arbitrator 0", silent.name]) {
      await refused(world(), 6045, [slashFor(trade, name)], "stranger");
    }
    await refused(world(), 6014, [slashFor(trade, absent.name)], "stranger");
  });

  test("everybody while nothing is decided, and after a split (6024)", async () => {
    const juror = await newArbitrator(world());
    const trade = await disputedTrade(world());
    const slashJuror = slashFor(trade, juror.name);
    for (const _ of [0, 1, 2]) {
      const round = [
        { arbitrator: "arbitrator 0", outcome: MERCHANT },
        { arbitrator: juror.name, outcome: BUYER },
      ];
      await playRound(world(), trade, round);
      await refused(world(), 6024, [slashJuror], "stranger");
      await succeed(world(), [of.execute(trade)], "stranger");
      await refused(world(), 6024, [slashJuror], "stranger");
    }
    expect(await read(world(), disputeCase, caseOf(trade))).toMatchObject({ resolved: true, outcome: null });
  });

  test("a stake in another role", async () => {
    const juror = await newArbitrator(world());
    const ref = { owner: juror.owner, role: stakeRoles.OracleProvider };
    const purse = tokensOf(juror.name, OPEN);
    await succeed(world(), [initializeStakeAccount(at, ref), stake(at, ref, purse, MINIMUM)], juror.name);
    const trade = await decided(world(), [{ arbitrator: juror.name, outcome: BUYER }], MERCHANT);
    const other = swapped(slashFor(trade, juror.name), 4, addressOf(ref));
    await refused(world(), "InvalidAccountData", [other], "stranger");
  });
}

function isNobodyElses(world: () => World): void {
  test("whoever signs (6000)", () => onlyTheEscrowSlashes(world()));

  test("tokens go where the configuration says", async () => {
    const someone = await merchantStake(world(), LEAST);
    await byAdmin(world(), async () => {
      const elsewhere = { authority: wallet("admin"), ...someone, destination: tokensOf("stranger", OPEN) };
      await refused(world(), "InvalidAccountData", [slash(at, elsewhere, 1)], "admin");
    });
  });

  test("its address does not sign for another caller, nor for another program", async () => {
    const someone = await merchantStake(world(), LEAST);
    const authority = at.slashingAuthority().address;
    const direct = slash(at, { authority, ...someone, destination: DESTINATION }, 1);
    const unsigned = withRights(direct, 0, { signer: false });
    for (const instruction of [unsigned, forwarded(unsigned)]) {
      await refused(world(), "MissingRequiredSignature", [instruction], "stranger");
    }
  });

  test("a configuration with another authority is not the escrow program's to use (6000)", async () => {
    const juror = await newArbitrator(world());
    const trade = await decided(world(), [{ arbitrator: juror.name, outcome: BUYER }], MERCHANT);
    await byAdmin(world(), () => refused(world(), 6000, [slashFor(trade, juror.name)], "stranger"));
    await succeed(world(), [slashFor(trade, juror.name)], "stranger");
  });
}

/** The admin, anybody, and the owner are refused. */
export async function onlyTheEscrowSlashes(world: World): Promise<void> {
  const someone = await merchantStake(world, LEAST);
  for (const name of ["admin", "stranger", someone.name]) {
    await refused(world, 6000, [slashBy(name, someone)], name);
  }
}

/** A second slash for one seat of one case is refused. */
export async function slashesOnce(world: World): Promise<void> {
  const juror = await newArbitrator(world, 2n * MINIMUM);
  const trade = await decided(world, [{ arbitrator: juror.name, outcome: BUYER }], MERCHANT);
  await succeed(world, [slashFor(trade, juror.name)], "stranger");
  await refused(world, 6046, [slashFor(trade, juror.name)], "stranger");
}
