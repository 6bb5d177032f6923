/**
 * What a story's staker does with its stake, and what others do to stakes: making one, adding, asking back, waiting,
 * slashing; and the same missed by a little.
 */
import type { DisputeCase } from "../../../core/solana/accounts.ts";
import { stakeAccount } from "../../../core/solana/accounts.ts";
import { stakeRoles } from "../../../core/solana/addresses.ts";
import { ARBITRATOR_STAKE_MIN, openMint } from "../../../sim/chain/genesis.ts";
import * as build from "../../../sim/chain/staking-instructions.ts";
import type { Name } from "./chain-world.ts";
import { addressOf, at, names, tokensOf } from "./chain-world.ts";
import type { Look, Step } from "./next-step.ts";
import { caseOf, readAs, TRADES, until } from "./next-step.ts";

/** A merchant's least stake, in OPEN base units. Source: protocol 03 D.3. */
const MERCHANT_STAKE_MIN = 500_000_000n;
const stakers: readonly Name[] = ["stranger", "other", "rival", "judge4", "judge6", "judge7"];
const OPEN = openMint(at);
const destination = tokensOf("admin", OPEN);

/** What can be sent about a stake now; never empty. A story has one staker, with one stake. */
export function stakeSteps(look: Look, reservation: bigint): readonly Step[] {
  const by = stakers[look.luck % stakers.length] as Name;
  const role = look.luck % 5 === 0 ? stakeRoles.Arbitrator : stakeRoles.Merchant;
  return [...ownSteps(look, by, role), ...slashSteps(look, reservation)];
}

function ownSteps(look: Look, by: Name, role: number): readonly Step[] {
  const ref = { owner: addressOf(by), role };
  const held = readAs(look, stakeAccount, at.stakeAccount(ref.owner, role).address);
  const least = role === stakeRoles.Arbitrator ? ARBITRATOR_STAKE_MIN : MERCHANT_STAKE_MIN;
  const made = { by, instruction: build.initializeStakeAccount(at, ref) };
  const stake = (amount: bigint) => ({ by, instruction: build.stake(at, ref, tokensOf(by, OPEN), amount) });
  const unstake = (amount: bigint) => ({ by, instruction: build.requestUnstake(at, ref, amount) });
  if (held === undefined) return [made, made, made, stake(least)];
  const withdraw = { by, instruction: build.withdrawUnstaked(at, ref, tokensOf(by, OPEN)) };
  const { amount, unbonding_amount, unbonding_release_at: release } = held;
  const waits = unbonding_amount > 0n ? [release, release, release, release - 1n] : [look.now];
  return [
    made,
    ...notNegative(least, least, least - amount, least - amount - 1n, 1n, 0n, 1n << 63n).map(stake),
    ...notNegative(amount, amount, amount - least, amount - least + 1n, amount + 1n).map(unstake),
    ...waits.map((time) => ({ ...withdraw, wait: until(look, time) })),
    slashed("admin", ref),
  ];
}

function notNegative(...amounts: readonly bigint[]): readonly bigint[] {
  return amounts.filter((amount) => amount >= 0n);
}

/** The program's own instruction: nobody who signs is its authority. */
function slashed(by: Name, ref: build.StakeRef): Step {
  return { by, instruction: build.slash(at, { authority: addressOf(by), ...ref, destination }, build.LOSING_VOTE) };
}

/** For each seat of the trade's case, and of the one before it: who lost, who won, who was silent. */
function slashSteps(look: Look, reservation: bigint): readonly Step[] {
  const cases = [reservation, reservation - BigInt(TRADES)].flatMap((number) => {
    return (number > 0n ? caseOf(look, number) : undefined) ?? [];
  });
  return cases.flatMap((found) => [...seats(found), ...(found.resolved ? dissent(found) : [])]);
}

function seats(found: DisputeCase): readonly Step[] {
  const seated = names.find((name) => found.arbitrators.includes(addressOf(name)));
  return [dissented(found, seated ?? "judge1"), dissented(found, "judge5")];
}

/** Whoever revealed another outcome, several times over. */
function dissent(found: DisputeCase): readonly Step[] {
  const losers = names.filter((name) => {
    const revealed = found.revealed_outcomes[found.arbitrators.indexOf(addressOf(name))] ?? null;
    return revealed !== null && revealed !== found.outcome;
  });
  return losers.flatMap((name) => Array.from({ length: 8 }, () => dissented(found, name)));
}

function dissented({ reservation_id }: DisputeCase, name: Name): Step {
  const instruction = build.slashDissentingArbitrator(at, reservation_id, addressOf(name), destination);
  return { by: "stranger", instruction };
}
