/**
 * Whose files are taken: those of trust anchors, and once this node has a checkpoint those of producers whose stake
 * it read itself. Source: protocol 05 §6.3 (6), §6.10.
 */

import type { StepContext } from "../../engine/step-context.ts";
import type { ChainObservation, NodeConfiguration } from "../../inputs.ts";
import type { Reader } from "../../kernel/table.ts";
import { compareText, fromBase58 } from "../../kernel/text.ts";
import type { EpochMillis } from "../../kernel/values.ts";
import { later, peerOfKey } from "../../kernel/values.ts";
import { decodeAccount, stakingConfig } from "../../solana/accounts.ts";
import { chainAddresses, stakeRoles } from "../../solana/addresses.ts";
import { readStake } from "../../solana/governance-accounts.ts";
import { newestSlot } from "../chain-bridge/newest-slot.ts";
import { chainProfileOf } from "../governance/chain-links.ts";
import { announcedInTurn, FLOOR, ProviderStakes, Snapshots, StakeFloors } from "./tables.ts";

/** Anchors that come with the software. Source: protocol 05 §6.10. */
const PINNED_ANCHORS: readonly string[] = [
  "ALLENLMtV1zEAHT3xpVryqcbdPCB8c9JhM1Jdbe5XHg5",
  "A11ENCKCBxZxEbXQmqs6mTmJkP8gjcA7xqfLD5BxfRpp",
];
/** Least stake of a producer, in base units, whatever the chain asks. Source: protocol 05 §6.10. */
export const STAKE_MIN = 10_000_000_000n;
/** Between two readings, and how long one stands, in milliseconds. Source: protocol 05 §6.10. */
export const STAKES_EVERY_MS = 120_000;
export const STAKE_STANDS_MS = 600_000;
/** Producers whose stake is read at most. Source: DESIGN L10. */
export const STAKED_PRODUCERS_MAX = 256;
/** Of these, those with enough stake that keep their place: of more, those with most. Source: DESIGN L10. */
export const PRODUCERS_KEPT = 192;
/** Announcements among which producers are found at a time. Source: DESIGN "Work at once". */
export const ANNOUNCED_AT_ONCE = 1_024;

/** What a node knows of a producer's stake; a gossip-only one can never tell. */
export type StakeStatus = "qualified" | "short" | "unread" | "unenforceable";

type AccountSeen = Extract<ChainObservation, { readonly type: "account" }>;

/** Whether a producer's files are taken without a look at its stake. */
export function isAnchor({ snapshots }: NodeConfiguration, key: string): boolean {
  return PINNED_ANCHORS.includes(key) || (snapshots?.anchors ?? []).some((anchor) => anchor === key);
}

/** The stake status of a producer. A negative age counts as none. */
export function stakeStatusOf(
  reader: Reader,
  { chain }: NodeConfiguration,
  key: string,
  now: EpochMillis,
): StakeStatus {
  if (chain !== "RpcConnected") return "unenforceable";
  const stake = reader.get(ProviderStakes, key);
  const floor = reader.get(StakeFloors, FLOOR)?.minimum ?? undefined;
  if (stake?.amount === undefined || stake.amount === null || floor === undefined) return "unread";
  if (now > later(stake.read_at, STAKE_STANDS_MS)) return "unread";
  return stake.amount >= (floor > STAKE_MIN ? floor : STAKE_MIN) ? "qualified" : "short";
}

/** The timer: reads what the chain asks, and the stake of every producer that announces and is no anchor. */
export function readProviderStakes(context: StepContext): void {
  const { configuration, draft } = context;
  if (configuration.chain !== "RpcConnected" || configuration.snapshots === undefined) return;
  context.emit({ type: "timer.set", timer: "provider-stakes", at: later(context.now, STAKES_EVERY_MS) });
  const producers = producersToRead(context);
  const announcing = new Set(producers);
  for (const key of [...draft.keys(ProviderStakes)])
    if (!announcing.has(key)) draft.put(ProviderStakes, key, undefined);
  if (producers.length === 0) return;
  const slot = newestSlot(draft)?.slot ?? 0n;
  const addresses = chainAddresses(context.crypto, chainProfileOf(context));
  const floor = draft.get(StakeFloors, FLOOR) ?? { address: addresses.stakingConfig().address, minimum: null };
  draft.put(StakeFloors, FLOOR, floor);
  context.emit({ type: "chain.read", address: floor.address, slot });
  for (const key of producers) {
    const held = draft.get(ProviderStakes, key);
    const address = held?.address ?? addresses.stakeAccount(key, stakeRoles.SnapshotProvider).address;
    draft.put(ProviderStakes, key, held ?? { address, amount: null, read_at: context.now });
    context.emit({ type: "chain.read", address, slot });
  }
}

/** An account that the endpoint answered with; what nobody asked for changes nothing. */
export function onProviderAccount(context: StepContext, seen: AccountSeen): void {
  const floor = context.draft.get(StakeFloors, FLOOR);
  if (floor?.address === seen.address && seen.account !== null) {
    const read = decodeAccount(stakingConfig, chainProfileOf(context), seen.account);
    const minimum = read.ok ? (read.value.min_stake_by_role[stakeRoles.SnapshotProvider] ?? null) : null;
    context.draft.put(StakeFloors, FLOOR, { ...floor, minimum });
  }
  for (const key of [...context.draft.find(ProviderStakes, "address", seen.address)]) {
    context.draft.put(ProviderStakes, key, {
      address: seen.address,
      amount: amountIn(context, key, seen),
      read_at: context.now,
    });
  }
}

/** No account is no stake; one of another program, layout, owner or role says nothing. Source: protocol 05 §6.10. */
function amountIn(context: StepContext, key: string, { account }: AccountSeen): bigint | null {
  if (account === null) return 0n;
  const read = readStake(chainProfileOf(context), account);
  if (!read.ok || read.value.owner !== key || read.value.role !== stakeRoles.SnapshotProvider) return null;
  return read.value.amount;
}

/**
 * Producers with stake, who cost whoever would take their places as much, and beside them others in turn: who makes
 * keys that come first keeps nobody from being read.
 */
function producersToRead({ draft, configuration, now }: StepContext): readonly string[] {
  const keys = new Set(stakedProducers(draft));
  const round = now / BigInt(STAKES_EVERY_MS);
  for (const identity of announcedInTurn(draft, round, ANNOUNCED_AT_ONCE)) {
    const key = draft.get(Snapshots, identity)?.producer_public_key;
    if (key !== undefined && !isAnchor(configuration, key)) keys.add(key);
    if (keys.size >= STAKED_PRODUCERS_MAX) break;
  }
  return [...keys].sort(compareText);
}

/** Those that announce and had enough stake when it was read, the ones with most. */
function stakedProducers(reader: Reader): readonly string[] {
  const staked = [...reader.keys(ProviderStakes)]
    .map((key) => ({ key, amount: reader.get(ProviderStakes, key)?.amount ?? 0n }))
    .filter(({ key, amount }) => amount >= STAKE_MIN && announcementsOf(reader, key).length > 0);
  staked.sort((a, b) => (a.amount === b.amount ? compareText(a.key, b.key) : a.amount > b.amount ? -1 : 1));
  return staked.slice(0, PRODUCERS_KEPT).map(({ key }) => key);
}

/** What those announced whose files may be taken, by identity: anchors, and producers with enough stake. */
export function trustedAnnouncements({ draft, configuration }: StepContext): readonly string[] {
  const anchors = [...PINNED_ANCHORS, ...(configuration.snapshots?.anchors ?? [])];
  return [...new Set([...anchors, ...stakedProducers(draft)])].flatMap((key) => announcementsOf(draft, key));
}

function announcementsOf(reader: Reader, key: string): readonly string[] {
  const bytes = fromBase58(key);
  return bytes === undefined ? [] : reader.find(Snapshots, "producer", peerOfKey(bytes));
}
