/**
 * No stake counts for two: what stakes say is in the vault, a seat weighs what it weighed at its commit, and what it
 * weighs stays in the vault, or is slashed, until the votes of its round are over. So what is counted on a case is at
 * most what the vault held. Looked at on the finalized chain, whatever endpoints and nodes say of it.
 * Source: protocol 03 D.3, D.8, E5 to E7; DESIGN section 4 "Staking".
 */
import type { DisputeCase, StakeAccount } from "../../core/testing.ts";
import {
  decodeAccount,
  disputeCase,
  simulatedProfile,
  stakeAccount,
  stakeRoles,
  stakingConfig,
} from "../../core/testing.ts";
import type { ChainView } from "../chain/chain-view.ts";
import type { ChainAccount } from "../chain/executor.ts";
import { readTokenAccount } from "../chain/token.ts";
import type { CheckContext, Checker } from "../checker.ts";
import { looksAtChain } from "./chain-looks.ts";

/** What was seen, since somebody last wrote accounts past every program. */
interface Looked {
  slot: bigint;
  written: bigint;
  /** Tokens of the vault beyond what stakes say, at the first look. */
  spare: bigint | undefined;
  /** What each seat weighs, by case, round and arbitrator. */
  weights: Map<string, bigint>;
  /** Cases that somebody may have written, or the stakes behind them. */
  apart: Set<string>;
}

/** What a look at the chain finds. */
interface Found {
  readonly cases: ReadonlyMap<string, DisputeCase>;
  /** Stakes of arbitrators, by their owners. */
  readonly stakes: ReadonlyMap<string, StakeAccount>;
  /** Tokens of the vault beyond what stakes say. */
  readonly spare: bigint;
}

/** What is counted on a case was staked, once, and is there. */
export function stakeCountsOnce({ violate, chain, keep }: CheckContext): Checker {
  const held = keep<Looked>(() => ({ ...unseen(), slot: 0n, written: 0n }));
  const look = (view: ChainView) => {
    const final = view.slot("finalized");
    // What control wrote begins anew, once it is final.
    if (final < view.written()) return;
    const found = foundIn(view.accounts("finalized"));
    if (view.written() !== held.written) {
      Object.assign(held, unseen(), { written: view.written() });
      for (const address of found.cases.keys()) held.apart.add(address);
    }
    held.spare ??= found.spare;
    if (found.spare < held.spare) violate(`the stake vault holds ${held.spare - found.spare} less than its stakes say`);
    const open = [...found.cases].filter(([address, { resolved }]) => !resolved && !held.apart.has(address));
    const now = open.length === 0 ? 0n : (view.block(final)?.blockTime ?? 0n);
    for (const [address, one] of open) {
      for (const problem of seatsOf(address, one, found.stakes, held.weights, now)) violate(problem);
    }
    const heldKeys = [...held.weights.keys()];
    const isOpen = new Set(open.map(([address]) => address));
    for (const key of heldKeys) if (!isOpen.has(key.slice(0, key.indexOf("/")))) held.weights.delete(key);
  };
  return { name: "stake-counts-once", ...looksAtChain(chain, held, look) };
}

function unseen(): Pick<Looked, "spare" | "weights" | "apart"> {
  return { spare: undefined, weights: new Map(), apart: new Set() };
}

function foundIn(accounts: ReadonlyMap<string, ChainAccount>): Found {
  const { escrowProgram, stakingProgram, openMint } = simulatedProfile;
  const cases = new Map<string, DisputeCase>();
  const stakes = new Map<string, StakeAccount>();
  const purses = new Map<string, bigint>();
  let config: string | undefined;
  let staked = 0n;
  for (const [address, account] of accounts) {
    if (account.owner === escrowProgram) {
      const read = decodeAccount(disputeCase, simulatedProfile, account);
      if (read.ok) cases.set(address, read.value);
    } else if (account.owner === stakingProgram) {
      const read = decodeAccount(stakeAccount, simulatedProfile, account);
      if (!read.ok) {
        if (decodeAccount(stakingConfig, simulatedProfile, account).ok) config = address;
        continue;
      }
      staked += read.value.amount + read.value.unbonding_amount;
      if (read.value.role === stakeRoles.Arbitrator) stakes.set(read.value.owner, read.value);
    } else {
      const token = readTokenAccount(account.data);
      if (token?.mint === openMint) purses.set(token.authority, (purses.get(token.authority) ?? 0n) + token.amount);
    }
  }
  // The configuration commands the vault of all stakes, and that of rewards, which nothing pays from.
  return { cases, stakes, spare: (config === undefined ? 0n : (purses.get(config) ?? 0n)) - staked };
}

/** Seats whose weight changed, or left the vault before the votes were over. */
function* seatsOf(
  address: string,
  { reservation_id: reservation, round, arbitrators, weights, reveal_deadline: deadline }: DisputeCase,
  stakes: ReadonlyMap<string, StakeAccount>,
  known: Map<string, bigint>,
  now: bigint,
): Generator<string> {
  for (const [place, arbitrator] of arbitrators.entries()) {
    const weight = weights[place] ?? 0n;
    const key = `${address}/${round}/${arbitrator}`;
    const before = known.get(key) ?? weight;
    known.set(key, before);
    const seat = `the seat of ${arbitrator} on the case of ${reservation}`;
    if (weight !== before) yield `${seat} weighed ${before} at its commit, and weighs ${weight}`;
    const stake = stakes.get(arbitrator);
    const backed = stake === undefined ? 0n : stake.amount + stake.unbonding_amount + stake.slashed_total;
    if (now < deadline && backed < weight) yield `${seat} weighs ${weight}, and ${backed} of it are staked or slashed`;
  }
}
