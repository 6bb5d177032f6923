/*
 * Taking a stake back: first it stops counting, then it waits, then it may leave. Source: protocol 03 D.3, D.4.
 */

/*
 * request_unstake(amount u64): owner, staking_config, stake account. What still waits from before waits as long as what
 * joins it: the account remembers one instant.
 */
static u64 request_unstake(const Call *call) {
  TRY(expect_arguments(call, 8));
  TRY(expect_accounts(call, "srw"));
  const Account *config = &call->accounts[1], *stake = &call->accounts[2];
  const u64 amount = load_u64(arguments(call));
  TRY(expect_staking_config(config));
  TRY(expect_stake_of(stake, call->accounts[0].key));
  REQUIRE(amount > 0, INVALID_INSTRUCTION_DATA);
  const u64 active = load_u64(stake->data + STAKE_AMOUNT);
  REQUIRE(amount <= active, INSUFFICIENT_STAKE);
  REQUIRE(amount == active || active - amount >= minimum_of(config, stake), STAKE_BELOW_MINIMUM);
  const i64 seconds = load_i64(config->data + STAKING_CONFIG_UNBONDING_SECS + 8 * (u64)stake->data[STAKE_ROLE]);
  const i64 release_at = (i64)((u64)call->now + (u64)seconds);
  REQUIRE(seconds >= 0 && release_at >= call->now, OVERFLOW);
  TRY(add_to(stake, STAKE_UNBONDING_AMOUNT, amount));

  take_from(stake, STAKE_AMOUNT, amount);
  store_i64(stake->data + STAKE_UNBONDING_RELEASE_AT, release_at);
  return SUCCESS;
}

/* withdraw_unstaked: owner, OPEN mint, staking_config, stake account, stake vault, to, token program. All of it. */
static u64 withdraw_unstaked(const Call *call) {
  TRY(expect_arguments(call, 0));
  TRY(expect_accounts(call, "srrwwwr"));
  const Account *owner = &call->accounts[0], *mint = &call->accounts[1], *config = &call->accounts[2];
  const Account *stake = &call->accounts[3], *vault = &call->accounts[4], *to = &call->accounts[5];
  const Account *token_program = &call->accounts[6];
  TRY(expect_staking_config(config));
  TRY(expect_staked_mint(mint, config, token_program));
  TRY(expect_stake_of(stake, owner->key));
  TRY(expect_stake_vault(vault, config, token_program));
  TRY(expect_token_account(to, token_program, mint->key));
  REQUIRE(!keys_equal(to->key, vault->key), INVALID_ACCOUNT);
  const u64 amount = load_u64(stake->data + STAKE_UNBONDING_AMOUNT);
  REQUIRE(amount > 0, NOTHING_UNBONDING);
  REQUIRE(call->now >= load_i64(stake->data + STAKE_UNBONDING_RELEASE_AT), STILL_UNBONDING);

  store_u64(stake->data + STAKE_UNBONDING_AMOUNT, 0);
  store_i64(stake->data + STAKE_UNBONDING_RELEASE_AT, 0);
  Slice seeds[2];
  const Transfer transfer = {token_program, mint, vault, to, config, amount, config_signer(config, seeds)};
  return transfer_tokens(&transfer);
}
