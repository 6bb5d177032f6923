/**
 * A vote weighs what its voter had staked: the stake that a node holds for one for good is one that the finalized chain
 * showed, with what its role needs, whatever an endpoint said of it meanwhile. Looked at on the chain itself, where
 * nobody has touched the stake since an endpoint could have read it. Source: protocol 04 §3.8, §3.11; DESIGN section 4
 * "What governance reads".
 */
import type { VoteCast, VoteCheck } from "../../core/testing.ts";
import {
  decodeAccount,
  StakeReadings,
  Statements,
  simulatedProfile,
  stakeAccount,
  stakingConfig,
  VoteChecks,
} from "../../core/testing.ts";
import type { ChainView } from "../chain/chain-view.ts";
import type { CheckContext, Checker, StepSeen } from "../checker.ts";

/** Slots for which an endpoint may have seen what was there before: it may lag, and its answers are under way. */
const SEEN_SLOTS = 1_000n;

/** What counts is what is staked. */
export function votesWeighStakes({ violate, chain, profile }: CheckContext): Checker {
  return {
    name: "votes-weigh-stakes",
    onStep({ node, input, changes, view }) {
      // The reference believes the first reading. What a store held was read when it was written.
      if (profile.parity || input.type === "store.loaded") return;
      for (const { table, key } of changes) {
        if (table === VoteChecks.name && isReadTwice(view.get(VoteChecks, key), input))
          violate(`node ${node} would count what it read of the stake behind vote ${key} as of one slot twice`);
        if (table !== StakeReadings.name) continue;
        const held = view.get(StakeReadings, key);
        const voter = (view.get(Statements, key)?.payload as VoteCast | undefined)?.voter_public_key;
        const seen = chain();
        if (held === undefined || voter === undefined || seen === undefined) continue;
        const { role, amount, minimum, stake_account } = held;
        const shown = stakeOn(seen, stake_account, voter);
        if (shown === `${role} ${amount} ${minimum}` || isMoved(seen, stake_account)) continue;
        violate(`node ${node} weighs vote ${key} by ${role} ${amount} ${minimum}, and the chain shows ${shown}`);
      }
    },
  };
}

/** Whether what an account showed counts, and may count once more as of the same slot. */
function isReadTwice(check: VoteCheck | undefined, input: StepSeen["input"]): boolean {
  if (input.type !== "chain.observed" || input.observation.type !== "account") return false;
  if (check === undefined || check.readings === 0 || check.stake !== null) return false;
  return check.state === "reading" && check.slot <= input.observation.slot;
}

/** Role, amount and what the role needs, as the finalized chain has it. */
function stakeOn(chain: ChainView, address: string, voter: string): string {
  const account = chain.account(address, "finalized");
  const stake = account && decodeAccount(stakeAccount, simulatedProfile, account);
  if (stake?.ok !== true || stake.value.owner !== voter) return "no stake of the voter's";
  for (const one of chain.accounts("finalized").values()) {
    const config = one.owner === account?.owner ? decodeAccount(stakingConfig, simulatedProfile, one) : undefined;
    if (config?.ok !== true) continue;
    const { role, amount } = stake.value;
    return `${role} ${amount} ${config.value.min_stake_by_role[role]}`;
  }
  return "nothing that says what roles need";
}

/** Whether an account was touched so lately that an endpoint may have shown it as it was before. */
function isMoved(chain: ChainView, address: string): boolean {
  const lately = chain.slot("finalized") - SEEN_SLOTS;
  const touched = chain.signaturesForAddress(address, { commitment: "finalized" })[0]?.slot;
  // What control writes touches any account; the genesis does before there are slots.
  return (touched !== undefined && touched > lately) || (chain.written() > 0n && chain.written() > lately);
}
