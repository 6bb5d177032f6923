/**
 * Slashing: the authority that the configuration names takes the configured share of a stake, and of what waits to
 * leave it.
 * Source: protocol 03 D.4, D.5, D.8, E14; protocol 05 Part 5.
 */
import { encodeEventLine, stakeAccount, struct, u16 } from "../../../core/testing.ts";
import type { Handler } from "./call.ts";
import { addressAt, begin, invalidAccount, refuse, save, U64_MAX } from "./call.ts";
import { holds, stakingConfigAt } from "./identity.ts";
import { pay } from "./payment.ts";
import { isStakedMint, isStakeVault, minimumOf, stakeAt } from "./stake.ts";

const codeOnly = struct({ code: u16 });
const BPS_WHOLE = 10_000;

/** authority, OPEN mint, staking_config, stake account, stake vault, destination, token program. */
export const slash: Handler = (call) => {
  const begun = begin(call, codeOnly, "srrwwwr");
  if (!begun.ok) return begun.error;
  const config = stakingConfigAt(call, 2);
  const stake = stakeAt(call, 3);
  const destination = addressAt(call, 5);
  if (config === undefined || stake === undefined || !isStakedMint(call, config, 1, 6)) return invalidAccount;
  if (!isStakeVault(call, config, 4) || destination !== config.slash_destination) return invalidAccount;
  if (!holds(call, 5, config.mint)) return invalidAccount;
  if (addressAt(call, 0) !== config.slashing_authority) return refuse("Unauthorized");
  const shareOf = (tokens: bigint) => (tokens * BigInt(config.slash_bps)) / BigInt(BPS_WHOLE);
  const [active, waiting] = [shareOf(stake.amount), shareOf(stake.unbonding_amount)];
  const amount = active + waiting;
  const slashed_total = stake.slashed_total + amount;
  if (config.slash_bps > BPS_WHOLE || slashed_total > U64_MAX) return refuse("Overflow");
  const refusal = pay(call, { mint: config.mint, from: 4, to: 5, authority: 2, amount });
  if (refusal !== undefined) return refusal;
  const remaining = stake.amount - active;
  const unbonding_amount = stake.unbonding_amount - waiting;
  save(call, 3, stakeAccount, { ...stake, amount: remaining, unbonding_amount, slashed_total });
  call.logs.push(
    encodeEventLine("SlashApplied", {
      stake_account: addressAt(call, 3),
      owner: stake.owner,
      role: stake.role,
      code: begun.value.code,
      amount,
      remaining_stake: remaining,
      slashed_total,
      eligible_after: remaining >= minimumOf(config, stake),
      destination,
      timestamp: call.now,
    }),
  );
  return undefined;
};
