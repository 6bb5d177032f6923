/**
 * Contract of the staking program: a stake is made, grows, stops counting, waits, leaves; and is slashed.
 * Source: protocol 03 D.3, D.4, D.5, E5, E14; adapters/chain/staking-program/README.md.
 */
import { describe, expect, test } from "vitest";
import { stakeAccount } from "../../../core/solana/accounts.ts";
import { simulatedProfile, stakeRoles, systemProgram } from "../../../core/solana/addresses.ts";
import { rentExempt } from "../../../sim/chain/rent.ts";
import type { StakeRef } from "../../../sim/chain/staking-instructions.ts";
import {
  initializeStakeAccount,
  requestUnstake,
  stake,
  withdrawUnstaked,
} from "../../../sim/chain/staking-instructions.ts";
import { banRecordOf } from "./probes.ts";
import { disputedTrade, newTrade, of } from "./trades.ts";
import type { World } from "./world.ts";
import {
  at,
  nothing,
  OPEN,
  patched,
  read,
  refused,
  stored,
  succeed,
  swapped,
  tokens,
  tokensOf,
  u64le,
  wallet,
  withAccount,
} from "./world.ts";

/** Least stake and wait of each role, in OPEN base units and seconds. Source: protocol 03 D.3. */
const terms = [
  { role: stakeRoles.Merchant, least: 500_000_000n, wait: 86_400n },
  { role: stakeRoles.Arbitrator, least: 100_000_000_000n, wait: 259_200n },
  { role: stakeRoles.NodeOperator, least: 500_000_000_000n, wait: 604_800n },
  { role: stakeRoles.NotificationProvider, least: 100_000_000_000n, wait: 604_800n },
  { role: stakeRoles.OracleProvider, least: 100_000_000_000n, wait: 604_800n },
  { role: stakeRoles.RiskIntelligenceProvider, least: 100_000_000_000n, wait: 604_800n },
  { role: stakeRoles.SnapshotProvider, least: 100_000_000_000n, wait: 604_800n },
] as const;
const MERCHANT = terms[0];
const U64_MAX = (1n << 64n) - 1n;
/** Where a stake account and the configuration keep what a test changes. Source: protocol 03 D.3. */
const AMOUNT = 41;
const UNBONDING_AMOUNT = 49;
const CONFIG_UNBONDING_SECS = 128;

/** Somebody whom no other test knows, in one role. */
function newStaker(world: World, role: number = stakeRoles.Merchant) {
  const name = newTrade(world).buyer;
  const ref: StakeRef = { owner: wallet(name), role };
  const address = at.stakeAccount(ref.owner, role).address;
  const purse = tokensOf(name, OPEN);
  return {
    name,
    ref,
    address,
    purse,
    init: () => initializeStakeAccount(at, ref),
    stake: (amount: bigint) => stake(at, ref, purse, amount),
    unstake: (amount: bigint) => requestUnstake(at, ref, amount),
    withdraw: () => withdrawUnstaked(at, ref, purse),
    account: () => read(world, stakeAccount, address),
  };
}

type Staker = ReturnType<typeof newStaker>;

async function staker(world: World, amount: bigint, role: number = stakeRoles.Merchant): Promise<Staker> {
  const someone = newStaker(world, role);
  await succeed(world, [someone.init(), someone.stake(amount)], someone.name);
  return someone;
}

export function describeStaking(world: () => World): void {
  describe("initialize_stake_account", () => registers(world));
  describe("stake (E5)", () => stakes(world));
  describe("request_unstake and withdraw_unstaked", () => {
    waits(world);
    leaves(world);
  });
  describe("the books of all stakes", () => staysWhole(world));
}

function registers(world: () => World): void {
  test("makes an empty stake of 90 bytes, rent paid by its owner, once", async () => {
    const someone = newStaker(world());
    const before = (await stored(world(), someone.ref.owner)).lamports;
    expect(await succeed(world(), [someone.init()], someone.name)).toEqual([]);
    const { lamports, owner } = await stored(world(), someone.address);
    expect([lamports, owner]).toEqual([rentExempt(90), simulatedProfile.stakingProgram]);
    expect((await stored(world(), someone.ref.owner)).lamports).toBe(before - rentExempt(90) - 5_000n);
    expect(await someone.account()).toEqual({
      ...{ owner: someone.ref.owner, role: 0, amount: 0n, unbonding_amount: 0n, unbonding_release_at: 0n },
      ...{ slashed_total: 0n, pending_rewards: 0n, first_staked_at: 0n },
      bump: at.stakeAccount(someone.ref.owner, 0).bump,
    });
    await refused(world(), "AccountAlreadyInitialized", [someone.init()], someone.name);
  });

  test("takes an address that somebody sent lamports to", async () => {
    const someone = newStaker(world());
    await world().executor.putAccount(someone.address, { ...nothing, lamports: 5_000_000n });
    await succeed(world(), [someone.init(), someone.stake(MERCHANT.least)], someone.name);
    expect((await stored(world(), someone.address)).lamports).toBe(5_000_000n);
  });

  test("knows seven roles, each with an account of its own", async () => {
    const someone = newStaker(world());
    for (const { role } of terms) {
      await succeed(world(), [initializeStakeAccount(at, { ...someone.ref, role })], someone.name);
    }
    const addresses = new Set(terms.map(({ role }) => at.stakeAccount(someone.ref.owner, role).address));
    expect(addresses.size).toBe(7);
    for (const role of [7, 255]) {
      const none = initializeStakeAccount(at, { ...someone.ref, role });
      await refused(world(), "InvalidInstructionData", [none], someone.name);
    }
  });

  test("nobody makes another's", async () => {
    const [someone, other] = [newStaker(world()), newStaker(world())];
    const taken = swapped(someone.init(), 0, other.ref.owner);
    await refused(world(), "InvalidAccountData", [taken], other.name);
  });
}

function stakes(world: () => World): void {
  test.each(terms)("role $role: nothing, or $least and more", async ({ role, least }) => {
    const someone = newStaker(world(), role);
    await succeed(world(), [someone.init()], someone.name);
    for (const amount of [1n, least - 1n]) await refused(world(), 6100, [someone.stake(amount)], someone.name);
    await refused(world(), "InvalidInstructionData", [someone.stake(0n)], someone.name);
    const vault = await tokens(world(), at.stakeVault().address);
    const purse = await tokens(world(), someone.purse);
    expect(await succeed(world(), [someone.stake(least)], someone.name)).toEqual([]);
    expect(await someone.account()).toMatchObject({ amount: least, first_staked_at: world().now });
    expect(await tokens(world(), at.stakeVault().address)).toBe(vault + least);
    expect(await tokens(world(), someone.purse)).toBe(purse - least);
  });

  test("grows by any amount, and keeps its age", async () => {
    const someone = await staker(world(), MERCHANT.least);
    const { first_staked_at } = await someone.account();
    world().now += 1_000n;
    await succeed(world(), [someone.stake(1n)], someone.name);
    expect(await someone.account()).toMatchObject({ amount: MERCHANT.least + 1n, first_staked_at });
  });

  test("is young again once it was nothing", async () => {
    const someone = await staker(world(), MERCHANT.least);
    await succeed(world(), [someone.unstake(MERCHANT.least)], someone.name);
    world().now += 1_000n;
    await succeed(world(), [someone.stake(MERCHANT.least)], someone.name);
    expect(await someone.account()).toMatchObject({ first_staked_at: world().now });
  });

  test("takes no more than there is, from nobody else, and not from the banned", async () => {
    const someone = await staker(world(), MERCHANT.least);
    const purse = await tokens(world(), someone.purse);
    await refused(world(), 1, [someone.stake(purse + 1n)], someone.name);
    const foreign = stake(at, someone.ref, tokensOf("stranger", OPEN), 1n);
    await refused(world(), 4, [foreign], someone.name);
    await refused(world(), 4, [stake(at, someone.ref, at.stakeVault().address, 1n)], someone.name);
    const ban = at.banRecord(someone.ref.owner).address;
    await withAccount(
      world(),
      ban,
      () => banRecordOf(someone.ref.owner),
      async () => {
        await refused(world(), 6028, [someone.stake(1n)], someone.name);
        await succeed(world(), [someone.unstake(MERCHANT.least)], someone.name);
        world().now += MERCHANT.wait;
        await succeed(world(), [someone.withdraw()], someone.name);
      },
    );
  });

  test("a sum above 64 bits is none (6027)", async () => {
    const someone = await staker(world(), MERCHANT.least);
    await patched(world(), someone.address, AMOUNT, u64le(U64_MAX), async () => {
      await refused(world(), 6027, [someone.stake(1n)], someone.name);
    });
  });
}

function waits(world: () => World): void {
  test.each(terms)("role $role: a stake that leaves waits $wait seconds", async ({ role, least, wait }) => {
    const someone = await staker(world(), least, role);
    const asked = world().now;
    expect(await succeed(world(), [someone.unstake(least)], someone.name)).toEqual([]);
    expect(await someone.account()).toMatchObject({
      ...{ amount: 0n, unbonding_amount: least, unbonding_release_at: asked + wait },
    });
    world().now = asked + wait - 1n;
    await refused(world(), 6102, [someone.withdraw()], someone.name);
    world().now = asked + wait;
    const purse = await tokens(world(), someone.purse);
    expect(await succeed(world(), [someone.withdraw()], someone.name)).toEqual([]);
    expect(await tokens(world(), someone.purse)).toBe(purse + least);
    expect(await someone.account()).toMatchObject({ amount: 0n, unbonding_amount: 0n, unbonding_release_at: 0n });
    await refused(world(), 6103, [someone.withdraw()], someone.name);
  });

  test("leaves all, or at least the least, and never more than there is", async () => {
    const someone = await staker(world(), MERCHANT.least + 10n);
    await refused(world(), "InvalidInstructionData", [someone.unstake(0n)], someone.name);
    await refused(world(), 6101, [someone.unstake(MERCHANT.least + 11n)], someone.name);
    for (const amount of [11n, MERCHANT.least + 9n]) {
      await refused(world(), 6100, [someone.unstake(amount)], someone.name);
    }
    await succeed(world(), [someone.unstake(10n)], someone.name);
    await succeed(world(), [someone.unstake(MERCHANT.least)], someone.name);
    await refused(world(), 6101, [someone.unstake(1n)], someone.name);
  });

  test("what joins a wait begins it again for all", async () => {
    const someone = await staker(world(), 2n * MERCHANT.least);
    await succeed(world(), [someone.unstake(1n)], someone.name);
    world().now += MERCHANT.wait - 1n;
    await succeed(world(), [someone.unstake(2n)], someone.name);
    world().now += 1n;
    await refused(world(), 6102, [someone.withdraw()], someone.name);
    world().now += MERCHANT.wait - 1n;
    const purse = await tokens(world(), someone.purse);
    await succeed(world(), [someone.withdraw()], someone.name);
    expect(await tokens(world(), someone.purse)).toBe(purse + 3n);
  });

  test("an instant or a sum above its bits is none (6027), nor is a wait before now", async () => {
    const someone = await staker(world(), MERCHANT.least);
    const config = at.stakingConfig().address;
    for (const seconds of [(1n << 63n) - 1n, U64_MAX, 1n << 63n]) {
      await patched(world(), config, CONFIG_UNBONDING_SECS, u64le(seconds), async () => {
        await refused(world(), 6027, [someone.unstake(MERCHANT.least)], someone.name);
      });
    }
    await patched(world(), someone.address, UNBONDING_AMOUNT, u64le(U64_MAX), async () => {
      await refused(world(), 6027, [someone.unstake(MERCHANT.least)], someone.name);
    });
    await patched(world(), config, CONFIG_UNBONDING_SECS, u64le(0n), async () => {
      await succeed(world(), [someone.unstake(MERCHANT.least), someone.withdraw()], someone.name);
    });
  });
}

function leaves(world: () => World): void {
  test("stays where it is when its owner left: no account is closed, and none is made again", async () => {
    const someone = await staker(world(), MERCHANT.least);
    await succeed(world(), [someone.unstake(MERCHANT.least)], someone.name);
    world().now += MERCHANT.wait;
    await succeed(world(), [someone.withdraw()], someone.name);
    expect((await stored(world(), someone.address)).lamports).toBe(rentExempt(90));
    await refused(world(), "AccountAlreadyInitialized", [someone.init()], someone.name);
    await succeed(world(), [someone.stake(MERCHANT.least)], someone.name);
  });

  test("goes where its owner says, but not back into the pot", async () => {
    const someone = await staker(world(), MERCHANT.least);
    await succeed(world(), [someone.unstake(MERCHANT.least)], someone.name);
    world().now += MERCHANT.wait;
    const into = (to: string) => withdrawUnstaked(at, someone.ref, to);
    await refused(world(), "InvalidAccountData", [into(at.stakeVault().address)], someone.name);
    await refused(world(), "InvalidAccountData", [into(systemProgram)], someone.name);
    const stranger = tokensOf("stranger", OPEN);
    const before = await tokens(world(), stranger);
    await succeed(world(), [into(stranger)], someone.name);
    expect(await tokens(world(), stranger)).toBe(before + MERCHANT.least);
  });

  test("does not vote while it waits (6020), nor in another role", async () => {
    const trade = await disputedTrade(world());
    const { role, least } = terms[1];
    const leaver = await staker(world(), least, role);
    const vote = of.commit(trade, leaver.name, 0);
    await succeed(world(), [leaver.unstake(least)], leaver.name);
    await refused(world(), 6020, [vote], leaver.name);
    await succeed(world(), [leaver.stake(least), vote], leaver.name);
    const other = await staker(world(), least, stakeRoles.OracleProvider);
    await refused(world(), 6020, [of.commit(trade, other.name, 0)], other.name);
  });
}

function staysWhole(world: () => World): void {
  test("the vault holds what all stakes and all waits come to", async () => {
    const vault = () => tokens(world(), at.stakeVault().address);
    const before = await vault();
    const people = [await staker(world(), MERCHANT.least), await staker(world(), 3n * MERCHANT.least)] as const;
    const held = async () => {
      const accounts = await Promise.all(people.map((someone) => someone.account()));
      return accounts.reduce((sum, { amount, unbonding_amount }) => sum + amount + unbonding_amount, 0n);
    };
    const [first, second] = people;
    expect(await vault()).toBe(before + (await held()));
    await succeed(world(), [first.unstake(MERCHANT.least)], first.name);
    await succeed(world(), [second.unstake(1n)], second.name);
    expect(await vault()).toBe(before + (await held()));
    world().now += MERCHANT.wait;
    await succeed(world(), [first.withdraw()], first.name);
    expect(await vault()).toBe(before + (await held()));
    expect(await held()).toBe(3n * MERCHANT.least);
  });
}
