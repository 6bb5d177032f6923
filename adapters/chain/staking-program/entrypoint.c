/*
 * The staking program: one translation unit, one entry point. What it shares with the escrow program stands there.
 * Source: protocol 03 D.2 to D.5; decisions and build: README.md.
 */
/* What only the escrow program uses of these is left out of this one. */
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wunused-function"
#include "../program/memory.c"
#include "../program/errors.c"
#include "../program/addresses.c"
#include "../program/accounts.c"
#include "../program/sysvars.c"
#include "../program/invoke.c"
#include "../program/spl_token.c"
#include "../program/events.c"
#include "../program/shares.c"
#include "../program/bans.c"
#include "../program/staking.c"
#pragma clang diagnostic pop
#include "errors.c"
#include "accounts.c"
#include "stake.c"
#include "unstake.c"
#include "slash.c"

/* First eight bytes of s(`global:` + name). Source: protocol 03 D.4. */
static u64 dispatch(const Call *call) {
  switch (load_u64(call->data)) {
    case NAMED(0xb8079b5295d9b9c4): return initialize_stake_account(call);
    case NAMED(0xceb0ca12c8d1b36c): return stake_tokens(call);
    case NAMED(0x2c9a6efda0ca3622): return request_unstake(call);
    case NAMED(0x13ca44ffd828cd3d): return withdraw_unstaked(call);
    case NAMED(0xcc8d12a108b15c8e): return slash(call);
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
