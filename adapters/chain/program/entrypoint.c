/*
 * The escrow-and-dispute program: one translation unit, one entry point.
 * Source: protocol 03 part D (bytes), part E (behaviours); build and rules: README.md.
 */
#include "memory.c"
#include "errors.c"
#include "addresses.c"
#include "accounts.c"
#include "sysvars.c"
#include "invoke.c"
#include "spl_token.c"
#include "events.c"
#include "shares.c"
#include "bans.c"
#include "fee_config.c"
#include "arbitration_pool.c"
#include "liquidity_vault.c"
#include "trade_escrow.c"
#include "staking.c"
#include "dispute_case.c"
#include "open_dispute.c"
#include "votes.c"
#include "tally.c"
#include "execute_dispute.c"
#include "arbitration_rewards.c"
#include "slashing.c"
#include "merchant_fees.c"

/* First eight bytes of s(`global:` + name). Source: protocol 03 D.4. */
static u64 dispatch(const Call *call) {
  switch (load_u64(call->data)) {
    case NAMED(0x3ea214857941911b): return initialize_fee_config(call);
    case NAMED(0x68b867f258976b14): return update_fee_config(call);
    case NAMED(0x4ddf163342ec055a): return initialize_arbitration_pool(call);
    case NAMED(0xdf9ce5d39d7a3736): return publish_arbitrator_pool_size(call);
    case NAMED(0xccff6acd48bafc53): return create_liquidity_vault(call);
    case NAMED(0xf5633b199747e9f9): return deposit_liquidity(call);
    case NAMED(0xc525e83cb6260c54): return reserve_liquidity(call);
    case NAMED(0x959e21b92ff3fd1f): return withdraw_liquidity(call);
    case NAMED(0x95b56f3d7aae4733): return create_trade_escrow(call);
    case NAMED(0x94b143a4e34cad65): return fund_trade_escrow(call);
    case NAMED(0xba050fa3170a8e0c): return approve_settlement(call);
    case NAMED(0x92fd81e91491b5ce): return release_escrow(call);
    case NAMED(0x48a24bb4749d92ac): return cancel_reservation(call);
    case NAMED(0x1393cb80edc248b7): return expire_reservation(call);
    case NAMED(0x1ce5f0717cb4758a): return open_dispute_case(call);
    case NAMED(0xd20e227f4bb9bda8): return commit_dispute_vote(call);
    case NAMED(0xd35b014b9a33e96a): return reveal_dispute_vote(call);
    case NAMED(0x9e38eebbdbdfd463): return execute_dispute_outcome(call);
    case NAMED(0x1458ec45e9c8c3ee): return claim_arbitration_reward(call);
    case NAMED(0x42780810999e0962): return slash_dissenting_arbitrator(call);
    case NAMED(0x9bbcc14721a0d16a): return top_up_arbitration_deposit(call);
    case NAMED(0xfcde71144543bb5c): return absorb_stake_recovery(call);
    case NAMED(0xc8272ef0e8ad86c4): return charge_ad_listing_fee(call);
    case NAMED(0x57c598f47b5c6352): return migrate_fee_config(call);
    default: return INVALID_INSTRUCTION_DATA;
  }
}

u64 entrypoint(u8 *input) {
  Call call;
  read_call(&call, input);
  REQUIRE(call.length >= 8, INVALID_INSTRUCTION_DATA);
  TRY(read_clock(&call));
  return dispatch(&call);
}
