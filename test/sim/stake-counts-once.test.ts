// Goal: no stake counts for two without an alarm, and who voted otherwise pays once.
// Method: the law on chains that are written by hand; the scenario that is about it, to its last account. Programs with
// bugs in them are in test/scenarios/attacked-decisions.ts.
import { beforeAll, describe, expect, test } from "vitest";
import type { DisputeCase, StakeAccount } from "../../core/solana/accounts.ts";
import { decodeAccount, disputeCase, encodeAccount, stakeAccount, stakingConfig } from "../../core/solana/accounts.ts";
import { chainAddresses, simulatedProfile, stakeRoles, token2022Program } from "../../core/solana/addresses.ts";
import { scenarios } from "../../scenarios/index.ts";
import { openBackends } from "../../sim/backends.ts";
import type { ChainView } from "../../sim/chain/chain-view.ts";
import type { ChainAccount } from "../../sim/chain/executor.ts";
import { ARBITRATOR_STAKE_MIN as LEAST } from "../../sim/chain/genesis.ts";
import { readTokenAccount, tokenAccountBytes } from "../../sim/chain/token.ts";
import type { Checker } from "../../sim/checker.ts";
import { stakeCountsOnce } from "../../sim/checkers/stake-counts-once.ts";
import { runScenario } from "../../sim/run.ts";
import { openWallet } from "../../sim/wallet.ts";
import { alice, bob, crypto, step, watch } from "./checker-bench.ts";

const at = chainAddresses(crypto, simulatedProfile);
const [OPENED, DEADLINE] = [1_000n, 2_000n];
const KEY = at.feeConfig().address;

/** What is on the chain: tokens in the vault, stakes by owner, seats by arbitrator, at an instant. */
interface Told {
  readonly vault: bigint;
  readonly stakes: Readonly<Record<string, Partial<StakeAccount>>>;
  readonly seats: Readonly<Record<string, bigint>>;
  readonly now?: bigint;
  readonly round?: number;
  readonly written?: bigint;
}

function owned(owner: string, data: Uint8Array): ChainAccount {
  return { lamports: 1n, owner, data, executable: false };
}

function stakeOf(owner: string, told: Partial<StakeAccount>): ChainAccount {
  const none = { amount: 0n, unbonding_amount: 0n, unbonding_release_at: 0n, slashed_total: 0n, pending_rewards: 0n };
  const data = encodeAccount(stakeAccount, {
    ...{ owner, role: stakeRoles.Arbitrator, ...none, bump: 1, first_staked_at: 0n, ...told },
  });
  return owned(simulatedProfile.stakingProgram, data);
}

function caseOf({ seats, round = 0 }: Told): ChainAccount {
  const arbitrators = Object.keys(seats);
  const each = <T>(value: T) => arbitrators.map(() => value);
  const told: DisputeCase = {
    ...{ reservation_id: 7n, trade_escrow: KEY, opened_at: OPENED, commit_deadline: 1_500n, reveal_deadline: DEADLINE },
    ...{ resolved: false, round, commit_window_secs: 500n, reveal_window_secs: 500n, case_seed: new Uint8Array(32) },
    ...{ round_opened_at: OPENED, arbitrators, commitments: each(new Uint8Array(32)), revealed_outcomes: each(null) },
    ...{ weights: Object.values(seats), reward_claimed: [], barred: [], deposit_vault: KEY, deposit_mint: KEY },
    ...{ deposit: 0n, deposit_shortfall: 0n, outcome: null, winning_weight: 0n, reward_pool: 0n },
    ...{ reward_remaining: 0n, deposit_settled: false, bump: 1, seats_taken_total: 0, terminal_reason: null },
  };
  return owned(simulatedProfile.escrowProgram, encodeAccount(disputeCase, told));
}

function chainOf(told: Told): ChainView {
  const config = at.stakingConfig().address;
  const vault = { mint: simulatedProfile.openMint, authority: config, amount: told.vault, nativeReserve: null };
  const accounts = new Map<string, ChainAccount>([
    [config, owned(simulatedProfile.stakingProgram, configBytes())],
    [at.stakeVault().address, owned(token2022Program, tokenAccountBytes(vault))],
    [at.disputeCase(7n).address, caseOf(told)],
    ...Object.entries(told.stakes).map(([owner, stake]) => {
      return [at.stakeAccount(owner, stakeRoles.Arbitrator).address, stakeOf(owner, stake)] as const;
    }),
  ]);
  const slot = (level: string) => (level === "finalized" ? 900n : 100_000n);
  const block = () => ({ blockTime: told.now ?? OPENED });
  return { slot, written: () => told.written ?? 0n, accounts: () => accounts, block } as unknown as ChainView;
}

function configBytes(): Uint8Array {
  const seven = Array.from({ length: 7 }, () => 1n);
  return encodeAccount(stakingConfig, {
    ...{ admin: KEY, mint: simulatedProfile.openMint, min_stake_by_role: seven, unbonding_secs_by_role: seven },
    ...{ slash_bps: 500, slashing_authority: KEY, slash_destination: KEY, rewards_authority: KEY },
    ...{ bump: 1, stake_vault_bump: 1, rewards_vault_bump: 1 },
  });
}

/** What the law finds in these chains, one look after the other. */
function foundIn(...chains: readonly Told[]): readonly string[] {
  const now = { chain: chainOf(chains[0] as Told) };
  const { checker, found } = watch(stakeCountsOnce, {}, { now: 0 }, () => now.chain);
  for (const [place, told] of chains.entries()) {
    now.chain = chainOf(told);
    const observation = { type: "slot", slot: BigInt(place + 1) * 64n } as const;
    checker.onStep?.(step(0, { type: "chain.observed", observation } as never, "00x", "00x"));
  }
  return found;
}

const [ann, ben] = [alice.address, bob.address];
const begun: Told = { vault: 9n, stakes: { [ann]: { amount: 5n }, [ben]: { amount: 4n } }, seats: { [ann]: 5n } };

const more = { [ann]: { amount: 9n }, [ben]: { amount: 4n } };

describe("the law", () => {
  test.each<readonly [string, Told]>([
    ["nothing happens", begun],
    ["the stake waits", { ...begun, stakes: { ...begun.stakes, [ann]: { unbonding_amount: 5n } } }],
    [
      "a stake is slashed",
      { ...begun, vault: 8n, stakes: { ...begun.stakes, [ann]: { amount: 4n, slashed_total: 1n } } },
    ],
    [
      "a stake leaves once the votes are over",
      { ...begun, vault: 4n, stakes: { [ben]: { amount: 4n } }, now: DEADLINE },
    ],
    ["the next round weighs anew", { ...begun, seats: { [ann]: 3n }, round: 1 }],
    ["somebody pays into the vault", { ...begun, vault: 11n }],
    ["control writes past every program", { vault: 1n, stakes: {}, seats: { [ann]: 7n }, written: 800n }],
  ])("is kept where %s", (_, later) => {
    expect(foundIn(begun, later)).toEqual([]);
  });

  test("says nothing of what control wrote before it is final", () => {
    expect(foundIn(begun, { vault: 1n, stakes: {}, seats: {}, written: 901n })).toEqual([]);
  });

  test.each<readonly [string, Told, RegExp]>([
    [
      "what a seat weighs grows",
      { ...begun, vault: 13n, stakes: more, seats: { [ann]: 9n } },
      /weighed 5 at its commit, and weighs 9$/,
    ],
    ["a seat's stake leaves", { ...begun, vault: 4n, stakes: { [ben]: { amount: 4n } } }, /weighs 5, and 0 of it are/],
    [
      ...["part of a seat's stake leaves", { ...begun, vault: 8n, stakes: { ...begun.stakes, [ann]: { amount: 4n } } }],
      /weighs 5, and 4 of it are staked or slashed$/,
    ] as const,
    ["two seats weigh one stake", { ...begun, seats: { [ann]: 5n, [ben]: 5n } }, /weighs 5, and 4 of it are staked/],
    [
      "tokens leave the vault and no stake",
      { ...begun, vault: 8n },
      /^the stake vault holds 1 less than its stakes say$/,
    ],
  ])("is broken where %s", (_, later, finds) => {
    expect(foundIn(begun, later)).toEqual([expect.stringMatching(finds)]);
  });
});

describe("one float and three wallets", () => {
  const scenario = scenarios.find(({ name }) => name === "float-staked-from-three-wallets")!;
  let left: ReadonlyMap<string, ChainAccount> = new Map();
  beforeAll(async () => {
    const make = ({ chain }: { readonly chain: () => ChainView | undefined }): Checker => ({
      name: "what is left",
      onEnd() {
        left = chain()?.accounts("finalized") ?? new Map();
      },
    });
    const plan = { ...scenario, safety: [...scenario.safety, make] };
    const { report } = await runScenario(plan, { seed: 1n, chain: "model" }, openBackends());
    expect(report.violations).toEqual([]);
  });
  const stakeOfName = (name: string) => {
    const owner = openWallet(crypto, 1n, name).address;
    const account = left.get(at.stakeAccount(owner, stakeRoles.Arbitrator).address);
    const read = account && decodeAccount(stakeAccount, simulatedProfile, account);
    return read?.ok === true ? read.value : undefined;
  };

  test("the wallet that voted pays one twentieth of what it asked back, once", () => {
    const slashed = LEAST / 5n;
    expect(stakeOfName("nora")).toMatchObject({
      ...{ amount: 0n, unbonding_amount: 4n * LEAST - slashed, slashed_total: slashed },
    });
    const admin = openWallet(crypto, 1n, "chain admin").address;
    const purse = left.get(at.tokenAccount(admin, simulatedProfile.openMint, token2022Program).address);
    expect(readTokenAccount(purse?.data ?? new Uint8Array(0))?.amount).toBeGreaterThan(slashed);
  });

  test("the others never had a stake, and who won keeps his", () => {
    expect(stakeOfName("nils")).toBeUndefined();
    expect(stakeOfName("nele")).toBeUndefined();
    for (const name of ["ada", "ben", "cleo"]) {
      expect(stakeOfName(name)).toMatchObject({ amount: 2n * LEAST, slashed_total: 0n });
    }
  });
});
