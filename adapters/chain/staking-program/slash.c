/*
 * Slashing: the authority that the configuration names takes the configured share of a stake, and of what waits to
 * leave it: a vote could not be answered for otherwise, since asking for a stake back takes one transaction.
 * Source: protocol 03 D.4, D.5, D.8, E14; protocol 05 Part 5.
 */
#define EVENT_SLASH_APPLIED NAMED(0xcf14a4b3ea3950ee)

static void tell_slash(const Call *call, u64 amount) {
  const Account *config = &call->accounts[2], *stake = &call->accounts[3], *destination = &call->accounts[5];
  const u64 active = load_u64(stake->data + STAKE_AMOUNT);
  Event event;
  begin_event(&event, EVENT_SLASH_APPLIED);
  put_key(&event, stake->key);
  put_key(&event, stake->data + STAKE_OWNER);
  put_u8(&event, stake->data[STAKE_ROLE]);
  put_u8(&event, arguments(call)[0]);
  put_u8(&event, arguments(call)[1]);
  put_u64(&event, amount);
  put_u64(&event, active);
  put_u64(&event, load_u64(stake->data + STAKE_SLASHED_TOTAL));
  put_u8(&event, active >= minimum_of(config, stake));
  put_key(&event, destination->key);
  put_i64(&event, call->now);
  emit(&event);
}

/* slash(code u16): authority, OPEN mint, staking_config, stake account, stake vault, destination, token program. */
static u64 slash(const Call *call) {
  TRY(expect_arguments(call, 2));
  TRY(expect_accounts(call, "srrwwwr"));
  const Account *mint = &call->accounts[1], *config = &call->accounts[2], *stake = &call->accounts[3];
  const Account *vault = &call->accounts[4], *destination = &call->accounts[5], *token_program = &call->accounts[6];
  TRY(expect_staking_config(config));
  TRY(expect_staked_mint(mint, config, token_program));
  TRY(expect_stake(stake));
  TRY(expect_stake_vault(vault, config, token_program));
  TRY(expect_key(destination, config->data + STAKING_CONFIG_SLASH_DESTINATION));
  TRY(expect_token_account(destination, token_program, mint->key));
  REQUIRE(keys_equal(call->accounts[0].key, config->data + STAKING_CONFIG_SLASHING_AUTHORITY), UNAUTHORIZED);
  const u64 bps = load_u16(config->data + STAKING_CONFIG_SLASH_BPS);
  REQUIRE(bps <= BPS_WHOLE, OVERFLOW);
  const u64 active = share_of(load_u64(stake->data + STAKE_AMOUNT), bps);
  const u64 waiting = share_of(load_u64(stake->data + STAKE_UNBONDING_AMOUNT), bps);
  TRY(add_to(stake, STAKE_SLASHED_TOTAL, active));
  TRY(add_to(stake, STAKE_SLASHED_TOTAL, waiting));
  take_from(stake, STAKE_AMOUNT, active);
  take_from(stake, STAKE_UNBONDING_AMOUNT, waiting);
  const u64 amount = active + waiting; /* fits: the total above holds it */

  Slice seeds[2];
  const Transfer transfer = {token_program, mint, vault, destination, config, amount, config_signer(config, seeds)};
  TRY(transfer_tokens(&transfer));
  tell_slash(call, amount);
  return SUCCESS;
}
