/**
 * Goal: anybody who has the observations, the stakes and the emission computes the same schedule (protocol 05 §4.5),
 * and the verdict on a panel names who revealed against the chain's outcome (Part 5).
 * Method: the published vector and addresses; laws of the division over random peers.
 */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Eligibility } from "../../core/domains/rewards/schedule.ts";
import {
  areUsable,
  effectiveStake,
  payableEpochs,
  qualityOf,
  rewardParameters,
  rewardSchedule,
  stakeAccountOf,
} from "../../core/domains/rewards/schedule.ts";
import type { PeerObservation } from "../../core/domains/rewards/schema.ts";
import {
  MISCONDUCT_DISSENT,
  SLASH_BPS_RECOMMENDED,
  slashedAmount,
  slashingVerdict,
  verdictKey,
} from "../../core/domains/rewards/slashing.ts";
import type { PeerId } from "../../core/kernel/values.ts";
import { chainAddresses, devnetProfile, stakeRoles } from "../../core/solana/addresses.ts";
import { forAll } from "../property/for-all.ts";
import { crypto, person } from "../rpc/lone-node.ts";

const OPEN = 1_000_000n;
const ALL = 1n << 64n;
const [a, b, c] = [person(1).peer, person(2).peer, person(3).peer];

function observed(peer: PeerId, connectivity: number, availability: number, pinning: number): PeerObservation {
  return {
    peer,
    connectivity_bps: connectivity,
    availability_bps: availability,
    pinning_bps: pinning,
    announced_blockhash: false,
    served_content: false,
  };
}

const stake = (peer: PeerId, open: bigint, more: Partial<Eligibility> = {}): [PeerId, Eligibility] => [
  peer,
  { effectiveStake: open * OPEN, registered: true, stakeAccount: peer, ...more },
];
const three = [
  observed(c, 10_000, 9_583, 7_000),
  observed(a, 10_000, 10_000, 10_000),
  observed(b, 4_000, 5_000, 7_000),
];
const stakes = new Map([stake(a, 500_000n), stake(b, 500_000n), stake(c, 1_000_000n)]);

test("the published schedule", () => {
  const schedule = rewardSchedule(rewardParameters, three, stakes, ALL);
  expect(three.map(qualityOf)).toEqual([6_708n, 10_000n, 1_400n]);
  const amounts = new Map(schedule.entries.map(({ peer, amount }) => [peer, amount]));
  expect([a, b, c].map((peer) => amounts.get(peer))).toEqual([33_120_567_375n, 4_636_879_432n, 44_434_553_191n]);
  expect(schedule).toMatchObject({ emission: 82_192_000_000n, dust: 2n });
  expect(schedule.entries.map(({ peer }) => peer)).toEqual([b, a, c]);
});

test("the bucket bounds the emission, and everything is dust when nobody qualifies", () => {
  expect(rewardSchedule(rewardParameters, three, stakes, 7n)).toMatchObject({ emission: 7n });
  expect(rewardSchedule(rewardParameters, three, new Map(), ALL)).toEqual({
    emission: 82_192_000_000n,
    entries: [],
    dust: 82_192_000_000n,
  });
});

test.each([
  ["not registered", { registered: false }],
  ["below the floor", { effectiveStake: 1_000n * OPEN - 1n }],
  ["sharing a stake account", { stakeAccount: b }],
])("%s: left out", (_, more) => {
  const schedule = rewardSchedule(rewardParameters, three, new Map([...stakes, stake(a, 500_000n, more)]), ALL);
  expect(schedule.entries.map(({ peer }) => peer)).toEqual("stakeAccount" in more ? [c] : [b, c]);
});

test("a stake at the floor counts", () => {
  const atFloor = new Map([stake(a, 1_000n)]);
  expect(rewardSchedule(rewardParameters, three, atFloor, ALL).entries.map(({ peer }) => peer)).toEqual([a]);
});

test("what equal, gossip-only and non-pinning nodes earn", () => {
  const of = (...qualities: readonly PeerObservation[]) =>
    rewardSchedule({ ...rewardParameters, emission: 1_000n }, qualities, stakes, ALL).entries.map(
      ({ amount }) => amount,
    );
  const whole = (peer: PeerId) => observed(peer, 10_000, 10_000, 10_000);
  expect(of(whole(a), { ...whole(b) })).toEqual([500n, 500n]);
  expect(qualityOf(observed(a, 4_000, 10_000, 10_000))).toBe(4_000n);
  expect(qualityOf(observed(a, 10_000, 10_000, 7_000))).toBe(7_000n);
});

test("amounts never exceed the emission, and nothing is lost", () => {
  const bps = fc.integer({ min: 0, max: 10_000 });
  const peers = fc.array(fc.tuple(bps, bps, bps, fc.bigInt(0n, 10_000_000n)), { maxLength: 12 });
  forAll(
    [peers, fc.oneof(fc.bigInt(0n, ALL), fc.bigInt(0n, 100n))],
    (rows, bucket) => {
      const seen = rows.map(([x, y, z], i) => observed(person(i + 1).peer, x, y, z));
      const held = new Map(rows.map(([, , , open], i) => stake(person(i + 1).peer, open)));
      const { emission, entries, dust } = rewardSchedule(rewardParameters, seen, held, bucket);
      expect(entries.reduce((sum, { amount }) => sum + amount, dust)).toBe(emission);
      expect(entries.every(({ amount }) => amount > 0n)).toBe(true);
      if (entries.length > 0) expect(dust).toBeLessThan(BigInt(rows.length));
      return [
        rows.length > 10 ? "more than ten" : "ten at most",
        entries.length === 0 ? "nobody" : entries.length < rows.length ? "some" : "all",
        ...(dust > 0n && entries.length > 0 ? ["dust"] : []),
        ...(emission === bucket && bucket > 0n ? ["the bucket bounds"] : []),
      ];
    },
    {
      runs: 150,
      shares: { nobody: 0.05, some: 0.4, all: 0.05, dust: 0.4, "the bucket bounds": 0.4, "more than ten": 0.1 },
    },
  );
});

test("parameters that cannot be used", () => {
  expect(areUsable(rewardParameters)).toBe(true);
  for (const wrong of [
    { epochMs: 0n },
    { slices: 0 },
    { connectivityUnprovenBps: 10_001 },
    { pinningUnprovenBps: 10_001 },
  ])
    expect(areUsable({ ...rewardParameters, ...wrong })).toBe(false);
});

test("payable epochs are held, over and unpaid", () => {
  expect(payableEpochs([9n, 7n, 8n, 6n, 7n], 9n, new Set([6n]))).toEqual([7n, 8n]);
});

describe("stakes", () => {
  const addresses = chainAddresses(crypto, devnetProfile);

  test("a stake account is derived from the peer's own key", () => {
    const key = person(7).key;
    expect(addresses.stakeAccount(key, stakeRoles.SnapshotProvider).address).toBe(
      "Gxpyahfq4LE2aDSPdHkwcJQBB8wc2PWaiUEpj4gcTJUu",
    );
    expect(addresses.stakeAccount(person(1).key, stakeRoles.SnapshotProvider)).toEqual({
      address: "6SBehWZtV7yLaA9z2CMjBmzE6G7eHys1k3Hd1FWBvCB2",
      bump: 254,
    });
    expect(stakeAccountOf(addresses, person(7).peer)).toBe(
      addresses.stakeAccount(key, stakeRoles.NodeOperator).address,
    );
    expect(stakeAccountOf(addresses, "x" as PeerId)).toBeUndefined();
  });

  test("a stake below its role's minimum counts for nothing", () => {
    expect(effectiveStake(500_000n, 500_000n)).toBe(500_000n);
    expect(effectiveStake(499_999n, 500_000n)).toBe(0n);
  });
});

describe("slashing", () => {
  const seat = (arbitrator: string, revealedOutcome: number | null, weight = 1n) => ({
    arbitrator,
    revealedOutcome,
    weight,
  });
  const seats = [seat("ann", 1), seat("ben", 0, 0n), seat("cho", null), seat("dan", 2)];
  const decided = { reservationId: 42n, round: 1, outcome: 1, seats };

  test("names who revealed against the outcome, in order of seat, with no weight too", () => {
    expect(slashingVerdict(decided)).toEqual([
      { arbitrator: "ben", revealedOutcome: 0, weight: 0n, misconductCode: MISCONDUCT_DISSENT },
      { arbitrator: "dan", revealedOutcome: 2, weight: 1n, misconductCode: 1 },
    ]);
  });

  test("is none while the chain decided nothing, and empty when all agreed", () => {
    expect(slashingVerdict({ ...decided, outcome: null })).toBeUndefined();
    expect(slashingVerdict({ ...decided, seats: [seat("ann", 1), seat("cho", null)] })).toEqual([]);
  });

  test("is remembered by reservation and round", () => {
    expect(verdictKey(decided)).not.toBe(verdictKey({ ...decided, round: 2 }));
    expect(slashedAmount(100_001n, SLASH_BPS_RECOMMENDED)).toBe(5_000n);
  });
});
