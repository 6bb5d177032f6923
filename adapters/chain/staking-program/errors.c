/*
 * The staking program's own refusals. 6000, 6027 and 6028 mean here what they mean in the escrow program, and no other
 * number is used twice, so that a refusal which comes through a call between the two still says one thing.
 * Source: protocol 03 D.6; the numbers from 6100 on are ours.
 */
enum {
  STAKE_BELOW_MINIMUM = 6100,
  INSUFFICIENT_STAKE = 6101,
  STILL_UNBONDING = 6102,
  NOTHING_UNBONDING = 6103,
};
