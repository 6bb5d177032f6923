/**
 * A decided case costs a seat that revealed another outcome a part of its stake, once. The escrow program is the
 * slashing authority of the staking program. Source: protocol 03 D.2, D.4, D.8, E14; protocol 05 Part 5.
 */
import type { DisputeCase } from "../../../core/testing.ts";
import { stakeRoles } from "../../../core/testing.ts";
import { LOSING_VOTE, slash } from "../staking-instructions.ts";
import type { Call, Handler, Refusal } from "./call.ts";
import { addressAt, begin, invalidAccount, noArguments, refuse } from "./call.ts";
import { saveCase } from "./case-account.ts";
import { caseAt } from "./identity.ts";
import { stakeAt } from "./stake.ts";

/**
 * case, slashing authority, OPEN mint, staking_config, stake account, stake vault, destination, token program, staking
 * program; nobody signs.
 */
export const slashDissentingArbitrator: Handler = (call) => {
  const begun = begin(call, noArguments, "wrrrwwwrr");
  if (!begun.ok) return begun.error;
  const found = caseAt(call, 0);
  const stake = stakeAt(call, 4);
  const { stakingProgram } = call.at.profile;
  if (found === undefined || stake === undefined || stake.role !== stakeRoles.Arbitrator) return invalidAccount;
  if (addressAt(call, 1) !== call.at.slashingAuthority().address) return invalidAccount;
  if (addressAt(call, 8) !== stakingProgram) return invalidAccount;
  const seat = found.arbitrators.indexOf(stake.owner);
  const refusal = refusalOf(found, seat);
  if (refusal !== undefined) return refusal;
  const flags = Math.max(found.arbitrators.length, found.reward_claimed.length);
  const reward_claimed = Array.from({ length: flags }, (_, other) => {
    return other === seat || found.reward_claimed[other] === true;
  });
  saveCase(call, 0, { ...found, reward_claimed });
  return slashed(call, stake.owner);
};

function refusalOf(found: DisputeCase, seat: number): Refusal | undefined {
  if (!found.resolved || found.outcome === null) return refuse("DisputeNotDecided");
  if (seat < 0) return refuse("NoCommitmentFound");
  const revealed = found.revealed_outcomes[seat] ?? null;
  if (revealed === null || revealed === found.outcome) return refuse("NotADissentingArbitrator");
  return found.reward_claimed[seat] === true ? refuse("AlreadySlashed") : undefined;
}

/** The call of the staking program, with the accounts that were passed for it. */
function slashed(call: Call, owner: string): Refusal | undefined {
  const slashing = {
    authority: addressAt(call, 1),
    owner,
    role: stakeRoles.Arbitrator,
    destination: addressAt(call, 6),
  };
  const { program, accounts, data } = slash(call.at, slashing, LOSING_VOTE);
  const passed = accounts.map((meta, place) => ({ ...meta, address: addressAt(call, 1 + place) }));
  return call.invoke(program, passed, data);
}
