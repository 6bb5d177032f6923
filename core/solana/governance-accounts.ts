/**
 * Account layouts of the governance program, and the part of a stake account that a vote needs.
 * Nodes read proposals and stakes; the other layouts are for whoever shows or simulates the program.
 * Source: protocol 04 §3.10.
 */

import type { Result } from "../kernel/result.ts";
import { err, ok } from "../kernel/result.ts";
import type { AccountDefect } from "./accounts.ts";
import { decodeAccount, layout } from "./accounts.ts";
import type { ChainProfile } from "./addresses.ts";
import type { Read } from "./layout.ts";
import { bool, field, i64, pk, raw, struct, u8, u16, u64 } from "./layout.ts";

/** State byte of an on-chain proposal, by index. Source: protocol 04 §3.10. */
export const proposalStates = ["Draft", "Voting", "Accepted", "Rejected"] as const;

export const chainProposal = layout(
  "governanceProgram",
  "1a5ebdbb74883521",
  200,
  struct({
    id: u64,
    category: u8,
    proposer: pk,
    title_hash: raw(32),
    summary_hash: raw(32),
    stake_deposit: u64,
    votes_for: u64,
    votes_against: u64,
    quorum_snapshot: u64,
    threshold_snapshot: u16,
    created_at: i64,
    voting_ends_at: i64,
    state: u8,
    quorum_met: bool,
    deposit_settled: bool,
    executed: bool,
    bump: u8,
    /** All zero until the proposer links it. */
    offchain_id_hash: raw(32),
  }),
);

export const voteRecord = layout(
  "governanceProgram",
  "70097ba5ea099da7",
  90,
  struct({ proposal: pk, voter: pk, weight: u64, in_favor: bool, locked_until: i64, bump: u8 }),
);

/** What an accepted proposal may do by itself. Source: protocol 04 §3.10. */
export type GovernanceAction =
  | { readonly type: "none" }
  | {
      readonly type: "list-wallet";
      readonly wallet: string;
      readonly reason: number;
      readonly evidence_hash: Uint8Array;
    }
  | { readonly type: "delist-wallet"; readonly wallet: string };

const listWallet = struct({ wallet: pk, reason: u8, evidence_hash: raw(32) });
const delistWallet = struct({ wallet: pk });

/** A tag byte, then what the tag calls for; any other tag is malformed. */
const action = field<GovernanceAction>({
  bytesMin: 1,
  read(bytes, at) {
    const tag = bytes[at];
    if (tag === 0) return { value: { type: "none" }, next: at + 1 };
    if (tag === 1) return typed("list-wallet", listWallet.read(bytes, at + 1));
    return tag === 2 ? typed("delist-wallet", delistWallet.read(bytes, at + 1)) : undefined;
  },
  put(out, value) {
    out.byte({ none: 0, "list-wallet": 1, "delist-wallet": 2 }[value.type]);
    if (value.type === "list-wallet") listWallet.put(out, value);
    if (value.type === "delist-wallet") delistWallet.put(out, value);
  },
});

export const proposalAction = layout(
  "governanceProgram",
  "35a44f1801098d7a",
  107,
  struct({ proposal: pk, action, bump: u8 }),
);

export const governanceConfig = layout(
  "governanceProgram",
  "513f7c6bd2649146",
  140,
  struct({
    admin: pk,
    mint: pk,
    total_open_supply: u64,
    quorum_bps: u16,
    threshold_simple_bps: u16,
    threshold_treasury_bps: u16,
    threshold_upgrade_bps: u16,
    quorum_upgrade_bps: u16,
    deposit_amount: u64,
    forfeit_destination: pk,
    vote_lock_secs: i64,
    bump: u8,
    deposit_vault_bump: u8,
  }),
);

export const emergencyAuthority = layout(
  "governanceProgram",
  "b9aa1b9ac782bea5",
  89,
  struct({ primary_holder: pk, secondary_holder: pk, initialized_at: i64, expires_at: i64, bump: u8 }),
);

/** The first 49 bytes of a stake account: all that a vote needs. Source: protocol 04 §3.5, §3.10. */
const stakeHead = layout("stakingProgram", "509e437c32bdc0ff", 90, struct({ owner: pk, role: u8, amount: u64 }));

interface AccountBytes {
  readonly owner: string;
  readonly data: Uint8Array;
}

/** Whose stake it is, in which role, and how much. */
export function readStake(profile: ChainProfile, account: AccountBytes) {
  return decodeAccount(stakeHead, profile, account);
}

/** A proposal account with its state by name; a state byte outside the table is malformed. */
export function readProposal(profile: ChainProfile, account: AccountBytes) {
  const decoded = decodeAccount(chainProposal, profile, account);
  if (!decoded.ok) return decoded;
  const state = proposalStates[decoded.value.state];
  const malformed: Result<never, AccountDefect> = err("MALFORMED");
  return state === undefined ? malformed : ok({ ...decoded.value, state });
}

function typed<N extends string, T extends object>(
  type: N,
  read: Read<T> | undefined,
): Read<{ readonly type: N } & T> | undefined {
  return read && { value: { type, ...read.value }, next: read.next };
}
