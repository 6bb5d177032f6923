// Goal: the checker of votes finds a stake that a node holds for good and the chain does not show, and nothing else.
// Method: hand-made steps over a chain with one stake and what roles need. What readings that are believed at once
// lead to, and that it is found, is in suites/lying-endpoints.test.ts.
import { assert, test } from "vitest";
import type { NetworkProfile } from "../../core/index.ts";
import {
  encodeAccount,
  StakeReadings,
  Statements,
  simulatedProfile,
  stakeAccount,
  stakingConfig,
  VoteChecks,
} from "../../core/testing.ts";
import type { ChainView } from "../../sim/chain/chain-view.ts";
import type { StepSeen } from "../../sim/checker.ts";
import { votesWeighStakes } from "../../sim/checkers/votes-weigh-stakes.ts";
import { alice, bob, noView, step, watch } from "./checker-bench.ts";

const NEEDED = 10n;
const reading = { stake_account: "stake", role: 2, amount: 50n, minimum: NEEDED as bigint | null };

function staked(owner: string, change: { readonly owner?: string; readonly amount?: bigint; readonly role?: number }) {
  const { owner: program = simulatedProfile.stakingProgram, amount = reading.amount, role = reading.role } = change;
  const data = encodeAccount(stakeAccount, {
    ...{ owner, role, amount, unbonding_amount: 0n, unbonding_release_at: 0n, slashed_total: 0n },
    ...{ pending_rewards: 0n, bump: 0, first_staked_at: 0n },
  });
  return { owner: program, lamports: 1n, data };
}

const config = {
  owner: simulatedProfile.stakingProgram,
  lamports: 1n,
  data: encodeAccount(stakingConfig, {
    ...{ admin: alice.publicKey, mint: alice.publicKey, min_stake_by_role: [1n, 2n, NEEDED, 4n, 5n, 6n, 7n] },
    ...{ unbonding_secs_by_role: [0n, 0n, 0n, 0n, 0n, 0n, 0n], slash_bps: 0, slashing_authority: alice.publicKey },
    ...{ slash_destination: alice.publicKey, rewards_authority: alice.publicKey, bump: 0 },
    ...{ stake_vault_bump: 0, rewards_vault_bump: 0 },
  }),
};

interface Told {
  readonly held?: object | undefined;
  readonly account?: ReturnType<typeof staked> | undefined;
  readonly touched?: bigint;
  readonly written?: bigint;
  readonly input?: string;
  readonly table?: string;
  readonly profile?: Partial<NetworkProfile>;
}

/** How often it finds something where a node comes to hold this of alice's vote, in slot 5,000. */
function found(told: Told): number {
  const {
    held,
    account,
    touched,
    written = 0n,
  } = {
    ...{ held: reading, account: staked(alice.publicKey, {}) },
    ...told,
  };
  const chain = {
    account: (address: string) => (address === "stake" ? account : undefined),
    accounts: () => new Map(Object.entries({ ...(account !== undefined && { stake: account }), config })),
    signaturesForAddress: () => (touched === undefined ? [] : [{ slot: touched }]),
    slot: () => 5_000n,
    written: () => written,
  } as unknown as ChainView;
  const rows = new Map<string, unknown>([
    [StakeReadings.name, held],
    [Statements.name, { payload: { voter_public_key: alice.publicKey } }],
  ]);
  const view = { ...noView, get: ({ name }: { name: string }) => rows.get(name) } as StepSeen["view"];
  const watched = watch(votesWeighStakes, told.profile, { now: 0 }, () => chain);
  const changes = [{ table: told.table ?? StakeReadings.name, key: "vote", record: undefined }];
  watched.checker.onStep?.({
    ...step(0, { type: told.input ?? "chain.observed" } as never, "00x", "00x"),
    ...{ changes, view },
  });
  return watched.found.length;
}

test.each([
  ["what the chain shows", {}],
  ["a fact that is taken back", { held: undefined }],
  ["another table's row", { table: "others", account: undefined }],
  ["what a store held", { input: "store.loaded", account: undefined }],
  ["the first reading, which the reference believes", { profile: { parity: true }, account: undefined }],
  ["a stake that was touched lately", { touched: 4_001n, account: staked(alice.publicKey, { amount: 51n }) }],
  ["what control wrote lately", { written: 4_001n, account: staked(alice.publicKey, { amount: 51n }) }],
] as const)("finds nothing in %s", (_, told) => {
  assert.equal(found(told), 0);
});

test.each([
  ["a stake of more", { account: staked(alice.publicKey, { amount: 51n }) }],
  ["one of another role", { account: staked(alice.publicKey, { role: 3 }) }],
  ["another's", { account: staked(bob.publicKey, {}) }],
  ["another program's account", { account: staked(alice.publicKey, { owner: simulatedProfile.escrowProgram }) }],
  ["no account", { account: undefined }],
  ["another need of the role", { held: { ...reading, minimum: 11n } }],
  ["no need of the role", { held: { ...reading, minimum: null } }],
  ["a stake touched long ago", { touched: 4_000n, account: staked(alice.publicKey, { amount: 51n }) }],
  ["what control wrote long ago", { written: 4_000n, account: staked(alice.publicKey, { amount: 51n }) }],
] as const)("finds %s behind what a node weighs a vote by", (_, told) => {
  assert.equal(found(told), 1);
});

test("finds a reading that may count once more as of the same slot", () => {
  const read = (check: object | undefined, observation: object = { type: "account", slot: 10n }) => {
    const rows = new Map<string, unknown>([[VoteChecks.name, check]]);
    const view = { ...noView, get: ({ name }: { name: string }) => rows.get(name) } as StepSeen["view"];
    const { checker, found: all } = watch(votesWeighStakes);
    const changes = [{ table: VoteChecks.name, key: "vote", record: undefined }];
    checker.onStep?.({
      ...step(0, { type: "chain.observed", observation } as never, "00x", "00x"),
      ...{ changes, view },
    });
    return all.length;
  };
  const check = { state: "reading", readings: 1, stake: null, slot: 10n };
  assert.equal(read(check), 1);
  const others = [undefined, { ...check, slot: 11n }, { ...check, readings: 0 }, { ...check, state: "given-up" }];
  assert.deepEqual(
    [...others, { ...check, stake: {} }].map((one) => read(one)),
    [0, 0, 0, 0, 0],
  );
  assert.equal(read(check, { type: "slot", slot: 10n }), 0);
});
