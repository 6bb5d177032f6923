/**
 * Contract of slashing: the authority takes the configured share of an active stake, and nobody else takes anything.
 * Source: protocol 03 D.3, D.4, D.5, E14; protocol 05 Part 5.
 */
import { describe, expect, test } from "vitest";
import { stakeAccount } from "../../../core/solana/accounts.ts";
import { stakeRoles } from "../../../core/solana/addresses.ts";
import type { StakeRef } from "../../../sim/chain/staking-instructions.ts";
import { initializeStakeAccount, requestUnstake, slash, stake } from "../../../sim/chain/staking-instructions.ts";
import { newTrade } from "./trades.ts";
import type { World } from "./world.ts";
import { at, OPEN, patched, read, refused, succeed, tokens, tokensOf, u64le, wallet } from "./world.ts";

const LEAST = 500_000_000n;
const DESTINATION = tokensOf("admin", OPEN);
/** Where the configuration and a stake keep what a test changes. Source: protocol 03 D.3. */
const SLASH_BPS = 184;
const SLASHED_TOTAL = 65;

/** Somebody with a merchant's stake. */
async function merchantStake(world: World, amount: bigint): Promise<StakeRef & { readonly name: string }> {
  const name = newTrade(world).buyer;
  const ref = { owner: wallet(name), role: stakeRoles.Merchant };
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

export function describeSlashing(world: () => World): void {
  describe("slash (E14)", () => {
    test("takes 5 % of what is active, rounded down, and tells it", async () => {
      const someone = await merchantStake(world(), 3n * LEAST + 19n);
      await succeed(world(), [requestUnstake(at, someone, LEAST)], someone.name);
      const [vault, destination] = [at.stakeVault().address, DESTINATION];
      const before = [await tokens(world(), vault), await tokens(world(), destination)] as const;
      const events = await succeed(world(), [slashBy("admin", someone, 777)], "admin");
      const amount = (2n * LEAST + 19n) / 20n;
      const remaining_stake = 2n * LEAST + 19n - amount;
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
        ...{ amount: remaining_stake, unbonding_amount: LEAST, slashed_total: amount },
      });
      expect(await tokens(world(), vault)).toBe(before[0] - amount);
      expect(await tokens(world(), destination)).toBe(before[1] + amount);
    });

    test("leaves the rest without weight below the least, until more is staked", async () => {
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
    });

    test("is nobody else's (6000)", async () => {
      const someone = await merchantStake(world(), LEAST);
      for (const name of ["stranger", someone.name]) {
        await refused(world(), 6000, [slashBy(name, someone)], name);
      }
      const elsewhere = { authority: wallet("admin"), ...someone, destination: tokensOf("stranger", OPEN) };
      await refused(world(), "InvalidAccountData", [slash(at, elsewhere, 1)], "admin");
    });

    test("takes all at most, and a total above 64 bits is none (6027)", async () => {
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
    });
  });
}
