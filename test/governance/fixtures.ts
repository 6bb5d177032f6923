/**
 * What the governance tests share: people, fixtures, and a node whose endpoint answers as the test says.
 */

import { readingsThatCount } from "../../core/domains/governance/agreeing-readings.ts";
import { ProposalActivate, ProposalCreate, ProposalWithdraw, VoteCast } from "../../core/domains/governance/schema.ts";
import type { ChainAccountBytes, Effect } from "../../core/inputs.ts";
import { utf8 } from "../../core/kernel/text.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import { encodeAccount, stakeAccount, stakingConfig } from "../../core/solana/accounts.ts";
import { chainAddresses, devnetProfile } from "../../core/solana/addresses.ts";
import { chainProposal, proposalStates } from "../../core/solana/governance-accounts.ts";
import type { LoneNode, Person } from "../rpc/lone-node.ts";
import { crypto, loneNode, person, signedData } from "../rpc/lone-node.ts";

/** When the stories begin. */
export const T = 1_700_000_000_000n as EpochMillis;
export const [author, squatter] = [person(7), person(0x31)];
export const voters: readonly Person[] = [7, 0x41, 0x42, 0x43].map(person);
export const addresses = chainAddresses(crypto, devnetProfile);
export const OPEN = 1_000_000n;
/** The least stake of a node operator (role 2) on devnet. */
export const MINIMUM = 500_000n * OPEN;

export function at(ms: number): EpochMillis {
  return (T + BigInt(ms)) as EpochMillis;
}

export const proposal: ProposalCreate = {
  id: "ofip-0001",
  title: "Longer window",
  summary: "Raise the window to 45 minutes.",
  category: "Protocol",
  author: author.peer,
  author_public_key: author.key,
  onchain_proposal_id: 7n,
  timestamp: T,
};

export function ballot(voter: Person, change: Partial<VoteCast> = {}): VoteCast {
  return {
    proposal_id: proposal.id,
    voter: voter.peer,
    voter_public_key: voter.key,
    choice: "Approve",
    weight: 1n,
    stake_account: stakeOf(voter),
    timestamp: at(60_000),
    ...change,
  };
}

/** The voter's stake account as a node operator. */
export function stakeOf(voter: Person): string {
  return addresses.stakeAccount(voter.key, 2).address;
}

export function propose(node: LoneNode, change: Partial<ProposalCreate> = {}, by: Person = author): unknown {
  const payload = { ...proposal, author: by.peer, author_public_key: by.key, ...change };
  return node.call("sendProposalCreate", { data: signedData(ProposalCreate, payload, by) });
}

export function vote(node: LoneNode, voter: Person, change: Partial<VoteCast> = {}): unknown {
  return node.call("sendVoteCast", { data: signedData(VoteCast, ballot(voter, change), voter) });
}

export function withdraw(node: LoneNode, ms: number, by: Person = author): unknown {
  const payload = { proposal_id: proposal.id, author: by.peer, timestamp: at(ms) };
  return node.call("sendProposalWithdraw", { data: signedData(ProposalWithdraw, payload, by) });
}

export function activate(node: LoneNode, ms: number, by: Person = author): unknown {
  const payload = { proposal_id: proposal.id, author: by.peer, timestamp: at(ms) };
  return node.call("sendProposalActivate", { data: signedData(ProposalActivate, payload, by) });
}

/** What a proposal shows of itself. */
export interface Shown {
  readonly status: string;
  readonly title: string;
  readonly updated_at: number;
  readonly votes: readonly { readonly voter: string; readonly weight: number; readonly choice: string }[];
}

export function shown(node: LoneNode, id: string = proposal.id): Shown {
  return node.call("getProposal", { id }) as Shown;
}

export function weights(node: LoneNode, id: string = proposal.id): readonly number[] {
  return shown(node, id).votes.map((cast) => cast.weight);
}

export function agreement(node: LoneNode, id: string = proposal.id): string {
  return (node.call("getProposalChainLink", { id }) as { readonly agreement: string }).agreement;
}

/** A node that has a chain endpoint. */
export function chainNode(now: bigint = T): LoneNode {
  return loneNode(now, undefined, undefined, { chain: "RpcConnected" });
}

/** Lets the timer fire after some time; answers what the node asked for then. */
export function tick(node: LoneNode, ms = 10_000): readonly string[] {
  node.now += BigInt(ms);
  const before = node.effects.length;
  node.accept({ type: "timer.fired", timer: "governance" });
  return readsIn(node.effects.slice(before));
}

/** The accounts that effects ask for. */
export function readsIn(effects: readonly Effect[]): readonly string[] {
  return effects.flatMap((effect) => (effect.type === "chain.read" ? [effect.address] : []));
}

/** Whether the last word about the timer is that it is set. */
export function timersSet(node: LoneNode): number {
  return node.effects.filter((effect) => effect.type === "timer.set" && effect.timer === "governance").length;
}

/** What the node logged about votes that it will not count. */
export function reasons(node: LoneNode): readonly unknown[] {
  return node.effects.flatMap((effect) =>
    effect.type === "log" && effect.event === "vote not counted" ? [effect.fields["why"]] : [],
  );
}

/** The endpoint answers a read. */
export function answer(node: LoneNode, address: string, account: ChainAccountBytes | null, slot = 1_000n): void {
  node.accept({ type: "chain.observed", observation: { type: "account", address, slot, account } });
}

/** Answers alike at one slot after another, with what roles need beside it, until it would count if anything does. */
export function answerOften(
  node: LoneNode,
  address: string,
  account: ChainAccountBytes | null,
  slot = 1_000n,
  readings = readingsThatCount(true),
): void {
  for (let later = 0n; later < readings; later += 1n) {
    answer(node, address, account, slot + later);
    answerConfig(node, slot + later);
  }
}

export function unavailable(node: LoneNode): void {
  node.accept({ type: "chain.observed", observation: { type: "unavailable", reason: "the endpoint failed" } });
}

/** The endpoint says what roles need. */
export function answerConfig(node: LoneNode, slot = 1_000n, minimum: bigint = MINIMUM): void {
  const key = addresses.stakingConfig().address;
  const data = encodeAccount(stakingConfig, {
    admin: key,
    mint: devnetProfile.openMint,
    min_stake_by_role: [500n * OPEN, 100_000n * OPEN, minimum, OPEN, OPEN, OPEN, OPEN],
    unbonding_secs_by_role: [0n, 0n, 0n, 0n, 0n, 0n, 0n],
    slash_bps: 1_000,
    slashing_authority: key,
    slash_destination: key,
    rewards_authority: key,
    bump: 255,
    stake_vault_bump: 255,
    rewards_vault_bump: 255,
  });
  answer(node, key, { owner: devnetProfile.stakingProgram, lamports: 1n, data }, slot);
}

/** A stake account's bytes. */
export function stake(owner: Person, amount: bigint, role = 2): ChainAccountBytes {
  const data = encodeAccount(stakeAccount, {
    owner: owner.key,
    role,
    amount,
    unbonding_amount: 0n,
    unbonding_release_at: 0n,
    slashed_total: 0n,
    pending_rewards: 0n,
    bump: 254,
    first_staked_at: 0n,
  });
  return { owner: devnetProfile.stakingProgram, lamports: 1n, data };
}

interface OnChain {
  readonly state: (typeof proposalStates)[number];
  readonly id?: bigint;
  readonly offchain?: string | null;
  readonly proposer?: string;
  readonly endsAt?: bigint;
}

/** An on-chain proposal's bytes; `offchain` is the id that it is linked with. */
export function onChain(account: OnChain): ChainAccountBytes {
  const { state, id = 7n, offchain = proposal.id, proposer = author.key, endsAt = T / 1_000n + 3_600n } = account;
  const data = encodeAccount(chainProposal, {
    id,
    category: 1,
    proposer,
    title_hash: new Uint8Array(32),
    summary_hash: new Uint8Array(32),
    stake_deposit: 5_000n * OPEN,
    votes_for: 60n,
    votes_against: 40n,
    quorum_snapshot: 10n,
    threshold_snapshot: 5_000,
    created_at: T / 1_000n,
    voting_ends_at: endsAt,
    state: proposalStates.indexOf(state),
    quorum_met: true,
    deposit_settled: false,
    executed: false,
    bump: 255,
    offchain_id_hash: offchain === null ? new Uint8Array(32) : crypto.sha256(utf8(offchain)),
  });
  return { owner: devnetProfile.governanceProgram, lamports: 1n, data };
}

/** Where the on-chain half of the proposal stands. */
export const proposalAddress = addresses.proposal(7n).address;
