/**
 * The reward schedule: who is owed what for an epoch, from observations, stakes and the emission. A library:
 * no node pays, and none signs one. Integers only. Source: OFS-4100 §9; protocol 05 §4.5, §4.6.
 */

import { compareBytes } from "../../kernel/bytes.ts";
import { fromBase58 } from "../../kernel/text.ts";
import type { PeerId } from "../../kernel/values.ts";
import { keyOfPeer, publicKeyText } from "../../kernel/values.ts";
import type { chainAddresses } from "../../solana/addresses.ts";
import { stakeRoles } from "../../solana/addresses.ts";
import type { PeerObservation } from "./schema.ts";

const BPS = 10_000;

/** Source: protocol 05 §4.2. */
export interface RewardParameters {
  readonly epochMs: bigint;
  readonly slices: number;
  readonly connectivityUnprovenBps: number;
  readonly pinningUnprovenBps: number;
  /** Base units of OPEN. */
  readonly emission: bigint;
  readonly stakeFloor: bigint;
}

/** The floor is the reference's; pay by the chain's own minimum where it can be read. Source: protocol 05 §14.20. */
export const rewardParameters: RewardParameters = {
  epochMs: 86_400_000n,
  slices: 24,
  connectivityUnprovenBps: 4_000,
  pinningUnprovenBps: 7_000,
  emission: 82_192_000_000n,
  stakeFloor: 1_000_000_000n,
};

/** What makes a peer payable, as the caller read it. */
export interface Eligibility {
  readonly effectiveStake: bigint;
  readonly registered: boolean;
  readonly stakeAccount: string;
}

export interface ScheduleEntry {
  readonly peer: PeerId;
  readonly amount: bigint;
  readonly effectiveStake: bigint;
  readonly connectivityBps: number;
  readonly availabilityBps: number;
  readonly pinningBps: number;
}

/** What an epoch emits and how it is shared. */
export interface Schedule {
  readonly emission: bigint;
  /** In order of peer id bytes. */
  readonly entries: readonly ScheduleEntry[];
  /** What division leaves over: everything when nobody qualifies. */
  readonly dust: bigint;
}

/** Whether parameters can be used. Source: protocol 05 §4.2. */
export function areUsable(parameters: RewardParameters): boolean {
  const { epochMs, slices, connectivityUnprovenBps, pinningUnprovenBps } = parameters;
  return epochMs > 0n && slices > 0 && connectivityUnprovenBps <= BPS && pinningUnprovenBps <= BPS;
}

/** Source: protocol 05 §4.5. */
export function rewardSchedule(
  parameters: RewardParameters,
  observations: readonly PeerObservation[],
  eligibilities: ReadonlyMap<PeerId, Eligibility>,
  remaining: bigint,
): Schedule {
  const emission = parameters.emission < remaining ? parameters.emission : remaining;
  const weighed = observations
    .flatMap((observation) => {
      const eligible = eligibilities.get(observation.peer);
      if (eligible === undefined || !qualifies(parameters, eligible, eligibilities)) return [];
      const weight = eligible.effectiveStake * qualityOf(observation);
      return weight === 0n ? [] : [{ observation, stake: eligible.effectiveStake, weight }];
    })
    .sort((a, b) => comparePeers(a.observation.peer, b.observation.peer));
  const total = weighed.reduce((sum, { weight }) => sum + weight, 0n);
  const entries = weighed.flatMap(({ observation, stake, weight }) => {
    const amount = (emission * weight) / total;
    return amount === 0n ? [] : [entryOf(observation, stake, amount)];
  });
  return { emission, entries, dust: entries.reduce((left, { amount }) => left - amount, emission) };
}

/** The product of the three measures, in basis points. Source: protocol 05 §4.5. */
export function qualityOf(observation: PeerObservation): bigint {
  const { connectivity_bps, availability_bps, pinning_bps } = observation;
  return (BigInt(connectivity_bps) * BigInt(availability_bps) * BigInt(pinning_bps)) / 100_000_000n;
}

/** The stake account of a node operator: derived from its own key, never told. Source: protocol 05 §4.5, §4.6. */
export function stakeAccountOf(addresses: ReturnType<typeof chainAddresses>, peer: PeerId): string | undefined {
  const key = keyOfPeer(peer);
  return key && addresses.stakeAccount(publicKeyText(key), stakeRoles.NodeOperator).address;
}

/** What of a stake counts: all of it from the role's minimum on, else nothing. Source: protocol 05 §4.6. */
export function effectiveStake(amount: bigint, minimum: bigint): bigint {
  return amount >= minimum ? amount : 0n;
}

/** Epochs that may be paid: held, over, and not paid yet; oldest first. Source: protocol 05 §4.5. */
export function payableEpochs(held: Iterable<bigint>, current: bigint, paid: ReadonlySet<bigint>): readonly bigint[] {
  const payable = [...new Set(held)].filter((epoch) => epoch < current && !paid.has(epoch));
  return payable.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}

/** Sharers of a stake account are all left out. */
function qualifies(
  { stakeFloor }: RewardParameters,
  eligible: Eligibility,
  all: ReadonlyMap<PeerId, Eligibility>,
): boolean {
  if (!eligible.registered || eligible.effectiveStake < stakeFloor) return false;
  let sharers = 0;
  for (const other of all.values()) if (other.stakeAccount === eligible.stakeAccount) sharers++;
  return sharers === 1;
}

function entryOf(observation: PeerObservation, stake: bigint, amount: bigint): ScheduleEntry {
  return {
    peer: observation.peer,
    amount,
    effectiveStake: stake,
    connectivityBps: observation.connectivity_bps,
    availabilityBps: observation.availability_bps,
    pinningBps: observation.pinning_bps,
  };
}

function comparePeers(a: PeerId, b: PeerId): number {
  return compareBytes(fromBase58(a) ?? new Uint8Array(0), fromBase58(b) ?? new Uint8Array(0));
}
